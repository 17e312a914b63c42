// How a choice is launched: the grid and the shared memory that follow from it and from the case.
#pragma once

#include <functional>

#include "add.cuh"
#include "block_size.h"
#include "columns.cuh"
#include "rows.cuh"
#include "wb/cuda.h"

namespace {

Work work_of(const BlockSize::Args& p) { return {p.rows, p.columns, p.a, p.b, p.y}; }

unsigned blocks(i64 n, i64 per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

// Of a block's rows; 0 where they are more than a block can have, beside what is the kernel's own.
i64 shared_bytes(const Rows& c, i64 columns) {
  int device = 0, most = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const i64 bytes = c.stage ? 4 * columns * c.per_block() : 0;
  return bytes <= most - 1024 ? bytes : 0;
}
i64 shared_bytes(const auto&, i64) { return 0; }

// The sums that blocks above each other leave.
i64 left_count(const Columns& c, i64 columns) { return c.split > 1 ? c.split * columns : 1; }
i64 left_count(const auto&, i64) { return 1; }

// `run(grid, work)` is a launch of the kernel that was compiled for the choice.
template <class Run> void launch(const Add& c, const Work& w, float*, Run run) {
  if (w.columns > 0) run(dim3(blocks(w.columns, c.per_block())), w);
}

template <class Run> void launch(const Rows& c, const Work& w, float*, Run run) {
  if (w.rows > 0) run(dim3(blocks(w.rows, c.per_block())), w);
}

template <class Run> void launch(const Columns& c, const Work& w, float* left, Run run) {
  const dim3 grid(blocks(w.columns, c.per_block()), c.split);
  if (w.columns == 0) return;
  if (c.split == 1) return run(grid, w);
  run(grid, Work{w.rows, w.columns, w.a, nullptr, left});
  run(dim3(grid.x), Work{c.split, w.columns, left, nullptr, w.y});
}

using Launch = std::function<void(cudaStream_t)>;

// `allow(bytes)` lets a kernel have that much shared memory, and `run(grid, bytes, stream, work)`
// launches it.
template <class Choice, class Allow, class Run>
Launch prepare(const Choice& c, const BlockSize::Args& p, Allow allow, Run run) {
  const i64 shared = shared_bytes(c, p.columns);
  allow(static_cast<int>(shared));
  Work w = work_of(p);
  w.staged = shared > 0;
  return [=, left = wb::make_device_array<float>(left_count(c, p.columns))](cudaStream_t stream) {
    launch(c, w, left.get(), [&](dim3 grid, const Work& work) { run(grid, shared, stream, work); });
  };
}

// Of a choice that nvcc compiles.
template <auto c> __global__ void __launch_bounds__(c.block) fixed(Work w) { compute<c>(w); }

template <auto c> Launch prepare(const BlockSize::Args& p) {
  const auto allow = [](int bytes) {
    WB_CHECK(cudaFuncSetAttribute(fixed<c>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  };
  return prepare(c, p, allow, [](dim3 grid, i64 shared, cudaStream_t stream, const Work& w) {
    fixed<c><<<grid, c.block, shared, stream>>>(w);
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace
