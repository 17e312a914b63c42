// For the tests of both lessons: arrays, the ways of a plan, and what is the same for either pass.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "any_shape/plan.h"
#include "cases.h"
#include "device/backends.h"
#include "norm_rows.h"
#include "on_gpu.h"
#include "same_bits.h"

namespace wb {
namespace {

constexpr Machine kH200{132, 227 << 10, true}, kOlder{108, 163 << 10, false},
    kSmall{68, 64 << 10, false};

// The way of either operation, which kernels ask or are compiled for; and how large its clusters
// are.
std::set<std::string> ways_of(const Shape& s, const Machine& m) {
  const Plan p = plan_norm(s, m);
  const std::string rows = s.even ? "even rows" : "odd rows";
  const auto way = [&]() -> std::string {
    switch (p.way) {
      case Way::staged: return fmt::format("staged, {} per access", p.width);
      case Way::warp: return fmt::format("warps, {}, {} loads", rows, p.loads);
      case Way::block: return fmt::format("blocks, {}, {} loads", rows, p.loads);
      case Way::whole: return "blocks, no thread lacks a load";
      case Way::few: return fmt::format("blocks of few rows, {} loads", p.loads);
      case Way::shared: return "shared memory";
      case Way::cluster: return "clusters";
      case Way::pieces: return "pieces, " + rows;
      case Way::slots: return fmt::format("slots of {} elements", p.width);
      default: return "stages, " + rows;
    }
  };
  const int bits = 8 * s.element_bytes;
  std::set<std::string> ways = {fmt::format("{}Norm, {}, {} bits, {}", s.rms ? "RMS" : "Layer",
                                            s.backward ? "backward" : "forward", bits, way())};
  if (p.way == Way::cluster) ways.insert(fmt::format("{} bits, clusters of {}", bits, p.blocks));
  return ways;
}

// Each way of a pass has a case, in the lesson or in `own`.
template <class Lesson, std::size_t kCount>
void expect_each_way(bool back, const Case (&own)[kCount]) {
  std::set<std::string> all;
  for (const bool rms : {false, true})
    for (const int bytes : {2, 4})
      for (const i64 rows : {i64{1}, i64{132}, i64{2112}})
        for (i64 columns = 8; columns < 4'000'000; columns += 1 + columns / 8)
          for (const bool even : {false, true})
            for (const bool run : {false, true})
              all.merge(ways_of({back, rms, bytes, rows, even ? columns / 8 * 8 : columns, even,
                                 run, even || bytes == 4 || columns % 2 == 0},
                                kH200));
  expect_a_case_for_each(all, tested<Lesson>(own), [](const Case& c) {
    const int bytes = static_cast<int>(NormRows::element_bytes(c.word("dtype")));
    const std::string_view op = c.word("op");
    const i64 rows = c["rows"], columns = c["columns"];
    if (rows * columns == 0) return std::set<std::string>{};
    const i64 stride = c.get("stride", columns), late = c.get("late", 0) * bytes;
    const i64 all = (columns | stride) * bytes | late;
    return ways_of(
        {op.ends_with("_backward"), op.starts_with("rmsnorm"), bytes, rows, columns,
         all % kLoadBytes == 0, stride == columns && late % kLoadBytes == 0, all % 4 == 0},
        kH200);
  });
}

// The arrays of a case, all in fp32, of numbers of very different size: almost every addition
// rounds.
struct Norms {
  Norms(Backend& backend, bool rms, bool backward, i64 rows, i64 columns) : backend(backend) {
    const auto in = [&](i64 count) {
      std::vector<float> values(count);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::ldexp(static_cast<float>(uniform(7, i)), static_cast<int>(i * 5 % 17));
      auto* const data = out(count);
      results.pop_back();
      backend.upload(data, values.data(), values.size() * sizeof(float), Space::device);
      return data;
    };
    args.rms = rms, args.backward = backward, args.dtype = "fp32";
    args.rows = rows, args.columns = args.stride = columns;
    args.x = in(rows * columns), args.weight = in(columns);
    if (backward) {
      args.dy = in(rows * columns), args.rstd = in(rows);
      if (!rms) args.mean = in(rows);
      args.dx = out(rows * columns), args.dweight = out(columns);
      if (!rms) args.dbias = out(columns);
    } else {
      if (!rms) args.bias = in(columns);
      args.y = out(rows * columns);
    }
  }
  Norms(const Norms&) = delete;
  ~Norms() {
    for (void* array : arrays) backend.release(array, Space::device);
  }
  float* out(i64 count) {
    arrays.push_back(backend.allocate(count * sizeof(float), Space::device));
    results.emplace_back(arrays.back(), count);
    return static_cast<float*>(arrays.back());
  }
  void poison() {
    for (const auto& [data, count] : results)
      backend.fill(data, 0xFF, count * sizeof(float), Space::device);
  }
  std::vector<float> got() const {
    std::vector<float> all;
    for (const auto& [data, count] : results) {
      std::vector<float> one(count);
      backend.download(one.data(), data, count * sizeof(float), Space::device);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  Backend& backend;
  NormRows::Args args;
  std::vector<void*> arrays;
  std::vector<std::pair<void*, i64>> results;
};

struct Rows {
  bool rms;
  i64 rows, columns;
};

inline void expect_same_bits(Backend& backend, const Variant& variant, bool backward,
                             const Rows& shape) {
  SCOPED_TRACE(fmt::format("{} x {}", shape.rows, shape.columns));
  Norms norms(backend, shape.rms, backward, shape.rows, shape.columns);
  expect_same_bits(backend, variant, norms, 10);
}

}  // namespace
}  // namespace wb
