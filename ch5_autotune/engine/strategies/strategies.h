// One function for each file of this folder.
#pragma once

#include "../proposer.h"

namespace tune {

std::unique_ptr<Proposer> make_exhaustive(const Setting& setting);
std::unique_ptr<Proposer> make_random(const Setting& setting);

}  // namespace tune
