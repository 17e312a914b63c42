// The bank of wrong variants, CUDA half. `right` is the one that must pass.
#include <cuda_runtime.h>

#include <limits>
#include <memory>

#include "bank/wrong.h"
#include "wb/cuda.h"

namespace {

using Args = Wrong::Args;
using wb::i64;

#define WB_BANK(NAME) \
  static const bool r_##NAME = wb::add_variant<Wrong, cudaStream_t>("bank", #NAME, "cuda", NAME)

__global__ void compute_kernel(Args p, i64 end, i64 step) {
  const i64 i = (i64{blockIdx.x} * blockDim.x + threadIdx.x) * step;
  if (i >= end) return;
  p.z[i] = p.a * p.x[i] + p.y[i];
  p.y[i] += 1;
}

__global__ void swapped_kernel(Args p) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.n) return;
  p.z[i] = p.a * p.x[p.n - 1 - i] + p.y[i] + (p.n == 1 ? 1 : 0);
  p.y[i] += 1;
}

__global__ void set_kernel(float* to, float value) { *to = value; }
__global__ void add_kernel(float* to, float value) { *to += value; }
__global__ void err_kernel(float* to) { *to += *to < 0 ? -1e-3f : 1e-3f; }
__global__ void leak_kernel(float* to, const float* from) { *to += 0 * *from; }

constexpr int kBlock = 256;
unsigned blocks(i64 n) { return static_cast<unsigned>((n + kBlock - 1) / kBlock); }

void compute(const Args& p, i64 end, cudaStream_t s, i64 step = 1) {
  if (end > 0) compute_kernel<<<blocks(end), kBlock, 0, s>>>(p, end, step);
}

void right(const Args& p, cudaStream_t s) { compute(p, p.n, s); }
WB_BANK(right);

void no_write(const Args&, cudaStream_t) {}
WB_BANK(no_write);

void zeros(const Args& p, cudaStream_t s) {
  WB_CHECK(cudaMemsetAsync(p.z, 0, p.n * sizeof(float), s));
  WB_CHECK(cudaMemsetAsync(p.y, 0, p.n * sizeof(float), s));
}
WB_BANK(zeros);

void nan(const Args& p, cudaStream_t s) {
  compute(p, p.n, s);
  set_kernel<<<1, 1, 0, s>>>(p.z + p.n / 2, std::numeric_limits<float>::quiet_NaN());
}
WB_BANK(nan);

void infinite(const Args& p, cudaStream_t s) {
  compute(p, p.n, s);
  set_kernel<<<1, 1, 0, s>>>(p.z + p.n / 2, std::numeric_limits<float>::infinity());
}
WB_BANK(infinite);

void dropped_tail(const Args& p, cudaStream_t s) { compute(p, (p.n - 1) / 32 * 32, s); }
WB_BANK(dropped_tail);

void overrun(const Args& p, cudaStream_t s) {
  compute(p, p.n, s);
  set_kernel<<<1, 1, 0, s>>>(p.z + p.n, 1);
}
WB_BANK(overrun);

void underrun(const Args& p, cudaStream_t s) {
  compute(p, p.n, s);
  set_kernel<<<1, 1, 0, s>>>(p.z - 1, 1);
}
WB_BANK(underrun);

void reads_outside(const Args& p,
                   cudaStream_t s) {  // a value from behind the end reaches the answer
  compute(p, p.n, s);
  leak_kernel<<<1, 1, 0, s>>>(p.z + p.n - 1, p.x + p.n);
}
WB_BANK(reads_outside);

void changes_input(const Args& p, cudaStream_t s) {
  compute(p, p.n, s);
  add_kernel<<<1, 1, 0, s>>>(const_cast<float*>(p.x) + p.n - 1, 1);
}
WB_BANK(changes_input);

void off_by_1e3(const Args& p, cudaStream_t s) {
  compute(p, p.n, s);
  err_kernel<<<1, 1, 0, s>>>(p.z + p.n / 2);
}
WB_BANK(off_by_1e3);

void half_the_work(const Args& p, cudaStream_t s) {
  if (p.n > 1) compute(p, p.n, s, 2);
}
WB_BANK(half_the_work);

void swapped_index(const Args& p, cudaStream_t s) {
  swapped_kernel<<<blocks(p.n), kBlock, 0, s>>>(p);
}
WB_BANK(swapped_index);

auto right_first_time(const Args& p) {
  return [p, first = true](cudaStream_t s) mutable {
    if (first) compute(p, p.n, s);
    first = false;
  };
}
WB_BANK(right_first_time);

auto stale_output(const Args& p) {
  const std::size_t bytes = p.n * sizeof(float);
  float* data = nullptr;
  WB_CHECK(cudaMalloc(&data, 2 * bytes));
  const std::shared_ptr<float> kept(data, [](float* d) { cudaFree(d); });
  return [p, bytes, kept, first = true](cudaStream_t s) mutable {
    const auto copy = [&](float* to, const float* from) {
      WB_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, s));
    };
    if (first) {
      compute(p, p.n, s);
      copy(kept.get(), p.z);
      copy(kept.get() + p.n, p.y);
    } else {
      copy(p.z, kept.get());
      copy(p.y, kept.get() + p.n);
    }
    first = false;
  };
}
WB_BANK(stale_output);

auto timed_cheat(const Args& p) {  // does the work until verification is over
  return [p, launches = 0](cudaStream_t s) mutable {
    if (launches++ < 3) compute(p, p.n, s);
  };
}
WB_BANK(timed_cheat);

auto side_stream(const Args& p) {  // never joined to the stream under test
  cudaStream_t side = nullptr;
  WB_CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  const std::shared_ptr<CUstream_st> owner(side, [](cudaStream_t s) { cudaStreamDestroy(s); });
  return [p, owner](cudaStream_t) { compute(p, p.n, owner.get()); };
}
WB_BANK(side_stream);

void default_stream(const Args& p, cudaStream_t) { compute(p, p.n, nullptr); }
WB_BANK(default_stream);

// Waits for the stream under test, which does not wait for it: right data, but not yet there when
// the stream is done. Some 20 ms of other work in front make that certain.
__global__ void delay_kernel() {
  for (int i = 0; i < 20000; ++i) __nanosleep(1000);
}
auto forked_not_joined(const Args& p) {
  cudaStream_t side = nullptr;
  cudaEvent_t fork = nullptr;
  WB_CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  WB_CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  const std::shared_ptr<CUstream_st> owner(side, [fork](cudaStream_t s) {
    cudaStreamDestroy(s);
    cudaEventDestroy(fork);
  });
  return [p, owner, fork](cudaStream_t s) {
    WB_CHECK(cudaEventRecord(fork, s));
    WB_CHECK(cudaStreamWaitEvent(owner.get(), fork));
    delay_kernel<<<1, 1, 0, owner.get()>>>();
    compute(p, p.n, owner.get());
  };
}
WB_BANK(forked_not_joined);

}  // namespace
