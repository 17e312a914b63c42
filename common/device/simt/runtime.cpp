// The CUDA runtime over machine.h: what is on a stream waits, and is done in an order that streams
// and events allow.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/cpu/memory.h"
#include "device/simt/counts.h"
#include "device/simt/include/simt_runtime.h"
#include "device/simt/machine.h"
#include "device/simt/memory.h"

struct simt_event {
  int recorded = 0, done = 0;  // how often
};
namespace {
struct Work {
  std::function<void()> run = {};
  simt_event* records = nullptr;
  simt_event* waits_for = nullptr;
  int turn = 0;  // of the event
};
}  // namespace
struct simt_graph {
  std::vector<Work> work;  // in the order of their capture, which is one that is allowed
};
struct simt_stream {
  std::deque<Work> work;
  bool blocking = true;
  std::shared_ptr<simt_graph> capture;
};

namespace {

using simt::Grid;

simt_stream null_stream;
std::vector<simt_stream*> streams = {&null_stream};
cudaError_t last_error = cudaSuccess;
std::string last_fault, untaken;
std::minstd_rand draws(1);
std::map<std::uintptr_t, std::size_t> pinned;
std::map<const void*, std::size_t> sizes;  // of cudaMalloc
std::map<const void*, int> shared_limits;
std::map<const void*, std::function<simt::Body(void**)>>& kernels() {
  static std::map<const void*, std::function<simt::Body(void**)>> all;
  return all;
}
std::map<simt_event*, std::shared_ptr<simt_graph>> captured_in;

cudaError_t failed(cudaError_t error, const std::string& why) {
  last_error = error;
  if (last_fault.empty()) last_fault = why;
  if (untaken.empty()) untaken = why;
  return error;
}

bool ready(const simt_stream& s) {
  return !s.work.empty() &&
         (!s.work.front().waits_for || s.work.front().waits_for->done >= s.work.front().turn);
}

// The next of one stream that has something to do: drawn. False where none has.
bool advance() {
  std::vector<simt_stream*> able;
  for (simt_stream* s : streams)
    if (ready(*s)) able.push_back(s);
  if (able.empty()) return false;
  simt_stream& s = *able[draws() % able.size()];
  Work work = std::move(s.work.front());
  s.work.pop_front();
  if (work.run && untaken.empty()) work.run();
  if (work.records) work.records->done = std::max(work.records->done, work.turn);
  return true;
}

void drain(const simt_stream& s) {
  while (!s.work.empty())
    if (!advance()) {
      for (simt_stream* each : streams) each->work.clear();
      failed(cudaErrorLaunchFailure, "the streams wait for each other forever");
      return;
    }
}
void drain_blocking() {
  for (simt_stream* s : streams)
    if (s->blocking) drain(*s);
}

simt_stream& stream_of(cudaStream_t s) { return s ? *s : null_stream; }

void add(cudaStream_t to, Work work) {
  simt_stream& s = stream_of(to);
  if (work.run) ++simt::counted_calls;
  if (s.capture) {
    if (work.records) captured_in[work.records] = s.capture;
    s.capture->work.push_back(std::move(work));
    return;
  }
  // The default stream comes after all that blocking streams have, and before what they get next.
  if (&s == &null_stream) drain_blocking();
  s.work.push_back(std::move(work));
  if (&s == &null_stream) drain(s);
  while (draws() % 2 && advance()) {
  }
}

bool is_pinned(const void* data) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const auto above = pinned.upper_bound(at);
  return above != pinned.begin() && at - std::prev(above)->first < std::prev(above)->second;
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
  if (const std::uint64_t most = std::uint64_t{simt::kMultiprocessors} * together;
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

void drain() {
  for (std::size_t i = 0; i < streams.size(); ++i) ::drain(*streams[i]);
}

bool streams_have_work() {
  return std::any_of(streams.begin(), streams.end(), [](const auto* s) {
    return std::any_of(s->work.begin(), s->work.end(), [](const Work& w) { return bool(w.run); });
  });
}

std::string take_fault() {
  last_error = cudaSuccess;
  last_fault.clear();
  return std::exchange(untaken, "");
}

}  // namespace simt

const char* cudaGetErrorName(cudaError_t e) {
#define SIMT_NAME(NAME, NUMBER) \
  if (e == NUMBER) return #NAME;
  SIMT_ERRORS(SIMT_NAME)
  return "cudaError";
}
const char* cudaGetErrorString(cudaError_t e) {
  return e != cudaSuccess && !last_fault.empty() ? last_fault.c_str() : cudaGetErrorName(e);
}
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t simt_malloc(void** data, std::size_t bytes) try {
  ++simt::counted_calls;
  *data = wb::fenced_memory(bytes);
  std::memset(*data, 0xFF, bytes);
  simt::add_array(*data, bytes, false);
  sizes[*data] = bytes;
  return cudaSuccess;
} catch (const std::bad_alloc&) {
  return failed(cudaErrorMemoryAllocation, "this machine has no memory left");
}
cudaError_t cudaFree(void* data) {
  ++simt::counted_calls;
  simt::drain();
  if (!data) return cudaSuccess;
  if (!sizes.erase(data))
    return failed(cudaErrorInvalidValue,
                  "cudaFree got an address that does not come from cudaMalloc");
  simt::remove_array(data);
  wb::release_fenced_memory(data);
  return cudaSuccess;
}
cudaError_t simt_malloc_host(void** data, std::size_t bytes) {
  *data = wb::fenced_memory(bytes);
  pinned[reinterpret_cast<std::uintptr_t>(*data)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  simt::drain();
  pinned.erase(reinterpret_cast<std::uintptr_t>(data));
  wb::release_fenced_memory(data);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* data, std::size_t bytes, unsigned) {
  ++simt::counted_calls;
  pinned[reinterpret_cast<std::uintptr_t>(data)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* data) {
  simt::drain();
  pinned.erase(reinterpret_cast<std::uintptr_t>(data));
  return cudaSuccess;
}

// Whether an array of the device ends within these bytes.
bool leaves_array(const void* data, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const simt::Memory* array = simt::array_at(at);
  return array && at + bytes > array->end;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  for (const void* data : {static_cast<const void*>(to), from})
    if (leaves_array(data, bytes))
      return failed(
          cudaErrorInvalidValue,
          fmt::format("cudaMemcpy copies {} bytes, which is past the end: it starts at {}", bytes,
                      simt::describe_array(data)));
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const auto copy = [=](const void* source) {
    std::memcpy(to, source, bytes);
    if (to_device || kind == cudaMemcpyDefault) simt::set_defined(to, bytes, true);
  };
  if (kind == cudaMemcpyHostToDevice && !is_pinned(from) && !stream_of(stream).capture) {
    auto kept = std::make_shared<std::vector<char>>(static_cast<const char*>(from),
                                                    static_cast<const char*>(from) + bytes);
    add(stream, {[=] { copy(kept->data()); }});
    return cudaSuccess;
  }
  add(stream, {[=] { copy(from); }});
  if (kind == cudaMemcpyDeviceToHost && !is_pinned(to)) return cudaStreamSynchronize(stream);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr)) return error;
  return cudaStreamSynchronize(nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  if (leaves_array(to, bytes))
    return failed(cudaErrorInvalidValue,
                  fmt::format("cudaMemset sets {} bytes, which is past the end: it starts at {}",
                              bytes, simt::describe_array(to)));
  add(stream, {[=] { std::memset(to, byte, bytes), simt::set_defined(to, bytes, true); }});
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  streams.push_back(*stream = new simt_stream);
  (*stream)->blocking = !(flags & cudaStreamNonBlocking);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  drain(*stream);
  std::erase(streams, stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  drain(stream_of(stream));
  return last_error;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  advance();
  return stream_of(stream).work.empty() ? last_error : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  // An event of a capture draws the stream into it.
  if (const auto found = captured_in.find(event); found != captured_in.end()) {
    stream_of(stream).capture = found->second;
    return cudaSuccess;
  }
  if (event->recorded) add(stream, {.waits_for = event, .turn = event->recorded});
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  simt::drain();
  return last_error;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new simt_event;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  simt::drain();
  captured_in.erase(event);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  add(stream, {.records = event, .turn = ++event->recorded});
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  while (event->done < event->recorded)
    if (!advance())
      return failed(cudaErrorLaunchFailure, "the streams wait for each other forever");
  return last_error;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  advance();
  return event->done < event->recorded ? cudaErrorNotReady : last_error;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!stream)
    return failed(cudaErrorStreamCaptureUnsupported, "the default stream can't be captured");
  stream->capture = std::make_shared<simt_graph>();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const auto capture = stream->capture;
  *graph = new simt_graph(*capture);
  for (simt_stream* s : streams)
    if (s->capture == capture) s->capture.reset();
  std::erase_if(captured_in, [&](const auto& each) { return each.second == capture; });
  return cudaSuccess;
}
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
