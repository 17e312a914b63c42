// The file that a search compiles, with a value for each macro.
#include "kernel.h"

extern "C" void make(const tiles::Product& p, std::function<void()>& run) {
  run = tiles::gemm<MR, NR>(p, MC, KC, NC);
}
