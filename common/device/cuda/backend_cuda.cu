// An NVIDIA GPU as a device: memory, one stream under test, event times and CUPTI traces.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <set>
#include <thread>

#include "base/clock.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "device/cuda/counters_cupti.h"
#include "device/cuda/fences.h"
#include "device/cuda/nvml.h"
#include "device/cuda/trace_cupti.h"
#include "wb/compiled.cuh"
#include "wb/cuda.h"

namespace wb {

void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // or the next launch would be blamed for this one
  if (status == cudaErrorMemoryAllocation)
    throw Unsupported("out of memory on the device (" + std::string(call) + " at " + file + ":" +
                      std::to_string(line) + "): choose a smaller case (--size, --axis)");
  const std::string hint = status == cudaErrorIllegalAddress || status == cudaErrorMisalignedAddress
                               ? "; a kernel before it touched memory that is not its own: run it "
                                 "under compute-sanitizer"
                               : "";
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                           cudaGetErrorName(status) + " (" + cudaGetErrorString(status) + ")" +
                           hint);
}

// Set-ups of several cases share a kernel and its limit, so that is all there is, whatever they
// ask.
void allow_shared(const void* kernel, i64 bytes) {
  cudaFuncAttributes has;
  int device = 0, most = 0;
  WB_CHECK(cudaFuncGetAttributes(&has, kernel));
  if (bytes <= has.maxDynamicSharedSizeBytes) return;  // set-ups of other cases asked for more
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  // Whether what a kernel has of its own counts depends on the kernel: CUDA says whether it fits.
  if (bytes <= most && cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes)) == cudaSuccess)
    return;
  cudaGetLastError();  // or the next launch would be blamed for this
  throw Unsupported("needs " + std::to_string(bytes + static_cast<i64>(has.sharedSizeBytes)) +
                    " bytes of shared memory per block; this GPU has " + std::to_string(most));
}

void* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult ignored;
#if CUDART_VERSION >= 12050  // CUDA 13 has no other
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &ignored);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &ignored);
#endif
  if (status == cudaSuccess) return function;
  cudaGetLastError();  // or the next launch would be blamed for this
  return nullptr;
}

