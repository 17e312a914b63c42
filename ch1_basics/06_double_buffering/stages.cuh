// The compute stage on the GPU, the same in every variant: this lesson is about when it runs.
#pragma once

#include "double_buffering.h"
#include "wb/cuda.h"

namespace {

__global__ void process(const std::uint8_t* recording, float* result, wb::i64 samples, int rounds) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= samples) return;
  const uchar2 pair = reinterpret_cast<const uchar2*>(recording)[i];
  result[i] = simulate(mix(pair.x, pair.y), rounds);
}

// Device memory of one chunk, made in set-up.
struct Buffers {
  explicit Buffers(const DoubleBuffering::Args& p)
      : recording(wb::make_device_array<std::uint8_t>(2 * p.largest())),
        result(wb::make_device_array<float>(p.largest())) {}
  std::shared_ptr<std::uint8_t[]> recording;
  std::shared_ptr<float[]> result;
};

void copy_in(const DoubleBuffering::Args& p, wb::i64 i, const Buffers& to, cudaStream_t stream) {
  WB_CHECK(cudaMemcpyAsync(to.recording.get(), p.recording + 2 * p.first(i), 2 * p.size(i),
                           cudaMemcpyHostToDevice, stream));
}

void compute(const DoubleBuffering::Args& p, wb::i64 i, const Buffers& on, cudaStream_t stream) {
  const wb::i64 samples = p.size(i), block = 256;
  process<<<(samples + block - 1) / block, block, 0, stream>>>(on.recording.get(), on.result.get(),
                                                               samples, p.rounds);
  WB_CHECK(cudaGetLastError());
}

void copy_out(const DoubleBuffering::Args& p, wb::i64 i, const Buffers& from, cudaStream_t stream) {
  WB_CHECK(cudaMemcpyAsync(p.result + p.first(i), from.result.get(), p.size(i) * sizeof(float),
                           cudaMemcpyDeviceToHost, stream));
}

}  // namespace
