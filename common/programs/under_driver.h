// Whether the driver has started this program: it then reports progress by lines, and leaves what
// it found where the driver reads it.
#pragma once

#include <cstdlib>

namespace wb {

inline bool under_driver() { return std::getenv("WB_PROGRESS"); }
inline void start_programs_as_driver() { ::setenv("WB_PROGRESS", "1", 1); }

}  // namespace wb
