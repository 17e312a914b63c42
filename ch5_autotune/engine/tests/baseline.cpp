#include "twice.h"
#include "wb/cpu.h"

namespace {

void run(const Twice::Args& p) { Twice::reference(p); }

}  // namespace

WB_CPU(Twice, baseline, run);
