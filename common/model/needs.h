// What a variant needs of the device, as WB_NEEDS (wb/variant.h) writes it: whether a device has
// it, and, for a page, which ones do.
#pragma once

#include <string>
#include <vector>

#include "wb/axes.h"

namespace wb {

// What a device has that variants may need. A device without a compute capability, such as a CPU,
// is asked for nothing.
struct Abilities {
  int capability = 0;  // the compute capability times ten: 86
  int shared_kib = 0;  // of shared memory that a block can have
  // The code that it runs of this build: 800 of one for 8.0, 901 of one for 9.0a. 0: not asked.
  int built = 0;
};

struct Need {
  int capability = 0;  // at least this; 0: any
  bool alone = false;  // this one and no later one
  int shared_kib = 0;
  std::string only{};  // in cases with this word alone ("bf16"); empty: in all
  bool met(const Abilities& device) const;
};

// "9.0 alone, 128 KiB for fp32": two of them. Throws std::runtime_error for what is not of this
// form.
std::vector<Need> read_needs(const std::string& text);

// What the device lacks to run a variant with these needs on a case, in one line; "": nothing.
std::string lacks(const Abilities& device, const std::string& needs, const Case& c);

}  // namespace wb
