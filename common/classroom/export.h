// export: a tree to hand out. Exercises as shipped, no solutions, none of the harness's own tests.
#pragma once

#include <string>
#include <vector>

#include "driver/catalogue.h"

namespace wb::classroom {

// Writes a tree to hand out, of the chosen lessons as HEAD has them (of others the files stay, but
// are not built), without solutions and the harness's own tests, into `folder`, which must not be
// there yet; a git repository of its own, so that `reset` works. The settings of the teacher's git
// change nothing. Throws Failure: 2 for a folder that is there and another user's clone, 3 what git
// says, 5 for no place.
int run_export(const driver::Catalogue& catalogue, const std::vector<std::string>& lessons,
               const std::string& folder, bool hints);

}  // namespace wb::classroom
