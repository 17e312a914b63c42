// What a GPU can do: memory streams, L2, arithmetic, links and launches. Each figure is the best
// median over a few ways to ask for it, timed by the harness as the lessons are, on random values:
// constants draw less power and so reach clocks that real data doesn't.
// Streams after McCalpin, STREAM (1995); in-flight bytes after Little's law: about 48 KiB an SM.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/median.h"
#include "device/backend.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace wb {
namespace {

__device__ float random_value(unsigned long long index) {  // in [-1, 1); SplitMix64's finalizer
  unsigned long long z = (index + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-23f - 1.0f;
}

template <class T> __global__ void fill_random(T* x, i64 n, unsigned long long seed) {
  const i64 step = i64{gridDim.x} * blockDim.x;
  for (i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    x[i] = static_cast<T>(random_value(seed + i));
}

__device__ float4 operator+(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// Never true for a sum of values in [-1, 1), but the compiler can't know, so the loads stay.
__device__ void keep(float4 sum, float* out) {
  if (sum.x + sum.y + sum.z + sum.w == 1e30f) *out = sum.x;
}

// With or without the hint that the data is used once; which is faster depends on the GPU.
template <bool Once> __device__ float4 load(const float4* from) {
  return Once ? __ldcs(from) : *from;
}
template <bool Once> __device__ void store(float4* to, float4 value) {
  if (Once)
    __stcs(to, value);
  else
    *to = value;
}

// One array is read, two are a copy, three a triad. A block takes tiles of Loads * blockDim.x
// float4; all loads of a tile are in flight together. n is a multiple of the tile.
template <int Arrays, int Loads, bool Once>
__global__ void stream(const float4* a, const float4* b, i64 n, float4* y) {
  float4 sum = {};
  const i64 tile = i64{Loads} * blockDim.x;
  for (i64 i = blockIdx.x * tile + threadIdx.x; i < n; i += gridDim.x * tile) {
    float4 u[Loads], v[Loads];
#pragma unroll
    for (int j = 0; j < Loads; ++j) {
      u[j] = load<Once>(&a[i + j * blockDim.x]);
      if constexpr (Arrays == 3) v[j] = load<Once>(&b[i + j * blockDim.x]);
    }
#pragma unroll
    for (int j = 0; j < Loads; ++j)
      if constexpr (Arrays == 1)
        sum = sum + u[j];
      else
        store<Once>(&y[i + j * blockDim.x], Arrays == 3 ? u[j] + v[j] : u[j]);
  }
  if constexpr (Arrays == 1) keep(sum, &y->x);
}

// Reads the same tiles `rounds` times. __ldcg passes L1 by; each round starts elsewhere, so that an
// SM does not ask one slice of L2 for the same lines in every round.
template <int Loads> __global__ void read_l2(const float4* x, int tiles, int rounds, float* out) {
  float4 sum = {};
  for (int r = 0; r < rounds; ++r) {
    const int shift = static_cast<int>(i64{r} * 37 % tiles);
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      const int shifted = t + shift < tiles ? t + shift : t + shift - tiles;
      const i64 i = i64{shifted} * Loads * blockDim.x + threadIdx.x;
      float4 v[Loads];
#pragma unroll
      for (int j = 0; j < Loads; ++j) v[j] = __ldcg(&x[i + j * blockDim.x]);
#pragma unroll
      for (int j = 0; j < Loads; ++j) sum = sum + v[j];
    }
  }
  keep(sum, out);
}

// Chains independent multiply-adds a thread; eight (factor, term) pairs in turn keep values moving.
constexpr int kPairs = 8;
template <int Chains> __global__ void multiply_add(const float* x, int rounds, float* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float value[Chains], factor[kPairs], term[kPairs];
#pragma unroll
  for (int j = 0; j < Chains; ++j) value[j] = x[thread + j];
#pragma unroll
  for (int j = 0; j < kPairs; ++j) factor[j] = x[thread + 31 * j], term[j] = x[thread + 57 * j];
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int k = 0; k < kPairs; ++k)
#pragma unroll
      for (int j = 0; j < Chains; ++j) value[j] = fmaf(value[j], factor[k], term[k]);
  float sum = 0;
#pragma unroll
  for (int j = 0; j < Chains; ++j) sum += value[j];
  if (sum == 1e30f) *out = sum;  // as in keep()
}

__global__ void empty() {}

cudaStream_t cuda(void* stream) { return static_cast<cudaStream_t>(stream); }

class Measurement {
 public:
  explicit Measurement(Backend& backend) : backend_(backend) {
    int device = 0, l2 = 0;
    WB_CHECK(cudaGetDevice(&device));
    WB_CHECK(cudaDeviceGetAttribute(&sms_, cudaDevAttrMultiProcessorCount, device));
    WB_CHECK(cudaDeviceGetAttribute(&threads_, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    WB_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    l2_ = std::max(l2, 1 << 20);
    ceilings_.values["l2_bytes"] = l2;
    // 2 GiB an array where three fit comfortably; the tile of every stream kernel divides it.
    const std::size_t free = backend.free_bytes(Space::device);
    while (bytes_ > free / 5 && bytes_ > (std::size_t{16} << 20)) bytes_ /= 2;
    for (auto& array : arrays_) array = device_array(bytes_);
    out_ = device_array(256);
  }

  Ceilings run() {
    memory();
    cache();
    arithmetic();
    tensor();
    link();
    launches();
    return ceilings_;
  }

 private:
  using Memory = std::shared_ptr<void>;

  Memory allocate(std::size_t bytes, Space space) {
    return owned(backend_, backend_.allocate(bytes, space), space);
  }
  template <class T = float> Memory device_array(std::size_t bytes) {  // of random values
    Memory array = allocate(bytes, Space::device);
    const i64 n = static_cast<i64>(bytes / sizeof(T));
    fill_random<<<4096, 256, 0, cuda(backend_.stream())>>>(static_cast<T*>(array.get()), n, seed_);
    seed_ += n;
    backend_.synchronize_stream();
    return array;
  }

  double seconds(const Launch& launch, Cache cache, Clock clock = Clock::device, int at_most = 9) {
    time_launches(backend_, launch, clock, cache, {}, 0, 1);  // loads the kernel
    return median(time_launches(backend_, launch, clock, cache, {}, 0.06, at_most));
  }
  void best(const char* key, double work, const Launch& launch, Cache cache = Cache::cold) {
    double& value = ceilings_.values[key];
    value = std::max(value, work / seconds(launch, cache));
  }

  template <int Loads, bool Once> void streams() {
    const auto* a = static_cast<const float4*>(arrays_[0].get());
    const auto* b = static_cast<const float4*>(arrays_[1].get());
    auto *y = static_cast<float4*>(arrays_[2].get()), *out = static_cast<float4*>(out_.get());
    const i64 n = static_cast<i64>(bytes_ / sizeof(float4));
    for (const int block : {256, 512})
      for (const bool persistent : {false, true}) {
        const int grid = persistent
                             ? sms_ * (threads_ / block)
                             : static_cast<int>(n / (i64{Loads} * block));  // one tile a block
        best("read", bytes_,
             [=](void* s) { stream<1, Loads, Once><<<grid, block, 0, cuda(s)>>>(a, b, n, out); });
        best("copy", 2.0 * bytes_,
             [=](void* s) { stream<2, Loads, Once><<<grid, block, 0, cuda(s)>>>(a, b, n, y); });
        best("triad", 3.0 * bytes_,
             [=](void* s) { stream<3, Loads, Once><<<grid, block, 0, cuda(s)>>>(a, b, n, y); });
      }
  }

  void memory() {
    streams<1, false>();
    streams<2, false>();
    streams<4, false>();
    streams<2, true>();
    streams<4, true>();
    streams<8, true>();
    best("copy", 2.0 * bytes_, [&](void* s) {
      WB_CHECK(cudaMemcpyAsync(arrays_[2].get(), arrays_[0].get(), bytes_, cudaMemcpyDeviceToDevice,
                               cuda(s)));
    });
  }

  template <int Loads> void l2_reads(std::size_t bytes) {
    constexpr int kBlock = 512;
    constexpr std::size_t kTile = Loads * kBlock * sizeof(float4);
    const int tiles = static_cast<int>(bytes / kTile), grid = sms_ * (threads_ / kBlock);
    if (tiles == 0) return;
    const int rounds = static_cast<int>((std::size_t{1} << 30) / bytes) + 1;
    const auto* x = static_cast<const float4*>(arrays_[0].get());
    auto* out = static_cast<float*>(out_.get());
    best(
        "cache", double(kTile) * tiles * rounds,
        [=](void* s) { read_l2<Loads><<<grid, kBlock, 0, cuda(s)>>>(x, tiles, rounds, out); },
        Cache::hot);
  }

  void cache() {
    for (const std::size_t share : {4, 3, 2}) {
      const std::size_t bytes = std::min(static_cast<std::size_t>(l2_) / share, bytes_);
      l2_reads<1>(bytes);
      l2_reads<4>(bytes);
    }
  }

  template <int Chains> void fp32() {
    const auto* x = static_cast<const float*>(arrays_[0].get());
    auto* out = static_cast<float*>(out_.get());
    constexpr int kBlock = 256, kRounds = 2048;
    for (const int blocks : {threads_ / (2 * kBlock), threads_ / kBlock}) {  // on each SM
      const int grid = sms_ * blocks;
      best(
          "fp32", 2.0 * kPairs * Chains * kRounds * kBlock * grid,
          [=](void* s) { multiply_add<Chains><<<grid, kBlock, 0, cuda(s)>>>(x, kRounds, out); },
          Cache::hot);
    }
  }
  void arithmetic() {
    fp32<8>();
    fp32<16>();
  }

  // The best that cuBLAS makes of random values, with sums in fp32: at first, and then for a second
  // and more, when power limits the clock. Absent where the GPU has no such tensor cores.
  void tensor() {
    int device = 0, major = 0;
    WB_CHECK(cudaGetDevice(&device));
    WB_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    if (major >= 7) products<__half>(Math::fp16_tensor, CUDA_R_16F, CUBLAS_COMPUTE_32F);
    if (major < 8) return;
    products<__nv_bfloat16>(Math::bf16_tensor, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
    products<float>(Math::tf32_tensor, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
  }

  template <class T> void products(Math math, cudaDataType_t type, cublasComputeType_t compute) {
    const CublasHandle handle = make_cublas();
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), cuda(backend_.stream())));
    double burst = 0, sustained = 0;
    for (const int n : {8192, 4096}) {
      const std::size_t bytes = sizeof(T) * n * n;
      if (3 * bytes > backend_.free_bytes(Space::device) / 2) continue;
      const Memory a = device_array<T>(bytes), b = device_array<T>(bytes),
                   c = device_array<T>(bytes);
      for (const cublasOperation_t transposed : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        const Launch multiply = [&](void*) {
          const float one = 1, zero = 0;
          WB_CHECK_CUBLAS(cublasGemmEx(handle.get(), transposed, CUBLAS_OP_N, n, n, n, &one,
                                       a.get(), type, n, b.get(), type, n, &zero, c.get(), type, n,
                                       compute, CUBLAS_GEMM_DEFAULT));
        };
        const double flops = 2.0 * n * n * n;
        burst = std::max(burst, flops / seconds(multiply, Cache::hot, Clock::device, 30));
        time_launches(backend_, multiply, Clock::device, Cache::hot, {}, 1, 1 << 20);
        sustained = std::max(sustained, flops / seconds(multiply, Cache::hot, Clock::device, 1000));
      }
    }
    if (sustained == 0) return;
    ceilings_.values[name(math)] = sustained;
    ceilings_.values[std::string(name(math)) + "_burst"] = std::max(burst, sustained);
  }

  void link() {
    const std::size_t bytes = std::min<std::size_t>(std::size_t{256} << 20, bytes_);
    const Memory host = allocate(bytes, Space::pinned);
    void* const device = arrays_[0].get();
    const Launch to_host = [&](void* s) {
      WB_CHECK(cudaMemcpyAsync(host.get(), device, bytes, cudaMemcpyDeviceToHost, cuda(s)));
    };
    const Launch to_device = [&](void* s) {
      WB_CHECK(cudaMemcpyAsync(device, host.get(), bytes, cudaMemcpyHostToDevice, cuda(s)));
    };
    best("to_host", bytes, to_host);  // first: it also fills the host array with random values
    best("to_device", bytes, to_device);
  }

  void launches() {
    constexpr int kLaunches = 1000;
    const Launch one = [](void* s) { empty<<<1, 32, 0, cuda(s)>>>(); };
    const Launch row = [](void* s) {
      for (int i = 0; i < kLaunches; ++i) empty<<<1, 32, 0, cuda(s)>>>();
    };
    auto& v = ceilings_.values;
    v["launch"] = seconds(row, Cache::hot, Clock::wall) / kLaunches;
    v["event_floor"] = seconds([](void*) {}, Cache::cold, Clock::device, 200);
    v["kernel_floor"] = seconds(one, Cache::cold, Clock::device, 200);
  }

  Backend& backend_;
  int sms_ = 0, threads_ = 0, l2_ = 0;  // threads that each multiprocessor holds
  std::size_t bytes_ = std::size_t{1} << 31;
  unsigned long long seed_ = 1;
  Memory arrays_[3], out_;
  Ceilings ceilings_;
};

}  // namespace

Ceilings measure_ceilings_cuda(Backend& backend) { return Measurement(backend).run(); }

}  // namespace wb
