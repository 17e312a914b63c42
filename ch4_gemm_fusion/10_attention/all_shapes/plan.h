// Which kernel takes an attention, and into how many splits its keys are cut: a pure function of
// the shape, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <string>

#include "wb/axes.h"

namespace attention_plan {

using wb::i64;

enum class Way { few, some, many, warpgroups };  // 16, 64 or 128 rows of a block; 128 by wgmma
constexpr int kRowsOf[] = {16, 64, 128, 128};

struct Shape {
  i64 batch, heads, kv_heads, queries, length, width;
  bool causal;
};

struct Machine {
  int multiprocessors;
  bool wgmma;
  int resident[3];  // blocks of few, some and many that a multiprocessor holds at a time
};

struct Plan {
  Way way;
  // Heads that share keys are stored one after the other. Without a mask they are one head with
  // more rows, and with few queries also under it.
  i64 heads, rows;  // as the kernel sees them
  i64 group;        // of these heads share keys
  bool causal;      // and it hides something
  int splits;       // of the keys, in blocks of their own
  bool padded;      // q, k and v are copied to rows of whole 16 bytes

  std::string text() const {
    constexpr const char* kNames[] = {"mma.sync, 16 rows per block", "mma.sync, 64 rows per block",
                                      "mma.sync, 128 rows per block", "wgmma, 128 rows per block"};
    std::string text = kNames[static_cast<int>(way)];
    if (splits > 1) text += ", keys in " + std::to_string(splits) + " splits";
    return text + (padded ? ", after a copy to rows of whole 16 bytes" : "");
  }
};

constexpr i64 kFewRows = 64;     // up to so many, heads under a mask are one, too
constexpr int kLeastKeys = 128;  // what a split costs in addition to its keys, in keys: an estimate
constexpr int kMostSplits = 128;

// Of a block of mma.sync, its share of a multiprocessor included, per key and row; wgmma's is 1. An
// estimate, too.
constexpr double kCost = 1.8;

// The number of splits that takes the shortest time, and this time.
inline int choose_splits(i64 blocks, i64 length, i64 places, double& rounds_of_keys) {
  int best = 1;
  rounds_of_keys = -1;
  const i64 most = std::clamp<i64>(length / kLeastKeys, 1, kMostSplits);
  for (int splits = 1; splits <= most; ++splits) {
    const i64 rounds = (blocks * splits + places - 1) / places;
    const double time =
        1.0 * rounds * ((length + splits - 1) / splits + (splits > 1 ? kLeastKeys : 0));
    if (rounds_of_keys < 0 || time < rounds_of_keys) best = splits, rounds_of_keys = time;
  }
  return best;
}

inline Plan choose(const Shape& s, const Machine& machine) {
  Plan plan{Way::few, s.batch * s.heads, s.queries, s.heads / s.kv_heads, s.causal && s.queries > 1,
            1,        s.width % 8 != 0};
  if (!plan.causal || plan.group * s.queries <= kFewRows)
    plan.rows *= plan.group, plan.heads /= plan.group, plan.group = 1;
  const auto by_warps = [&](Way way, double& time) {
    const int w = static_cast<int>(way);
    const i64 blocks = plan.heads * ((plan.rows + kRowsOf[w] - 1) / kRowsOf[w]);
    const int splits =
        choose_splits(blocks, s.length, i64{machine.resident[w]} * machine.multiprocessors, time);
    time *= kCost * kRowsOf[w] * machine.resident[w];
    plan.way = way, plan.splits = splits;
  };
  double time = 0;
  if (plan.rows <= 16) {
    by_warps(Way::few, time);
    return plan;
  }
  by_warps(plan.rows <= 64 || s.width > 128 ? Way::some : Way::many, time);
  if (machine.wgmma && (!plan.causal || plan.rows == s.queries)) {
    const i64 tiles = plan.heads * ((plan.rows + 127) / 128);
    const i64 rounds = (tiles + machine.multiprocessors - 1) / machine.multiprocessors;
    if (128.0 * rounds * s.length <= time) plan.way = Way::warpgroups, plan.splits = 1;
  }
  return plan;
}

}  // namespace attention_plan
