// The CUDA backend on a GPU: memory, stream order, time, traces. Without a GPU the tests skip with
// the reason; under WB_REQUIRE_GPU=1 they fail.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/median.h"
#include "device/backend.h"
#include "device/backends.h"
#include "device/cuda/counters_cupti.h"
#include "device/cuda/nvml.h"
#include "device/cuda/trace_cupti.h"
#include "wb/cuda.h"

namespace wb {
namespace {

bool gpu_required() {
  const char* value = std::getenv("WB_REQUIRE_GPU");
  return value && std::string(value) == "1";
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

cudaStream_t cuda(void* stream) { return static_cast<cudaStream_t>(stream); }

__global__ void set(int* to, int value) { *to = value; }

__global__ void twice(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i];
}

// One thread follows links through memory: its time is latency, so it tells L2 from DRAM clearly.
__global__ void chase(const int* next, int steps, int* out) {
  int at = 0;
  for (int i = 0; i < steps; ++i) at = __ldcg(&next[at]);
  *out = at;
}

class CudaBackendTest : public testing::Test {
 protected:
  void SetUp() override {
    static std::string why;
    static const std::unique_ptr<Backend> shared = [] {
      try {
        return make_cuda_backend();
      } catch (const std::exception& e) {
        why = e.what();
        return std::unique_ptr<Backend>();
      }
    }();
    backend_ = shared.get();
    if (backend_) return;
    EXPECT_NE(why, "");
    if (gpu_required()) FAIL() << why;
    GTEST_SKIP() << why;
  }

  // A launch whose device time is known.
  Launch busy(double seconds) {
    return [this, seconds](void*) { backend_->hold(seconds); };
  }
  Trace trace(const Launch& launch, Clock clock, Cache cache, int iterations,
              const std::function<void()>& before = {}) {
    return backend_->trace(launch, {before}, clock, cache, iterations);
  }

  std::vector<double> time(const Launch& launch, Clock clock, Cache cache, double budget,
                           int at_most) {
    return time_launches(*backend_, launch, clock, cache, {}, budget, at_most);
  }

