// Ranks as GPUs, all driven by one host thread: it gives each GPU its next piece of work in turn.
#pragma once

#include <vector>

#include "several_gpus.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

// W' = W - rate G for the row of a block, and W' probe.
__global__ void move_weights(const float* w, const float* gradient, const float* probe, float rate,
                             int width, float* moved, float* fingerprints) {
  __shared__ float sums[8];
  const wb::i64 begin = wb::i64{blockIdx.x} * width;
  float sum = 0;
  for (int j = threadIdx.x; j < width; j += 256) {
    const float now = w[begin + j] - rate * gradient[begin + j];
    moved[begin + j] = now;
    sum += now * probe[j];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < 8; ++warp) sum += sums[warp];
  fingerprints[blockIdx.x] = sum;
}

struct Rank {
  // What is in `side` comes first where it competes with what is in `stream`.
  wb::Stream stream = wb::make_stream(), side = make_urgent_stream();
  wb::Event event = wb::make_event();
  wb::CublasHandle cublas = wb::make_cublas();
  std::shared_ptr<char[]> workspace = wb::make_device_array<char>(32 << 20);  // for graphs
  std::shared_ptr<float[]> weights, moved, gradient, activations, probe, fingerprints;

  explicit Rank(const SeveralGpus::Args& p) {
    WB_CHECK_CUBLAS(cublasSetStream(cublas.get(), stream.get()));
    WB_CHECK_CUBLAS(cublasSetWorkspace(cublas.get(), workspace.get(), 32 << 20));
    for (auto* array : {&weights, &moved, &gradient})
      *array = wb::make_device_array<float>(p.weights());
    activations = wb::make_device_array<float>((p.layers + 1) * p.batch * p.width);
    probe = wb::make_device_array<float>(p.width);
    fingerprints = wb::make_device_array<float>(p.layers * p.width);
    WB_CHECK(cudaMemcpy(weights.get(), SeveralGpus::initial_weights(p)->data(),
                        p.weights() * sizeof(float), cudaMemcpyHostToDevice));
  }
  static wb::Stream make_urgent_stream() {
    int least, greatest;
    WB_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t stream;
    WB_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    return wb::Stream(stream, [](cudaStream_t s) { cudaStreamDestroy(s); });
  }
  static void copy(float* to, const float* from, wb::i64 count, cudaStream_t stream) {
    WB_CHECK(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDefault, stream));
  }
  // What is enqueued in `later` from now on waits for what is in `earlier` by now.
  void order(const wb::Stream& earlier, const wb::Stream& later) const {
    WB_CHECK(cudaEventRecord(event.get(), earlier.get()));
    WB_CHECK(cudaStreamWaitEvent(later.get(), event.get()));
  }
};

inline void need_gpus(wb::i64 count) {
  int gpus = 0;
  WB_CHECK(cudaGetDeviceCount(&gpus));
  if (gpus < count)
    throw wb::Unsupported("needs " + std::to_string(count) + " GPUs, and this machine has " +
                          std::to_string(gpus));
}

class Ranks {
 public:
  explicit Ranks(const SeveralGpus::Args& args) : p(args) {
    need_gpus(p.ranks);
    for (int r = 0; r < p.ranks; ++r) on(r, [&] { ranks.emplace_back(p); });
  }

  template <class F> void each(F f) const {  // f(rank, number), on its GPU
    for (int r = 0; r < p.ranks; ++r) on(r, [&] { f(ranks[r], r); });
  }

  // The ranks begin when `stream` gets here, and it goes on when all have ended.
  void begin(cudaStream_t stream) const {
    WB_CHECK(cudaEventRecord(start_.get(), stream));
    each([&](const Rank& rank, int) {
      WB_CHECK(cudaStreamWaitEvent(rank.stream.get(), start_.get()));
    });
  }
  void end(cudaStream_t stream) const {
    each([&](const Rank& rank, int r) {
      Rank::copy(p.fingerprints + r * p.layers * p.width, rank.fingerprints.get(),
                 p.layers * p.width, rank.stream.get());
      WB_CHECK(cudaEventRecord(rank.event.get(), rank.stream.get()));
    });
    for (const Rank& rank : ranks) WB_CHECK(cudaStreamWaitEvent(stream, rank.event.get()));
  }

