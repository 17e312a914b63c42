// The same kernel, compiled when the program runs, with the values that a search found best for
// this case on this machine (`./workbook tune 02_gemm_tiles`), or the defaults before a search.
#include "../engine/candidate_cpu.h"
#include "problem_cpu.h"
#include "space_cpu.h"

namespace {

wb::Case case_of(const GemmTiles::Args& p) {
  return {{"m", p.m}, {"n", p.n}, {"k", p.k}, {"dtype", p.dtype}};
}

auto make(const GemmTiles::Args& p) {
  const tiles::Product product = tiles::product(p);
  std::function<void()> run;
  using Make = void(const tiles::Product&, std::function<void()>&);
  tune::function<Make>(tune::choose(WB_BACKEND, case_of(p)), "make")(product, run);
  return run;
}

std::string note(const GemmTiles::Args& p) { return tune::chosen(WB_BACKEND, case_of(p)); }

}  // namespace

WB_CPU(GemmTiles, tuned, make);
WB_CASE_NOTE(GemmTiles, note);
WB_TUNABLE("candidate.cpp", tiles::space_cpu, tiles::predict_cpu);
