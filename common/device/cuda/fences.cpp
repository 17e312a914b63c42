#include "device/cuda/fences.h"

#include <cuda.h>

#include <map>

#include "device/cpu/memory.h"
#include "device/cuda/found.h"
#include "wb/cuda.h"

namespace wb {
namespace {

constexpr std::size_t kFence = std::size_t{64} << 20;  // of addresses; they take no memory

struct Driver {
  bool whole = true;  // all of these were found
  decltype(&cuMemGetAllocationGranularity) granularity = find("cuMemGetAllocationGranularity");
  decltype(&cuMemAddressReserve) reserve = find("cuMemAddressReserve");
  decltype(&cuMemAddressFree) free = find("cuMemAddressFree");
  decltype(&cuMemCreate) create = find("cuMemCreate");
  decltype(&cuMemRelease) release = find("cuMemRelease");
  decltype(&cuMemMap) map = find("cuMemMap");
  decltype(&cuMemUnmap) unmap = find("cuMemUnmap");
  decltype(&cuMemSetAccess) set_access = find("cuMemSetAccess");
  CUmemAllocationProp kind = {};  // of memory: of this device
  std::size_t page = 0;           // 0: it has none of this

  Driver() {
    cudaGetLastError();
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    if (!whole || cudaGetDevice(&kind.location.id) != cudaSuccess ||
        granularity(&page, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS)
      page = 0;
  }
  Found find(const char* name) {
    void* const function = driver_function(name);
    whole = whole && function;
    return {function};
  }
};

const Driver& driver() {
  static const Driver all;
  return all;
}

struct Mapping {
  CUdeviceptr all, begin;  // of the addresses, of the memory among them
  std::size_t length, bytes;
  CUmemGenericAllocationHandle memory;
};
std::map<void*, Mapping>& mappings() {  // of what was returned
  static std::map<void*, Mapping> all;
  return all;
}

}  // namespace

void* fenced_device_memory(std::size_t bytes) {
  const Driver& d = driver();
  if (d.page == 0) return nullptr;
  Mapping m = {};
  m.bytes = rounded_up(bytes, d.page);
  m.length = m.bytes + 2 * kFence;
  if (d.reserve(&m.all, m.length, 0, 0, 0) != CUDA_SUCCESS) return nullptr;
  m.begin = m.all + kFence;
  const CUmemAccessDesc access = {d.kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (d.create(&m.memory, m.bytes, &d.kind, 0) == CUDA_SUCCESS) {
    if (d.map(m.begin, m.bytes, 0, m.memory, 0) == CUDA_SUCCESS) {
      if (d.set_access(m.begin, m.bytes, &access, 1) == CUDA_SUCCESS) {
        void* const data = reinterpret_cast<void*>(m.begin + m.bytes - rounded_up(bytes, 256));
        mappings()[data] = m;
        return data;
      }
      d.unmap(m.begin, m.bytes);
    }
    d.release(m.memory);
  }
  d.free(m.all, m.length);
  return nullptr;
}

bool release_fenced_device_memory(void* data) noexcept {
  const auto found = mappings().find(data);
  if (found == mappings().end()) return false;
  const Mapping& m = found->second;
  cudaDeviceSynchronize();
  driver().unmap(m.begin, m.bytes);
  driver().release(m.memory);
  driver().free(m.all, m.length);
  mappings().erase(found);
  return true;
}

}  // namespace wb
