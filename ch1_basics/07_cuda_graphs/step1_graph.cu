// Against the baseline: the same loop runs once, in set-up, on a stream that records instead of
// executing. What is timed is a single call that starts the whole chain. Addresses are part of the
// record: the arrays must be there again in each run.
//
// Predict: what is left of the host's time? A kernel still has to end before the next can start, so
// what is left on the device?
#include "steps.cuh"

namespace {

auto make(const CudaGraphs::Args& p) {
  const auto scratch = wb::make_device_array<float>(p.points);
  const wb::Stream stream = wb::make_stream();
  const Graph graph = capture(stream, [&](cudaStream_t s) { launch_steps(p, scratch.get(), s); });
  return [scratch, executable = instantiate(graph, stream)](cudaStream_t stream) {
    WB_CHECK(cudaGraphLaunch(executable.get(), stream));
  };
}

}  // namespace

WB_CUDA(CudaGraphs, step1_graph, make);
