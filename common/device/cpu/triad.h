// What the memory of a CPU delivers just now (ceilings_cpu.cpp). The ceilings are what it delivers
// undisturbed; on a virtual machine it may be half of that for minutes.
#pragma once

#include <array>
#include <vector>

#include "device/backend.h"

namespace wb {

// STREAM's triad (McCalpin 1995), a[i] = b[i] + 3 c[i], as the ceiling triad_nt has it: cold
// caches, all cores, stores past the caches. Three arrays of up to 64 MiB.
class Triad {
 public:
  explicit Triad(Backend& backend);  // throws std::bad_alloc where that is much of what is free

  // Of one pass that moves about as many bytes, for large arrays need more of the page tables than
  // small ones; in the better of two ways to walk through memory.
  double bytes_per_second(double bytes);

 private:
  // Of a pass in which a core walks at 1 or 4 places in turn, over so much of each array.
  double seconds(int streams, std::size_t bytes);

  Backend& backend_;
  std::array<std::shared_ptr<void>, 3> arrays_;
  std::vector<Region> regions_;
  int streams_ = 1;
};

}  // namespace wb
