// Variants that fail in ways other than a wrong answer, in a lesson program of their own, because
// some of them take the device with them.
#include <cstdio>

#include "bank/wrong.h"
#include "wb/cuda.h"

namespace {

__global__ void right_kernel(Wrong::Args p) {
  const wb::i64 i = wb::i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.n) return;
  p.z[i] = p.a * p.x[i] + p.y[i];
  p.y[i] += 1;
}
__global__ void trap_kernel() { __trap(); }

void right(const Wrong::Args& p, cudaStream_t stream) {
  right_kernel<<<static_cast<unsigned>((p.n + 255) / 256), 256, 0, stream>>>(p);
}

// A synchronization can't be captured.
auto capture_fails(const Wrong::Args& p) {
  const wb::Stream stream = wb::make_stream();
  WB_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
  right(p, stream.get());
  WB_CHECK(cudaStreamSynchronize(stream.get()));
  return [](cudaStream_t) {};
}

auto out_of_memory(const Wrong::Args&) {
  return [all = wb::make_device_array<float>(wb::i64{1} << 48)](cudaStream_t) {};
}

// The third launch takes the device away.
auto loses_device(const Wrong::Args& p) {
  return [p, launches = 0](cudaStream_t stream) mutable {
    right(p, stream);
    if (++launches == 3) trap_kernel<<<1, 1, 0, stream>>>();
  };
}

#define WB_FAILS(NAME) \
  const bool r_##NAME = wb::add_variant<Wrong, cudaStream_t>("failing", #NAME, "cuda", NAME)
WB_FAILS(right);
WB_FAILS(capture_fails);
WB_FAILS(out_of_memory);
WB_FAILS(loses_device);

}  // namespace
