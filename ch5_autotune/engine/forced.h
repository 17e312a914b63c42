// How a search tells a process which candidate it is to run.
#pragma once

#include <string>

namespace tune {

struct Forced {
  std::string configuration, object;
};
void force(const Forced& choice);

}  // namespace tune
