// Kernels whose requests are counted by hand: sectors, cycles of shared memory, lanes, atomics and
// barriers. No count depends on the order in which threads run.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <gtest/gtest.h>
#include <mma.h>

#include <string>
#include <vector>

#include "device/simt/counts.h"
#include "device/simt/faults.h"
#include "wb/cuda.h"

namespace {

using wb::Count;

constexpr int kFloats = 1 << 14;

class SimtCounts : public testing::Test {
 protected:
  SimtCounts() {
    for (float** data : {&x_, &y_}) {
      cudaMalloc(data, kFloats * sizeof(float));
      cudaMemset(*data, 0, kFloats * sizeof(float));
    }
  }
  ~SimtCounts() override { cudaFree(x_), cudaFree(y_); }

  // Of each line, the same for five seeds.
  template <class F> static std::vector<wb::LineCounts> lines(F launch) {
    std::vector<wb::LineCounts> first;
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
      simt::seed = seed;
      simt::begin_counts();
      launch();
      cudaDeviceSynchronize();
      const auto counted = simt::end_counts();
      EXPECT_EQ(simt::take_fault(), "");
      if (seed == 1) first = counted;
      EXPECT_EQ(counted.size(), first.size());
      for (std::size_t i = 0; i < counted.size() && i < first.size(); ++i) {
        EXPECT_EQ(counted[i].line, first[i].line);
        EXPECT_EQ(counted[i].counts, first[i].counts) << counted[i].line << ", seed " << seed;
        EXPECT_EQ(counted[i].accesses, first[i].accesses) << counted[i].line << ", seed " << seed;
      }
    }
    return first;
  }
  template <class F> static wb::Counts all(F launch) { return total(lines(launch)); }

  float *x_, *y_;
};

// ---- global memory

__global__ void strided(const float* x, float* y, int first, int stride) {
  const int i = static_cast<int>(threadIdx.x);
  y[i] = x[first + i * stride];
}
TEST_F(SimtCounts, SectorsOfAStride) {
  struct {
    int first, stride, sectors;
  } const cases[] = {{0, 1, 4}, {0, 2, 8}, {0, 3, 12}, {0, 8, 32}, {0, 32, 32},
                     {1, 1, 5}, {7, 1, 5}, {8, 1, 4},  {0, 0, 1},  {31, -1, 4}};
  for (const auto& [first, stride, sectors] : cases) {
    const wb::Counts c = all([&] { strided<<<1, 32>>>(x_, y_, first, stride); });
    EXPECT_EQ(c[Count::loads], 1);
    EXPECT_EQ(c[Count::load_sectors], sectors) << first << " + i * " << stride;
    EXPECT_EQ(c[Count::stores], 1);
    EXPECT_EQ(c[Count::store_sectors], 4);
    EXPECT_EQ(c[Count::asked], (stride ? 128 : 4) + 128);
    EXPECT_EQ(c[Count::lanes], 64);
  }
}

template <class T> __global__ void whole(const T* x, T* y) { y[threadIdx.x] = x[threadIdx.x]; }
TEST_F(SimtCounts, SectorsOfAWidth) {
  const auto sectors = [&]<class T>(T*) {
    const wb::Counts c =
        all([&] { whole<<<1, 32>>>(reinterpret_cast<const T*>(x_), reinterpret_cast<T*>(y_)); });
    EXPECT_EQ(c[Count::loads], 1);
    EXPECT_EQ(c[Count::asked], 2 * c[Count::load_sectors] * 32);
    return c[Count::load_sectors];
  };
  EXPECT_EQ(sectors(static_cast<char*>(nullptr)), 1);
  EXPECT_EQ(sectors(static_cast<short*>(nullptr)), 2);
  EXPECT_EQ(sectors(static_cast<float2*>(nullptr)), 8);
  EXPECT_EQ(sectors(static_cast<float4*>(nullptr)), 16);
}

