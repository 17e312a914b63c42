// The backends of this build.
#pragma once

#include <memory>

#include "device/backend.h"

namespace wb {

std::unique_ptr<Backend> make_cpu_backend();
// Throws std::runtime_error with one clear line: no CUDA in this build, no driver, driver too old,
// no device.
std::unique_ptr<Backend> make_cuda_backend();
bool built_with_cuda();
Ceilings measure_ceilings_cpu(Backend& backend);
Ceilings measure_ceilings_cuda(Backend& backend);

}  // namespace wb