  Backend* backend_ = nullptr;
};

#define WB_NEED_TRACE(TRACE)                       \
  do {                                             \
    if ((TRACE).missing.empty()) break;            \
    if (gpu_required()) FAIL() << (TRACE).missing; \
    GTEST_SKIP() << (TRACE).missing;               \
  } while (false)

int count(const Trace& trace, Activity activity) {
  return std::count_if(trace.intervals.begin(), trace.intervals.end(),
                       [&](const Interval& i) { return i.activity == activity; });
}

TEST_F(CudaBackendTest, NamesItsDevice) {
  const DeviceId id = backend_->device();
  EXPECT_EQ(id.backend, "cuda");
  EXPECT_NE(id.name, "");
  EXPECT_EQ(id.id.rfind("GPU-", 0), 0u) << id.id;
  EXPECT_NE(id.driver.find("runtime"), std::string::npos) << id.driver;
  for (const Space space : {Space::device, Space::pinned, Space::pageable})
    EXPECT_GT(backend_->free_bytes(space), std::size_t{1} << 20);
}

TEST_F(CudaBackendTest, MemoryComesBackAsItWasSent) {
  for (const Space space : {Space::device, Space::pinned, Space::pageable}) {
    SCOPED_TRACE(static_cast<int>(space));
    std::vector<int> sent(1001), got(1001);
    for (int i = 0; i < 1001; ++i) sent[i] = i * 7919;
    const std::size_t bytes = sent.size() * sizeof(int);
    void* a = backend_->allocate(bytes, space);
    void* b = backend_->allocate(bytes, space);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 256, 0u);
    backend_->upload(a, sent.data(), bytes, space);
    backend_->copy(b, a, bytes, space);
    backend_->fill(a, 0xFF, bytes, space);
    backend_->download(got.data(), b, bytes, space);
    EXPECT_EQ(got, sent);
    backend_->download(got.data(), a, bytes, space);
    EXPECT_EQ(got, std::vector<int>(1001, -1));
    backend_->release(a, space);
    backend_->release(b, space);
    void* nothing = backend_->allocate(0, space);
    EXPECT_NE(nothing, nullptr);
    backend_->fill(nothing, 0, 0, space);
    backend_->release(nothing, space);
  }
}

TEST_F(CudaBackendTest, RefusedMemoryIsSaidAndLeavesNoError) {
  EXPECT_THROW(backend_->allocate(std::size_t{1} << 50, Space::device), Unsupported);
  EXPECT_THROW(backend_->allocate(std::size_t{1} << 50, Space::pageable), std::bad_alloc);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  backend_->synchronize();
}

TEST_F(CudaBackendTest, SaysWhatVariantsMayAskFor) {
  const Abilities has = backend_->abilities();
  EXPECT_GE(has.capability, 75);
  EXPECT_GE(has.shared_kib, 64);
}

__global__ void sum_in_shared(int* to) {
  extern __shared__ int all[];
  __shared__ int own[256];
  own[threadIdx.x] = all[threadIdx.x * 64] = 1;
  atomicAdd(to, own[threadIdx.x] + all[threadIdx.x * 64]);
}

// Set-ups of several cases share a kernel, so what one asks for does not take from another.
TEST_F(CudaBackendTest, SharedMemoryIsAskedForOrRefused) {
  const int most = backend_->abilities().shared_kib * 1024, own = 256 * sizeof(int);
  const auto sum = make_device_zeros<int>(1);
  allow_shared(sum_in_shared, most - own);
  allow_shared(sum_in_shared, 0);
  sum_in_shared<<<1, 256, most - own, cuda(backend_->stream())>>>(sum.get());
  WB_CHECK(cudaGetLastError());
  backend_->synchronize();
  EXPECT_THROW(allow_shared(sum_in_shared, most + 1), Unsupported);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(CudaBackendTest, FindsFunctionsOfTheDriver) {
  EXPECT_NE(driver_function("cuLibraryLoadFromFile"), nullptr);
  EXPECT_EQ(driver_function("cuNoSuchFunction"), nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(CudaBackendTest, FillOfHostMemoryWaitsInTheStream) {
  for (const Space space : {Space::pinned, Space::pageable}) {
    auto* value = static_cast<volatile unsigned char*>(backend_->allocate(256, space));
    backend_->fill(const_cast<unsigned char*>(value), 1, 256, space);
    backend_->synchronize_stream();
    const double start = now();
    backend_->hold(0.05);
    backend_->fill(const_cast<unsigned char*>(value), 2, 256, space);
    EXPECT_LT(now() - start, 0.025) << "enqueueing must not wait";
    EXPECT_EQ(*value, 1);
    backend_->synchronize_stream();
    EXPECT_GE(now() - start, 0.049);
    EXPECT_EQ(*value, 2);
    backend_->release(const_cast<unsigned char*>(value), space);
  }
}

TEST_F(CudaBackendTest, OtherStreamsRunDuringAHold) {
  auto* flag = static_cast<int*>(backend_->allocate(sizeof(int), Space::device));
  set<<<1, 1>>>(flag, 1);  // loads the kernel
  backend_->synchronize();
  const double start = now();
  backend_->hold(0.1);
  set<<<1, 1>>>(flag, 2);  // the default stream
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
  EXPECT_LT(now() - start, 0.05);
  backend_->synchronize_stream();
  EXPECT_GE(now() - start, 0.099);
  backend_->release(flag, Space::device);
}

TEST_F(CudaBackendTest, TimesWhatTheLaunchTakes) {
  for (const Cache cache : {Cache::cold, Cache::hot})
    for (const Clock clock : {Clock::device, Clock::wall}) {
      const double t = median(time(busy(200e-6), clock, cache, 0.02, 50));
      EXPECT_GE(t, 195e-6);  // the GPU's clock may tick once a microsecond or slower
      EXPECT_LT(t, 260e-6) << (clock == Clock::wall ? "wall" : "device");
    }
}

TEST_F(CudaBackendTest, AnEmptyLaunchReadsTheFloorOfAnEventPair) {
  for (const Cache cache : {Cache::cold, Cache::hot}) {
    const double t = median(time([](void*) {}, Clock::device, cache, 0.02, 200));
    EXPECT_GE(t, 0);
    EXPECT_LT(t, 5e-6);
  }
}

TEST_F(CudaBackendTest, KeepsToItsLimits) {
  for (const Clock clock : {Clock::device, Clock::wall})
    for (const int at_most : {0, 1, 2, 3, 64, 65, 200})
      for (const double budget : {0.0, 0.001, 0.02}) {
        SCOPED_TRACE(std::to_string(at_most) + " " + std::to_string(budget));
        int launches = 0;
        const auto seconds = time([&](void*) { ++launches; }, clock, Cache::hot, budget, at_most);
        EXPECT_EQ(static_cast<int>(seconds.size()), launches);
        EXPECT_LE(launches, std::max(at_most, 1));
      }
}

TEST_F(CudaBackendTest, StaysWithinItsBudget) {
  const double start = now();
  const auto seconds = time(busy(2e-3), Clock::device, Cache::cold, 0.05, 1000);
  EXPECT_LT(now() - start, 0.1);
  EXPECT_GE(seconds.size(), 10u);
}

TEST_F(CudaBackendTest, ColdLaunchesMissTheCache) {
  constexpr int kLinks = 1024, kStride = 1024;  // 4 KiB apart: no line serves two links
  std::vector<int> next(kLinks * kStride);
  for (int i = 0; i < kLinks; ++i) next[i * kStride] = (i + 1) % kLinks * kStride;
  const std::size_t bytes = next.size() * sizeof(int);
  auto* links = static_cast<int*>(backend_->allocate(bytes, Space::device));
  auto* out = static_cast<int*>(backend_->allocate(sizeof(int), Space::device));
  backend_->upload(links, next.data(), bytes, Space::device);
  const Launch launch = [=](void* s) { chase<<<1, 1, 0, cuda(s)>>>(links, kLinks, out); };
  const auto typical = [&](Cache cache) {
    time(launch, Clock::device, cache, 0, 2);
    return median(time(launch, Clock::device, cache, 0.05, 50));
  };
  EXPECT_GT(typical(Cache::cold), 1.3 * typical(Cache::hot));
  backend_->release(links, Space::device);
  backend_->release(out, Space::device);
}

TEST_F(CudaBackendTest, AFailingLaunchIsReportedAndTheBackendGoesOn) {
  int calls = 0;
  const Launch throws = [&](void*) {
    if (++calls == 3) throw std::runtime_error("third");
  };
  EXPECT_THROW(time(throws, Clock::device, Cache::hot, 0.01, 10), std::runtime_error);
  const Launch too_wide = [](void* s) { set<<<1, 4096, 0, cuda(s)>>>(nullptr, 1); };
  try {
    time(too_wide, Clock::device, Cache::hot, 0.01, 10);
    FAIL() << "a block of 4096 threads must be refused";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("cudaErrorInvalid"), std::string::npos) << e.what();
  }
  EXPECT_GT(time(busy(50e-6), Clock::device, Cache::hot, 0, 1).at(0), 45e-6);
}

TEST_F(CudaBackendTest, BackToBackKernelsHaveFullGoodput) {
  const Trace t = trace(busy(100e-6), Clock::device, Cache::hot, 20);
  WB_NEED_TRACE(t);
  EXPECT_EQ(t.iterations, 20);
  EXPECT_EQ(count(t, Activity::compute), 20);
  EXPECT_GT(count(t, Activity::launch) + count(t, Activity::wait), 0);
  EXPECT_GT(split(t).compute, 0.9);
  EXPECT_NEAR(t.wall, 20 * 105e-6, 20 * 10e-6);
  ASSERT_EQ(t.device_seconds.size(), 20u);
  EXPECT_NEAR(median(t.device_seconds), 105e-6, 10e-6);
  for (const Interval& i : t.intervals)
    if (i.activity == Activity::compute) EXPECT_EQ(i.name, "hold_stream");
}

TEST_F(CudaBackendTest, ColdTracesLeaveOutWhatPreparesALaunch) {
  void* array = backend_->allocate(1 << 20, Space::device);
  const Trace t = trace(busy(50e-6), Clock::device, Cache::cold, 8,
                        [&] { backend_->fill(array, 0, 1 << 20, Space::device); });
  backend_->release(array, Space::device);
  WB_NEED_TRACE(t);
  EXPECT_EQ(count(t, Activity::compute), 8);
  EXPECT_EQ(count(t, Activity::copy), 0)
      << "neither the eviction nor the fill belongs to the launch";
  ASSERT_EQ(t.device_seconds.size(), 8u);
  EXPECT_NEAR(median(t.device_seconds), 53e-6, 6e-6);
}

TEST_F(CudaBackendTest, SeesEveryKernelOfAGraphAndParallelStreams) {
  cudaStream_t one, two;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  WB_CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  WB_CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  WB_CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  WB_CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  auto* links = static_cast<int*>(backend_->allocate(256, Space::device));
  backend_->fill(links, 0, 256, Space::device);
  chase<<<1, 1, 0, cuda(backend_->stream())>>>(links, 1, links + 32);  // loads the kernel
  backend_->synchronize();
  WB_CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
  WB_CHECK(cudaEventRecord(fork, one));
  WB_CHECK(cudaStreamWaitEvent(two, fork));
  for (const cudaStream_t stream : {one, two, one, two, one})
    chase<<<1, 1, 0, stream>>>(links, 200, links + 32);
  WB_CHECK(cudaEventRecord(join, two));
  WB_CHECK(cudaStreamWaitEvent(one, join));
  WB_CHECK(cudaStreamEndCapture(one, &graph));
  WB_CHECK(cudaGraphInstantiate(&executable, graph, 0));

  const Trace t = trace([&](void* s) { WB_CHECK(cudaGraphLaunch(executable, cuda(s))); },
                        Clock::device, Cache::hot, 4);
  WB_CHECK(cudaGraphExecDestroy(executable));
  WB_CHECK(cudaGraphDestroy(graph));
  WB_CHECK(cudaEventDestroy(fork));
  WB_CHECK(cudaEventDestroy(join));
  WB_CHECK(cudaStreamDestroy(one));
  WB_CHECK(cudaStreamDestroy(two));
  backend_->release(links, Space::device);
  WB_NEED_TRACE(t);
  EXPECT_EQ(count(t, Activity::compute), 4 * 5);
  EXPECT_EQ(t.device_seconds.size(), 4u);
  for (const Interval& i : t.intervals)
    if (i.activity == Activity::compute) EXPECT_EQ(i.name, "chase");
}

TEST_F(CudaBackendTest, WallTracesShowCopiesAllocationsAndWaits) {
  constexpr std::size_t kBytes = 16 << 20;
  void* host = backend_->allocate(kBytes, Space::pinned);
  const Trace t = trace(
      [&](void* s) {
        void* device = nullptr;
        WB_CHECK(cudaMalloc(&device, kBytes));
        WB_CHECK(cudaMemcpyAsync(device, host, kBytes, cudaMemcpyHostToDevice, cuda(s)));
        backend_->hold(100e-6);
        WB_CHECK(cudaMemcpyAsync(host, device, kBytes, cudaMemcpyDeviceToHost, cuda(s)));
        WB_CHECK(cudaStreamSynchronize(cuda(s)));
        WB_CHECK(cudaFree(device));
      },
      Clock::wall, Cache::hot, 3);
  backend_->release(host, Space::pinned);
  WB_NEED_TRACE(t);
  EXPECT_EQ(count(t, Activity::to_device), 3);
  EXPECT_EQ(count(t, Activity::compute), 3);
  EXPECT_EQ(count(t, Activity::to_host), 3);
  EXPECT_EQ(count(t, Activity::allocate), 6);
  EXPECT_GE(count(t, Activity::launch), 9);
  EXPECT_GE(count(t, Activity::wait), 3);
  const Split s = split(t);
  EXPECT_GT(s.compute, 0);
  EXPECT_GT(s.copies, s.compute);
  EXPECT_GT(s.allocation, 0);
  EXPECT_NEAR(s.compute + s.copies + s.allocation + s.launch + s.idle, 1, 1e-9);
  for (const Interval& i : t.intervals) {
    EXPECT_GE(i.start, 0);
    EXPECT_LE(i.end, t.wall * (1 + 1e-12));
  }
}

TEST_F(CudaBackendTest, ALaunchWithoutWorkHasNoTrace) {
  const Trace t = trace([](void*) {}, Clock::device, Cache::hot, 3);
  EXPECT_NE(t.missing, "");
  EXPECT_TRUE(t.device_seconds.empty());
}

TEST_F(CudaBackendTest, AsksWhatSlowsTheDeviceDown) {
  if (nvml_driver_version().empty())
    GTEST_SKIP() << "NVML (libnvidia-ml.so.1) is not on this machine";
  const std::string id = backend_->device().id;  // its UUID, and the driver
  EXPECT_TRUE(nvml_throttling(id.substr(0, id.find(' '))));
}

TEST(Nvml, KnowsNothingOfADeviceThatIsNotThere) {
  EXPECT_FALSE(nvml_throttling("GPU-00000000-0000-0000-0000-000000000000"));
}

// Each of 2^20 warps loads and stores 4 sectors, which a cold cache has to bring.
TEST_F(CudaBackendTest, CountsWhatAKernelMoves) {
  constexpr int kFloats = 32 << 20;
  const std::shared_ptr<float[]> x = make_device_array<float>(kFloats),
                                 y = make_device_array<float>(kFloats);
  int launches = 0, prepared = 0;
  const HardwareCounts counts = backend_->count(
      [&] {
        ++prepared;
        backend_->evict({});
        backend_->synchronize();
      },
      [&] {
        ++launches;
        twice<<<kFloats / 256, 256, 0, cuda(backend_->stream())>>>(x.get(), y.get());
        backend_->synchronize();
      });
  WB_NEED_TRACE(counts);
  EXPECT_EQ(launches, prepared);  // whatever a launch adds to is restored for each
  EXPECT_GT(launches, 1);
  EXPECT_EQ(counts.get(Hardware::load_requests), kFloats / 32);
  EXPECT_EQ(counts.get(Hardware::load_sectors), kFloats / 8);
  EXPECT_EQ(counts.get(Hardware::store_sectors), kFloats / 8);
  EXPECT_EQ(counts.get(Hardware::local_bytes), 0);
  EXPECT_NEAR(counts.get(Hardware::dram_read), 4.0 * kFloats, 0.03 * 4 * kFloats);
  EXPECT_NEAR(counts.get(Hardware::l2_bytes), 8.0 * kFloats, 0.03 * 8 * kFloats);
  EXPECT_GT(counts.get(Hardware::occupancy), 0.3);
  EXPECT_LE(counts.get(Hardware::occupancy), 1);
  double stalls = 0;
  for (const auto& [reason, share] : counts.stalls) stalls += share;
  EXPECT_GT(stalls, 0.2);
  EXPECT_LE(stalls, 1);
}

TEST(Metrics, MeanEvents) {
  std::map<std::string, double> values;
  for (const std::string& name : wanted_metrics()) values[name] = 0;
  values["lts__t_sectors_srcunit_tex.sum"] = 10;
  values["lts__t_sector_hit_rate.pct"] = 75;
  values["smsp__inst_executed_op_shared_ld_pred_on_any.sum"] = 3;
  values["smsp__inst_executed_op_shared_st_pred_on_any.sum"] = 2;
  values["smsp__warps_issue_stalled_selected.sum"] = 10;
  values["smsp__warps_issue_stalled_long_scoreboard.sum"] = 30;
  const HardwareCounts counts = counts_of_metrics(values);
  EXPECT_EQ(counts.get(Hardware::l2_bytes), 320);
  EXPECT_EQ(counts.get(Hardware::l2_hit_rate), 0.75);
  EXPECT_EQ(counts.get(Hardware::shared_requests), 5);
  EXPECT_EQ(counts.stalls, (std::map<std::string, double>{{"long scoreboard", 0.75}}));
}

TEST(Metrics, ThatAreMissingLeaveOutTheirEventsAlone) {
  std::map<std::string, double> values;
  for (const std::string& name : wanted_metrics()) values[name] = 1;
  values.erase("smsp__inst_executed_op_shared_st_pred_on_any.sum");  // a part of a sum
  values["dram__bytes_read.sum"] = std::nan("");
  const HardwareCounts counts = counts_of_metrics(values);
  EXPECT_FALSE(counts.events.contains(Hardware::shared_requests));
  EXPECT_FALSE(counts.events.contains(Hardware::dram_read));
  EXPECT_EQ(counts.get(Hardware::dram_written), 1);
  EXPECT_EQ(counts_of_metrics({}).events.size(), 0u);
}

// CUPTI knows chips without one being here: Turing, Ampere, Ada, Hopper, two of Blackwell.
TEST(Metrics, AreEnoughOnTheChipsThatTheBookIsCompiledFor) {
  for (const char* chip : {"TU102", "GA100", "AD102", "GH100", "GB100", "GB202"}) {
    std::map<std::string, double> values;
    for (const std::string& name : wanted_metrics()) values[name] = 1;
    try {
      for (const std::string& name : lacking_metrics(chip)) values.erase(name);
    } catch (const Unsupported& why) {
      GTEST_SKIP() << why.what();
    }
    const HardwareCounts counts = counts_of_metrics(values);
    for (int i = 0; i < static_cast<int>(std::size(kHardware)); ++i)
      if (const auto event = static_cast<Hardware>(i);
          event != Hardware::cycles && event != Hardware::cache_misses)  // of a CPU
        EXPECT_TRUE(counts.events.contains(event)) << chip << " " << kHardware[i];
    EXPECT_GE(counts.stalls.size(), 16u) << chip;
  }
  EXPECT_THROW(lacking_metrics("no chip"), Unsupported);
}

TEST(TraceNames, KernelsAreCalledByTheirFunction) {
  EXPECT_EQ(kernel_name("_Z5saxpyPfi"), "saxpy");
  EXPECT_EQ(kernel_name("_ZN12_GLOBAL__N_15saxpyIfEEvPKT_l"), "saxpy");
  EXPECT_EQ(kernel_name("void (anonymous namespace)::saxpy<float>(float const*, long)"), "saxpy");
  EXPECT_EQ(kernel_name("void cub::detail::reduce<cub::Policy<int, (int)4>, float*>(float*)"),
            "reduce");
  EXPECT_EQ(kernel_name("sm90_xmma_gemm_f32_tn"), "sm90_xmma_gemm_f32_tn");
  EXPECT_EQ(kernel_name("f"), "f");
  EXPECT_EQ(kernel_name(""), "kernel");
  EXPECT_EQ(kernel_name(nullptr), "kernel");
}

TEST(TraceNames, CallsAreSortedByWhatTheHostDoes) {
  const std::pair<const char*, Activity> expected[] = {
      {"cudaMalloc_v3020", Activity::allocate},
      {"cudaFreeAsync_ptsz_v11020", Activity::allocate},
      {"cudaHostRegister_v4000", Activity::allocate},
      {"cudaLaunchKernel_v7000", Activity::launch},
      {"__cudaLaunchKernel_v13000", Activity::launch},
      {"cuLaunchKernelEx", Activity::launch},
      {"cudaGraphLaunch_v10000", Activity::launch},
      {"cudaMemcpyAsync_v3020", Activity::launch},
      {"cuMemcpyDtoDAsync_v2", Activity::launch},
      {"cudaMemcpy_v3020", Activity::wait},
      {"cudaDeviceSynchronize_v3020", Activity::wait},
      {"cudaEventRecord_v3020", Activity::host},
  };
  for (const auto& [symbol, activity] : expected)
    EXPECT_EQ(call_activity(call_name(symbol)), activity) << symbol;
  EXPECT_EQ(call_name("__cudaLaunchKernel_ptsz_v13000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cuMemcpyDtoDAsync_v2_ptsz"), "cuMemcpyDtoDAsync");
  EXPECT_EQ(call_name("cudaMemcpyAsync"), "cudaMemcpyAsync");
}

// A launch with a larger grid fails as "invalid configuration argument", which says nothing.
TEST(Grid, OfMoreBlocksThanALaunchTakesIsUnsupported) {
  const dim3 most = grid(0x7fffffff, 65535, 65535);
  EXPECT_EQ(most.x, 0x7fffffffu);
  EXPECT_EQ(most.y, 65535u);
  EXPECT_EQ(most.z, 65535u);
  EXPECT_EQ(grid(0).x, 0u);  // nothing to launch
  EXPECT_THROW(grid(0x80000000), Unsupported);
  EXPECT_THROW(grid(1, 65536), Unsupported);
  EXPECT_THROW(grid(1, 1, 65536), Unsupported);
  EXPECT_THROW(grid(i64{1} << 32), Unsupported);  // 0 in 32 bits
}

}  // namespace
}  // namespace wb