// Three floats are no vector: three requests, of 12 sectors each.
TEST_F(SimtCounts, AStructOfThreeIsThreeRequests) {
  const wb::Counts c = all([&] {
    whole<<<1, 32>>>(reinterpret_cast<const float3*>(x_), reinterpret_cast<float3*>(y_));
  });
  EXPECT_EQ(c[Count::loads], 3);
  EXPECT_EQ(c[Count::load_sectors], 36);
}

struct Pair {  // of 16 bytes, aligned to 4
  float a, b, c, d;
};
TEST_F(SimtCounts, AStructThatIsNotAlignedIsNoVector) {
  const wb::Counts c = all(
      [&] { whole<<<1, 32>>>(reinterpret_cast<const Pair*>(x_), reinterpret_cast<Pair*>(y_)); });
  EXPECT_EQ(c[Count::loads], 4);
  EXPECT_EQ(c[Count::load_sectors], 64);
}

// Of scalars, of another vector, and of halves: each is one store.
__global__ void made_of_scalars(const float* x, float* y, float a) {
  const unsigned i = threadIdx.x;
  reinterpret_cast<float4*>(y)[i] = make_float4(x[i], a, 2 * a, 3 * a);
  reinterpret_cast<float2*>(y)[1000 + i] = {a, 2 * a};
  reinterpret_cast<__half2*>(y)[3000 + i] = __floats2half2_rn(a, 2 * a);
}
TEST_F(SimtCounts, AVectorOfScalarsIsOneStore) {
  const wb::Counts c = all([&] { made_of_scalars<<<1, 32>>>(x_, y_, 2); });
  EXPECT_EQ(c[Count::stores], 3);
  EXPECT_EQ(c[Count::store_sectors], 16 + 8 + 4);
  EXPECT_EQ(c[Count::asked], 32 * (4 + 16 + 8 + 4));
}

// ---- divergence

__global__ void half_of_a_warp(const float* x, float* y) {
  if (threadIdx.x % 2) y[threadIdx.x] = x[threadIdx.x];
}
TEST_F(SimtCounts, LanesThatSkipABranch) {
  const wb::Counts c = all([&] { half_of_a_warp<<<1, 64>>>(x_, y_); });
  EXPECT_EQ(c[Count::loads], 2);
  EXPECT_EQ(c[Count::lanes] / c.requests(), 16);
  EXPECT_EQ(c[Count::asked], 2 * 2 * 16 * 4);
  EXPECT_EQ(c.sectors(), 2 * 2 * 4);
}

__global__ void part_of_a_warp(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }
TEST_F(SimtCounts, ABlockThatIsNoMultipleOfAWarp) {
  for (const int threads : {1, 31, 33, 127}) {
    const wb::Counts c = all([&] { part_of_a_warp<<<3, threads>>>(x_, y_ + 64 * 0); });
    EXPECT_EQ(c[Count::loads], 3 * ((threads + 31) / 32)) << threads;
    EXPECT_EQ(c[Count::lanes], 2 * 3 * threads) << threads;
  }
}

// Lane l goes round l + 1 times: the n-th round has 32 - n lanes.
__global__ void rounds_of_its_own(const float* x, float* y) {
  float sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i) sum += x[i * 32 + threadIdx.x];
  y[threadIdx.x] = sum;
}
TEST_F(SimtCounts, ALoopThatLanesLeaveOneAfterTheOther) {
  const wb::Counts c = all([&] { rounds_of_its_own<<<1, 32>>>(x_, y_); });
  EXPECT_EQ(c[Count::loads], 32);
  EXPECT_EQ(c[Count::stores], 1);  // all lanes together again
  EXPECT_EQ(c[Count::lanes], 32 * 33 / 2 + 32);
}

