// For each operation a kernel of this name; NVRTC compiles it with a configuration as macros.
#if defined(TEAM)
#include "rows.cuh"
#elif defined(LINES)
#include "columns.cuh"
#else
#include "add.cuh"
#endif
