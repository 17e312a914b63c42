// The CPU as a device: host memory, steady_clock, and spans instead of activity records.
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <fmt/format.h>
#include <omp.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "device/backends.h"
#include "device/cpu/apart.h"
#include "device/cpu/disturbance.h"
#include "device/cpu/memory.h"
#include "device/cpu/perf_events.h"
#include "device/cpu/spans.h"
#include "wb/cpu.h"

namespace wb {
namespace {

constexpr std::size_t kLine = 64, kWorthThreads = 4096 * kLine;  // bytes

#if defined(__x86_64__)
// clflushopt lets flushes overlap (several times faster than clflush); all but old machines have
// it. As text, because clang++ forgets a function's target in what OpenMP makes of its loop.
bool has_clflushopt() {
  unsigned a, b = 0, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 23 & 1);
}
void flush_line(const char* line) {
  static const bool overlapping = has_clflushopt();
  if (overlapping)
    asm volatile("clflushopt %0" ::"m"(*line) : "memory");
  else
    __builtin_ia32_clflush(line);
}
void wait_for_flushes() { __builtin_ia32_mfence(); }
#elif defined(__aarch64__)
void flush_line(const char* line) { asm volatile("dc civac, %0" ::"r"(line) : "memory"); }
void wait_for_flushes() { asm volatile("dsb ish" ::: "memory"); }
#else
#error "no way to evict a cache line on this processor is known here: add one"
#endif

// Drops a range from every cache level. Other cores' caches too, so this is right for threaded
// variants; much cheaper than streaming twice the last-level cache of a big server.
void flush_lines(const void* data, std::size_t bytes) {
  const auto* begin = static_cast<const char*>(data);
  const i64 lines = static_cast<i64>((bytes + kLine - 1) / kLine);
#pragma omp parallel for schedule(static) if (bytes > kWorthThreads)
  for (i64 i = 0; i < lines; ++i) flush_line(begin + i * kLine);
  wait_for_flushes();
}

std::string first_match(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) {
      const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
      return value == std::string::npos ? "" : line.substr(value);
    }
  return "";
}

// Seconds for which cores have worked for this process, but for the thread that asks.
double other_threads_seconds() {
  return worked_seconds(CLOCK_PROCESS_CPUTIME_ID) - worked_seconds(CLOCK_THREAD_CPUTIME_ID);
}

// Its other threads that run, or wait for a core; 0 where nobody knows.
int other_running_threads() {
  int running = 0;
  const std::string own = std::to_string(::gettid());
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    if (task.path().filename() == own) continue;
    std::ifstream file(task.path() / "stat");  // "17 (name) S ..."
    std::string line;
    std::getline(file, line);
    const auto name = line.rfind(')');
    running += name != std::string::npos && line.size() > name + 2 && line[name + 2] == 'R';
  }
  return running;
}

// How often threads of this process gave their core away, to wait.
double switches() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_nvcsw);
}

class CpuBackend : public Backend {
 public:
  const char* name() const override { return "cpu"; }

  DeviceId device() const override {
    utsname os{};
    uname(&os);
    std::string model = first_match("/proc/cpuinfo", "model name");
    if (model.empty()) model = os.machine;
    const int cores =
        std::min(omp_get_max_threads(), omp_get_num_procs());  // OMP_NUM_THREADS=8 adds none
    const std::string name = fmt::format("{}, {} core{}", model, cores, cores == 1 ? "" : "s");
    return {"cpu", name, name, fmt::format("{} {}, g++ {}", os.sysname, os.release, __VERSION__)};
  }

  std::size_t free_bytes(Space) const override { return free_memory(); }

  void* allocate(std::size_t bytes, Space) override {
    void* data = fenced_memory(bytes);
    fill(data, 0, bytes, Space::device);  // page faults here, not in a timed run
    return data;
  }
  void release(void* data, Space) noexcept override { release_fenced_memory(data); }
  void* share(std::size_t bytes, Space) override { return shared_fenced_memory(bytes); }
  std::string place(void* shared, Space) override { return place_of(shared); }
  void* attach(const std::string& place, std::size_t bytes, Space) override {
    return attach_fenced_memory(place, bytes);
  }