// Lanes take the branch in turns: no request of it has more than half of them.
__global__ void by_turns(const float* x, float* y) {
  float sum = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((threadIdx.x + i) % 2) sum += x[i * 32 + threadIdx.x];
    sum += x[1024 + i * 32 + threadIdx.x];
  }
  y[threadIdx.x] = sum;
}
TEST_F(SimtCounts, ABranchThatLanesTakeByTurns) {
  const wb::Counts c = all([&] { by_turns<<<1, 32>>>(x_, y_); });
  EXPECT_EQ(c[Count::loads], 8 + 8);
  EXPECT_EQ(c[Count::lanes], 8 * 16 + 8 * 32 + 32);
}

__global__ void two_sides(const float* x, float* y) {
  if (threadIdx.x < 16)
    y[threadIdx.x] = x[threadIdx.x] + 1;
  else
    y[threadIdx.x] = x[threadIdx.x] + 2;
}
TEST_F(SimtCounts, TwoSidesOfABranch) {
  const wb::Counts c = all([&] { two_sides<<<1, 32>>>(x_, y_); });
  EXPECT_EQ(c.of_global(), 4);
  EXPECT_EQ(c[Count::lanes] / c.requests(), 16);
}

// More accesses than are kept of a lane at a time.
__global__ void long_loop(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i % 64 * 32 + threadIdx.x];
  y[threadIdx.x] = sum;
}
TEST_F(SimtCounts, ALongLoop) {
  const int n = 5 * simt::Lanes::kMost + 7;
  const wb::Counts c = all([&] { long_loop<<<2, 32>>>(x_, y_, n); });
  EXPECT_EQ(c[Count::loads], 2 * n);
  EXPECT_EQ(c[Count::load_sectors], 2 * 4 * n);
}

// A part of the warp meets between its accesses, and the rest does not.
__global__ void meetings(const float* x, float* y) {
  float own = x[threadIdx.x];
  if (threadIdx.x < 16)
    for (int by = 8; by > 0; by /= 2) own += __shfl_xor_sync(0xFFFFu, own, by) * x[by];
  y[threadIdx.x] = own;
}
TEST_F(SimtCounts, APartOfAWarpThatMeets) {
  const wb::Counts c = all([&] { meetings<<<1, 32>>>(x_, y_); });
  EXPECT_EQ(c[Count::loads], 1 + 4);
  EXPECT_EQ(c[Count::load_sectors], 4 + 4);
  EXPECT_EQ(c[Count::stores], 1);
}

// ---- shared memory

template <class T, int kRow> __global__ void shared_column(float* y, int row, int column) {
  __shared__ T tile[32 * kRow];
  for (int i = static_cast<int>(threadIdx.x); i < 32 * kRow; i += 32) tile[i] = T{};
  __syncthreads();
  const T own = tile[static_cast<int>(threadIdx.x) * row + column];
  y[threadIdx.x] = reinterpret_cast<const float&>(own);
}
TEST_F(SimtCounts, CyclesOfSharedMemory) {
  // Those of the read alone: filling the tile has no conflicts.
  const auto read = [&](auto kernel, int row, int column) {
    double cycles = 0;
    for (const wb::LineCounts& one : lines([&] { kernel<<<1, 32>>>(y_, row, column); }))
      if (one.counts[Count::shared] == 1) cycles = one.counts[Count::cycles];
    return cycles;
  };
  EXPECT_EQ(read(shared_column<float, 32>, 32, 5), 32);  // a column
  EXPECT_EQ(read(shared_column<float, 33>, 33, 5), 1);   // with padding
  EXPECT_EQ(read(shared_column<float, 33>, 1, 5), 1);    // a row
  EXPECT_EQ(read(shared_column<float, 33>, 0, 5), 1);    // one word for all
  EXPECT_EQ(read(shared_column<float, 33>, 2, 0), 2);
  EXPECT_EQ(read(shared_column<float, 33>, 8, 0), 8);
  EXPECT_EQ(read(shared_column<float2, 33>, 1, 0), 2);  // two halves of a warp
  EXPECT_EQ(read(shared_column<float2, 33>, 32, 0), 32);
  EXPECT_EQ(read(shared_column<float4, 33>, 1, 0), 4);
  EXPECT_EQ(read(shared_column<float4, 33>, 33, 0), 4);
  EXPECT_EQ(read(shared_column<float4, 33>, 8, 0), 32);
  EXPECT_EQ(read(shared_column<char, 33>, 1, 0), 1);  // four lanes a word
}

