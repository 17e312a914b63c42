// The same kernel, compiled when the program runs, with the values that a search found best for
// this case on this device (`./workbook tune 02_gemm_tiles`); the defaults where none was made.
//
// Predict: at which of the sizes does this beat a table of three tiles?
#include "../engine/candidate_cuda.h"
#include "launch.cuh"
#include "space_cuda.h"

namespace {

using tiles::Shape;

wb::Case case_of(const GemmTiles::Args& p) {
  return {{"m", p.m}, {"n", p.n}, {"k", p.k}, {"dtype", p.dtype}};
}

auto make(const GemmTiles::Args& p) {
  return tiles::with_types(p, [&]<class T>(const T*, const T*, T* c) -> tiles::Function {
    hopper::require(p.m, p.n, p.k);
    const tune::Choice choice = tune::choose(WB_BACKEND, case_of(p));
    const Shape s = tiles::shape({choice.space, choice.configuration});
    const tune::Kernel kernel(choice, std::is_same_v<T, __half> ? "gemm_fp16" : "gemm_bf16");
    kernel.prepare(s.threads(), s.shared_bytes());
    return [=, maps = tiles::Maps<T>(p, s), grid = tiles::blocks(p, s),
            group = choice["GROUP"]](cudaStream_t stream) {
      kernel.launch(grid, s.threads(), s.shared_bytes(), stream, int(p.m), int(p.n), int(p.k),
                    group, maps.a, maps.b, maps.c, c);
    };
  });
}

std::string note(const GemmTiles::Args& p) { return tune::chosen(WB_BACKEND, case_of(p)); }

}  // namespace

WB_CUDA(GemmTiles, tuned, make);
WB_CASE_NOTE(GemmTiles, note);
WB_TUNABLE("candidate.cu", tiles::space_cuda, tiles::predict_cuda);
