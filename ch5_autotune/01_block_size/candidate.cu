// A candidate: compiled by NVRTC with the values of one configuration as macros.
#include "add.cuh"
#include "columns.cuh"
#include "rows.cuh"

#if defined(TEAM)
constexpr Rows kChoice = {BLOCK, TEAM, ROWS, WIDTH, LOADS, STAGE};
#elif defined(LINES)
constexpr Columns kChoice = {BLOCK, WIDTH, LINES, LOADS};
#else
constexpr Add kChoice = {BLOCK, WIDTH, LOADS};
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) candidate(Work w) { compute<kChoice>(w); }
