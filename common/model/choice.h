// What is to be measured, as flags say it. The driver hands on what it was given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wb {

struct Choice {
  std::string backend = "auto";
  std::vector<std::string> axes;  // "rows=8192"; --size, --dtype and --op are shorthands
  std::string sweep, peer, cache = "cold";
  std::uint64_t seed = 0;  // add_flags() draws one, which a flag may replace
  std::string variant;     // with commas between several; empty: all
  int unlisted = 0;        // so many random cases in the place of the lesson's
  bool survey = false;     // a first look: five samples, and inputs that stay the same
  bool fast = false, first = false, allow_suspect = false, wide = false, counters = false;

  // Nothing chosen among the cases.
  bool any_case() const { return axes.empty() && unlisted == 0; }
};

// The same choice as flags of a lesson program.
std::vector<std::string> arguments(const Choice& choice);

}  // namespace wb
