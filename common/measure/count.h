// What the hardware counts in launches of a case's rows (`--counters`).
#pragma once

#include "measure/group.h"

namespace wb {

// After all that is timed: a GPU may be slower once its counters were in use. Each variant runs in
// `where` on arrays that are made for it. What goes wrong is `missing` of the row's counts, and
// changes nothing else of it.
void count(Group& group, Backend& backend, const Options& options, Runners& where = this_process());

}  // namespace wb
