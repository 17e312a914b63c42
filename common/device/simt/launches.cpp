// Launches of kernels, by name, by address and from graphs: what a GPU would refuse is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "device/simt/counts.h"
#include "device/simt/machine.h"
#include "device/simt/streams.h"

using namespace simt;

namespace {

std::map<const void*, int> shared_limits;
std::map<const void*, std::function<simt::Body(void**)>>& kernels() {
  static std::map<const void*, std::function<simt::Body(void**)>> all;
  return all;
}

// A launch as work of a stream; empty, with the error, where a GPU refuses it.
std::function<void()> work_of(dim3 blocks, dim3 threads, std::size_t shared_bytes,
                              const simt::Body& body, bool cooperative) {
  using simt::kMostThreads, simt::kSharedBytes;
  // Which kernel it is, nobody says here: above 48 KiB any that has asked for so much will do.
  std::size_t most_shared = kSharedBytes;
  for (const auto& [kernel, limit] : shared_limits)
    most_shared = std::max<std::size_t>(most_shared, limit);
  const std::uint64_t count = std::uint64_t{threads.x} * threads.y * threads.z;
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0 || count == 0 || count > kMostThreads ||
      threads.z > 64 || blocks.x > 0x7FFFFFFFu || blocks.y > 65535 || blocks.z > 65535 ||
      shared_bytes > most_shared) {
    failed(cudaErrorInvalidConfiguration,
           fmt::format("a GPU refuses this launch: {} x {} x {} blocks of {} threads with {} bytes "
                       "of shared memory",
                       blocks.x, blocks.y, blocks.z, count, shared_bytes));
    return {};
  }
  int together = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, 0, static_cast<int>(count),
                                                shared_bytes);
  if (const std::uint64_t most = std::uint64_t(simt::multiprocessors()) * together;
      cooperative && std::uint64_t{blocks.x} * blocks.y * blocks.z > most) {
    failed(
        cudaErrorCooperativeLaunchTooLarge,
        fmt::format(
            "a GPU refuses this cooperative launch: this one runs {} such blocks at the same time",
            most));
    return {};
  }
  const Grid grid{{blocks.x, blocks.y, blocks.z},
                  {threads.x, threads.y, threads.z},
                  shared_bytes,
                  cooperative,
                  body.values.get(),
                  body.bytes};
  return [grid, body] {
    if (const std::string fault = simt::run(grid, body.run); !fault.empty())
      failed(cudaErrorLaunchFailure, fault);
  };
}

}  // namespace

namespace simt {

void enqueue_kernel(dim3 blocks, dim3 threads, std::size_t shared_bytes, cudaStream_t stream,
                    const Body& body, bool cooperative) {
  if (auto work = work_of(blocks, threads, shared_bytes, body, cooperative))
    add(stream, {std::move(work)});
}

bool add_kernel(const void* kernel, std::function<Body(void**)> bind) {
  kernels()[kernel] = std::move(bind);
  return true;
}

}  // namespace simt

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = new simt_graph(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  // Only the first is known to depend on nothing.
  const auto first = std::find_if(graph->work.begin(), graph->work.end(),
                                  [](const Work& w) { return static_cast<bool>(w.run); });
  const std::size_t room = std::exchange(*count, first != graph->work.end());
  if (nodes && room && *count)
    nodes[0] = reinterpret_cast<cudaGraphNode_t>(first - graph->work.begin() + 1);
  return cudaSuccess;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  const auto found = kernels().find(p->func);
  const std::size_t at = reinterpret_cast<std::size_t>(node) - 1;
  if (found == kernels().end())
    return failed(cudaErrorNotSupported, "a node with a kernel template needs a GPU");
  if (at >= executable->work.size() || !executable->work[at].run)
    return failed(cudaErrorInvalidValue, "the graph does not have this node");
  auto work =
      work_of(p->gridDim, p->blockDim, p->sharedMemBytes, found->second(p->kernelParams), false);
  if (!work) return last_error;
  executable->work[at].run = std::move(work);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const double one = simt::counted_calls + 1;  // call, for all of its work
  for (const Work& w : executable->work)
    if (w.run) add(stream, {w.run});
  simt::counted_calls = one;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  simt::drain();
  delete executable;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess
                     : failed(cudaErrorInvalidValue,
                              "the emulated GPU is device 0, and there is no other one");
}
cudaError_t simt_function_attributes(cudaFuncAttributes* attributes, const void* kernel) {
  *attributes = {};
  if (const auto limit = shared_limits.find(kernel); limit != shared_limits.end())
    attributes->maxDynamicSharedSizeBytes = limit->second;
  return cudaSuccess;
}
cudaError_t simt_set_function_attribute(const void* kernel, cudaFuncAttribute attribute,
                                        int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value > static_cast<int>(simt::kSharedOptIn)) return last_error = cudaErrorInvalidValue;
  shared_limits[kernel] = value;
  return cudaSuccess;
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  const auto found = kernels().find(kernel);
  if (found == kernels().end())
    return failed(cudaErrorNotSupported, "a cooperative launch of a kernel template needs a GPU");
  simt::enqueue_kernel(grid, block, shared_bytes, stream, found->second(arguments), true);
  return cudaGetLastError();
}
