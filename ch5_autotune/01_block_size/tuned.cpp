// The values that a search found for this machine and this very case; before a search, the default.
// The C++ compiler makes a shared library of candidate.cpp for it, with the values as macros.
//
//   ./workbook tune 01_block_size --backend=cpu --axis op=rows --axis rows=262144 --axis columns=49
#include "../engine/candidate_cpu.h"
#include "block_size.h"
#include "space_cpu.h"
#include "wb/cpu.h"
#include "work.h"

namespace {

auto make(const BlockSize::Args& p) {
  const tune::Choice choice = tune::choose(WB_BACKEND, p.axes);
  auto* const run = tune::function<void(const Work&, Team)>(choice, "candidate");
  const Work w{p.rows, p.columns, p.a, p.b, p.y};
  return [=, team = Team{choice["THREADS"], choice["SHARES"]}] { run(w, team); };
}

}  // namespace

WB_CPU(BlockSize, tuned, make);
WB_TUNABLE("candidate.cpp", cpu::space, cpu::predict);
WB_CASE_NOTE(BlockSize, [](const BlockSize::Args& p) { return tune::chosen(WB_BACKEND, p.axes); });