__global__ void shared_quads(float* y, unsigned bits) {
  __shared__ float4 tile[32];
  tile[threadIdx.x] = {};
  __syncthreads();
  const float4 own = tile[threadIdx.x & bits];
  y[threadIdx.x] = own.x + own.y + own.z + own.w;
}
TEST_F(SimtCounts, LanesThatReadTheSameQuadInPairs) {
  // Filling the tile takes 4 cycles.
  const auto read = [&](unsigned bits) {
    return all([&] { shared_quads<<<1, 32>>>(y_, bits); })[Count::cycles] - 4;
  };
  EXPECT_EQ(read(6), 2);  // lanes i and i + 1
  EXPECT_EQ(read(5), 2);  // lanes i and i + 2
  EXPECT_EQ(read(3), 4);  // lanes i and i + 4
}

__global__ void copied(const float* x, float* y) {
  __shared__ float4 tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[4 * threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = tile[threadIdx.x].x;
}
TEST_F(SimtCounts, ACopyIsALoadAndAStore) {
  const wb::Counts c = all([&] { copied<<<1, 32>>>(x_, y_); });
  EXPECT_EQ(c[Count::loads], 1);
  EXPECT_EQ(c[Count::load_sectors], 16);
  EXPECT_EQ(c[Count::shared], 2);
}

// A copy through L1 goes line by line of what it reads: of 01_sgemm/optimized a warp copies 8
// floats of each of 4 rows to 32 different banks, and Nsight Compute counts 4 cycles, not 1. One of
// 16 bytes does not go through L1.
template <class T> __global__ void copied_rows(const float* x, float* y, int row) {
  __shared__ T tile[32];
  const float* const from = x + threadIdx.x / 8 * static_cast<unsigned>(row);
  __pipeline_memcpy_async(&tile[threadIdx.x], reinterpret_cast<const T*>(from) + threadIdx.x % 8,
                          sizeof(T));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  const T own = tile[threadIdx.x];
  y[threadIdx.x] = reinterpret_cast<const float&>(own);
}
TEST_F(SimtCounts, ACopyThroughL1GoesLineByLine) {
  const auto cycles = [&](auto kernel, int row, double read) {
    const wb::Counts c = all([&] { kernel<<<1, 32>>>(x_, y_, row); });
    EXPECT_EQ(c[Count::shared], 2);
    EXPECT_EQ(c[Count::least], 2 * read);
    return c[Count::cycles] - read;
  };
  EXPECT_EQ(cycles(copied_rows<float>, 8, 1), 1);
  EXPECT_EQ(cycles(copied_rows<float>, 16, 1), 2);
  EXPECT_EQ(cycles(copied_rows<float>, 256, 1), 4);
  EXPECT_EQ(cycles(copied_rows<float2>, 256, 2), 4);
  EXPECT_EQ(cycles(copied_rows<float4>, 256, 4), 4);
}

// ---- structs

struct Three {
  float a, b, c;
};
struct Two {
  float a, b;
};
// In shared memory nvcc knows that a struct of 8 bytes begins at a multiple of 8: LDS.64 (softmax).
template <class T> __global__ void shared_structs(const T* x, T* y) {
  __shared__ T tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[31 - threadIdx.x];
}
TEST_F(SimtCounts, AStructInSharedMemoryMayBeAVector) {
  const auto counted = [&]<class T>(T*) {
    return all([&] {
      shared_structs<<<1, 32>>>(reinterpret_cast<const T*>(x_), reinterpret_cast<T*>(y_));
    });
  };
  const wb::Counts two = counted(static_cast<Two*>(nullptr)),
                   three = counted(static_cast<Three*>(nullptr)),
                   four = counted(static_cast<Pair*>(nullptr));
  EXPECT_EQ(two[Count::shared], 2);
  EXPECT_EQ(two[Count::cycles], 2 * 2);
  EXPECT_EQ(two[Count::loads], 2);  // in global memory nvcc does not
  EXPECT_EQ(three[Count::shared], 2 * 3);
  EXPECT_EQ(three[Count::cycles], 2 * 3);
  EXPECT_EQ(four[Count::shared], 2);
  EXPECT_EQ(four[Count::cycles], 2 * 4);
}

// A function that g++ would not inline takes a struct from memory, and leaves one there.
__device__ inline Three over_lanes(Three x) {
  for (int by = 16; by > 0; by /= 2) {
    x.a += __shfl_xor_sync(0xFFFFFFFFu, x.a, by);
    x.b += __shfl_xor_sync(0xFFFFFFFFu, x.b, by) * x.a;
    x.c += __shfl_xor_sync(0xFFFFFFFFu, x.c, by) * x.b;
  }
  return x;
}
__global__ void passed_by_value(const Three* x, Three* y) {
  __shared__ Three tile[32];
  tile[threadIdx.x] = over_lanes(x[threadIdx.x]);
  __syncthreads();
  y[threadIdx.x] = over_lanes(tile[31 - threadIdx.x]);
}
TEST_F(SimtCounts, AStructThatACallTakesIsRead) {
  const wb::Counts c = all([&] {
    passed_by_value<<<1, 32>>>(reinterpret_cast<const Three*>(x_), reinterpret_cast<Three*>(y_));
  });
  EXPECT_EQ(c[Count::shared], 3 + 3);
  EXPECT_EQ(c[Count::loads], 3);
  EXPECT_EQ(c[Count::stores], 3);
}

TEST_F(SimtCounts, MultiprocessorsAsAsked) {
  const auto number = [] {
    int value = 0;
    cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0);
    return value;
  };
  EXPECT_EQ(number(), 4);
  setenv("WB_SIMT", "multiprocessors=132", 1);
  EXPECT_EQ(number(), 132);
  unsetenv("WB_SIMT");
}

