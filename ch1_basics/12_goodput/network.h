// The network on the CPU, the same in every variant: this lesson is about what happens between its
// operations. Matrices are row-major: activations are samples x units, weights are outputs x
// inputs.
#pragma once

#include <cblas.h>

#include "batch.h"
#include "wb/cpu.h"

namespace {

// Room for the activations of a batch and their gradients.
struct Work {
  explicit Work(const Goodput::Args& p, wb::i64 samples)
      : hidden1(samples * p.hidden),
        hidden2(samples * p.hidden),
        gradient1(samples * p.hidden),
        gradient2(samples * p.hidden),
        scores(samples * kClasses) {}
  std::vector<float> hidden1, hidden2, gradient1, gradient2, scores;
};

// outputs = inputs * transposed weights. Rows of `inputs` are `stride` floats apart.
inline void forward(int samples, int inputs, int outputs, const float* weights, const float* from,
                    int stride, float* to) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, samples, outputs, inputs, 1, from, stride,
              weights, inputs, 0, to, outputs);
}

inline void relu(wb::i64 count, float* values) {
  for (wb::i64 i = 0; i < count; ++i) values[i] = std::max(values[i], 0.0f);
}

// Softmax and cross-entropy: writes a loss per visit; scores become their gradients.
inline void loss(int samples, const Row* rows, float* scores, float* sample_losses) {
  for (int r = 0; r < samples; ++r) {
    float* score = scores + r * kClasses;
    const float most = *std::max_element(score, score + kClasses);
    float sum = 0;
    for (int c = 0; c < kClasses; ++c) sum += std::exp(score[c] - most);
    sample_losses[rows[r].visit] = std::log(sum) + most - score[rows[r].label];
    for (int c = 0; c < kClasses; ++c)
      score[c] = std::exp(score[c] - most) / sum - (c == rows[r].label);
  }
}

// Gradient of a layer's inputs, which are a ReLU's outputs.
inline void back(int samples, int inputs, int outputs, const float* weights,
                 const float* output_gradient, const float* activations, float* gradient) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, samples, inputs, outputs, 1,
              output_gradient, outputs, weights, inputs, 0, gradient, inputs);
  for (wb::i64 i = 0; i < wb::i64{samples} * inputs; ++i)
    gradient[i] = activations[i] > 0 ? gradient[i] : 0;
}

// weights -= rate * gradient of the weights: the product adds to them, so there is no other array.
inline void update(int samples, int inputs, int outputs, float rate, const float* output_gradient,
                   const float* from, int stride, float* weights) {
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, outputs, inputs, samples, -rate,
              output_gradient, outputs, from, stride, 1, weights, inputs);
}

// One step of training.
inline void train(const Goodput::Args& p, int samples, const Row* rows, float* weights, Work& w,
                  float* sample_losses) {
  const wb::Span span(wb::Work::compute, "train");
  const int h = p.hidden;
  float *weights1 = weights, *weights2 = weights1 + h * kInputs, *weights3 = weights2 + h * h;
  forward(samples, kInputs, h, weights1, rows->features, kRowFloats, w.hidden1.data());
  relu(wb::i64{samples} * h, w.hidden1.data());
  forward(samples, h, h, weights2, w.hidden1.data(), h, w.hidden2.data());
  relu(wb::i64{samples} * h, w.hidden2.data());
  forward(samples, h, kClasses, weights3, w.hidden2.data(), h, w.scores.data());
  loss(samples, rows, w.scores.data(), sample_losses);
  back(samples, h, kClasses, weights3, w.scores.data(), w.hidden2.data(), w.gradient2.data());
  update(samples, h, kClasses, p.rate(), w.scores.data(), w.hidden2.data(), h, weights3);
  back(samples, h, h, weights2, w.gradient2.data(), w.hidden1.data(), w.gradient1.data());
  update(samples, h, h, p.rate(), w.gradient2.data(), w.hidden1.data(), h, weights2);
  update(samples, kInputs, h, p.rate(), w.gradient1.data(), rows->features, kRowFloats, weights1);
}

}  // namespace
