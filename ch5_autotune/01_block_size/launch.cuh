// The launch of a configuration of candidate.cu: its grid, block and shared memory.
#pragma once

#include <functional>

#include "../engine/candidate_cuda.h"
#include "block_size.h"

namespace {

using Launch = std::function<void(cudaStream_t)>;

wb::i64 outputs_per_block(Operation op, const tune::Choice& v) {
  if (op == Operation::rows) return v["BLOCK"] / v["TEAM"] * v["ROWS"];
  if (op == Operation::columns) return v["BLOCK"] / v["LINES"] * v["WIDTH"];
  return v["BLOCK"] * v["WIDTH"] * v["LOADS"];
}

Launch launch(const BlockSize::Args& p, const tune::Choice& v) {
  const tune::Kernel kernel(v, "candidate");
  const int block = v["BLOCK"];
  const wb::i64 per_block = outputs_per_block(p.op, v);
  const wb::i64 outputs = p.op == Operation::rows ? p.rows : p.columns;
  const wb::i64 shared = p.op == Operation::rows && v["STAGE"] ? 4 * p.columns * per_block : 0;
  kernel.prepare(block, shared);
  // Blocks that share columns leave sums that a second launch adds up.
  const wb::i64 split = p.op == Operation::columns ? v["SPLIT"] : 1;
  const auto left = wb::make_device_array<float>(split > 1 ? split * p.columns : 1);
  const dim3 grid((outputs + per_block - 1) / per_block, split);
  return [=](cudaStream_t stream) {
    if (outputs == 0) return;
    const auto run = [&](dim3 grid, wb::i64 rows, const float* a, float* y) {
      kernel.launch(grid, block, shared, stream, rows, p.columns, a, p.b, y);
    };
    run(grid, p.rows, p.a, split > 1 ? left.get() : p.y);
    if (split > 1) run(grid.x, split, left.get(), p.y);
  };
}

Launch launch(const BlockSize::Args& p, const char* configuration) {
  return launch(p, tune::compiled(WB_BACKEND, WB_LESSON "/candidate.cu", configuration));
}

}  // namespace
