// `asm`: the machine code that a compiler made of a variant.
#pragma once

#include "driver/lessons.h"

namespace wb::driver {

struct AsmOptions {
  std::string kernel, against;  // a part of a function's name; another variant
  bool loop = false, sass = false, ptx = false;
};

// The objects that it reads, as targets of the build. Throws Failure (2) for names that mean no
// variant, or several.
std::vector<std::string> asm_targets(const Catalogue& catalogue, const RunOptions& options,
                                     const AsmOptions& chosen);

// Needs no device. Throws Failure: 1 for a source that does not compile, 2 for want of a
// disassembler or for a function that there is not, 5 for a listing that cannot be read.
int run_asm(const Catalogue& catalogue, const RunOptions& options, const AsmOptions& chosen);

}  // namespace wb::driver
