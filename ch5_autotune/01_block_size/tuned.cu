// What the search found for this device and this very case; before there was one, the default.
// NVRTC compiles candidate.cu for it, with the values as macros.
//
//   ./workbook tune 01_block_size --axis op=rows --axis rows=4194304 --axis columns=49
#include "../engine/candidate_cuda.h"
#include "launch.cuh"
#include "space_cuda.h"

namespace {

Launch make(const BlockSize::Args& p) {
  const tune::Choice v = tune::choose(WB_BACKEND, p.axes);
  const tune::Kernel kernel(v, "candidate");
  const auto with = [&](const auto& c) {
    return prepare(
        c, p, [&](int bytes) { kernel.prepare(c.block, bytes); },
        [=](dim3 grid, i64 shared, cudaStream_t stream, const Work& w) {
          kernel.launch(grid, c.block, shared, stream, w);
        });
  };
  if (p.op == Operation::add) return with(Add{v["BLOCK"], v["WIDTH"], v["LOADS"]});
  if (p.op == Operation::columns)
    return with(Columns{v["BLOCK"], v["WIDTH"], v["LINES"], v["LOADS"], v["SPLIT"]});
  return with(Rows{v["BLOCK"], v["TEAM"], v["ROWS"], v["WIDTH"], v["LOADS"], v["STAGE"]});
}

}  // namespace

WB_CUDA(BlockSize, tuned, make);
WB_TUNABLE("candidate.cu", gpu::space, gpu::predict);
WB_CASE_NOTE(BlockSize, [](const BlockSize::Args& p) { return tune::chosen(WB_BACKEND, p.axes); });
