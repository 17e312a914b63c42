#include "device/simt/faults.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

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
  const std::string off = text ? text : "";
  const auto on = [&](const char* name) {
    return off.find(std::string("no-") + name) == std::string::npos;
  };
  checks = {on("bounds"), on("races"), on("uninitialized"), on("alignment"), on("barriers")};
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
