// The calls of the CUDA runtime that lessons make. Work on streams waits until the host, or the
// order of streams and events, asks for it; what comes first of several is drawn, so that a missing
// wait shows.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>

#include "device/simt/machine.h"
#include "vector_types.h"

#define SIMT_ERRORS(X)                       \
  X(cudaSuccess, 0)                          \
  X(cudaErrorInvalidValue, 1)                \
  X(cudaErrorMemoryAllocation, 2)            \
  X(cudaErrorInvalidConfiguration, 9)        \
  X(cudaErrorNotReady, 600)                  \
  X(cudaErrorLaunchFailure, 719)             \
  X(cudaErrorCooperativeLaunchTooLarge, 720) \
  X(cudaErrorNotSupported, 801)              \
  X(cudaErrorStreamCaptureUnsupported, 900)
#define SIMT_ERROR(NAME, NUMBER) NAME = NUMBER,
enum cudaError_t { SIMT_ERRORS(SIMT_ERROR) };
const char* cudaGetErrorName(cudaError_t);
const char* cudaGetErrorString(cudaError_t);  // the fault that was found, with its line
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

struct simt_stream;
struct simt_event;
struct simt_graph;
struct simt_pool {};
using cudaStream_t = simt_stream*;
using cudaEvent_t = simt_event*;
using cudaGraph_t = simt_graph*;
using cudaGraphExec_t = simt_graph*;
using cudaMemPool_t = simt_pool*;

// ---- memory

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum { cudaHostAllocDefault = 0, cudaHostRegisterDefault = 0 };
cudaError_t simt_malloc(void** data, std::size_t bytes);
template <class T> cudaError_t cudaMalloc(T** data, std::size_t bytes) {
  return simt_malloc(reinterpret_cast<void**>(data), bytes);
}
cudaError_t cudaFree(void* data);
template <class T> cudaError_t cudaMallocAsync(T** data, std::size_t bytes, cudaStream_t) {
  return simt_malloc(reinterpret_cast<void**>(data), bytes);
}
inline cudaError_t cudaFreeAsync(void* data, cudaStream_t) { return cudaFree(data); }
cudaError_t simt_malloc_host(void** data, std::size_t bytes);
template <class T> cudaError_t cudaMallocHost(T** data, std::size_t bytes) {
  return simt_malloc_host(reinterpret_cast<void**>(data), bytes);
}
template <class T> cudaError_t cudaHostAlloc(T** data, std::size_t bytes, unsigned) {
  return simt_malloc_host(reinterpret_cast<void**>(data), bytes);
}
cudaError_t cudaFreeHost(void* data);
cudaError_t cudaHostRegister(void* data, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* data);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream = nullptr);
inline cudaError_t cudaMemset(void* to, int byte, std::size_t bytes) {
  return cudaMemsetAsync(to, byte, bytes);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes, std::size_t at = 0) {
  return cudaMemcpy(to, reinterpret_cast<const char*>(&symbol) + at, bytes, cudaMemcpyDefault);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes, std::size_t at = 0) {
  return cudaMemcpy(reinterpret_cast<char*>(&symbol) + at, from, bytes, cudaMemcpyDefault);
}

enum cudaMemAllocationType { cudaMemAllocationTypePinned = 1 };
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1 };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  int handleTypes;
  struct {
    cudaMemLocationType type;
    int id;
  } location;
  unsigned char reserved[64];
};
// There is one pool, and it keeps nothing.
inline simt_pool simt_only_pool;
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return *pool = &simt_only_pool, cudaSuccess;
}
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  return *pool = &simt_only_pool, cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** data, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return simt_malloc(reinterpret_cast<void**>(data), bytes);
}

// ---- streams, events, graphs

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventDisableTiming = 2 };
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  return *milliseconds = 0, cudaSuccess;  // nothing here has a time
}

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

// ---- the device and its kernels

// The number of each is its answer: an H200's, but for the multiprocessors, and code for 8.0.
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = simt::kMostThreads,
  cudaDevAttrWarpSize = simt::kWarp,
  cudaDevAttrMultiProcessorCount = -1,  // WB_SIMT may say it
  cudaDevAttrMaxThreadsPerMultiProcessor = 2048,
  cudaDevAttrMaxSharedMemoryPerBlock = simt::kSharedBytes,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = simt::kSharedOptIn,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 228 << 10,
  cudaDevAttrMemoryPoolsSupported = 1,
  cudaDevAttrComputeCapabilityMajor = 8,
  cudaDevAttrComputeCapabilityMinor = 0,
  cudaDevAttrL2CacheSize = 50 << 20,
  cudaDevAttrClockRate = 1'000'000
};
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? simt::multiprocessors() : attribute;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int device);
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return *least = 0, *greatest = -5, cudaSuccess;
}

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes = 0, constSizeBytes = 0, localSizeBytes = 0;
  int maxThreadsPerBlock = simt::kMostThreads, numRegs = 32, ptxVersion = 80, binaryVersion = 80;
  int maxDynamicSharedSizeBytes = simt::kSharedBytes;
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
cudaError_t simt_function_attributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t simt_set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
template <class K> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, K* kernel) {
  return simt_function_attributes(a, reinterpret_cast<const void*>(kernel));
}
template <class K> cudaError_t cudaFuncSetAttribute(K* kernel, cudaFuncAttribute a, int value) {
  return simt_set_function_attribute(reinterpret_cast<const void*>(kernel), a, value);
}
template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, K, int threads,
                                                          std::size_t) {
  *blocks = threads > 0 && threads <= 1024 ? (2048 / threads < 32 ? 2048 / threads : 32) : 0;
  return cudaSuccess;
}
struct cudaLaunchConfig_t;
template <class K>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, K, const cudaLaunchConfig_t*) {
  *clusters = 0;  // there are none
  return cudaSuccess;
}
template <class K>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, K, std::size_t = 0, int = 0) {
  *grid = 4, *block = 1024;
  return cudaSuccess;
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  union {
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr);
// A node of a graph is the place of its work, counted from 1.
struct cudaGraphNode_st;
using cudaGraphNode_t = cudaGraphNode_st*;
struct cudaKernelNodeParams {
  void* func = nullptr;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes = 0;
  void** kernelParams = nullptr;
  void** extra = nullptr;
};
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters);
// Launches of one stream never overlap here.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

namespace simt {
// A kernel with its arguments, of which each thread makes a copy.
struct Body {
  void (*run)(const void* values);
  std::shared_ptr<const void> values;
  std::size_t bytes;
};
template <class F, class Tuple> Body body_of(F kernel, const Tuple& values) {
  struct All {
    F kernel;
    Tuple values;
  };
  return {[](const void* data) {
            const All& all = *static_cast<const All*>(data);
            std::apply(all.kernel, all.values);
          },
          std::make_shared<All>(All{kernel, values}), sizeof(All)};
}
void enqueue_kernel(dim3 blocks, dim3 threads, std::size_t shared_bytes, cudaStream_t stream,
                    const Body& body, bool cooperative = false);
bool add_kernel(const void* kernel, std::function<Body(void**)> bind);  // true
void drain();                                                           // all streams
bool streams_have_work();
std::string take_fault();  // the first since the last call, or ""
}  // namespace simt

#include <string>
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* c, void (*kernel)(P...), A&&... values) {
  std::tuple<P...> all(std::forward<A>(values)...);
  simt::enqueue_kernel(c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream,
                       simt::body_of(kernel, all));
  return cudaGetLastError();
}