TEST_F(SimtCounts, SettingsThatAreNoneAreRefused) {
  for (const char* text :
       {"multiprocessors=abc", "multiprocessors=-3", "no-race", "no-races no-x"}) {
    setenv("WB_SIMT", text, 1);
    EXPECT_THROW(simt::begin_seed(), std::runtime_error) << text;
  }
  setenv("WB_SIMT", "no-races,multiprocessors=2", 1);
  EXPECT_NO_THROW(simt::begin_seed());
  EXPECT_FALSE(simt::checks.races);
  EXPECT_TRUE(simt::checks.bounds);
  unsetenv("WB_SIMT");
  simt::begin_seed();
  EXPECT_TRUE(simt::checks.races);
}

// ---- the first request of a line, for pictures

__global__ void column_of_the_block(const float* x, float* y) {
  __shared__ float tile[32 * 33];
  const unsigned lane = threadIdx.x % 32;
  tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (lane < 16) y[threadIdx.x] = tile[lane + 1];
}
TEST_F(SimtCounts, TheFirstWarpIsDrawnWhateverTheOrder) {
  const float* x = x_ + 8;  // 32 bytes behind the begin of a row
  for (const auto& one : lines([&] { column_of_the_block<<<9, 64>>>(x, y_); }))
    for (const wb::Access& a : one.accesses) {
      const bool whole = a.verb == (a.shared ? wb::Access::writes : wb::Access::reads);
      EXPECT_EQ(a.bytes, 4);
      EXPECT_EQ(a.at[0], a.shared ? (whole ? 0 : 4) : whole ? 32 : 0) << one.line;
      EXPECT_EQ(a.at[15] - a.at[0], 60) << one.line;
      if (whole)
        EXPECT_EQ(a.at[31] - a.at[0], 124) << one.line;
      else
        EXPECT_EQ(a.at[16], wb::Access::kIdle) << one.line;
    }
}
__global__ void two_of_a_kind(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] + x[32 * threadIdx.x];
}
TEST_F(SimtCounts, OfOneKindTheCostliestIsDrawn) {
  const auto all = lines([&] { two_of_a_kind<<<1, 32>>>(x_, y_); });
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].accesses.size(), 2u) << "a read and a write";
  EXPECT_EQ(all[0].accesses[0].at[31], 31 * 128);
  EXPECT_EQ(all[0].accesses[1].verb, wb::Access::writes);
}

