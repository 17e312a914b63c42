// The backends of this build, in one table. Another one is a folder beside cpu/ and cuda/ with a
// backend.cmake, a declaration and a line in backends.cpp, and a line with its traits in
// cmake/wb_backends.cmake.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/backend.h"

namespace wb {

struct BackendInfo {
  const char* name;  // as --backend takes it
  // Throws std::runtime_error with one clear line: no driver, driver too old, no device.
  std::unique_ptr<Backend> (*open)();
  // Null in programs that don't link what it takes; `peaks` does.
  Ceilings (*measure_ceilings)(Backend&);
  Traits traits = {};  // as cmake/wb_backends.cmake says
};

// The one that `auto` likes best comes last. A program may add its own before it opens any.
std::vector<BackendInfo>& backends();

// By name. Throws Failure (code 3) for one that is not in this build.
const BackendInfo& backend_info(const std::string& name);
inline const Traits& traits_of(const Backend& backend) {
  return backend_info(backend.name()).traits;
}

// `wanted`: a name, or auto, which takes an accelerator where one answers. Throws Failure (code 3)
// with the reason when the one that was named does not open.
std::unique_ptr<Backend> open_backend(const std::string& wanted);

std::unique_ptr<Backend> make_cpu_backend();
std::unique_ptr<Backend> make_cuda_backend();
std::unique_ptr<Backend> make_simt_backend();

}  // namespace wb
