#include "device/cuda/cupti.h"

#include <dlfcn.h>

#if __has_include(<cupti.h>)
#include <cupti.h>
#define WB_HAS_CUPTI 1
#endif

#include "device/cuda/found.h"

namespace wb {

#ifdef WB_HAS_CUPTI
void* cupti_library(std::string& missing) {
  // The records' layout belongs to a major release, so the one of this build's headers comes first.
  const std::string major =
      std::to_string(CUPTI_API_VERSION >= 130000 ? CUPTI_API_VERSION / 10000 : 12);
  static void* const library = [&] {
    void* found = nullptr;
    for (const std::string& name : {"libcupti.so." + major,
#ifdef WB_CUPTI_LIBRARY
                                    std::string(WB_CUPTI_LIBRARY),
#endif
                                    "/usr/local/cuda/lib64/libcupti.so." + major,
                                    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so." + major})
      if (!found) found = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    return found;
  }();
  if (!library)
    missing = "libcupti.so." + major + " was not found: install CUPTI (package cuda-cupti-" +
              major + "-x or libcupti) or add its folder to LD_LIBRARY_PATH";
  return library;
}

std::string cupti_refusal(int status, const char* function) {
  switch (status) {  // numbers: older headers lack some of the names
    case 35:         // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
    case 40:         // CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
      return "CUPTI may not watch this GPU: run as root (in a container, with "
             "--cap-add=SYS_ADMIN), or have the administrator load the driver with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case 39:  // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
      return "another profiler is attached (nsys, ncu, compute-sanitizer): run without it";
    default: {
      std::string missing;
      const char* text = nullptr;
      void* const library = cupti_library(missing);
      if (CUptiResult(*const name)(CUptiResult, const char**) =
              Found{library ? dlsym(library, "cuptiGetResultString") : nullptr})
        name(static_cast<CUptiResult>(status), &text);
      return "CUPTI refuses " + std::string(function) + ": " + (text ? text : "unknown reason") +
             " (" + std::to_string(status) + ")";
    }
  }
}
#else  // no CUPTI headers at build time
void* cupti_library(std::string& missing) {
  missing =
      "built without CUPTI: install its headers (package cuda-cupti-dev or libcupti-dev) and "
      "build again";
  return nullptr;
}
std::string cupti_refusal(int, const char*) { return "built without CUPTI"; }
#endif

}  // namespace wb
