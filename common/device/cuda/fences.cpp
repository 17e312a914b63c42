#include "device/cuda/fences.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <map>

namespace wb {
namespace {

constexpr std::size_t kFence = std::size_t{64} << 20;  // of addresses; they take no memory

// The driver's functions, found at run time: this program starts on a machine without a driver.
struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) free = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  CUmemAllocationProp kind = {};  // of memory: of this device
  std::size_t page = 0;           // 0: it has none of this

  Driver() {
    const auto load = [](auto& function, const char* name) {
      void* found = nullptr;
      cudaDriverEntryPointQueryResult result;
      const bool ok = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault,
                                                       &result) == cudaSuccess;
      function = reinterpret_cast<std::decay_t<decltype(function)>>(found);
      return ok && found;
    };
    const bool all = load(granularity, "cuMemGetAllocationGranularity") &&
                     load(reserve, "cuMemAddressReserve") && load(free, "cuMemAddressFree") &&
                     load(create, "cuMemCreate") && load(release, "cuMemRelease") &&
                     load(map, "cuMemMap") && load(unmap, "cuMemUnmap") &&
                     load(set_access, "cuMemSetAccess");
    cudaGetLastError();
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    if (!all || cudaGetDevice(&kind.location.id) != cudaSuccess ||
        granularity(&page, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS)
      page = 0;
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

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

void* fenced_device_memory(std::size_t bytes) {
  const Driver& d = driver();
  if (d.page == 0) return nullptr;
  Mapping m = {};
  m.bytes = rounded(bytes, d.page);
  m.length = m.bytes + 2 * kFence;
  if (d.reserve(&m.all, m.length, 0, 0, 0) != CUDA_SUCCESS) return nullptr;
  m.begin = m.all + kFence;
  const CUmemAccessDesc access = {d.kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (d.create(&m.memory, m.bytes, &d.kind, 0) == CUDA_SUCCESS) {
    if (d.map(m.begin, m.bytes, 0, m.memory, 0) == CUDA_SUCCESS) {
      if (d.set_access(m.begin, m.bytes, &access, 1) == CUDA_SUCCESS) {
        void* const data = reinterpret_cast<void*>(m.begin + m.bytes - rounded(bytes, 256));
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
