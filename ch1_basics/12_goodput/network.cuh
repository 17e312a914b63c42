// The network on the GPU, the same in every variant: this lesson is about what happens between its
// operations. Matrices are row-major: activations are samples x units, weights are outputs x
// inputs.
#pragma once

#include "batch.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

// Room for the activations of a batch and their gradients.
struct Work {
  Work(const Goodput::Args& p, wb::i64 samples)
      : hidden1(wb::make_device_array<float>(samples * p.hidden)),
        hidden2(wb::make_device_array<float>(samples * p.hidden)),
        gradient1(wb::make_device_array<float>(samples * p.hidden)),
        gradient2(wb::make_device_array<float>(samples * p.hidden)),
        score_gradient(wb::make_device_array<float>(samples * kClasses)) {}
  std::shared_ptr<float[]> hidden1, hidden2, gradient1, gradient2, score_gradient;
};

__global__ void relu_kernel(wb::i64 count, float* values) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) values[i] = fmaxf(values[i], 0);
}

// The gradient of what went into a ReLU from that of what came out.
__global__ void relu_gradient_kernel(wb::i64 count, const float* activations, float* gradient) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count && !(activations[i] > 0)) gradient[i] = 0;
}

// The second ReLU, the ten scores, softmax and cross-entropy, and the gradients on the way back, by
// one block per sample: ten outputs are too few for a matrix product to be fast.
constexpr int kLastBlock = 128;
__global__ void last_layer_kernel(int hidden, const Row* rows, const float* weights, float* hidden2,
                                  float* score_gradient, float* gradient2, float* sample_losses) {
  const int sample = blockIdx.x, thread = threadIdx.x;
  hidden2 += static_cast<wb::i64>(sample) * hidden;
  gradient2 += static_cast<wb::i64>(sample) * hidden;
  float score[kClasses] = {};  // the same in every thread, after two sums
  for (int i = thread; i < hidden; i += kLastBlock) {
    const float activation = hidden2[i] = fmaxf(hidden2[i], 0);
#pragma unroll
    for (int c = 0; c < kClasses; ++c) score[c] += activation * weights[c * hidden + i];
  }
  __shared__ float warp_score[kLastBlock / 32][kClasses];
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    for (int mask = 16; mask > 0; mask /= 2) score[c] += __shfl_xor_sync(~0u, score[c], mask);
    if (thread % 32 == 0) warp_score[thread / 32][c] = score[c];
  }
  __syncthreads();
  const int label = rows[sample].label;
  float most = -INFINITY, sum = 0, wanted = 0;
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    score[c] = 0;
    for (int warp = 0; warp < kLastBlock / 32; ++warp) score[c] += warp_score[warp][c];
    most = fmaxf(most, score[c]);
    if (c == label) wanted = score[c];
  }
#pragma unroll
  for (int c = 0; c < kClasses; ++c) sum += expf(score[c] - most);
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {
    score[c] = expf(score[c] - most) / sum - (c == label);
    if (thread == c) score_gradient[sample * kClasses + c] = score[c];
  }
  if (thread == 0) sample_losses[rows[sample].visit] = logf(sum) + most - wanted;
  for (int i = thread; i < hidden; i += kLastBlock) {
    float gradient = 0;
#pragma unroll
    for (int c = 0; c < kClasses; ++c) gradient += score[c] * weights[c * hidden + i];
    gradient2[i] = hidden2[i] > 0 ? gradient : 0;
  }
}

constexpr int kBlock = 256;
inline wb::i64 blocks(wb::i64 threads) { return (threads + kBlock - 1) / kBlock; }

inline void relu(wb::i64 count, float* values, cudaStream_t stream) {
  relu_kernel<<<blocks(count), kBlock, 0, stream>>>(count, values);
  WB_CHECK(cudaGetLastError());
}

inline void relu_gradient(wb::i64 count, const float* activations, float* gradient,
                          cudaStream_t stream) {
  relu_gradient_kernel<<<blocks(count), kBlock, 0, stream>>>(count, activations, gradient);
  WB_CHECK(cudaGetLastError());
}

inline void last_layer(const Goodput::Args& p, int samples, const Row* rows, const float* weights,
                       const Work& w, float* sample_losses, cudaStream_t stream) {
  last_layer_kernel<<<samples, kLastBlock, 0, stream>>>(p.hidden, rows, weights, w.hidden2.get(),
                                                        w.score_gradient.get(), w.gradient2.get(),
                                                        sample_losses);
  WB_CHECK(cudaGetLastError());
}

// cuBLAS counts columns first: what is row-major here is transposed there, so that each product
// names its factors the other way round.

// outputs = inputs * transposed weights. Rows of `from` are `stride` floats apart.
inline void forward(cublasHandle_t handle, int samples, int inputs, int outputs,
                    const float* weights, const float* from, int stride, float* to) {
  const float one = 1, zero = 0;
  WB_CHECK_CUBLAS(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, outputs, samples, inputs, &one,
                              weights, inputs, from, stride, &zero, to, outputs));
}

