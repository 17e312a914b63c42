// The input is in one of two buffers, and only when a run begins is it known in which (Arriving).
// A graph has its addresses built in, so this program records and instantiates a new one each time.
// It is right, and slower than without a graph.
//
// TODO: record and instantiate once, in set-up. Only one kernel reads the input: before a run, give
//       its node the new address with cudaGraphExecKernelNodeSetParams.
// Goal: 2 times baseline at points=4096,steps=200
// Goal: at most 2 runtime_calls at points=512,steps=20
// Hints are in README.md.
#include "steps.cuh"

namespace {

auto make(const Arriving::Args& p) {
  return [p, recorder = wb::make_stream(), scratch = wb::make_device_array<float>(p.points),
          executable = Executable()](cudaStream_t stream) mutable {
    CudaGraphs::Args now = p;
    now.start = p.arrived();
    const Graph graph =
        capture(recorder, [&](cudaStream_t s) { launch_steps(now, scratch.get(), s); });
    executable = instantiate(graph, recorder);  // kept: a graph must not go while it runs
    WB_CHECK(cudaGraphLaunch(executable.get(), stream));
  };
}

}  // namespace

WB_CUDA(Arriving, exercise, make);