  // After this X(layers) is D(layers) already: the target is subtracted by the last product.
  void forward(wb::i64 round = 0) const {
    const wb::i64 size = p.batch * p.width;
    each([&](const Rank& rank, int r) {
      const wb::i64 first = (r * p.rounds + round) * size;
      Rank::copy(x(rank, 0), p.x + first, size, rank.stream.get());
      Rank::copy(x(rank, p.layers), p.target + first, size, rank.stream.get());
      Rank::copy(rank.probe.get(), p.probe, p.width, rank.stream.get());
    });
    for (wb::i64 l = 0; l < p.layers; ++l)
      each([&](const Rank& rank, int) {
        product(rank, CUBLAS_OP_N, CUBLAS_OP_N, p.batch, p.width, weights(rank, l), x(rank, l),
                l == p.layers - 1 ? -1 : 0, x(rank, l + 1));
      });
  }

  // The gradient of layer l, or more of it (`add`). D(l) takes the place of X(l).
  void backward(wb::i64 l, bool add = false) const {
    each([&](const Rank& rank, int) {
      product(rank, CUBLAS_OP_N, CUBLAS_OP_T, p.width, p.batch, x(rank, l + 1), x(rank, l), add,
              gradient(rank, l));
      if (l > 0)
        product(rank, CUBLAS_OP_T, CUBLAS_OP_N, p.batch, p.width, weights(rank, l), x(rank, l + 1),
                0, x(rank, l));
    });
  }
  void backward() const {
    for (wb::i64 l = p.layers - 1; l >= 0; --l) backward(l);
  }

  // Of `count` layers from `first` on, when the gradient is the sum over all ranks.
  void update(wb::i64 first, wb::i64 count, wb::Stream Rank::*stream = &Rank::stream) const {
    each([&](const Rank& rank, int) {
      move_weights<<<static_cast<unsigned>(count * p.width), 256, 0, (rank.*stream).get()>>>(
          weights(rank, first), gradient(rank, first), rank.probe.get(), p.rate(),
          static_cast<int>(p.width), rank.moved.get() + first * p.layer(),
          rank.fingerprints.get() + first * p.width);
      WB_CHECK(cudaGetLastError());
    });
  }

  float* gradient(const Rank& rank, wb::i64 l) const { return rank.gradient.get() + l * p.layer(); }

  const SeveralGpus::Args p;
  std::vector<Rank> ranks;

 private:
  template <class F> static void on(int device, F f) {
    const struct Back {
      ~Back() { cudaSetDevice(0); }  // the harness's
    } back;
    WB_CHECK(cudaSetDevice(device));
    f();
  }
  float* x(const Rank& rank, wb::i64 l) const {
    return rank.activations.get() + l * p.batch * p.width;
  }
  float* weights(const Rank& rank, wb::i64 l) const { return rank.weights.get() + l * p.layer(); }

  // c (rows x width) = b a + beta c, row by row in memory, which cuBLAS reads as columns.
  void product(const Rank& rank, cublasOperation_t ta, cublasOperation_t tb, wb::i64 rows,
               wb::i64 inner, const float* a, const float* b, float beta, float* c) const {
    const float one = 1;
    const int n = static_cast<int>(p.width);
    WB_CHECK_CUBLAS(cublasSgemm(rank.cublas.get(), ta, tb, n, static_cast<int>(rows),
                                static_cast<int>(inner), &one, a, n, b, n, &beta, c, n));
  }

  wb::Event start_ = wb::make_event();
};

}  // namespace
