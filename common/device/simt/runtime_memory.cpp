// The runtime's memory: what is allocated, and copies on streams.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "device/cpu/memory.h"
#include "device/simt/counts.h"
#include "device/simt/memory.h"
#include "device/simt/streams.h"

using simt::add, simt::failed, simt::stream_of;

namespace {

std::map<std::uintptr_t, std::size_t> pinned;
std::map<const void*, std::size_t> sizes;  // of cudaMalloc

bool is_pinned(const void* data) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const auto above = pinned.upper_bound(at);
  return above != pinned.begin() && at - std::prev(above)->first < std::prev(above)->second;
}
// Whether an array of the device ends within these bytes.
bool leaves_array(const void* data, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const simt::Memory* array = simt::array_at(at);
  return array && at + bytes > array->end;
}
}  // namespace

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
