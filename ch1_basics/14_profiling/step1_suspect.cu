// Against the baseline: the stage with the most arithmetic gets faster code, without a profile.
// Horner's rule is a chain of 15 multiply-adds, each of which waits for the one before it.
// Estrin's scheme (Estrin 1960) makes pairs, then pairs of pairs, and its chain has four.
//
// Predict: how much faster is the whole program?
#include "estrin.h"
#include "stages.cuh"

namespace {

__global__ void correct_in_pairs(Profiling::Args p, wb::i64 frame, const float* gain) {
  const wb::i64 column = column_of_thread();
  if (column >= p.columns) return;
  const wb::i64 i = frame * p.pixels() + blockIdx.y * p.columns + column;
  p.image[i] = gain[column] * light_in_pairs(p.raw[i]);
}

auto make(const Profiling::Args& p) {
  return [p, gain = wb::make_device_array<float>(p.columns),
          level = wb::make_device_array<float>(p.rows)](cudaStream_t stream) {
    if (empty(p)) return;
    for (wb::i64 frame = 0; frame < p.frames; ++frame) {
      WB_CHECK(cudaMemcpyAsync(gain.get(), p.gain, p.columns * sizeof(float),
                               cudaMemcpyHostToDevice, stream));
      correct_in_pairs<<<pixel_grid(p), kBlock, 0, stream>>>(p, frame, gain.get());
      row_levels<<<(p.rows + kBlock - 1) / kBlock, kBlock, 0, stream>>>(p, frame, level.get());
      WB_CHECK(cudaMemcpyAsync(p.levels + frame * p.rows, level.get(), p.rows * sizeof(float),
                               cudaMemcpyDeviceToHost, stream));
      WB_CHECK(cudaStreamSynchronize(stream));
      subtract<<<pixel_grid(p), kBlock, 0, stream>>>(p, frame, level.get());
      WB_CHECK(cudaGetLastError());
    }
  };
}

}  // namespace

WB_CUDA(Profiling, step1_suspect, make);
