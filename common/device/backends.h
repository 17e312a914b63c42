// The backends of this build, in one table. Another one is a folder beside cpu/ and cuda/, a line
// in backends.cpp, and its traits for the driver in cmake/wb_add_lesson.cmake.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "device/backend.h"

namespace wb {

struct BackendInfo {
  const char* name;  // as --backend takes it
  Traits traits;
  // Throws std::runtime_error with one clear line: no driver, driver too old, no device.
  std::unique_ptr<Backend> (*open)();
  // Null in programs that don't link what it takes; `peaks` does.
  Ceilings (*measure_ceilings)(Backend&);
};

std::span<const BackendInfo> backends();  // the one that `auto` likes best comes last

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

}  // namespace wb
