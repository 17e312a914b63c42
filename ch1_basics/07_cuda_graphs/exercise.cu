// The input comes from outside and lies in one of two buffers, a different one each run, so that
// the next can arrive while this one is in use. A graph has its addresses built in, so this program
// records and instantiates a new one each time. It is right, and slower than no graph at all.
//
// TODO: record and instantiate once, in set-up. Only one kernel reads the input: before a run, give
//       its node the new address with cudaGraphExecKernelNodeSetParams.
// Goal: 2 times baseline at points=4096,steps=200
// Hints are in README.md.
#include <array>

#include "steps.cuh"

namespace {

auto make(const CudaGraphs::Args& p) {
  const auto buffer = [&] { return wb::make_device_array<float>(p.points); };
  return
      [p, recorder = wb::make_stream(), scratch = buffer(), inputs = std::array{buffer(), buffer()},
       turn = 0, executable = Executable()](cudaStream_t stream) mutable {
        turn = 1 - turn;
        CudaGraphs::Args now = p;
        now.start = inputs[turn].get();
        WB_CHECK(cudaMemcpyAsync(inputs[turn].get(), p.start, p.points * sizeof(float),
                                 cudaMemcpyDeviceToDevice, stream));  // it arrives

        const Graph graph =
            capture(recorder, [&](cudaStream_t s) { launch_steps(now, scratch.get(), s); });
        executable = instantiate(graph, recorder);  // kept: a graph must not go while it runs
        WB_CHECK(cudaGraphLaunch(executable.get(), stream));
      };
}

}  // namespace

WB_CUDA(CudaGraphs, exercise, make);
