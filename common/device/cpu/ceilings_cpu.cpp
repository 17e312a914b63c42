// STREAM (McCalpin 1995) with cold caches, with and without non-temporal stores, a last-level cache
// read, and a chain-free FMA loop, all on every core. Timed by the harness as the lessons are.
#include <omp.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/median.h"
#include "device/backend.h"
#include "device/backends.h"
#include "device/cpu/triad.h"
#include "wb/problem.h"

namespace wb {
namespace {

constexpr i64 kFloats = i64{1} << 26;  // 256 MiB an array
volatile float sink;                   // keeps results alive

// Sixteen floats: one AVX-512 register, two AVX2 ones, four of NEON.
typedef float Vector __attribute__((vector_size(64)));

void store_past_cache(Vector* to, Vector value) {
#if defined(__AVX512F__)
  _mm512_stream_ps(reinterpret_cast<float*>(to), reinterpret_cast<__m512>(value));
#elif defined(__AVX__)
  const auto* half = reinterpret_cast<const __m256*>(&value);
  _mm256_stream_ps(reinterpret_cast<float*>(to), half[0]);
  _mm256_stream_ps(reinterpret_cast<float*>(to) + 8, half[1]);
#else
  *to = value;
#endif
}
void fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// As Linux says it, "1024K"; 0 where it does not. sysconf() counts some caches once for each core.
double cache_bytes(int level) {
  for (int i = 0; i < 8; ++i) {
    const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::ifstream level_file(cache + "level"), size_file(cache + "size");
    int found = 0;
    double kibibytes = 0;
    if (level_file >> found && found == level && size_file >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

// Calls f(i, stream) for the n vectors of an array, on all cores. Each core's share is walked at
// `Streams` places in turn: more pages are open at a time, which most memory controllers like.
template <int Streams, class F> void walk(i64 n, F f) {
#pragma omp parallel
  {
    const i64 part = n / (omp_get_num_threads() * Streams);
    const i64 first = omp_get_thread_num() * part * Streams;
    for (i64 i = 0; i < part; ++i)
      for (int stream = 0; stream < Streams; ++stream) f(first + stream * part + i, stream);
  }
}

// In the same way, 8 accumulators a stream where there is one, else one.
template <int Streams> float sum(const Vector* x, i64 n) {
  constexpr int kEach = Streams == 1 ? 8 : 1;
  float total = 0;
#pragma omp parallel reduction(+ : total)
  {
    Vector s[Streams * kEach] = {};
    const i64 part = n / (omp_get_num_threads() * Streams) / kEach * kEach;
    const Vector* mine = x + omp_get_thread_num() * part * Streams;
    for (i64 i = 0; i < part; i += kEach)
      for (int stream = 0; stream < Streams; ++stream)
        for (int j = 0; j < kEach; ++j) s[stream * kEach + j] += mine[stream * part + i + j];
    for (int j = 1; j < Streams * kEach; ++j) s[0] += s[j];
    for (int lane = 0; lane < 16; ++lane) total += s[0][lane];
  }
  return total;
}

// One register of floats, so that all of what follows stays in registers.
#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
typedef float Register __attribute__((vector_size(4 * kLanes)));

// 12 independent accumulators hide the latency of a fused multiply-add on two ports.
double fma_flops(i64 rounds) {
  constexpr int kSums = 12;
  const int threads = omp_get_max_threads();
#pragma omp parallel
  {
    Register a[kSums];
    Register x, y;
    for (int lane = 0; lane < kLanes; ++lane)  // no 1 and no 0: with these nothing is left to do
      x[lane] = 1 - 1e-7f * (lane + 1), y[lane] = 1e-7f * (lane + 1);
    for (int j = 0; j < kSums; ++j) a[j] = x * (1.0f + 0.01f * j);
    for (i64 r = 0; r < rounds; ++r)
#pragma GCC unroll 12
      for (int j = 0; j < kSums; ++j) a[j] = a[j] * x + y;
    for (int j = 1; j < kSums; ++j) a[0] += a[j];
    float total = 0;
    for (int lane = 0; lane < kLanes; ++lane) total += a[0][lane];
    sink = total;
  }
  return 2.0 * kSums * kLanes * static_cast<double>(rounds) * threads;
}

#if defined(__x86_64__)
// The same of pairs of bf16, which each step multiplies and adds to fp32.
[[gnu::target("avx512f,avx512bf16")]] void dot_products(i64 rounds) {
  constexpr int kSums = 12;
  __m512 a[kSums];
  const __m512 x = _mm512_set_ps(.11f, .12f, .13f, .14f, .15f, .16f, .17f, .18f, .21f, .22f, .23f,
                                 .24f, .25f, .26f, .27f, .28f);
  __m512bh factor[kSums];
  for (int j = 0; j < kSums; ++j) {
    a[j] = _mm512_mul_ps(x, _mm512_set1_ps(1.0f + 0.01f * j));
    factor[j] = _mm512_cvtne2ps_pbh(x, a[j]);
  }
  for (i64 r = 0; r < rounds; ++r)
#pragma GCC unroll 12
    for (int j = 0; j < kSums; ++j) a[j] = _mm512_dpbf16_ps(a[j], factor[0], factor[j]);
  for (int j = 1; j < kSums; ++j) a[0] = _mm512_add_ps(a[0], a[j]);
  sink = _mm512_cvtss_f32(a[0]);
}

// The same of tiles in AMX: 16 x 32 times 32 x 16 values of bf16 a step, and four accumulators.
constexpr i64 kTileFlops = 2 * 16 * 16 * 32;
[[gnu::target("amx-tile,amx-bf16")]] void tile_products(i64 rounds) {
  struct alignas(64) Shapes {  // as _tile_loadconfig() reads them: 8 tiles of 16 rows of 64 bytes
    std::uint8_t palette = 1, start = 0, unused[14] = {};
    std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
  alignas(64) static constexpr Shapes shapes;
  alignas(64) std::uint16_t values[512];
  for (int i = 0; i < 512; ++i)
    values[i] = static_cast<std::uint16_t>(0x3c00 + i);  // 0.008 and more
  asm volatile("" ::: "memory");                         // what reads `values` does not say so
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, values, 64);
  _tile_loadd(5, values, 64);
  _tile_loadd(6, values, 64);
  _tile_loadd(7, values, 64);
  for (i64 r = 0; r < rounds; ++r) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, values, 64);
  _tile_release();
  sink = values[0];
}
// Linux gives the registers of AMX to a process that asks for them: see its arch_prctl().
bool may_use_tiles() {
  constexpr long kAskFor = 0x1023, kTileData = 18;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;  // bit 22 of the last: AMX has bf16
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx >> 22 & 1) &&
         ::syscall(SYS_arch_prctl, kAskFor, kTileData) == 0;
}

// 0 on a processor without such instructions.
double bf16_flops(i64 rounds) {
  const int threads = omp_get_max_threads();
  if (may_use_tiles()) {
    const i64 tiles = rounds / 16;  // a step takes 16 cycles
#pragma omp parallel
    tile_products(tiles);
    return 4.0 * kTileFlops * static_cast<double>(tiles) * threads;
  }
  if (!__builtin_cpu_supports("avx512bf16")) return 0;
#pragma omp parallel
  dot_products(rounds);
  return 2.0 * 12 * 32 * static_cast<double>(rounds) * threads;
}
#else
double bf16_flops(i64) { return 0; }
#endif

}  // namespace

Triad::Triad(Backend& backend) : backend_(backend) {
  constexpr std::size_t kBytes = 64 << 20;
  if (backend_.free_bytes(Space::device) < 4 * arrays_.size() * kBytes) throw std::bad_alloc();
  for (auto& array : arrays_) {
    array = owned(backend, backend.allocate(kBytes, Space::device), Space::device);
    regions_.push_back({array.get(), kBytes, Space::device});
  }
  std::vector<double> one, four;
  for (int i = 0; i < 9; ++i) one.push_back(seconds(1, kBytes)), four.push_back(seconds(4, kBytes));
  streams_ = median(one) < median(four) ? 1 : 4;
}

double Triad::seconds(int streams, std::size_t bytes) {
  const auto a = static_cast<Vector*>(arrays_[0].get());
  const auto b = static_cast<const Vector*>(arrays_[1].get());
  const auto c = static_cast<const Vector*>(arrays_[2].get());
  const i64 n = static_cast<i64>(bytes / sizeof(Vector));
  const auto step = [=](i64 i, int) { store_past_cache(&a[i], b[i] + 3.0f * c[i]); };
  const Launch pass = [=](void*) {
    streams == 1 ? walk<1>(n, step) : walk<4>(n, step);
    fence();
  };
  std::vector<Region> used = regions_;
  for (Region& region : used) region.bytes = bytes;
  return time_launches(backend_, pass, Clock::device, Cache::cold, used, 0, 1).front();
}

double Triad::bytes_per_second(double bytes) {
  const double most = static_cast<double>(regions_[0].bytes);
  const auto each = static_cast<std::size_t>(std::clamp(bytes / 3, 4096.0, most));
  return 3.0 * static_cast<double>(each) / seconds(streams_, each);
}

namespace {

// The best of what was tried so far, by the names of ceilings.
class Best {
 public:
  explicit Best(Backend& backend) : backend_(backend) {
    const auto bytes = static_cast<std::size_t>(kFloats) * sizeof(float);
    for (auto& array : arrays_) {
      array = owned(backend, backend.allocate(bytes, Space::device), Space::device);
      regions_.push_back({array.get(), bytes, Space::device});
      const auto values = static_cast<float*>(array.get());
#pragma omp parallel for schedule(static)
      for (i64 i = 0; i < kFloats; ++i) values[i] = static_cast<float>(uniform(1, i));
    }
  }

