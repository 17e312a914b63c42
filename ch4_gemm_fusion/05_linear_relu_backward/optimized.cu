// Against step 3: the product is ours (../shared/fused_gemm.cuh), W an operand that is stored by
// columns. On a Hopper a thread has 128 sums of a tile, in two rows. It fetches their bits before
// the products, so that they are there when the sums are. The sums of a column are spread over 8
// lanes and 4 warps: lanes swap halves of their sums and add, and the warps add up through shared
// memory. (By mma.sync a warp has all 64 rows of a column, and fetches the bits last.) A row of
// sums for each 64 rows goes to memory, and a second kernel adds these up.
//
// Predict: 64 column sums in 8 lanes each: how many shuffles per thread, if each swap halves them?
#include "../shared/fused_gemm.cuh"
#include "add_up.cuh"

namespace {

struct MaskAndSum {
  const std::uint32_t* bits;
  int m, n, words;
  float* sums;  // a row for each 64 rows
  std::uint32_t keep[2][fused::kColumns / 32];

  template <int columns> __device__ void begin(int row, int column) {
#pragma unroll
    for (int below = 0; below < 2; ++below)
#pragma unroll
      for (int i = 0; i < columns / 32; i += 2) {  // rows have whole 128 bits
        uint2 v = {};
        if (row + 8 * below < m && column / 32 + i < words)
          v = *reinterpret_cast<const uint2*>(bits + wb::i64{row + 8 * below} * words +
                                              column / 32 + i);
        keep[below][i] = v.x, keep[below][i + 1] = v.y;
      }
  }
  __device__ void apply(float* sum, int part, int, auto& note) {
    const int lane = threadIdx.x % 32;
    float total[16];
#pragma unroll
    for (int j = 0; j < 16; ++j) {  // 8 columns: numbers 2 (lane % 4) and one more
      const int bit = j / 2 % 4 * 8 + j % 2;
      float* const x = sum + j / 2 * 4 + j % 2;
      if (!(keep[0][2 * part + j / 8] >> lane % 4 * 2 >> bit & 1)) x[0] = 0;
      if (!(keep[1][2 * part + j / 8] >> lane % 4 * 2 >> bit & 1)) x[2] = 0;
      total[j] = x[0] + x[2];
    }
#pragma unroll
    for (int half = 8; half >= 2; half /= 2) {  // with lanes 16, 8 and 4 from here
      const bool upper = lane & 2 * half;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        if (j >= half) break;  // a bound that is no constant would keep `total` in memory
        const float mine = upper ? total[j + half] : total[j];
        const float other = upper ? total[j] : total[j + half];
        total[j] = mine + __shfl_xor_sync(~0u, other, 2 * half);
      }
    }
    note = {total[0], total[1]};  // of columns 2 lane and one more
  }
  template <class Notes> __device__ void end(int row, int column, Notes note) const {
    column += threadIdx.x % 32 * 2;
    float2 all = note(0);
    for (int i = 1; i < 4; ++i) all.x += note(i).x, all.y += note(i).y;
    float* const to = sums + wb::i64{row} / 64 * n + column;
    if (row < m && column < n) to[0] = all.x;
    if (row < m && column + 1 < n) to[1] = all.y;
  }
};

auto make(const LinearReluBackward::Args& p) {
  using Function = std::function<void(cudaStream_t)>;
  if (std::string_view(p.dtype) == "fp32") throw wb::Unsupported("tensor cores: fp16 or bf16");
  return with_types(p, [&]<class T>(const T* dy, const T* w, const T*, T* dz, T* db) -> Function {
    if constexpr (sizeof(T) == 2) {
      const int rows = (p.m + 63) / 64;
      const auto sums = wb::make_device_array<float>(rows * p.n);
      const MaskAndSum epilogue{p.bits, int(p.m), int(p.n), int(LinearReluBackward::row_words(p.n)),
                                sums.get()};
      const auto multiply = fused::gemm<true>(p.m, p.n, p.k, dy, w, dz, epilogue);
      return [=, n = p.n](cudaStream_t stream) {
        multiply(stream);
        finish(rows, n, sums.get(), db, stream);
      };
    } else {
      return {};
    }
  });
}

}  // namespace

WB_CUDA(LinearReluBackward, optimized, make);
WB_NEEDS("8.0");
