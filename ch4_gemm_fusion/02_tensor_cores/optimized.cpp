// Against step 1: nothing is widened. vdpbf16ps (AVX-512 BF16) multiplies 32 pairs of bf16 numbers
// and adds them, two by two, to 16 sums in fp32: a CPU's own little tensor core. So a pair of
// neighbours along k is the unit that is packed, 4 bytes, and half as many vectors are read.
// Whether the CPU has it is asked at run time; elsewhere, and for fp16, step 1 does the work.
//
// Predict: twice as many multiply-adds per instruction. What else must double for twice the speed?
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "../shared/fused_gemm.h"
#include "tensor_cores.h"
#include "wb/cpu.h"

#ifdef __x86_64__
#include <immintrin.h>

namespace {

constexpr int kRows = 12, kColumns = 32;    // of a tile: 24 vectors of sums
constexpr wb::i64 kBlockBytes = 384 << 10;  // of packed A, a part of the second-level cache
using Pair = std::uint32_t;

// `count` rows (at most `width`, the rest as zeros) become groups of `width` pairs. The length of
// each memcpy is a constant, so it is one load. Of a computed one GCC 12 makes a loop over bytes.
template <int width> void pack(const wb::bfloat16* rows, wb::i64 count, wb::i64 k, Pair* to) {
  for (wb::i64 l = 0; l < k; l += 2, to += width)
    for (int r = 0; r < width; ++r) {
      const wb::bfloat16* from = rows + r * k + l;
      to[r] = 0;
      if (r < count && l + 1 < k) std::memcpy(&to[r], from, 4);
      if (r < count && l + 1 == k) std::memcpy(&to[r], from, 2);
    }
}

[[gnu::target("avx512f,avx512bf16")]] void tile(wb::i64 pairs, const Pair* a, const Pair* b,
                                                wb::bfloat16* out) {
  __m512 sum[kRows][2];
#pragma GCC unroll 12
  for (auto& row : sum) row[0] = row[1] = _mm512_setzero_ps();
  for (wb::i64 l = 0; l < pairs; ++l, a += kRows, b += kColumns) {
    const auto left = (__m512bh)_mm512_loadu_si512(b);
    const auto right = (__m512bh)_mm512_loadu_si512(b + 16);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const auto pair = (__m512bh)_mm512_set1_epi32(static_cast<int>(a[r]));
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], pair, left);
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], pair, right);
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r)
    for (int half = 0; half < 2; ++half) {
      const auto rounded = _mm512_cvtneps_pbh(sum[r][half]);
      std::memcpy(out + r * kColumns + 16 * half, &rounded, 32);
    }
}

void multiply(const TensorCores::Args& p, Pair* packed) {
  const auto *a = static_cast<const wb::bfloat16*>(p.a), *b = static_cast<const wb::bfloat16*>(p.b);
  auto* c = static_cast<wb::bfloat16*>(p.c);
  const wb::i64 pairs = (p.k + 1) / 2, panels = (p.n + kColumns - 1) / kColumns;
  const wb::i64 strips = (p.m + kRows - 1) / kRows;
#pragma omp parallel
  {
#pragma omp for
    for (wb::i64 j = 0; j < panels; ++j)
      pack<kColumns>(b + j * kColumns * p.k, p.n - j * kColumns, p.k,
                     packed + j * kColumns * pairs);

    // Blocks of A of at most that many bytes, as many of the same height as there are threads.
    const wb::i64 most =
        std::max<wb::i64>(1, kBlockBytes / (4 * kRows * std::max<wb::i64>(pairs, 1)));
    const wb::i64 threads = omp_get_num_threads();
    const wb::i64 rounds = (strips + most * threads - 1) / (most * threads);
    const wb::i64 height = (strips + rounds * threads - 1) / (rounds * threads);
    const std::unique_ptr<Pair[]> block(new Pair[height * kRows * pairs]);
#pragma omp for schedule(dynamic)
    for (wb::i64 first = 0; first < strips; first += height) {
      const wb::i64 end = std::min(first + height, strips);
      for (wb::i64 i = first; i < end; ++i)
        pack<kRows>(a + i * kRows * p.k, p.m - i * kRows, p.k, &block[(i - first) * kRows * pairs]);
      for (wb::i64 j = 0; j < panels; ++j)
        for (wb::i64 i = first; i < end; ++i) {
          wb::bfloat16 out[kRows * kColumns];
          tile(pairs, &block[(i - first) * kRows * pairs], packed + j * kColumns * pairs, out);
          const wb::i64 rows = std::min<wb::i64>(kRows, p.m - i * kRows);
          const wb::i64 columns = std::min<wb::i64>(kColumns, p.n - j * kColumns);
          for (wb::i64 r = 0; r < rows; ++r)
            std::copy_n(out + r * kColumns, columns, c + (i * kRows + r) * p.n + j * kColumns);
        }
    }
  }
}

std::function<void()> own(const TensorCores::Args& p) {
  if (p.m * p.n == 0) return [] {};
  const wb::i64 padded = (p.n + kColumns - 1) / kColumns * kColumns;
  const std::shared_ptr<Pair[]> packed(new Pair[padded * ((p.k + 1) / 2)]);
  return [p, packed] { multiply(p, packed.get()); };
}
bool has_bf16() { return __builtin_cpu_supports("avx512bf16"); }

}  // namespace
#else
namespace {
std::function<void()> own(const TensorCores::Args&) { return {}; }
bool has_bf16() { return false; }
}  // namespace
#endif

namespace {

auto make(const TensorCores::Args& p) {
  if (std::string_view(p.dtype) == "bf16" && has_bf16()) return own(p);
  return wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    return fused::gemm(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b),
                       static_cast<T*>(p.c), [](fused::Vector sums, wb::i64) { return sums; });
  });
}

}  // namespace

WB_CPU(TensorCores, optimized, make);
