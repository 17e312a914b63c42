// The same kernel, compiled when the program runs, with the values that a search found best for
// this case on this device (`./workbook tune 02_gemm_tiles`), or the defaults before a search.
//
// Predict: at which of the sizes does this beat a table of three tiles?
#include "launch.cuh"
#include "space_cuda.h"

namespace {

wb::Case case_of(const GemmTiles::Args& p) {
  return {{"m", p.m}, {"n", p.n}, {"k", p.k}, {"dtype", p.dtype}};
}

auto make(const GemmTiles::Args& p) {
  return tiles::launch(p, [&] { return tune::choose(WB_BACKEND, case_of(p)); });
}

std::string note(const GemmTiles::Args& p) { return tune::chosen(WB_BACKEND, case_of(p)); }

}  // namespace

WB_CUDA(GemmTiles, tuned, make);
WB_NEEDS("8.0");
WB_CASE_NOTE(GemmTiles, note);
WB_TUNABLE("candidate.cu", tiles::space_cuda, tiles::predict_cuda);
