// Changes against step2: a tile of 64 x 64 for the same 256 threads, and 16 bytes per load, store
// and access to shared memory. (As ./workbook asm shows, nvcc makes four stores of 4 bytes of each
// store to memory.) A thread has four loads in flight and transposes its own 4 x 4 elements in
// registers; the tile is swizzled as in the exercise, because a padded row would break the
// alignment.
//
// Predict: what do four times the bytes in flight change, and what a quarter of the instructions?
#include "tile_grid.cuh"
#include "transpose.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 64, kQuads = kTile / 4;  // a tile's side in floats and in float4

constexpr wb::i64 at(wb::i64 row, wb::i64 column, wb::i64 width) { return row * width + column; }
// Position of a float4 in the transposed tile. A thread writes 4 rows, and its neighbour the next
// 4: groups of four rows must be in different banks.
constexpr int in_tile(int row, int quad) { return row * kQuads + (quad ^ (row / 4 % 8)); }

// Four floats from `from`, of which `valid` exist. kAligned: there are 0 or 4 and they start on 16
// bytes.
template <bool kAligned> __device__ float4 load(const float* from, wb::i64 valid) {
  if (kAligned) return valid > 0 ? *reinterpret_cast<const float4*>(from) : float4{};
  return {valid > 0 ? from[0] : 0, valid > 1 ? from[1] : 0, valid > 2 ? from[2] : 0,
          valid > 3 ? from[3] : 0};
}
template <bool kAligned> __device__ void store(float* to, float4 value, wb::i64 valid) {
  if (kAligned) {
    if (valid > 0) *reinterpret_cast<float4*>(to) = value;
    return;
  }
  if (valid > 0) to[0] = value.x;
  if (valid > 1) to[1] = value.y;
  if (valid > 2) to[2] = value.z;
  if (valid > 3) to[3] = value.w;
}

template <bool kAligned> __global__ void __launch_bounds__(256) kernel(Transpose::Args p) {
  __shared__ float4 tile[kTile * kQuads];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int x = threadIdx.x, y = threadIdx.y;  // 16 x 16

  float4 in[4];  // rows 4y to 4y+3, columns 4x to 4x+3
  for (int i = 0; i < 4; ++i) {
    const wb::i64 row = row0 + 4 * y + i, column = column0 + 4 * x;
    in[i] =
        load<kAligned>(p.in + at(row, column, p.columns), row < p.rows ? p.columns - column : 0);
  }
  tile[in_tile(4 * x + 0, y)] = {in[0].x, in[1].x, in[2].x, in[3].x};
  tile[in_tile(4 * x + 1, y)] = {in[0].y, in[1].y, in[2].y, in[3].y};
  tile[in_tile(4 * x + 2, y)] = {in[0].z, in[1].z, in[2].z, in[3].z};
  tile[in_tile(4 * x + 3, y)] = {in[0].w, in[1].w, in[2].w, in[3].w};
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    const int y_out = y + 16 * i;
    const wb::i64 row = column0 + y_out, column = row0 + 4 * x;  // of `out`
    store<kAligned>(p.out + at(row, column, p.rows), tile[in_tile(y_out, x)],
                    row < p.columns ? p.rows - column : 0);
  }
}

// A warp covers two half rows of 64 floats: 2 x 256 bytes, and 16 is the least for 512 bytes.
constexpr int kLoad = wb::sectors_per_request(
    [](int lane) { return at(lane / 16 * 4, lane % 16 * 4, 8192) / 4; }, sizeof(float4));
constexpr int kStore = wb::sectors_per_request(
    [](int lane) { return at(lane / 16, lane % 16 * 4, 8192) / 4; }, sizeof(float4));
constexpr int kWrite = wb::bank_conflicts(
    [](int lane) { return in_tile(4 * (lane % 16), lane / 16); }, sizeof(float4));
constexpr int kRead =
    wb::bank_conflicts([](int lane) { return in_tile(lane / 16, lane % 16); }, sizeof(float4));
static_assert(kLoad == 16 && kStore == 16 && kWrite == 1 && kRead == 1);

void run(const Transpose::Args& p, cudaStream_t stream) {
  if (p.rows == 0 || p.columns == 0) return;
  const bool aligned = p.rows % 4 == 0 && p.columns % 4 == 0;
  (aligned ? kernel<true>
           : kernel<false>)<<<tile_grid(p, kTile, kTile), dim3(kQuads, kQuads), 0, stream>>>(p);
}

}  // namespace

WB_CUDA(Transpose, step3_vectorized, run);
WB_NOTE(wb::requests_note(kLoad, kStore, kRead));
