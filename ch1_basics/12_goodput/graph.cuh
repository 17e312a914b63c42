// A step of training as a CUDA graph (lesson 07_cuda_graphs shows them in detail).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "network.cuh"
#include "prefetch.cuh"

namespace {

using Graph = std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>>;

// What enqueue(stream) enqueues, recorded, to be launched with one call.
template <class Enqueue> Graph record(Enqueue enqueue) {
  const wb::Stream stream = wb::make_stream();
  // Relaxed: cuBLAS may load its kernels during the capture.
  WB_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
  enqueue(stream.get());
  cudaGraph_t graph;
  WB_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  cudaGraphExec_t executable;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  WB_CHECK(status);
  return Graph(executable, [](cudaGraphExec_t g) { cudaGraphExecDestroy(g); });
}

// Two of the updates are on a branch of the graph, parallel to the backward pass. There is a graph
// for each slot, as the addresses in it are fixed, and one for the last step, whose batch may be
// smaller. What else differs from step to step travels in the rows: labels, and the number of the
// visit, which says where a loss belongs.
class RecordedSteps {
 public:
  RecordedSteps(const Training& training, const Prefetching& batches) : steps_(training.p.steps()) {
    const auto record_step = [&](wb::i64 step) {
      return record([&](cudaStream_t stream) {
        WB_CHECK_CUBLAS(cublasSetStream(training.handle.get(), stream));
        WB_CHECK_CUBLAS(cublasSetStream(side_.get(), side_stream_.get()));
        train(training.p, training.p.size(step), batches.rows(step), training.weights.get(),
              training.work, training.sample_losses.get(), training.handle.get(), side_.get(),
              [] {});
      });
    };
    for (wb::i64 step = 0; step < std::min(steps_ - 1, Prefetching::kSlots); ++step)
      full_.push_back(record_step(step));
    if (steps_ > 0) last_ = record_step(steps_ - 1);
  }

  void launch(wb::i64 step, cudaStream_t stream) const {
    const Graph& graph = step == steps_ - 1 ? last_ : full_[step % Prefetching::kSlots];
    WB_CHECK(cudaGraphLaunch(graph.get(), stream));
  }

 private:
  wb::i64 steps_;
  std::vector<Graph> full_;
  Graph last_;
  // For the branch alone: its products run parallel to others, which use another workspace.
  wb::CublasHandle side_ = wb::make_cublas();
  wb::Stream side_stream_ = wb::make_stream();
};

}  // namespace
