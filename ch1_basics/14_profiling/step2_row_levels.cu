// Against the baseline: the kernel at the top of the profile changes. A warp adds up a row, where a
// thread did.
//
// Predict: row_levels takes most of the baseline's time. What is at the top of the next profile?
#include "warp_levels.cuh"

namespace {

auto make(const Profiling::Args& p) {
  return [p, gain = wb::make_device_array<float>(p.columns),
          level = wb::make_device_array<float>(p.rows)](cudaStream_t stream) {
    if (empty(p)) return;
    for (wb::i64 frame = 0; frame < p.frames; ++frame) {
      WB_CHECK(cudaMemcpyAsync(gain.get(), p.gain, p.columns * sizeof(float),
                               cudaMemcpyHostToDevice, stream));
      correct<<<pixel_grid(p), kBlock, 0, stream>>>(p, frame, gain.get());
      row_levels_by_warp<<<row_blocks(p), kBlock, 0, stream>>>(p, frame, level.get());
      WB_CHECK(cudaMemcpyAsync(p.levels + frame * p.rows, level.get(), p.rows * sizeof(float),
                               cudaMemcpyDeviceToHost, stream));
      WB_CHECK(cudaStreamSynchronize(stream));
      subtract<<<pixel_grid(p), kBlock, 0, stream>>>(p, frame, level.get());
      WB_CHECK(cudaGetLastError());
    }
  };
}

}  // namespace

WB_CUDA(Profiling, step2_row_levels, make);