// ---- tiles of tensor cores

// By nvcc's machine code: a tile of 16-bit numbers is four reads of 4 bytes in each layout, and one
// of sums four accesses of 8 bytes, or eight of 4 where columns come first.
template <class LayoutA, class LayoutB>
__global__ void tile_product(const float* x, float* y, nvcuda::wmma::layout_t layout) {
  using namespace nvcuda::wmma;
  const auto* halves = reinterpret_cast<const __half*>(x);
  fragment<matrix_a, 16, 16, 16, __half, LayoutA> a;
  fragment<matrix_b, 16, 16, 16, __half, LayoutB> b;
  fragment<accumulator, 16, 16, 16, float> sum;
  load_matrix_sync(sum, y, 24, layout);
  load_matrix_sync(a, halves, 16);
  load_matrix_sync(b, halves + 256, 16);
  mma_sync(sum, a, b, sum);
  store_matrix_sync(y, sum, 24, layout);
}
TEST_F(SimtCounts, TilesOfTensorCores) {
  using namespace nvcuda::wmma;
  std::vector<__half> halves(512);
  std::vector<float> sums(384);
  const auto row_first = [](int r, int c) { return r * 16 + c; };
  const auto column_first = [](int r, int c) { return c * 16 + r; };
  const auto check = [&](auto kernel, auto place_a, auto place_b, layout_t layout) {
    for (int i = 0; i < 16; ++i)
      for (int k = 0; k < 16; ++k) {
        halves[static_cast<std::size_t>(place_a(i, k))] = __float2half(i + 0.5f * k);
        halves[static_cast<std::size_t>(256 + place_b(k, i))] = __float2half(k - 2 * i);
      }
    cudaMemcpy(x_, halves.data(), 1024, cudaMemcpyHostToDevice);
    const wb::Counts c = all([&] {
      cudaMemset(y_, 0, 384 * sizeof(float));
      kernel<<<1, 32>>>(x_, y_, layout);
    });
    cudaMemcpy(sums.data(), y_, 384 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += (i + 0.5f * k) * (k - 2 * j);
        const int at = layout == mem_row_major ? i * 24 + j : j * 24 + i;
        EXPECT_EQ(sums[static_cast<std::size_t>(at)], sum) << i << " " << j;
      }
    return c;
  };
  const wb::Counts rows =
      check(tile_product<row_major, col_major>, row_first, column_first, mem_row_major);
  EXPECT_EQ(rows[Count::loads], 4 + 4 + 4);
  EXPECT_EQ(rows[Count::load_sectors], 2 * 4 * 8 + 4 * 8);  // a row of a quarter is in one
  EXPECT_EQ(rows[Count::stores], 4);
  EXPECT_EQ(rows[Count::lanes], 32 * 16);
  const wb::Counts columns =
      check(tile_product<col_major, row_major>, column_first, row_first, mem_col_major);
  EXPECT_EQ(columns[Count::loads], 4 + 4 + 8);
  EXPECT_EQ(columns[Count::stores], 8);
}

