// CUDA variants that look suspicious and are right: none may be called wrong.
#include <chrono>
#include <thread>

#include "bank/compute.cuh"

namespace {

using namespace std::chrono_literals;

void right(const Args& p, cudaStream_t stream) { compute(p, stream); }
WB_BANK(Wrong, right, right);

void right_slow(const Args& p, cudaStream_t stream) {
  delay(2, stream);
  compute(p, stream);
}
WB_BANK(Wrong, right_slow, right);

auto right_side_stream(const Args& p) {  // which both wait for
  return [p, side = wb::make_stream(), fork = wb::make_event(),
          join = wb::make_event()](cudaStream_t stream) {
    wait_for(side.get(), stream, fork);
    compute(p, side.get());
    wait_for(stream, side.get(), join);
  };
}
WB_BANK(Wrong, right_side_stream, right);

auto right_graph(const Args& p) {
  const wb::Stream stream = wb::make_stream();
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  WB_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  compute(p, stream.get());
  WB_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  WB_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  WB_CHECK(cudaGraphDestroy(graph));
  const std::shared_ptr<CUgraphExec_st> owner(executable,
                                              [](cudaGraphExec_t g) { cudaGraphExecDestroy(g); });
  return [owner](cudaStream_t stream) { WB_CHECK(cudaGraphLaunch(owner.get(), stream)); };
}
WB_BANK(Wrong, right_graph, right);

void right_host_callback(const Args& p, cudaStream_t stream) {  // in its own stream, in front
  const auto sleep = [](void*) { std::this_thread::sleep_for(1ms); };
  WB_CHECK(cudaLaunchHostFunc(stream, sleep, nullptr));
  compute(p, stream);
}
WB_BANK(Wrong, right_host_callback, right);

auto right_thread(const Args& p) {  // which enqueues, and is joined
  return [p](cudaStream_t stream) { std::jthread([&] { compute(p, stream); }).join(); };
}
WB_BANK(Wrong, right_thread, right);

}  // namespace
