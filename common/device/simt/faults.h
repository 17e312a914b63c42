// What the emulator looks for, and the fault that it found first.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "device/simt/lines.h"
#include "device/simt/machine.h"

namespace simt {

// The faults that are looked for; each can be switched off: WB_SIMT=no-races,no-uninitialized ...
struct Checks {
  bool bounds = true, races = true, uninitialized = true, alignment = true, barriers = true;
};
extern Checks checks;
extern std::uint32_t seed;  // of all orders that are drawn
void begin_seed();          // by WB_SEED, and the checks by WB_SIMT

extern std::string fault;  // of this launch; "" while there is none

void set_fault(std::uint32_t place, const std::string& text);
template <class... A>
void report(std::uint32_t place, fmt::format_string<A...> form, A&&... values) {
  if (fault.empty()) set_fault(place, fmt::format(form, std::forward<A>(values)...));
}

// Of the thread that runs, which does not go on.
[[noreturn]] void leave();
template <class... A>
[[noreturn]] void fail(const void* pc, fmt::format_string<A...> form, A&&... values) {
  report(place_of(pc), form, std::forward<A>(values)...);
  leave();
}

struct Thread;
std::string text(Index i);
std::string who(const Thread& t);

}  // namespace simt
