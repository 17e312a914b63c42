// One step of data-parallel training. Each rank (a GPU, or a process on a CPU) has a copy of the
// weights and its own batch. It computes the gradient of its batch; the gradients are summed over
// the ranks, and each rank moves its copy of the weights by the mean.
//
// The network is a chain of square linear layers. There is nothing between them, which would add
// small kernels and no idea: X(l+1) = X(l) W(l). The loss is half the squared distance from X(L) to
// a target, summed. With D(l) its gradient by X(l):
//
//   D(L) = X(L) - target      G(l) = X(l)^T D(l+1)      D(l) = D(l+1) W(l)^T
//
// A rank has 128 MiB of weights; to compare them all would take longer than the step. So each rank
// multiplies its new weights by a random vector, the probe, and that is compared: it shows whether
// any row of any layer of any rank is wrong (Freivalds 1977).
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "wb/problem.h"

struct SeveralGpus {
  static constexpr wb::Clock clock = wb::Clock::wall;
  static constexpr const char* case_names[] = {
      "{ranks} x {batch} samples, {layers} layers of {width}, {bucket} per bucket"};
  static constexpr wb::Case bench[] = {
      {{"ranks", 2}, {"layers", 8}, {"width", 2048}, {"batch", 512}, {"bucket", 2}},
      {{"ranks", 1}, {"layers", 8}, {"width", 2048}, {"batch", 512}, {"bucket", 2}},
      {{"ranks", 4}, {"layers", 8}, {"width", 2048}, {"batch", 512}, {"bucket", 2}},
      {{"ranks", 2}, {"layers", 8}, {"width", 2048}, {"batch", 2048}, {"bucket", 2}},
      {{"ranks", 1}, {"layers", 8}, {"width", 2048}, {"batch", 2048}, {"bucket", 2}},
      {{"ranks", 4}, {"layers", 8}, {"width", 2048}, {"batch", 2048}, {"bucket", 2}},
      {{"ranks", 2}, {"layers", 8}, {"width", 2048}, {"batch", 4096}, {"bucket", 2}},
      {{"ranks", 1}, {"layers", 8}, {"width", 2048}, {"batch", 4096}, {"bucket", 2}},
      {{"ranks", 4}, {"layers", 8}, {"width", 2048}, {"batch", 4096}, {"bucket", 2}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"ranks", 2}, {"layers", 4}, {"width", 1024}, {"batch", 32}, {"bucket", 1}},
      {{"ranks", 1}, {"layers", 4}, {"width", 1024}, {"batch", 32}, {"bucket", 1}}};
  // Ragged buckets; fewer elements than ranks; a bucket for all and for more than there are.
  static constexpr wb::Case test[] = {
      {{"ranks", 1}, {"layers", 3}, {"width", 33}, {"batch", 5}, {"bucket", 1}},
      {{"ranks", 2}, {"layers", 1}, {"width", 1}, {"batch", 1}, {"bucket", 1}},
      {{"ranks", 2}, {"layers", 5}, {"width", 64}, {"batch", 31}, {"bucket", 2}},
      {{"ranks", 2}, {"layers", 4}, {"width", 129}, {"batch", 64}, {"bucket", 8}},
      {{"ranks", 3}, {"layers", 3}, {"width", 100}, {"batch", 17}, {"bucket", 3}},
      {{"ranks", 4}, {"layers", 3}, {"width", 65}, {"batch", 7}, {"bucket", 2}}};
  static constexpr wb::Sweep sweeps[] = {{"bucket", 1, 8}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"bucket", 1, 4}};

  struct Args {
    wb::i64 ranks, layers, width, batch, bucket;  // bucket: in layers
    wb::i64 rounds;                               // batches of a rank before the update; 1
    const float *x, *target;                      // ranks x rounds x batch x width, on the host
    const float* probe;                           // width
    float* fingerprints;                          // ranks x layers x width: each rank's new W probe

    constexpr wb::i64 layer() const { return width * width; }
    constexpr wb::i64 weights() const { return layers * layer(); }
    constexpr wb::i64 samples() const { return rounds * batch; }  // of a rank
    // Weights move by so much of the summed gradient: the mean over all samples.
    constexpr float rate() const { return 1.0f / static_cast<float>(ranks * samples()); }
    // In the backward pass layer l completes a bucket; it has bucket_layers(l) layers from l on.
    constexpr bool completes_bucket(wb::i64 l) const { return l % bucket == 0; }
    constexpr wb::i64 bucket_layers(wb::i64 l) const { return std::min(bucket, layers - l); }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) { return bind(io, c, 1); }

  // Of one rank, as all have a GPU each. What crosses the links between them is in no ceiling.
  static wb::Cost cost(const Args& p) {
    const double weights = p.weights(), batch = 4.0 * p.samples() * p.width;
    return {.flops = (6.0 * weights - 2.0 * p.layer()) * p.samples() + 2 * weights,
            .read = 4 * weights,
            .write = 4 * weights,
            .to_device = 2 * batch,
            .to_host = 4.0 * p.layers * p.width};
  }

  static wb::Items items(const Args& p) {
    return {.count = static_cast<double>(p.ranks * p.samples()), .name = "sample", .rate = true};
  }

  // Fingerprints are around 1. In 200 random cases fp32 was off by 4e-6 at most; one layer's
  // gradient that is missing, or of one rank alone, moves half of its rows by 1e-2 and more.
  static wb::Tolerance tolerance(const Args&) { return {.abs = 1e-4}; }

  static void reference(const Args& p);

  // The weights to begin with, the same on all ranks; uniform, with variance 1 / width.
  static std::shared_ptr<const std::vector<float>> initial_weights(const Args& p) {
    static std::shared_ptr<const std::vector<float>> last;
    static wb::i64 last_layers = 0, last_width = 0;
    if (last && last_layers == p.layers && last_width == p.width) return last;
    std::vector<float> w(p.weights());
    const double scale = std::sqrt(3.0 / static_cast<double>(p.width));
#pragma omp parallel for if (p.weights() > 65536)
    for (wb::i64 i = 0; i < p.weights(); ++i)
      w[i] = static_cast<float>(scale * wb::uniform(0x5eed, i));
    last_layers = p.layers, last_width = p.width;
    return last = std::make_shared<const std::vector<float>>(std::move(w));
  }

 protected:
  static Args bind(wb::Binder& io, const wb::Case& c, wb::i64 rounds) {
    Args p{c["ranks"], c["layers"], c["width"], c["batch"], c["bucket"], rounds, {}, {}, {}, {}};
    if (std::min({p.ranks, p.layers, p.width, p.batch, p.bucket}) < 1)
      throw wb::Unsupported("ranks, layers, width, batch and bucket are 1 at least");
    const wb::i64 batches = p.ranks * p.samples() * p.width;
    p.x = io.in<float>("x", batches, {}, wb::Space::pinned);
    p.target = io.in<float>("target", batches, {}, wb::Space::pinned);
    p.probe = io.in<float>("probe", p.width, {}, wb::Space::pinned);
    p.fingerprints = io.out<float>("fingerprints", p.ranks * p.layers * p.width, wb::Space::pinned);
    return p;
  }
};

