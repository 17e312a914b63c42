// A step on the GPU as a kernel, and how to make a graph of what is enqueued on a stream.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include "cuda_graphs.h"
#include "wb/cuda.h"

namespace {

constexpr int kBlock = 256;

// As many blocks as there is work for, and at most as many as the device holds at a time: starting
// a block costs something too, so that many stay and go round the ring together.
inline int blocks_for(wb::i64 n) {
  int device, processors, threads;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  WB_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  return static_cast<int>(
      std::min<wb::i64>((n + kBlock - 1) / kBlock, 1LL * processors * (threads / kBlock)));
}

// Plain pointers, no __restrict__: another kernel, or another block, has just written `from`.
__device__ inline void advance_points(int n, const float* from, float* to) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
    to[i] = next(from[left], from[i], from[right]);
  }
}

__global__ void advance(int n, const float* from, float* to) { advance_points(n, from, to); }

// All steps, a launch each.
inline void launch_steps(const CudaGraphs::Args& p, float* scratch, cudaStream_t stream) {
  const int blocks = blocks_for(p.points);
  if (blocks == 0) return;
  for (wb::i64 step = 0; step < p.steps; ++step) {
    advance<<<blocks, kBlock, 0, stream>>>(p.points, p.source(step, p.steps, scratch),
                                           p.target(step, p.steps, scratch));
    WB_CHECK(cudaGetLastError());
  }
}

// Records the work that `enqueue(stream)` would start.
using Graph = std::shared_ptr<std::remove_pointer_t<cudaGraph_t>>;
template <class F> Graph capture(const wb::Stream& stream, F enqueue) {
  // Relaxed: a kernel that has not run yet is loaded during the capture.
  WB_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
  enqueue(stream.get());
  cudaGraph_t graph;
  WB_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  return Graph(graph, [](cudaGraph_t g) { cudaGraphDestroy(g); });
}

// A graph that is checked, laid out for the device and there already, ready for cudaGraphLaunch.
using Executable = std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>>;
inline Executable instantiate(const Graph& graph, const wb::Stream& stream) {
  cudaGraphExec_t executable;
  WB_CHECK(cudaGraphInstantiate(&executable, graph.get(), 0));
  Executable owner(executable, [](cudaGraphExec_t g) { cudaGraphExecDestroy(g); });
  WB_CHECK(cudaGraphUpload(executable, stream.get()));
  WB_CHECK(cudaStreamSynchronize(stream.get()));
  return owner;
}

}  // namespace
