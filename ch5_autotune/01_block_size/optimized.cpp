// A fixed table by size class, as a library ships one: the best that a search found on two cores of
// a Zen 5 (2026-11-25), at one shape of each class. At other shapes, and on other CPUs, it is a
// guess.
//
// (With one sum per row each addition waits for the one before it: 4096 long rows took 4.5 times as
// long as with 64 sums.)
//
// Predict: rows of 7 fill no vector. What else can keep a core's adders busy?
#include <omp.h>

#include "block_size.h"
#include "kernel.h"
#include "wb/cpu.h"

namespace {

constexpr i64 kAlone = 1 << 16;   // up to so many elements, a second core gains nothing
constexpr i64 kCached = 1 << 22;  // up to so many, a cache may still hold y when it is needed

void run(const BlockSize::Args& p) {
  const Work w{p.rows, p.columns, p.a, p.b, p.y};
  const bool small = p.rows * p.columns <= kAlone, cached = p.rows * p.columns <= kCached;
  const Team team{.threads = small ? 1 : omp_get_max_threads(), .shares = 1};
  if (p.op == Operation::add)
    cached ? compute<Add{.lines = 2, .past = false}>(w, team)
           : compute<Add{.lines = 2, .past = true}>(w, team);
  else if (p.op == Operation::columns)
    compute<Columns{.strip = 64, .depth = 4, .past = true}>(w, team);
  else if (p.columns <= 16)
    compute<Rows{.lanes = 1, .rows = 4}>(w, team);
  else if (p.columns <= 256)
    compute<Rows{.lanes = 16, .rows = 1}>(w, team);
  else
    compute<Rows{.lanes = 64, .rows = 1}>(w, team);
}

}  // namespace

WB_CPU(BlockSize, optimized, run);
