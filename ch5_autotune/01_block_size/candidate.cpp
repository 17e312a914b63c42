// A candidate: a shared library, compiled with the values of one configuration as macros.
#include "kernel.h"

#if defined(LANES)
constexpr Rows kChoice = {LANES, ROWS};
#elif defined(STRIP)
constexpr Columns kChoice = {STRIP, DEPTH, PAST};
#else
constexpr Add kChoice = {LINES, PAST};
#endif

extern "C" void candidate(const Work& w, Team team) { compute<kChoice>(w, team); }
