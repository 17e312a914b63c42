// The loops of a function, what its instructions do, and which loop is the hottest.
#pragma once

#include <functional>
#include <map>

#include "machine_code/listing.h"

namespace wb::machine_code {

// Instructions `first` to `last` of a function.
struct Range {
  std::size_t first = 0, last = 0;
  std::size_t size() const { return last - first + 1; }
  bool holds(const Range& other) const { return first <= other.first && other.last <= last; }
};

// A loop is a jump back, and all from where it leads to up to the last jump that leads there. There
// is no other way in: a jump back from code that was put aside makes no loop.
std::vector<Range> loops_of(const Function& function);

// What is counted. Tensor instructions multiply tiles of matrices. Copies go from memory to shared
// memory while the thread goes on. A flag is what another thread sets.
enum class Kind {
  fma,
  tensor,
  load,
  store,
  copy,
  shared_load,
  shared_store,
  stack_load,
  stack_store,
  atomic,
  flag,
  barrier
};
// How many of each width, in bits of a thread; 0 where it has none.
using Tally = std::map<Kind, std::map<int, int>>;
// Of a range, without the parts of it in `without`.
Tally tally(Form form, const Function& function, const Range& range,
            const std::vector<Range>& without = {});

// The loop that works most: what it loads, in bytes times bytes per instruction. A multiply-add
// counts like a load of its width. What stands in a loop inside counts there, and as if that ran
// eight times. A loop that only waits does not work. Loops with an instruction of the variant's
// `own` come first.
struct Hottest {
  const Function* function = nullptr;  // the one that works most where none has a loop
  std::optional<Range> loop{};
};
Hottest hottest(Form form, const std::vector<Function>& functions,
                const std::function<bool(const Instruction&)>& own);

}  // namespace wb::machine_code