__global__ void shared_tiles(float* y, int row) {
  using namespace nvcuda::wmma;
  __shared__ alignas(16) __half tile[16 * 40];
  __shared__ alignas(16) float out[16 * 24];
  for (int i = static_cast<int>(threadIdx.x); i < 16 * 40; i += 32) tile[i] = __float2half(0);
  __syncthreads();
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 1);
  load_matrix_sync(a, tile, static_cast<unsigned>(row));
  store_matrix_sync(out, sum, 20, mem_row_major);
  __syncthreads();
  y[threadIdx.x] = out[threadIdx.x] + __half2float(a.x[0]);
}
// As Nsight Compute counts 02_tensor_cores/step1_tile: a row of 80 bytes has no conflict, and 20
// floats have one of two words in each half of a warp.
TEST_F(SimtCounts, ConflictsOfTiles) {
  const auto counted = [&](int row) {
    wb::Counts reads{}, writes{};
    for (const wb::LineCounts& one : lines([&] { shared_tiles<<<1, 32>>>(y_, row); }))
      if (one.counts[Count::shared] == 4) (reads[Count::shared] ? writes : reads) = one.counts;
    return std::pair(reads[Count::cycles], writes[Count::cycles]);
  };
  EXPECT_EQ(counted(40), std::pair(4.0, 16.0));
  EXPECT_EQ(counted(16), std::pair(4 * 2.0, 16.0));
  EXPECT_EQ(counted(32), std::pair(4 * 4.0, 16.0));
}

// ---- atomics, barriers

__global__ void added(float* y, int addresses) {
  atomicAdd(&y[threadIdx.x % static_cast<unsigned>(addresses)], 1.0f);
}
TEST_F(SimtCounts, AtomicsOnOneAddress) {
  for (const int addresses : {1, 4, 32}) {
    const wb::Counts c = all([&] { added<<<3, 64>>>(y_, addresses); });
    EXPECT_EQ(c[Count::atomics], 6);
    EXPECT_EQ(c[Count::atomic_lanes], 192);
    EXPECT_EQ(c[Count::one_address], 192 / addresses);
  }
}

__global__ void levels(const float* x, float* y) {
  __shared__ float tile[128];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (unsigned by = 64; by > 0; by /= 2) {
    if (threadIdx.x < by) tile[threadIdx.x] += tile[threadIdx.x + by];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = tile[0];
}
TEST_F(SimtCounts, BarriersOfABlock) {
  const wb::Counts c = all([&] { levels<<<5, 128>>>(x_, y_); });
  EXPECT_EQ(c[Count::barriers], 8);
  EXPECT_EQ(c[Count::stores], 5);
}

// Launches, copies and memory are calls of the host; a graph is one, for all of its work.
TEST_F(SimtCounts, CallsOfTheRuntime) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const auto calls = [&](auto work) {
    simt::begin_counts();
    work();
    cudaStreamSynchronize(stream);
    simt::end_counts();
    return simt::counted_calls;
  };
  const auto three = [&] {
    cudaMemsetAsync(y_, 0, 64, stream);
    for (int i = 0; i < 2; ++i) part_of_a_warp<<<1, 32, 0, stream>>>(x_, y_);
  };
  EXPECT_EQ(calls(three), 3);
  EXPECT_EQ(calls([&] {
              float* more;
              cudaMalloc(&more, 64);
              cudaFree(more);
            }),
            2);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  EXPECT_EQ(calls([&] {
              cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
              three();
              cudaStreamEndCapture(stream, &graph);
              cudaGraphInstantiate(&executable, graph);
            }),
            3);
  EXPECT_EQ(calls([&] { cudaGraphLaunch(executable, stream); }), 1);
  cudaGraphExecDestroy(executable), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
}

TEST_F(SimtCounts, EachHasItsLine) {
  const auto all = lines([&] { levels<<<1, 128>>>(x_, y_); });
  double barriers = 0;
  int before = 0;
  for (const wb::LineCounts& one : all) {
    ASSERT_TRUE(one.line.starts_with("counts_test.cu:")) << one.line;
    const int line = std::stoi(one.line.substr(one.line.find(':') + 1));
    EXPECT_GT(line, before);
    before = line;
    barriers = std::max(barriers, one.counts[Count::barriers]);
  }
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(barriers, 7);
}

}  // namespace
