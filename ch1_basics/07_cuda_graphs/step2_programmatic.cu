// Against step 1: each kernel lets the next one be brought onto the multiprocessors while it still
// computes (programmatic dependent launch). The next kernel computes its indices, and then waits on
// the device until it can see all writes of the kernel before.
//
// Predict: which part of a step's time does this hide, and which does it not?
#include "steps.cuh"

namespace {

__global__ void advance_early(int n, const float* from, float* to) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();            // the step before is done ...
  cudaTriggerProgrammaticLaunchCompletion();  // ... so the next kernel may come and wait
#endif
  advance_points(n, from, to);
}

void launch_early_steps(const CudaGraphs::Args& p, float* scratch, cudaStream_t stream) {
  if (p.points == 0) return;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};  // what <<<...>>> has no room for
  launch.gridDim = blocks_for(p.points);
  launch.blockDim = kBlock;
  launch.stream = stream;
  launch.attrs = &early;
  for (wb::i64 step = 0; step < p.steps; ++step) {
    launch.numAttrs = step > 0;  // the first has no kernel before it
    WB_CHECK(cudaLaunchKernelEx(&launch, advance_early, static_cast<int>(p.points),
                                p.source(step, p.steps, scratch),
                                p.target(step, p.steps, scratch)));
  }
}

auto make(const CudaGraphs::Args& p) {
  const auto scratch = wb::make_device_array<float>(p.points);
  const wb::Stream stream = wb::make_stream();
  const Graph graph =
      capture(stream, [&](cudaStream_t s) { launch_early_steps(p, scratch.get(), s); });
  return [scratch, executable = instantiate(graph, stream)](cudaStream_t stream) {
    WB_CHECK(cudaGraphLaunch(executable.get(), stream));
  };
}

}  // namespace

WB_CUDA(CudaGraphs, step2_programmatic, make);
WB_NEEDS("9.0");
