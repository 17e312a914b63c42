// For tests of what a lesson's own can't show, since its inputs are such that additions never
// round: that the same input gives the same bits. `Arrays` are those of one call: `args`, poison()
// for all that it writes, and got() to read that.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/backends.h"
#include "measure/trial.h"
#include "wb/variant.h"
#ifdef WB_WITH_CUDA
#include "wb/cuda.h"
#endif

namespace wb {

inline const Variant& linked(const std::string& backend, const std::string& name = "optimized") {
  for (const Variant& v : linked_variants())
    if (v.backend == backend && v.name == name) return v;
  throw std::runtime_error("no " + name + " for " + backend);
}

// A matrix of numbers of very different size, so that almost every addition rounds, and `results`
// sums of it. `Args` is {operation, type, rows, columns, stride, x, y}.
template <class Args> struct SumsThatRound {
  SumsThatRound(Backend& backend, i64 rows, i64 columns, i64 results)
      : backend(backend),
        x(backend.allocate(rows * columns * sizeof(float), Space::device)),
        y(backend.allocate(results * sizeof(float), Space::device)),
        results(results),
        args{{}, "fp32", rows, columns, columns, x, y} {
    std::vector<float> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::ldexp(static_cast<float>(uniform(7, i)), static_cast<int>(i * 5 % 17));
    backend.upload(x, values.data(), values.size() * sizeof(float), Space::device);
  }
  SumsThatRound(const SumsThatRound&) = delete;
  ~SumsThatRound() { backend.release(x, Space::device), backend.release(y, Space::device); }
  void poison() { backend.fill(y, 0xFF, results * sizeof(float), Space::device); }
  std::vector<float> got() const {
    std::vector<float> sums(results);
    backend.download(sums.data(), y, sums.size() * sizeof(float), Space::device);
    return sums;
  }
  Backend& backend;
  void *x, *y;
  i64 results;
  Args args;
};

// Launches `runs` times, each time behind before(run).
template <class Arrays, class F>
void expect_same_bits(Backend& backend, const Variant& variant, Arrays& arrays, F before,
                      int runs = 20) {
  const Launch launch = variant.make(&arrays.args);
  std::set<decltype(arrays.got())> seen;
  for (int run = 0; run < runs; ++run) {
    before(run);
    arrays.poison();
    launch(backend.stream());
    backend.synchronize_stream();
    seen.insert(arrays.got());
    for (const auto value : *seen.begin()) ASSERT_TRUE(std::isfinite(value));
  }
  EXPECT_EQ(seen.size(), 1u) << variant.name;
}

// On the CPU with another number of threads in turn, on a GPU beside other work.
template <class Arrays>
void expect_same_bits(Backend& backend, const Variant& variant, Arrays& arrays, int runs = 20) {
  if (variant.backend == "cpu") {
    const int cores = omp_get_max_threads();
    expect_same_bits(
        backend, variant, arrays, [](int run) { omp_set_num_threads(1 + run % 5); }, runs);
    omp_set_num_threads(cores);
  } else {
    backend.disturb(true);
    expect_same_bits(
        backend, variant, arrays, [](int) {}, runs);
    backend.disturb(false);
  }
}

#ifdef WB_WITH_CUDA
// Two set-ups on two streams at a time.
template <class A, class B>
void expect_undisturbed(Backend& backend, const Variant& variant, A& a, B& b, int turns = 50) {
  const Launch launch_a = variant.make(&a.args), launch_b = variant.make(&b.args);
  launch_a(backend.stream()), launch_b(backend.stream());
  backend.synchronize_stream();
  const auto want_a = a.got();
  const auto want_b = b.got();
  const Stream stream_a = make_stream(), stream_b = make_stream();
  for (int turn = 0; turn < turns; ++turn) {
    a.poison(), b.poison();
    backend.synchronize();
    for (int i = 0; i < 10; ++i) launch_a(stream_a.get()), launch_b(stream_b.get());
    backend.synchronize();
    ASSERT_EQ(a.got(), want_a);
    ASSERT_EQ(b.got(), want_b);
  }
}
#endif

}  // namespace wb
