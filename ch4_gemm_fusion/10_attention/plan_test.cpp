// Of attention of all shapes: what the plan chooses can be launched, and each kernel that it
// chooses has a test case.
#include "all_shapes/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "attention.h"
#include "cases.h"
#include "on_gpu.h"
#include "same_bits.h"

namespace wb {
namespace {

using attention_plan::Machine;
using attention_plan::Plan;
using attention_plan::Shape;
using attention_plan::Way;

constexpr Machine kHopper = {132, true, {3, 2, 2}}, kAmpere = {108, false, {2, 1, 1}};

template <class F> void for_each_plan(F f) {
  for (const i64 queries : {1, 2, 16, 17, 31, 64, 65, 100, 129, 4096})
    for (const i64 length : {1, 31, 127, 129, 4096, 65536})
      for (const i64 width : {1, 33, 64, 80, 96, 128, 131, 160, 256})
        for (const i64 heads : {1, 8, 32})
          for (const i64 group : {1, 8})
            for (const bool causal : {false, true})
              for (const Machine& machine : {kHopper, kAmpere})
                if (heads % group == 0 && !(causal && queries > length)) {
                  const Shape s{3, heads, heads / group, queries, length, width, causal};
                  f(s, attention_plan::choose(s, machine), machine);
                }
}

// Sums of one accumulator in fp32, as a student writes them first, are right where all products of
// a score are alike and round the same way, too.
TEST(Attention, PlainSumsAreRightWithEachProfile) {
  const auto backend = make_cpu_backend();
  const Variant plain = variant_of<TrainedAttention>(*backend, [](const TrainedAttention::Args& p) {
    const auto *q = static_cast<const float*>(p.q), *k = static_cast<const float*>(p.k),
               *v = static_cast<const float*>(p.v);
    auto* out = static_cast<float*>(p.out);
    for (i64 row = 0; row < p.heads * p.length; ++row, q += p.width, out += p.width) {
      const i64 head = row / p.length * p.length * p.width;
      std::vector<float> scores(p.length);
      for (i64 j = 0; j < p.length; ++j) {
        for (i64 l = 0; l < p.width; ++l) scores[j] += q[l] * k[head + j * p.width + l];
        scores[j] /= std::sqrt(static_cast<float>(p.width));
      }
      const float most = *std::ranges::max_element(scores);
      float sum = 0;
      for (float& score : scores) sum += score = std::exp(score - most);
      for (i64 l = 0; l < p.width; ++l) {
        float mean = 0;
        for (i64 j = 0; j < p.length; ++j) mean += scores[j] * v[head + j * p.width + l];
        out[l] = mean / sum;
      }
      p.log_sum[row] = most + std::log(sum);
    }
  });
  expect_right_with_profiles(*backend, plain, heads_of(1, 1, 67, 256, "full", "fp32"));
}

TEST(AttentionPlan, CanBeLaunched) {
  for_each_plan([](const Shape& s, const Plan& p, const Machine& machine) {
    SCOPED_TRACE(fmt::format("{} queries, {} keys, {} of {} heads, width {}{}: {}", s.queries,
                             s.length, s.kv_heads, s.heads, s.width, s.causal ? ", causal" : "",
                             p.text()));
    EXPECT_EQ(p.heads * p.rows, s.batch * s.heads * s.queries);
    EXPECT_EQ(p.heads, s.batch * s.kv_heads * p.group);
    EXPECT_TRUE(p.way != Way::warpgroups || machine.wgmma);
    EXPECT_TRUE(p.way != Way::few || p.rows <= 16);
    EXPECT_TRUE(p.way != Way::warpgroups || p.splits == 1);
    EXPECT_GE(p.splits, 1);
    EXPECT_LE(p.splits, std::max<i64>(1, s.length / attention_plan::kLeastKeys));
    // Under a mask wgmma's kernel takes the row in its head for the query.
    EXPECT_TRUE(p.way != Way::warpgroups || !p.causal || p.rows == s.queries);
    EXPECT_EQ(p.padded, s.width % 8 != 0) << "TMA and cp.async take whole 16 bytes";
  });
}

// A query whose keys fill no GPU by heads alone.
TEST(AttentionPlan, CutsTheKeysOfFewQueries) {
  const Plan one = attention_plan::choose({1, 32, 4, 1, 8192, 128, true}, kHopper);
  EXPECT_EQ(one.way, Way::few);
  EXPECT_EQ(one.rows, 8) << "the heads that share keys are one";
  EXPECT_FALSE(one.causal) << "the last query sees all keys";
  EXPECT_GE(4 * one.splits, 132) << "a block for each multiprocessor";
  EXPECT_EQ(attention_plan::choose({64, 32, 32, 1, 100, 128, false}, kHopper).splits, 1);
}

std::string way_of(const Plan& p) {
  constexpr const char* kWays[] = {"few", "some", "many", "warpgroups"};
  return fmt::format("{}{}{}", kWays[static_cast<int>(p.way)], p.splits > 1 ? ", splits" : "",
                     p.padded ? ", padded" : "");
}

// In addition to what all variants are tested with.
constexpr Case kOwnCases[] = {
    with_queries(33, heads_of(1, 2, 1000, 128, "full", "bf16")),
    with_queries(65, heads_of(1, 1, 2000, 64, "full", "fp16")),
    with_queries(65, heads_of(1, 1, 2000, 61, "causal", "bf16")),
    with_queries(50, heads_of(2, 1, 1000, 250, "causal", "bf16")),
    with_queries(7, heads_of(1, 2, 1000, 250, "full", "fp16")),
    with_queries(1, heads_of(1, 1, 1, 256, "causal", "bf16")),
    with_queries(3, heads_of(2, 2, 31, 33, "full", "bf16")),
    heads_of(2, 2, 200, 67, "full", "fp16"),
    with_kv_heads(2, heads_of(1, 6, 300, 88, "causal", "fp16")),
    with_kv_heads(1, heads_of(1, 3, 300, 192, "causal", "bf16")),
    with_kv_heads(1, with_queries(20, heads_of(1, 8, 700, 32, "causal", "bf16"))),
    with_kv_heads(1, with_queries(300, heads_of(1, 2, 500, 99, "causal", "bf16"))),
};

TEST(AttentionPlan, EachWayHasATestCase) {
  for (const Machine& machine : {kHopper, kAmpere}) {
    std::set<std::string> all;
    for_each_plan([&](const Shape&, const Plan& p, const Machine& other) {
      if (other.wgmma == machine.wgmma) all.insert(way_of(p));
    });
    std::set<std::string> taken;
    for (const Case& c : tested<Attention>(kOwnCases)) {
      const i64 heads = c["heads"], length = c["length"], queries = c.get("queries", length);
      if (c["batch"] * heads * queries == 0 || c.word("dtype") == std::string("fp32")) continue;
      taken.insert(way_of(
          attention_plan::choose({c["batch"], heads, c.get("kv_heads", heads), queries, length,
                                  c["width"], c.word("mask") == std::string("causal")},
                                 machine)));
    }
    for (const std::string& way : all)
      EXPECT_TRUE(taken.contains(way)) << "no test case takes this way: " << way;
  }
}

// Training has as many queries as keys, and refuses other cases before any exercise sees them.
TEST(TrainedAttention, HasOneLength) {
  for (const Case& c : {with_queries(1, heads_of(1, 2, 31, 64, "full", "fp32")),
                        with_kv_heads(1, heads_of(1, 2, 31, 64, "full", "fp32"))}) {
    const auto array = [](const ArraySpec&) { return nullptr; };
    EXPECT_THROW(bind(problem_of<TrainedAttention>("bank"), c, array), Unsupported);
    EXPECT_NO_THROW(bind(problem_of<Attention>("bank"), c, array));
  }
}

TEST(Attention, RefusesQueriesWithoutAKey) {
  const Variant& baseline = linked("cpu", "baseline");
  expect_unknown(baseline, with_queries(32, heads_of(1, 2, 31, 64, "causal", "fp32")));
  expect_unknown(baseline, with_queries(1, heads_of(1, 2, 0, 64, "full", "fp32")));
  expect_unknown(baseline, with_kv_heads(2, heads_of(1, 3, 31, 64, "full", "fp32")));
  expect_unknown(baseline, with_kv_heads(0, heads_of(1, 3, 31, 64, "full", "fp32")));
}

#ifdef WB_WITH_CUDA
using AttentionAllShapesCuda = OnGpu;

TEST_F(AttentionAllShapesCuda, EachWayIsRight) {
  expect_right(*backend_, linked("cuda", "all_shapes"), kOwnCases);
}
#endif

}  // namespace
}  // namespace wb
