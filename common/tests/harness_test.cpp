// The harness on the CPU: labels, random numbers, arrays, memory limits, timing and traces.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>

#include "base/files.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "has.h"
#include "judged/new_inputs.h"
#include "measure/trial.h"
#include "queued_backend.h"
#include "report/standing.h"
#include "wb/cpu.h"

namespace wb {
namespace {

TEST(Case, LabelShowsAxesInTheirOrder) {
  EXPECT_EQ(label({{"m", 64}, {"n", 64}, {"batch", 40}}), "m=64,n=64,batch=40");
  EXPECT_EQ(label({{"size", "large"}, {"dtype", "fp16"}, {"n", 4096}}), "large,fp16,n=4096");
  EXPECT_EQ(label({{"axes", "0,2"}, {"n", 0}}), "axes=0,2,n=0");
  EXPECT_EQ(label({}), "empty");
}

TEST(Case, AxesAreReadByName) {
  constexpr auto make = [] { return Case{{"rows", 0}, {"op", "gelu"}}; };
  static_assert(make()["rows"] == 0 && make().get("columns", 7) == 7);
  const Case c = make();
  EXPECT_STREQ(c.word("op"), "gelu");
  EXPECT_STREQ(c.word("rows"), "");
  EXPECT_THROW(c["rwos"], std::out_of_range);
  EXPECT_THROW(c["op"], std::out_of_range);
}

TEST(Case, AxesAreSetAndDropped) {
  Case c = {{"size", "small"}, {"n", 1}};
  c.set({"n", 2});
  c.set({"k", 3});
  EXPECT_EQ(label(c), "small,n=2,k=3");
  c.drop("size");
  EXPECT_EQ(c, (Case{{"n", 2}, {"k", 3}}));
  EXPECT_FALSE(c == (Case{{"k", 3}, {"n", 2}}));
  for (int i = 0; i < 6; ++i) c.set({keep("axis" + std::to_string(i)), i});
  EXPECT_THROW(c.set({"ninth", 1}), std::length_error);
}

TEST(Uniform, IsInRangeCentredAndDependsOnBothArguments) {
  double sum = 0;
  std::set<double> seen;
  for (int i = 0; i < 100'000; ++i) {
    const double u = uniform(3, i);
    ASSERT_GE(u, -1);
    ASSERT_LT(u, 1);
    sum += u;
    seen.insert(u);
  }
  EXPECT_LT(std::abs(sum / 100'000), 3 * 0.577 / std::sqrt(100'000));  // 3 sigma of the mean
  EXPECT_GT(seen.size(), 99'000u);
  EXPECT_NE(uniform(3, 5), uniform(4, 5));
}

// A problem whose bind is given by the test.
struct Probe {
  Problem problem;
  explicit Probe(std::function<void(Binder&, const Case&)> arrays) {
    problem.lesson = "probe";
    problem.bind = [arrays](Binder& io, const Case& s) {
      arrays(io, s);
      return std::make_shared<int>(0);
    };
    problem.cost = [](const void*) { return Cost{}; };
    problem.tolerance = [](const void*) { return Tolerance{}; };
    problem.reference = [](const void*, Sampler&) {};
  }
};

TEST(Data, ReleasesWhatItAllocatedWhenAnotherArrayFails) {  // a sanitized build would tell
  const auto backend = make_cpu_backend();
  int binds = 0;  // for its size, twice on the host, then on the device
  Probe probe([&](Binder& io, const Case& s) {
    io.inout<float>("x", s["n"]);
    if (++binds == 4) throw std::bad_alloc();
  });
  EXPECT_THROW(Data(probe.problem, {{"n", 1000}}, *backend, 1), std::bad_alloc);
  EXPECT_EQ(binds, 4);
}

TEST(Data, RefusesWhatDoesNotFitBeforeAllocating) {
  const auto backend = make_cpu_backend();
  for (const auto& [n, advice] : {std::pair(i64{1} << 40, "choose a smaller case (--size, --axis)"),
                                  {i64{1} << 60, "choose a smaller case (--size, --axis)"},
                                  {i64{-1}, "a negative size"}}) {
    Probe probe([](Binder& io, const Case& s) { io.in<float>("x", s["n"]); });
    try {
      Data(probe.problem, {{"n", n}}, *backend, 1);
      ADD_FAILURE() << n;
    } catch (const Unsupported& why) {
      EXPECT_TRUE(has(why.what(), advice)) << why.what();
    }
  }
}

// y = x, where x is one number, so that a change is of all of it.
struct OneNumber {
  static constexpr Case bench[] = {{{"n", 100'000}}}, test[] = {{{"n", 1}}};
  struct Args {
    i64 n;
    const float* x;
    float* y;
  };
  static Args bind(Binder& io, const Case& c) {
    const auto fill = [](i64, std::uint64_t seed) { return uniform(seed, 0); };
    return {c["n"], io.in<float>("x", c["n"], fill), io.out<float>("y", c["n"])};
  }
  static Cost cost(const Args&) { return {}; }
  static Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) { std::copy(p.x, p.x + p.n, p.y); }
};

// Linux allows a program 65,530 mappings, and each allocation here takes three.
TEST(Data, AChangeMayBeOfManyElements) {
  const auto backend = make_cpu_backend();
  Data data(problem_of<OneNumber>("probe"), OneNumber::bench[0], *backend, 1, {.tight = true});
  const auto& args = *static_cast<const OneNumber::Args*>(data.arrays.args());
  data.arrays.load(0);
  const float before = args.x[0];
  data.arrays.prepare(Answers::kBases);
  EXPECT_NE(args.x[0], before);
  for (i64 i = 0; i < args.n; ++i) ASSERT_EQ(args.x[i], args.x[0]) << i;
}

// The same number in host memory, which a launch reads before its stream gets there. It comes last,
// so that nothing is uploaded behind it.
struct PinnedNumber : OneNumber {
  static Args bind(Binder& io, const Case&) {
    const auto fill = [](i64, std::uint64_t seed) { return uniform(seed, 0); };
    float* const y = io.out<float>("y", 1);
    return {1, io.in<float>("x", 1, fill, Space::pinned), y};
  }
};

TEST(Data, WhatChangesInHostMemoryIsNotOverwrittenByWhatIsInTheQueue) {
  QueuedBackend backend;
  Data data(problem_of<PinnedNumber>("probe"), {{"n", 1}}, backend, 1,
            {.new_inputs = judged::draw_new_inputs});
  const float* x = static_cast<const PinnedNumber::Args*>(data.arrays.args())->x;
  for (int turn = 0; turn < 2; ++turn) {
    data.arrays.load(0);
    data.arrays.prepare(Answers::kBases);
    backend.synchronize_stream();
    const auto& change = data.answers.changes().at(0).inputs.at(0);
    EXPECT_EQ(std::memcmp(x, change.value.data(), sizeof *x), 0) << *x;
    data.arrays.distrust();
  }
}

TEST(Data, EqualSeedsGiveEqualContentsAcrossLayouts) {
  const auto backend = make_cpu_backend();
  const float* aos = nullptr;
  const float* soa = nullptr;
  static constexpr i64 n = 100;
  Probe probe([&](Binder& io, const Case&) {
    aos = io.in<float>("aos", n * 2,
                       [](i64 i, std::uint64_t seed) { return uniform(seed, i % 2 * n + i / 2); });
    soa = io.in<float>("soa", n * 2, [](i64 i, std::uint64_t seed) { return uniform(seed, i); });
  });
  Data data(probe.problem, {}, *backend, 1);
  data.arrays.load(0);
  for (i64 i = 0; i < n; ++i) {
    ASSERT_EQ(aos[2 * i], soa[i]);
    ASSERT_EQ(aos[2 * i + 1], soa[n + i]);
  }
}

TEST(Data, EmptyArraysAreFineAndPointersAligned) {
  const auto backend = make_cpu_backend();
  std::vector<const void*> pointers;
  Probe probe([&](Binder& io, const Case&) {
    pointers = {io.in<double>("a", 0), io.out<float>("b", 0), io.inout<std::uint8_t>("c", 3)};
  });
  Data data(probe.problem, {}, *backend, 1);
  data.arrays.load(1);
  data.arrays.prepare(true);
  for (const void* p : pointers) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
}

TEST(Data, FindsTheFirstChangeInALargeInput) {
  const auto backend = make_cpu_backend();
  const i64 n = (3 << 20) + 7;  // several pieces, compared by several threads, and a rest
  std::uint8_t* x = nullptr;
  Probe probe([&](Binder& io, const Case& s) {
    x = const_cast<std::uint8_t*>(io.in<std::uint8_t>("x", s["n"]));
  });
  Data data(probe.problem, {{"n", n}}, *backend, 1);
  for (const std::vector<i64>& changed :
       {std::vector<i64>{n - 1}, {n - 1, 1 << 20}, {2 << 20, (1 << 20) - 1}, {n - 1, 0}}) {
    data.arrays.load(0);
    EXPECT_EQ(data.arrays.check(), "");
    for (const i64 i : changed) x[i] ^= 1;
    const std::string first = std::to_string(*std::min_element(changed.begin(), changed.end()));
    EXPECT_EQ(data.arrays.check(), "the input x was changed, first at x[" + first + "]");
  }
}

TEST(Data, AReferenceThatForgetsElementsIsNoExcuse) {
  const auto backend = make_cpu_backend();
  float* y = nullptr;
  Probe probe([&](Binder& io, const Case&) { y = io.out<float>("y", 10); });
  {
    Data data(probe.problem, {}, *backend, 1);
    data.arrays.load(0);
    std::fill_n(y, 10, 1.0f);
    EXPECT_NE(data.arrays.check(), "");
  }
  probe.problem.tolerance = [](const void*) { return Tolerance{.sampled = true}; };
  Data data(probe.problem, {}, *backend, 1);
  data.arrays.load(0);
  std::fill_n(y, 10, 1.0f);
  EXPECT_EQ(data.arrays.check(), "");
  y[3] = NAN;  // even an unsampled element must have been written
  EXPECT_NE(data.arrays.check(), "");
}

// A variant against itself. "same" or "ambiguous" would both be honest on a noisy machine, so what
// must never happen is a verdict that one of two equals is faster.
TEST(Trial, AVariantIsNotFasterThanItself) {
  const auto backend = make_cpu_backend();
  const auto right =
      std::find_if(linked_variants().begin(), linked_variants().end(),
                   [](const Variant& v) { return v.name == "right" && v.backend == "cpu"; });
  ASSERT_NE(right, linked_variants().end());
  Data data(*right->problem, {{"n", 1 << 16}}, *backend, 1);
  Trial a(*right, data, *backend), b(*right, data, *backend);
  std::vector<double> first, second;
  for (int i = 0; i < 9; ++i) {
    std::string error;
    first.push_back(a.sample({.budget = 5e-3}, error));
    second.push_back(b.sample({.budget = 5e-3}, error));
  }
  const report::Comparison r = report::compare(first, second);
  EXPECT_LT(r.low, 1.5);
  EXPECT_GT(r.high, 0.67);
}

TEST(CpuBackend, LaunchesStayWithinTheirBudget) {
  const auto backend = make_cpu_backend();
  int launches = 0;
  const Launch sleep = [&](void*) {
    ++launches;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  const auto time = [&](double budget, int at_most) {
    return time_launches(*backend, sleep, Clock::device, Cache::hot, {}, budget, at_most);
  };
  const auto seconds = time(0.02, 1000);
  EXPECT_EQ(static_cast<int>(seconds.size()), launches);
  EXPECT_GE(launches, 1);
  EXPECT_LE(launches, 10);
  EXPECT_GE(*std::min_element(seconds.begin(), seconds.end()), 0.002);
  launches = 0;
  time(1.0, 3);
  EXPECT_EQ(launches, 3);
}

// A thread that looks for work for a while, on a core that others keep busy.
TEST(CpuBackend, AThreadThatWaitsForACoreIsNotLeftRunning) {
  cpu_set_t allowed, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &allowed)) CPU_SET(core, &one);
  const pid_t other = ::fork();
  if (other == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::sched_setaffinity(0, sizeof one, &one);
    for (;;) ::getppid();  // busy
  }
  ASSERT_GT(other, 0);
  std::atomic<bool> looks = false;
  std::jthread thread([&] {
    const sched_param none = {};
    ::sched_setaffinity(0, sizeof one, &one);
    ::sched_setscheduler(0, SCHED_IDLE, &none);
    looks = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
    while (std::chrono::steady_clock::now() < end) continue;
  });
  while (!looks) std::this_thread::yield();
  EXPECT_EQ(make_cpu_backend()->left_running(), "");
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

// Of a container or a job, whichever of the groups has the least left.
TEST(CpuBackend, MemoryOfItsGroupsIsAllThereIs) {
  const Scratch scratch;
  const std::string root = scratch.file("root");
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root + file).parent_path());
    write_atomically(root + file, text);
  };
  write("/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    1000 kB\n");
  EXPECT_EQ(free_memory(root), 1000u * 1024);
  write("/proc/self/cgroup", "3:cpuset:/job\n0::/job/step\n");
  write("/sys/fs/cgroup/job/step/memory.max", "max\n");
  write("/sys/fs/cgroup/job/step/memory.current", "700\n");
  EXPECT_EQ(free_memory(root), 1000u * 1024);
  write("/sys/fs/cgroup/job/memory.max", "1000\n");
  write("/sys/fs/cgroup/job/memory.current", "700\n");
  write("/sys/fs/cgroup/job/memory.stat", "anon 300\ninactive_file 400\n");
  EXPECT_EQ(free_memory(root), 700u);
  write("/proc/self/cgroup", "4:memory:/job\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "500\n");  // as a container sees its own
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "600\n");
  EXPECT_EQ(free_memory(root), 0u);
}

TEST(CpuBackend, SpansOfThreadsBecomeLanes) {
  const auto backend = make_cpu_backend();
  const Launch work = [](void*) {
    std::jthread loader([] {
      Span span(Work::copy, "load");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    Span span(Work::compute, "compute");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  const Trace t = backend->trace(work, {}, Clock::wall, Cache::hot, 3);
  EXPECT_EQ(t.iterations, 3);
  EXPECT_EQ(t.intervals.size(), 6u);
  const Split s = split(t);
  EXPECT_GE(s.compute * t.wall, 3 * 0.010);  // a busy machine starts threads late
  EXPECT_NEAR(s.compute + s.copies + s.allocation + s.launch + s.idle, 1, 1e-9);
}

TEST(CpuBackend, HasNoMoreCoresThanTheMachine) {
  const int before = omp_get_max_threads(), cores = omp_get_num_procs();
  omp_set_num_threads(cores + 6);
  const std::string name = make_cpu_backend()->device().name;
  omp_set_num_threads(1);
  const std::string one = make_cpu_backend()->device().name;
  omp_set_num_threads(before);
  EXPECT_TRUE(name.ends_with(fmt::format(", {} core{}", cores, cores == 1 ? "" : "s"))) << name;
  EXPECT_TRUE(one.ends_with(", 1 core")) << one;
}

TEST(CpuBackend, AVariantWithoutSpansComputesAllTheTime) {
  const auto backend = make_cpu_backend();
  const Trace t =
      backend->trace([](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, {},
                     Clock::device, Cache::hot, 4);
  EXPECT_GT(split(t).compute, 0.95);
}

}  // namespace
}  // namespace wb
