// Against step 2: one kernel that stays for all steps. Its blocks wait for each other on the device
// after each step, at a barrier of the whole grid. They must all be there at the same time, or they
// would wait for ever: a cooperative launch makes sure of it, and limits the grid to what fits.
//
// Predict: a launch costs nothing any more. What does a barrier of all multiprocessors cost, and is
// it less than a node of the graph?
#include <cooperative_groups.h>

#include "steps.cuh"

namespace {

__global__ void advance_all(int n, int steps, const float* start, float* scratch, float* result) {
  const auto grid = cooperative_groups::this_grid();
  const float* from = start;
  for (int step = 0; step < steps; ++step) {
    float* to = (steps - 1 - step) % 2 == 0 ? result : scratch;
    advance_points(n, from, to);
    if (step + 1 < steps) grid.sync();
    from = to;
  }
}

auto make(const CudaGraphs::Args& p) {
  int device, processors, together;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, advance_all, kBlock, 0));
  const int grid = std::min(blocks_for(p.points), processors * together);
  return [p, grid, scratch = wb::make_device_array<float>(p.points)](cudaStream_t stream) {
    if (p.points == 0) return;
    int n = p.points, steps = p.steps;
    const float* start = p.start;
    float *between = scratch.get(), *result = p.result;
    void* arguments[] = {&n, &steps, &start, &between, &result};
    const auto* kernel = reinterpret_cast<const void*>(advance_all);
    WB_CHECK(cudaLaunchCooperativeKernel(kernel, grid, kBlock, arguments, 0, stream));
  };
}

}  // namespace

WB_CUDA(CudaGraphs, step3_cooperative, make);
