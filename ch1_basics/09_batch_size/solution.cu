// The exercise, solved: a warp makes 2 x 8 values, of two rows and eight samples, and keeps their
// sums in registers. A weight that was loaded serves 8 samples, a value of a sample 2 rows. Blocks
// that need the same rows are neighbours in the grid, so they find them in L2. At the edge, rows
// and samples that do not exist are replaced by some that do, and their results are not stored.
#include "batch_size.h"
#include "wb/cuda.h"

namespace {

constexpr int kWarp = 32, kWarps = 4, kRows = 2, kSamples = 8;

__device__ float dot(float a, float b) { return a * b; }
__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// `k` counts Vectors.
template <class Vector>
__global__ void layer(int m, int k, int batch, const Vector* w, const Vector* x, float* y) {
  const int lane = threadIdx.x, first_row = (blockIdx.y * kWarps + threadIdx.y) * kRows;
  const int first_sample = blockIdx.x * kSamples;
  const Vector *rows[kRows], *samples[kSamples];
  for (int r = 0; r < kRows; ++r) rows[r] = w + static_cast<wb::i64>(min(first_row + r, m - 1)) * k;
  for (int s = 0; s < kSamples; ++s)
    samples[s] = x + static_cast<wb::i64>(min(first_sample + s, batch - 1)) * k;

  float sum[kRows][kSamples] = {};
#pragma unroll 2
  for (int i = lane; i < k; i += kWarp) {
    Vector weight[kRows];
    for (int r = 0; r < kRows; ++r) weight[r] = rows[r][i];
    for (int s = 0; s < kSamples; ++s) {
      const Vector value = samples[s][i];
      for (int r = 0; r < kRows; ++r) sum[r][s] += dot(weight[r], value);
    }
  }

  for (int r = 0; r < kRows; ++r)
    for (int s = 0; s < kSamples; ++s) {
      for (int distance = kWarp / 2; distance > 0; distance /= 2)
        sum[r][s] += __shfl_xor_sync(~0u, sum[r][s], distance);
      const int row = first_row + r, sample = first_sample + s;
      if (lane == 0 && row < m && sample < batch)
        y[static_cast<wb::i64>(sample) * m + row] = sum[r][s];
    }
}

template <class Vector> void launch(const BatchSize::Args& p, cudaStream_t stream) {
  const int rows = kWarps * kRows;  // of a block; the grid's second axis holds up to 65,535 blocks
  const dim3 grid = wb::grid((p.batch + kSamples - 1) / kSamples, (p.outputs + rows - 1) / rows);
  if (grid.x * grid.y == 0) return;
  layer<<<grid, dim3(kWarp, kWarps), 0, stream>>>(
      p.outputs, p.inputs * sizeof(float) / sizeof(Vector), p.batch,
      reinterpret_cast<const Vector*>(p.w), reinterpret_cast<const Vector*>(p.x), p.y);
  WB_CHECK(cudaGetLastError());
}

void run(const BatchSize::Args& p, cudaStream_t stream) {
  if (p.inputs % 4 == 0)
    launch<float4>(p, stream);
  else
    launch<float>(p, stream);  // rows don't start at multiples of 16 bytes
}

}  // namespace

WB_CUDA(BatchSize, solution, run);
