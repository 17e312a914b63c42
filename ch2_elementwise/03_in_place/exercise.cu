// In place, and each call also reverses the array: the last element comes first. Writing an
// element at once would destroy one that is still to be read, so a call writes to another array and
// then copies that back. It is right, and moves every element twice.
//
// TODO: no second array. Which elements does the element at i depend on, and which thread may
//       write where?
// Goal: 0.9 times optimized at rows=8192,columns=8192,calls=8
// Goal: at most 8 runtime_calls at rows=256,columns=256,calls=8
// Hints are in README.md.
#include "call.cuh"

namespace {

__global__ void __launch_bounds__(kThreads) turn(const float* from, float* to, wb::i64 count) {
  const wb::i64 first = blockIdx.x * wb::i64{4 * kThreads} + threadIdx.x;
  float v[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const wb::i64 i = first + j * kThreads;
    if (i < count) v[j] = from[i];
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const wb::i64 i = first + j * kThreads;
    if (i < count) to[count - 1 - i] = leaky_relu(v[j]);
  }
}

auto make(const Turning::Args& p) {
  return [p, other = wb::make_device_array<float>(p.count)](cudaStream_t stream) {
    if (p.count == 0) return;
    const wb::i64 a_block = 4 * kThreads;
    for (int i = 0; i < p.calls; ++i) {
      turn<<<(p.count + a_block - 1) / a_block, kThreads, 0, stream>>>(p.y, other.get(), p.count);
      WB_CHECK(cudaGetLastError());
      WB_CHECK(cudaMemcpyAsync(p.y, other.get(), p.count * sizeof(float), cudaMemcpyDeviceToDevice,
                               stream));
    }
  };
}

}  // namespace

WB_CUDA(Turning, exercise, make);
WB_NOTE("another problem than the baseline's: each call also turns the array round");