namespace {

// Keeps a stream busy. One thread, so that nothing else is slowed down.
__global__ void hold_stream(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    __nanosleep(200);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

// Reads `n` vectors and uses them in a way that the compiler can't drop.
__global__ void read_all(const float4* x, i64 n, float* out) {
  float sum = 0;
  const i64 step = i64{gridDim.x} * blockDim.x;
  for (i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const float4 v = x[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum != 0) *out = sum;  // the buffer is all zeros
}

// One thread per place. `to` is pinned memory.
struct Places {
  static constexpr int kMost = 64;
  const void* data[kMost];
  unsigned char bytes[kMost];
};
__global__ void pick_places(Places places, char* to, int stride) {
  const int i = threadIdx.x;
  const auto* from = static_cast<const char*>(places.data[i]);
  for (int b = 0; b < places.bytes[i]; ++b) to[i * stride + b] = from[b];
}

std::string version_text(int version) {  // 13000 -> "13.0"
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string hex(const char* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(bytes[i]));
    text += digits;
  }
  return text;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = hex(uuid.bytes, sizeof uuid.bytes);
  for (const int at : {20, 16, 12, 8}) text.insert(at, 1, '-');
  return "GPU-" + text;
}

// Keeps a GPU busy beside the stream under test: kernels that fill it, and copies both ways, each
// for a random while. What can fail does so in the constructor, where somebody hears of it.
class Disturbance {
 public:
  explicit Disturbance(int multiprocessors) : blocks_(2 * multiprocessors) {
    char* host = nullptr;
    WB_CHECK(cudaMallocHost(&host, kBytes));
    host_ = {host, [](char* data) { cudaFreeHost(data); }};
    kernels_ = std::jthread([this](std::stop_token stop) {
      for (std::minstd_rand random(1); !stop.stop_requested(); rest(kernel_stream_, random))
        hold_stream<<<blocks_, 1024, 0, kernel_stream_.get()>>>(random() % 400'000);
    });
    copies_ = std::jthread([this](std::stop_token stop) {
      for (std::minstd_rand random(2); !stop.stop_requested(); rest(copy_stream_, random)) {
        const bool out = random() % 2;
        cudaMemcpyAsync(out ? host_.get() : device_.get(), out ? device_.get() : host_.get(),
                        random() % kBytes, cudaMemcpyDefault, copy_stream_.get());
      }
    });
  }

 private:
  static constexpr std::size_t kBytes = 8 << 20;

  static void rest(const Stream& stream, std::minstd_rand& random) {
    cudaStreamSynchronize(stream.get());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
  }

  const int blocks_;
  const Stream kernel_stream_ = make_stream(), copy_stream_ = make_stream();
  const std::shared_ptr<char[]> device_ = make_device_array<char>(kBytes);
  std::shared_ptr<char[]> host_;
  std::jthread kernels_, copies_;  // last, so that they end before what they use
};

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(const cudaDeviceProp& properties) : properties_(properties) {
    WB_CHECK(cudaDriverGetVersion(&driver_));
    // Not ordered with the legacy default stream: what a variant leaves there is found missing.
    WB_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : events_) WB_CHECK(cudaEventCreate(&event));
  }

  ~CudaBackend() override {  // errors have no reader any more
    disturbance_.reset();
    cudaDeviceSynchronize();
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    cudaFree(evict_);
    cudaStreamDestroy(stream_);
  }

  const char* name() const override { return "cuda"; }

  DeviceId device() const override {
    const std::string uuid = uuid_text(properties_.uuid), release = nvml_driver_version();
    const std::string cuda = version_text(driver_);
    return {"cuda", properties_.name, uuid + " " + (release.empty() ? cuda : release),
            "CUDA driver " + cuda + (release.empty() ? "" : " (" + release + ")") + ", runtime " +
                version_text(CUDART_VERSION),
            traits_of(*this).accelerator};
  }

  Abilities abilities() const override {
    return {.capability = 10 * properties_.major + properties_.minor,
            .shared_kib = static_cast<int>(properties_.sharedMemPerBlockOptin / 1024),
            .built = compiled_code()};
  }

  std::size_t free_bytes(Space space) const override {
    if (space != Space::device) return free_memory();
    std::size_t free = 0, total = 0;
    WB_CHECK(cudaMemGetInfo(&free, &total));
    return free;
  }

  void* allocate(std::size_t bytes, Space space) override {
    bytes = std::max<std::size_t>(bytes, 256);
    void* data = nullptr;
    if (space == Space::device) {
      if (bytes >= kFenced) data = fenced_device_memory(bytes);
      if (!data) WB_CHECK(cudaMalloc(&data, bytes));
    } else if (space == Space::pinned) {
      WB_CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocDefault));
    } else {
      if (bytes > free_memory()) throw std::bad_alloc();  // Linux would say yes, and kill later
      data = std::aligned_alloc(kPage, rounded_up(bytes, kPage));
      if (!data) throw std::bad_alloc();
      std::memset(data, 0, bytes);  // page faults here, not in a timed run
    }
    return data;
  }

  void* share(std::size_t bytes, Space space) override {
    if (space == Space::device) {
      void* data = nullptr;  // smaller ones could have neighbours, which would be shared, too
      WB_CHECK(cudaMalloc(&data, rounded_up(bytes, 2 << 20)));
      return data;
    }
    return host_memory(shared_fenced_memory(rounded_up(bytes, kPage)), bytes, space);
  }

  std::string place(void* shared, Space space) override {
    if (space != Space::device) return place_of(shared);
    cudaIpcMemHandle_t handle;
    WB_CHECK(cudaIpcGetMemHandle(&handle, shared));
    return hex(handle.reserved, sizeof handle.reserved);
  }

  void* attach(const std::string& place, std::size_t bytes, Space space) override {
    if (space != Space::device)
      return host_memory(attach_fenced_memory(place, rounded_up(bytes, kPage)), bytes, space);
    cudaIpcMemHandle_t handle = {};
    for (std::size_t i = 0; i < sizeof handle.reserved; ++i)
      handle.reserved[i] = static_cast<char>(std::stoi(place.substr(2 * i, 2), nullptr, 16));
    void* data = nullptr;
    WB_CHECK(cudaIpcOpenMemHandle(&data, handle, cudaIpcMemLazyEnablePeerAccess));
    opened_.insert(data);
    return data;
  }

  void release(void* data, Space space) noexcept override {
    if (const auto opened = opened_.find(data); opened != opened_.end()) {
      opened_.erase(opened);
      cudaIpcCloseMemHandle(data);
    } else if (mapped_.erase(data)) {
      if (space == Space::pinned) cudaHostUnregister(data);
      release_fenced_memory(data);
    } else if (space == Space::device) {
      if (!release_fenced_device_memory(data)) cudaFree(data);
    } else if (space == Space::pinned)
      cudaFreeHost(data);
    else
      std::free(data);
  }

  void upload(void* to, const void* from, std::size_t bytes, Space space) override {
    move(to, from, bytes, space, cudaMemcpyHostToDevice);
  }
  void download(void* to, const void* from, std::size_t bytes, Space space) override {
    move(to, from, bytes, space, cudaMemcpyDeviceToHost);
  }

  void* stream() override { return stream_; }

  void copy(void* to, const void* from, std::size_t bytes, Space space) override {
    if (bytes == 0) return;
    if (space == Space::device)
      WB_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
    else
      enqueue_on_host([=] { std::memcpy(to, from, bytes); });
  }

  void fill(void* data, int byte, std::size_t bytes, Space space) override {
    if (bytes == 0) return;
    if (space == Space::device)
      WB_CHECK(cudaMemsetAsync(data, byte, bytes, stream_));
    else
      enqueue_on_host([=] { std::memset(data, byte, bytes); });
  }

  void hold(double seconds) override {
    hold_stream<<<1, 1, 0, stream_>>>(static_cast<unsigned long long>(seconds * 1e9));
    WB_CHECK(cudaGetLastError());
  }

  // Reading twice the L2 leaves none of what was there, and takes longer than enqueueing a launch.
  // Writing would do so too, but would leave the L2 full of changed lines, and the launch would pay
  // for their way to memory: on an H200 85 us instead of 78, where ncu says 76 (2026-11-20).
  void evict(std::span<const Region>) override {
    const std::size_t bytes =
        std::max<std::size_t>(2 * std::size_t(properties_.l2CacheSize), 32 << 20);
    if (!evict_) {
      WB_CHECK(cudaMalloc(&evict_, bytes));
      WB_CHECK(cudaMemsetAsync(evict_, 0, bytes, stream_));
    }
    read_all<<<8 * properties_.multiProcessorCount, 256, 0, stream_>>>(
        static_cast<const float4*>(evict_), static_cast<i64>(bytes / sizeof(float4)),
        static_cast<float*>(evict_));
    WB_CHECK(cudaGetLastError());
  }

  void pick(std::span<const Region> places, std::byte* to, std::size_t stride) override {
    Places on_device = {};
    std::vector<std::pair<Region, std::byte*>> on_host;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i].space == Space::device) {
        on_device.data[i] = places[i].data;
        on_device.bytes[i] = static_cast<unsigned char>(places[i].bytes);
      } else {
        on_host.emplace_back(places[i], to + i * stride);
      }
    pick_places<<<1, Places::kMost, 0, stream_>>>(on_device, reinterpret_cast<char*>(to),
                                                  static_cast<int>(stride));
    WB_CHECK(cudaGetLastError());
    if (!on_host.empty())
      enqueue_on_host([on_host] {
        for (const auto& [place, slot] : on_host) std::memcpy(slot, place.data, place.bytes);
      });
  }

  // Both also report a launch that never started, e.g. with too many threads a block.
  void synchronize_stream() override {
    WB_CHECK(cudaStreamSynchronize(stream_));
    WB_CHECK(cudaGetLastError());
  }
  void synchronize() override {
    WB_CHECK(cudaDeviceSynchronize());
    WB_CHECK(cudaGetLastError());
  }

  std::string left_running() override {
    if (disturbance_) return "";  // which is not its own
    const double start = wb::seconds();
    synchronize();
    if (wb::seconds() - start < 10e-3) return "";  // a host that others use waits for its core, too
    return "it left work on another stream when its own was done: let its stream wait for that";
  }

  void time(const Launch& launch, Clock clock, Cache cache, std::span<const Region>) override {
    if (clock == Clock::wall) {
      if (cache == Cache::cold) evict({});
      synchronize();
      const double start = wb::seconds();
      launch(stream_);
      taken_.counters[Counter::enqueue].push_back(wb::seconds() - start);
      WB_CHECK(cudaDeviceSynchronize());
      taken_.seconds.push_back(wb::seconds() - start);
      WB_CHECK(cudaGetLastError());
      return;
    }
    if (cache == Cache::cold)
      evict({});
    else
      hold(20e-6);  // the launch is in the queue when the first event is reached
    WB_CHECK(cudaEventRecord(events_[2 * pending_], stream_));
    launch(stream_);
    WB_CHECK(cudaEventRecord(events_[2 * pending_ + 1], stream_));
    ++pending_;
  }

  void taken(Times& times) override {
    Times taken = std::exchange(taken_, {});
    const int pending = std::exchange(pending_, 0);
    synchronize_stream();
    for (int i = 0; i < pending; ++i) {
      float milliseconds = 0;
      WB_CHECK(cudaEventElapsedTime(&milliseconds, events_[2 * i], events_[2 * i + 1]));
      taken.seconds.push_back(1e-3 * milliseconds);
    }
    times.add(taken);
  }

  // Hot: steps.before runs once, ahead of the warm-up, and launches follow each other as in steady
  // use. Cold: steps and eviction stand around each launch and are not part of the trace.
  Trace trace(const Launch& launch, const Steps& steps, Clock clock, Cache cache,
              int iterations) override {
    Trace trace = traced_pass(launch, steps, clock, cache, iterations, /*every_call=*/false);
    // A library may have launched work with a call that was not watched.
    if (cache == Cache::cold && !trace.missing.empty())
      trace = traced_pass(launch, steps, clock, cache, iterations, /*every_call=*/true);
    return trace;
  }

  HardwareCounts count(const Step& before, const Step& launch) override {
    return count_on_gpu(before, launch);
  }

  void disturb(bool on) override {
    disturbance_.reset();
    if (on) disturbance_ = std::make_unique<Disturbance>(properties_.multiProcessorCount);
  }

  bool lost() override {
    cudaGetLastError();
    const cudaError_t status = cudaDeviceSynchronize();
    return status != cudaSuccess &&
           !std::string(cudaGetErrorName(status)).starts_with("cudaErrorStreamCapture");
  }

  std::string trouble() override {
    return nvml_throttling(uuid_text(properties_.uuid)).value_or("");
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kFenced = 64 << 10;  // fences take 2 MiB: not for single elements

  // Shared memory of the host, pinned where that is asked for.
  void* host_memory(void* data, std::size_t bytes, Space space) {
    const cudaError_t status =
        space == Space::pinned
            ? cudaHostRegister(data, rounded_up(bytes, kPage), cudaHostRegisterDefault)
            : cudaSuccess;
    if (status != cudaSuccess) release_fenced_memory(data);
    WB_CHECK(status);
    mapped_.insert(data);
    return data;
  }

  void move(void* to, const void* from, std::size_t bytes, Space space, cudaMemcpyKind direction) {
    if (bytes > 0 && space == Space::device)
      WB_CHECK(cudaMemcpyAsync(to, from, bytes, direction, stream_));
    synchronize_stream();
    if (bytes > 0 && space != Space::device) std::memcpy(to, from, bytes);
  }

  // In stream order, where cudaMemcpyAsync between two host addresses would block.
  template <class F> void enqueue_on_host(F work) {
    auto* boxed = new F(std::move(work));
    const auto run = [](void* data) {
      (*static_cast<F*>(data))();
      delete static_cast<F*>(data);
    };
    const cudaError_t status = cudaLaunchHostFunc(stream_, run, boxed);
    if (status != cudaSuccess) delete boxed;
    WB_CHECK(status);
  }

  Trace traced_pass(const Launch& launch, const Steps& steps, Clock clock, Cache cache,
                    int iterations, bool every_call) {
    synchronize();  // what was enqueued before has no call record to belong to
    CuptiTracer tracer(every_call);
    if (!tracer.missing().empty()) {
      Trace trace;
      trace.iterations = iterations;
      trace.missing = tracer.missing();
      return trace;
    }
    const bool cold = cache == Cache::cold;
    const bool steady = clock == Clock::device && !cold;
    if (steps.before) steps.before();
    for (int i = 0; i < 2 && !cold; ++i) launch(stream_);
    synchronize();

    std::vector<LaunchWindow> windows(iterations + (steady ? 2 : 0));  // two to fill and to drain
    for (LaunchWindow& window : windows) {
      if (cold) {
        if (steps.before) steps.before();
        evict({});
        if (clock == Clock::wall) synchronize();
      }
      window.start = tracer.now();
      launch(stream_);
      if (clock == Clock::wall) WB_CHECK(cudaDeviceSynchronize());
      window.end = tracer.now();
      if (cold && steps.after) steps.after();
    }
    synchronize();
    return tracer.collect(windows, steady, /*launches_only=*/cold);
  }

  cudaDeviceProp properties_;
  int driver_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t events_[2 * kPending] = {};
  int pending_ = 0;  // launches between two of them
  Times taken_;      // by the host's clock
  void* evict_ = nullptr;
  std::multiset<void*> opened_;  // of another process, each as often as it was attached
  std::set<void*> mapped_;       // in memory that is shared
  std::unique_ptr<Disturbance> disturbance_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend() {
  const auto fail = [](const std::string& why) { throw std::runtime_error(why); };
  int driver = 0, devices = 0;
  cudaDriverGetVersion(&driver);  // leaves 0 where no driver is installed
  if (driver == 0)
    fail("no NVIDIA driver (libcuda.so.1) on this machine: install it, or use --backend=cpu");
  const cudaError_t status = cudaGetDeviceCount(&devices);
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver)
    fail("the NVIDIA driver is too old: it supports CUDA " + version_text(driver) +
         " and this build needs " + version_text(CUDART_VERSION) +
         ": update the driver, build with an older CUDA Toolkit, or use --backend=cpu");
  if (status == cudaErrorNoDevice || (status == cudaSuccess && devices == 0))
    fail(
        "no CUDA device is visible: see nvidia-smi and CUDA_VISIBLE_DEVICES, or use --backend=cpu");
  if (status != cudaSuccess)
    fail(std::string("CUDA does not start: ") + cudaGetErrorName(status) + " (" +
         cudaGetErrorString(status) + "): see nvidia-smi, or use --backend=cpu");

  int device = 0;
  cudaDeviceProp properties;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaGetDeviceProperties(&properties, device));
  cudaFuncAttributes ignored;
  const cudaError_t code = cudaFuncGetAttributes(&ignored, hold_stream);
  cudaGetLastError();
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
      code == cudaErrorUnsupportedPtxVersion)
    fail("this build has no code for " + std::string(properties.name) + " (compute capability " +
         std::to_string(properties.major) + "." + std::to_string(properties.minor) +
         "): run cmake -DWB_CUDA_ARCHITECTURES=" +
         std::to_string(10 * properties.major + properties.minor) +
         (properties.major == 9 ? "a" : "") + " build/cuda, then start again");
  WB_CHECK(code);
  return std::make_unique<CudaBackend>(properties);
}

}  // namespace wb
