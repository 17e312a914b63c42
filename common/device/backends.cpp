#include "device/backends.h"

#include <algorithm>

#include "base/failure.h"

namespace wb {

Ceilings measure_ceilings_cpu(Backend& backend);
__attribute__((weak)) Ceilings measure_ceilings_cuda(Backend& backend);  // needs cuBLAS

std::vector<BackendInfo>& backends() {
  static std::vector<BackendInfo> all = [] {
    std::vector<BackendInfo> table = {
        {"cpu", make_cpu_backend, measure_ceilings_cpu},
#ifdef WB_WITH_SIMT
        {"simt", make_simt_backend, nullptr},
#endif
#ifdef WB_WITH_CUDA
        {"cuda", make_cuda_backend, measure_ceilings_cuda},
#endif
    };
    for (BackendInfo& info : table)
      for (const KnownBackend& known : known_backends())
        if (known.name == info.name) info.traits = known.traits;
    return table;
  }();
  return all;
}

const BackendInfo& backend_info(const std::string& name) {
  const auto found =
      std::ranges::find_if(backends(), [&](const BackendInfo& b) { return b.name == name; });
  if (found == backends().end())
    throw Failure(3, "this build has no " + name + ": ./workbook --backend=" + name +
                         " builds it, where its compiler is installed");
  return *found;
}

std::unique_ptr<Backend> open_backend(const std::string& wanted) {
  if (wanted != "auto") {
    const BackendInfo& info = backend_info(wanted);
    try {
      return info.open();
    } catch (const Failure&) {
      throw;
    } catch (const std::exception& e) {
      throw Failure(3, e.what());
    }
  }
  for (auto info = backends().rbegin(); info + 1 != backends().rend(); ++info) try {
      return info->open();
    } catch (const std::exception&) {  // the next one, then
    }
  return backends().front().open();
}

}  // namespace wb
