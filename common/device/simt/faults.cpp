#include "device/simt/faults.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/failure.h"
#include "device/simt/block.h"
#include "device/simt/lines.h"

namespace simt {

Checks checks;
std::uint32_t seed = 1;
std::string fault;

void begin_seed() {
  if (const char* text = std::getenv("WB_SEED"))
    seed = static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  const char* text = std::getenv("WB_SIMT");
  checks = {};
  std::istringstream words(text ? text : "");
  for (std::string word; std::getline(words, word, ',');) {
    int number = 0;
    if (word == "no-bounds")
      checks.bounds = false;
    else if (word == "no-races")
      checks.races = false;
    else if (word == "no-uninitialized")
      checks.uninitialized = false;
    else if (word == "no-alignment")
      checks.alignment = false;
    else if (word == "no-barriers")
      checks.barriers = false;
    else if (std::sscanf(word.c_str(), "multiprocessors=%6d", &number) != 1 || number < 1)
      throw wb::Failure(2, "WB_SIMT has '" + word +
                               "': it takes no-bounds, no-races, no-uninitialized, no-alignment, "
                               "no-barriers and multiprocessors=132, with commas between");
  }
}

int multiprocessors() {
  const char* text = std::getenv("WB_SIMT");
  const char* word = text ? std::strstr(text, "multiprocessors=") : nullptr;
  return std::max(1, word ? std::atoi(word + std::strlen("multiprocessors=")) : 4);
}

std::string text(Index i) { return fmt::format("({}, {}, {})", i.x, i.y, i.z); }
std::string who(const Thread& t) {
  return "thread " + text(t.index) + " of block " + text(block->index);
}

void set_fault(std::uint32_t place, const std::string& text) {
  fault = line_of(place) + ": " + text;
  if (self) fault += " (" + who(*self) + ")";
}

void leave() {
  to_scheduler();
  std::abort();
}

}  // namespace simt