// Gradient of a layer's inputs = gradient of its outputs * weights.
inline void back(cublasHandle_t handle, int samples, int inputs, int outputs, const float* weights,
                 const float* output_gradient, float* gradient) {
  const float one = 1, zero = 0;
  WB_CHECK_CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, inputs, samples, outputs, &one,
                              weights, inputs, output_gradient, outputs, &zero, gradient, inputs));
}

// weights -= rate * gradient of the weights: the product adds to them, so there is no other array.
inline void update(cublasHandle_t handle, int samples, int inputs, int outputs, float rate,
                   const float* output_gradient, const float* from, int stride, float* weights) {
  const float one = 1, scale = -rate;
  WB_CHECK_CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, inputs, outputs, samples, &scale,
                              from, stride, output_gradient, outputs, &one, weights, inputs));
}

// What is enqueued on the stream of `later` from here on waits for what is on that of `earlier`.
inline void wait_for(cublasHandle_t later, cublasHandle_t earlier) {
  cudaStream_t to, from;
  WB_CHECK_CUBLAS(cublasGetStream(later, &to));
  WB_CHECK_CUBLAS(cublasGetStream(earlier, &from));
  if (to == from) return;
  const wb::Event event = wb::make_event();
  WB_CHECK(cudaEventRecord(event.get(), from));
  WB_CHECK(cudaStreamWaitEvent(to, event.get()));
}

// One step of training, on the stream of `handle`. Two of the three updates may run parallel to the
// rest, on the stream of `side`, if that is another one. Calls after_each() after each operation.
template <class AfterEach>
void train(const Goodput::Args& p, wb::i64 samples, const Row* rows, float* weights, const Work& w,
           float* sample_losses, cublasHandle_t handle, cublasHandle_t side, AfterEach after_each) {
  const int h = p.hidden, size = samples;
  float *weights1 = weights, *weights2 = weights1 + h * kInputs, *weights3 = weights2 + h * h;
  cudaStream_t stream;
  WB_CHECK_CUBLAS(cublasGetStream(handle, &stream));

  forward(handle, size, kInputs, h, weights1, rows->features, kRowFloats, w.hidden1.get());
  after_each();
  relu(samples * h, w.hidden1.get(), stream);
  after_each();
  forward(handle, size, h, h, weights2, w.hidden1.get(), h, w.hidden2.get());
  after_each();
  last_layer(p, size, rows, weights3, w, sample_losses, stream);
  after_each();

  wait_for(side, handle);
  update(side, size, h, kClasses, p.rate(), w.score_gradient.get(), w.hidden2.get(), h, weights3);
  after_each();
  back(handle, size, h, h, weights2, w.gradient2.get(), w.gradient1.get());
  after_each();
  wait_for(side, handle);  // weights2 is free
  update(side, size, h, h, p.rate(), w.gradient2.get(), w.hidden1.get(), h, weights2);
  after_each();
  relu_gradient(samples * h, w.hidden1.get(), w.gradient1.get(), stream);
  after_each();
  update(handle, size, kInputs, h, p.rate(), w.gradient1.get(), rows->features, kRowFloats,
         weights1);
  after_each();
  wait_for(handle, side);
}

// From the loss of each visit, what the harness compares: a block per step, and one more for the
// end.
__global__ void summarize_kernel(Goodput::Args p, const float* sample_losses) {
  const wb::i64 step = blockIdx.x;
  const bool last = step == p.steps();
  const wb::i64 first = last ? p.samples - p.last_visits() : step * p.batch;
  const wb::i64 count = last ? p.last_visits() : p.size(step);
  float sum = 0;
  for (wb::i64 i = threadIdx.x; i < count; i += 32) sum += sample_losses[first + i];
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(~0u, sum, mask);
  if (threadIdx.x == 0) (last ? *p.final_loss : p.losses[step]) = count > 0 ? sum / count : 0;
}

// All that training needs on the device, made once for the largest batch.
struct Training {
  explicit Training(const Goodput::Args& args)
      : p(args),
        weights(wb::make_device_array<float>(p.weights())),
        sample_losses(wb::make_device_array<float>(p.samples)),
        work(p, p.batch) {}

  void begin(cudaStream_t stream) const {
    WB_CHECK(cudaMemcpyAsync(weights.get(), p.initial_weights, p.weights() * sizeof(float),
                             cudaMemcpyDeviceToDevice, stream));
  }
  // Calls after_each() after each operation.
  template <class AfterEach>
  void step(wb::i64 number, const Row* rows, cudaStream_t stream, AfterEach after_each) const {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    train(p, p.size(number), rows, weights.get(), work, sample_losses.get(), handle.get(),
          handle.get(), after_each);
  }
  void step(wb::i64 number, const Row* rows, cudaStream_t stream) const {
    step(number, rows, stream, [] {});
  }
  void end(cudaStream_t stream) const {
    summarize_kernel<<<p.steps() + 1, 32, 0, stream>>>(p, sample_losses.get());
    WB_CHECK(cudaGetLastError());
  }

  Goodput::Args p;
  std::shared_ptr<float[]> weights, sample_losses;
  Work work;
  wb::CublasHandle handle = wb::make_cublas();
};

}  // namespace