// On a CPU the ranks share the machine, whose ceilings are those of all its cores.
struct OneMachine : SeveralGpus {
  static wb::Cost cost(const Args& p) {
    const wb::Cost own = SeveralGpus::cost(p);
    const double n = static_cast<double>(p.ranks);
    return {.flops = n * own.flops, .read = n * own.read, .write = n * own.write};
  }
};

// The exercise: a batch that is too large for a rank's memory comes in four parts, whose gradients
// are added up before the weights move once (gradient accumulation).
template <class P> struct FourRounds : P {
  static typename P::Args bind(wb::Binder& io, const wb::Case& c) { return P::bind(io, c, 4); }
};

// Matrices are never multiplied here, only by vectors: W' probe = W probe - rate * X^T (D probe).
inline void SeveralGpus::reference(const Args& p) {
  using Vector = std::vector<double>;
  const auto weights = initial_weights(p);
  const wb::i64 n = p.width, samples = p.ranks * p.samples();
  const auto times = [&](wb::i64 l, const Vector& v) {  // W(l) v
    const float* w = weights->data() + l * p.layer();
    Vector out(n);
#pragma omp parallel for if (n > 256)
    for (wb::i64 i = 0; i < n; ++i)
      for (wb::i64 j = 0; j < n; ++j) out[i] += double(w[i * n + j]) * v[j];
    return out;
  };
  const auto transposed_times = [&](const float* m, wb::i64 rows, const Vector& v) {  // m^T v
    Vector out(n);
#pragma omp parallel for if (n > 256)
    for (wb::i64 begin = 0; begin < n; begin += 64)
      for (wb::i64 i = 0; i < rows; ++i)
        for (wb::i64 j = begin; j < std::min(begin + 64, n); ++j)
          out[j] += double(m[i * n + j]) * v[i];
    return out;
  };
  const Vector probe(p.probe, p.probe + n);
  for (wb::i64 l = 0; l < p.layers; ++l) {
    Vector u = probe;                           // D(l+1) probe = (X(L) - target) u
    for (wb::i64 k = l + 1; k < p.layers; ++k)  // as D(k) = D(k+1) W(k)^T
      u = transposed_times(weights->data() + k * p.layer(), n, u);
    Vector y = u;
    for (wb::i64 k = p.layers - 1; k >= 0; --k) y = times(k, y);
    Vector d(samples);
#pragma omp parallel for if (samples > 64)
    for (wb::i64 s = 0; s < samples; ++s)
      for (wb::i64 j = 0; j < n; ++j)
        d[s] += double(p.x[s * n + j]) * y[j] - double(p.target[s * n + j]) * u[j];
    Vector g = transposed_times(p.x, samples, d);  // X(l)^T d
    for (wb::i64 k = 0; k < l; ++k) g = transposed_times(weights->data() + k * p.layer(), n, g);
    const Vector w = times(l, probe);
    for (wb::i64 i = 0; i < n; ++i)
      for (wb::i64 r = 0; r < p.ranks; ++r)
        p.fingerprints[(r * p.layers + l) * n + i] =
            static_cast<float>(w[i] - g[i] / static_cast<double>(samples));
  }
}
