// A rank's share of the step, on one core.
#pragma once

#include <cblas.h>

#include <vector>

#include "several_gpus.h"

namespace {

struct Network {
  using Args = SeveralGpus::Args;
  Network(const Args& args, int rank) : p(args), rank(rank) {
    openblas_set_num_threads(1);
    activations.resize((p.layers + 1) * p.batch * p.width);
    updated.resize(p.weights());
    own_gradient.resize(p.weights());
    gradient = own_gradient.data();
  }

  float* layer_gradient(wb::i64 l) const { return gradient + l * p.layer(); }
  float* x(wb::i64 l) { return activations.data() + l * p.batch * p.width; }  // X(l)

  // After this X(layers) is D(layers) already: the target is subtracted by the last product.
  void forward(wb::i64 round = 0) {
    const wb::Span span(wb::Work::compute, "forward");
    const wb::i64 first = (rank * p.rounds + round) * p.batch * p.width, size = p.batch * p.width;
    std::copy_n(p.x + first, size, x(0));
    std::copy_n(p.target + first, size, x(p.layers));
    for (wb::i64 l = 0; l < p.layers; ++l)
      product(CblasNoTrans, CblasNoTrans, p.batch, p.width, p.width, x(l), layer_weights(l),
              l == p.layers - 1 ? -1 : 0, x(l + 1));
  }

  // The gradient of layer l, or more of it (`add`). D(l) takes the place of X(l).
  void backward(wb::i64 l, bool add = false) {
    const wb::Span span(wb::Work::compute, "backward");
    product(CblasTrans, CblasNoTrans, p.width, p.width, p.batch, x(l), x(l + 1), add,
            layer_gradient(l));
    if (l > 0)
      product(CblasNoTrans, CblasTrans, p.batch, p.width, p.width, x(l + 1), layer_weights(l), 0,
              x(l));
  }
  void backward() {
    for (wb::i64 l = p.layers - 1; l >= 0; --l) backward(l);
  }

  // Of `count` layers from `first` on, by the gradient's sum over the ranks.
  void update(const float* summed, wb::i64 first, wb::i64 count) {
    const wb::Span span(wb::Work::compute, "update");
    const float rate = p.rate();
    for (wb::i64 row = first * p.width; row < (first + count) * p.width; ++row) {
      const wb::i64 begin = row * p.width;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (wb::i64 j = 0; j < p.width; ++j) {
        updated[begin + j] = (*weights)[begin + j] - rate * summed[begin + j];
        sum += updated[begin + j] * p.probe[j];
      }
      p.fingerprints[rank * p.layers * p.width + row] = sum;
    }
  }

  Args p;
  int rank;
  float* gradient;  // layers x width x width

 private:
  float* layer_weights(wb::i64 l) const {
    return const_cast<float*>(weights->data()) + l * p.layer();
  }
  static void product(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, wb::i64 m, wb::i64 n, wb::i64 k,
                      const float* a, const float* b, float beta, float* c) {
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, ta == CblasTrans ? m : k, b,
                tb == CblasTrans ? k : n, beta, c, n);
  }

  std::shared_ptr<const std::vector<float>> weights = SeveralGpus::initial_weights(p);
  std::vector<float> activations, updated, own_gradient;
};

}  // namespace
