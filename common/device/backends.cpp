#include "device/backends.h"

#include <algorithm>

#include "base/failure.h"

namespace wb {

Ceilings measure_ceilings_cpu(Backend& backend);
__attribute__((weak)) Ceilings measure_ceilings_cuda(Backend& backend);  // needs cuBLAS

namespace {

const BackendInfo kBackends[] = {
    {"cpu", {.small_cases = true}, make_cpu_backend, measure_ceilings_cpu},
#ifdef WB_WITH_CUDA
    {"cuda", {.accelerator = true}, make_cuda_backend, measure_ceilings_cuda},
#endif
};

}  // namespace

std::span<const BackendInfo> backends() { return kBackends; }

const BackendInfo& backend_info(const std::string& name) {
  const auto found = std::find_if(std::begin(kBackends), std::end(kBackends),
                                  [&](const BackendInfo& b) { return b.name == name; });
  if (found == std::end(kBackends))
    throw Failure(3, "this build has no " + name + ": ./workbook --backend=" + name +
                         " builds it, where its compiler is installed");
  return *found;
}

std::unique_ptr<Backend> open_backend(const std::string& wanted) {
  if (wanted != "auto") {
    const BackendInfo& info = backend_info(wanted);
    try {
      return info.open();
    } catch (const std::exception& e) {
      throw Failure(3, e.what());
    }
  }
  for (auto info = std::rbegin(kBackends); info + 1 != std::rend(kBackends); ++info) try {
      return info->open();
    } catch (const std::exception&) {  // the next one, then
    }
  return kBackends[0].open();
}

}  // namespace wb