  void upload(void* to, const void* from, std::size_t bytes, Space) override {
    move(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes, Space) override {
    move(to, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes, Space) override {
    move(to, from, bytes);
  }

  void* stream() override { return nullptr; }
  void fill(void* data, int byte, std::size_t bytes, Space) override {
    chunked(bytes, [&](std::size_t at, std::size_t n) {
      std::memset(static_cast<char*>(data) + at, byte, n);
    });
  }
  void hold(double) override {}
  void evict(std::span<const Region> arrays) override {
    for (const Region& r : arrays) flush_lines(r.data, r.bytes);
    const auto wakes_threads = [](const Region& r) { return r.bytes > kWorthThreads; };
    if (std::ranges::any_of(arrays, wakes_threads)) move_threads_apart();
  }
  // The kernel reads them, so that pages whose contents somebody makes up when they are touched
  // give an error.
  void pick(std::span<const Region> places, std::byte* to, std::size_t stride) override {
    std::vector<iovec> here, there;
    std::size_t all = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      here.push_back({to + i * stride, places[i].bytes});
      there.push_back({const_cast<void*>(places[i].data), places[i].bytes});
      all += places[i].bytes;
    }
    const ssize_t got =
        ::process_vm_readv(::getpid(), here.data(), here.size(), there.data(), there.size(), 0);
    if (got == static_cast<ssize_t>(all)) return;
    if (got >= 0 || errno == EFAULT)
      throw std::runtime_error("an output can't be read after the launch: its pages are closed");
    for (std::size_t i = 0; i < places.size(); ++i)  // a container that does not let us
      std::memcpy(to + i * stride, places[i].data, places[i].bytes);
  }
  void synchronize_stream() override {}
  void synchronize() override {}

  // Threads that wait for work spin for a while before they sleep, 30 ms by default with OpenMP. On
  // a busy machine that takes long, but there they hardly run.
  std::string left_running() override {
    double start = 0, used = 0;
    int fewest = std::numeric_limits<int>::max();
    for (int running = 0; (running = other_running_threads()) > 0;) {
      if (running < fewest) fewest = running, start = seconds(), used = other_threads_seconds();
      const double each = (other_threads_seconds() - used) / running, passed = seconds() - start;
      if (each > 0.15)
        return fmt::format("{} of its threads still ran after it had returned: join them", running);
      if (passed > 0.2 && each < 0.02 * passed) return "";
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return "";
  }

  void time(const Launch& launch, Clock, Cache cache, std::span<const Region> arrays) override {
    if (cache == Cache::cold) evict(arrays);
    const double before = switches(), start = seconds();
    launch(nullptr);
    taken_.seconds.push_back(seconds() - start);
    taken_.counters[Counter::switches].push_back(switches() - before);
  }
  void taken(Times& times) override { times.add(std::exchange(taken_, {})); }

  Trace trace(const Launch& launch, const Steps& steps, Clock, Cache, int iterations) override {
    if (steps.before) steps.before();
    if (iterations > 1) launch(nullptr);  // a single one is long, and has been warmed up by samples
    Trace trace;
    keep_spans(true);
    const double start = seconds();
    std::vector<Interval> calls;
    for (; trace.iterations < iterations && !spans_enough(); ++trace.iterations) {
      const double t0 = seconds() - start;
      launch(nullptr);
      calls.push_back({t0, seconds() - start, Activity::compute, "run", 0});
    }
    trace.wall = seconds() - start;
    end_spans(start, trace);
    if (trace.intervals.empty()) trace.intervals = calls;
    return trace;
  }

  HardwareCounts count(const Step& before, const Step& launch) override {
    return count_on_cpu(before, launch);
  }

  void disturb(bool on) override {
    disturbed = on;
    on ? (void)interruptions_.emplace() : interruptions_.reset();
  }
  void offer_threads(int count) override { omp_set_num_threads(count ? count : threads_); }

 private:
  const int threads_ = omp_get_max_threads();
  Times taken_;
  std::optional<Interruptions> interruptions_;
  template <class F> static void chunked(std::size_t bytes, F f) {
    constexpr std::size_t kChunk = 1 << 20;
    const i64 chunks = static_cast<i64>((bytes + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(static) if (chunks > 1)
    for (i64 i = 0; i < chunks; ++i) f(i * kChunk, std::min(kChunk, bytes - i * kChunk));
  }
  static void move(void* to, const void* from, std::size_t bytes) {
    chunked(bytes, [&](std::size_t at, std::size_t n) {
      std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, n);
    });
  }
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace wb