  // Over three sizes, for what suits one machine is slow on another.
  template <int Streams> void streams() {
    const auto a = static_cast<Vector*>(arrays_[0].get());
    const auto b = static_cast<const Vector*>(arrays_[1].get());
    const auto c = static_cast<const Vector*>(arrays_[2].get());
    for (const i64 share : {1, 4, 16}) {
      const i64 n = kFloats / 16 / share;
      const i64 floats = kFloats / share;
      const double bytes = 4.0 * static_cast<double>(floats);  // of an array
      const auto stream = [&](const char* key, double arrays_moved, const auto& step) {
        raise(key, rate(arrays_moved * bytes, Cache::cold, [&](void*) {
                walk<Streams>(n, step);
                fence();
              }));
      };
      raise("read", rate(bytes, Cache::cold, [&](void*) { sink = sum<Streams>(b, n); }));
      stream("copy", 2, [=](i64 i, int) { a[i] = b[i]; });
      stream("copy_nt", 2, [=](i64 i, int) { store_past_cache(&a[i], b[i]); });
      stream("triad", 3, [=](i64 i, int) { a[i] = b[i] + 3.0f * c[i]; });
      // In place each line is read before it is written, and of large arrays it is written back.
      if (share == 1) {
        stream("copy", 2, [=](i64 i, int) { a[i] = 3.0f * a[i]; });
        stream("triad", 3, [=](i64 i, int) { a[i] = 3.0f * b[i] + a[i]; });
      }
      stream("triad_nt", 3, [=](i64 i, int) { store_past_cache(&a[i], b[i] + 3.0f * c[i]); });
    }
  }
  void cache() {
    constexpr i64 kCached = i64{1} << 22;  // 16 MiB: beyond the private caches of a few cores
    const auto b = static_cast<const Vector*>(arrays_[1].get());
    raise("cache", rate(4.0 * kCached, Cache::hot, [&](void*) { sink = sum<1>(b, kCached / 16); }));
  }
  void arithmetic() {
    constexpr i64 kFmas = 2'000'000;
    for (const Math math : {Math::fp32, Math::bf16_tensor}) {
      const auto run = math == Math::fp32 ? fma_flops : bf16_flops;
      double flops = 0;
      const double once = rate(1, Cache::hot, [&](void*) { flops = run(kFmas); });
      if (flops > 0) raise(name(math), once * flops);
    }
  }
  std::map<std::string, double> values{};

 private:
  double rate(double work, Cache cache, const Launch& launch) {
    const auto seconds = time_launches(backend_, launch, Clock::device, cache, regions_, 0.02, 20);
    return work / *std::min_element(seconds.begin(), seconds.end());
  }
  void raise(const std::string& key, double rate) { values[key] = std::max(values[key], rate); }

  Backend& backend_;
  std::array<std::shared_ptr<void>, 3> arrays_;
  std::vector<Region> regions_;
};

}  // namespace

Ceilings measure_ceilings_cpu(Backend& backend) {
  Best best(backend);
  for (const auto& [key, level] : {std::pair("l2_bytes", 2), std::pair("llc_bytes", 3)})
    if (const double size = cache_bytes(level); size > 0) best.values[key] = size;
  // A ceiling is what the machine can do undisturbed: the best of several rounds over everything,
  // since a neighbour on the same host may halve the bandwidth for seconds at a time.
  for (int round = 0; round < 4; ++round) {
    best.streams<1>();
    best.streams<4>();
    best.cache();
    best.arithmetic();
  }
  Ceilings ceilings;
  ceilings.values = best.values;
  return ceilings;
}

}  // namespace wb
