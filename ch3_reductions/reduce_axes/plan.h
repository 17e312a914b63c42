// How any set of axes of a dense array is reduced in one launch: a pure function of the shape, so
// that it can be printed and tested.
//
// Axes of size 1 are dropped, and neighbours that are both kept or both reduced are one group: the
// array is in memory as if it had been made so. Groups alternate then, and the innermost one
// decides: where it is reduced, neighbours in memory belong to one result ("rows"); where it is
// kept, they belong to neighbouring results ("columns"). Nothing is transposed. Rows that begin or
// end within 16 bytes are "odd": their loads are masked, or take one element each where few results
// have few elements. Of other rows that 1024 threads have loads enough for, a block has all loads
// in flight at once, rather than step by step or shared with other blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "shape.h"

#ifdef __CUDACC__
#define WB_HOST_DEVICE __host__ __device__
#else
#define WB_HOST_DEVICE
#endif

struct Group {
  wb::i64 size, stride;  // stride: elements from one of its places to the next
  bool reduced;
};

struct Collapsed {
  int count = 0;
  Group group[kMostAxes];  // outermost first

  bool rows() const { return count > 0 && group[count - 1].reduced; }
  wb::i64 product(bool reduced) const {
    wb::i64 all = 1;
    for (int g = 0; g < count; ++g) all *= group[g].reduced == reduced ? group[g].size : 1;
    return all;
  }
  std::string text() const {  // reduced groups in brackets
    std::string all;
    for (int g = 0; g < count; ++g) {
      const std::string size = std::to_string(group[g].size);
      all += (g ? " " : "") + (group[g].reduced ? "[" + size + "]" : size);
    }
    return count ? all : "1";
  }
};

inline Collapsed collapse(const Shape& shape) {
  Collapsed c;
  wb::i64 stride = 1;
  for (int a = shape.rank - 1; a >= 0; --a) {
    if (shape.size[a] == 1) continue;
    if (c.count > 0 && c.group[c.count - 1].reduced == shape.reduced[a])
      c.group[c.count - 1].size *= shape.size[a];
    else
      c.group[c.count++] = {shape.size[a], stride, shape.reduced[a]};
    stride *= shape.size[a];
  }
  std::reverse(c.group, c.group + c.count);
  return c;
}

// n / by as a multiplication and a shift, for n < 2^31: Granlund and Montgomery, "Division by
// Invariant Integers using Multiplication" (PLDI 1994). A larger one gives 0, as 2^31 does.
struct Divisor {
  unsigned by = 1, factor = 1, shift = 0;

  Divisor() = default;
  explicit Divisor(wb::i64 n)
      : by(static_cast<unsigned>(std::clamp<wb::i64>(n, 1, wb::i64{1} << 31))) {
    while (std::uint64_t{1} << shift < by) ++shift;
    const std::uint64_t over = (std::uint64_t{1} << shift) - by;
    factor = static_cast<unsigned>((over << 32) / by + 1);
  }
  WB_HOST_DEVICE unsigned quotient(unsigned n) const {
    return (static_cast<unsigned>(std::uint64_t{n} * factor >> 32) + n) >> shift;
  }
};

// The offset of the index'th place of some groups, in elements. The first group added is the
// fastest.
struct Places {
  static constexpr int kMost = 4;  // of 8 groups that alternate
  int count = 0;
  Divisor size[kMost];
  wb::i64 stride[kMost] = {};

  void add(wb::i64 places, wb::i64 apart) {
    size[count] = Divisor(places), stride[count++] = apart;
  }
  WB_HOST_DEVICE wb::i64 offset(unsigned index) const {
    wb::i64 at = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int g = 0; g < kMost - 1; ++g) {
      if (count <= g + 1) return at + index * stride[g];
      const unsigned rest = size[g].quotient(index);
      at += static_cast<wb::i64>(index - rest * size[g].by) * stride[g];
      index = rest;
    }
    return at + index * stride[kMost - 1];
  }
};

// What to turn for another GPU.
constexpr int kWarp = 32;
constexpr int kLoadBytes = 16;       // the widest load
constexpr int kMostThreads = 256;    // per block, of small teams, and where there is little
constexpr int kRowThreads = 512;     // per block, of rows that it takes step by step
constexpr int kTallThreads = 512;    // per block, of columns
constexpr int kWholeThreads = 1024;  // per block, of rows that it has in flight at once
constexpr int kHeld = 1024;          // threads that a multiprocessor must have registers for
constexpr int kLoads = 8;            // of a thread, in flight before the first is used
constexpr int kFewLoads = 4;         // the same of whole rows: all threads have registers then
constexpr int kOddLoads = 4;         // the same for rows that begin or end within 16 bytes
constexpr int kRun = 160;            // elements of such a row that a warp takes in loads of one
constexpr int kRuns = 8;             // of them, in flight before the first is used
constexpr int kPairLoads = 4;        // and for columns' blocks that share their multiprocessor
constexpr int kShortLoads = 4;       // per lane, of rows that do not take a whole warp
constexpr int kWarpLoads = 16;       // per lane, of the longest row for a warp
constexpr int kWaves = 4;            // at most: how often the device is filled with pieces of rows
constexpr int kMostLanes = 64;       // threads beside each other in a column's block, if it is deep
constexpr int kSplitLanes = 16;      // the same where blocks share results: 256 bytes
constexpr int kLeastLanes = 8;       // 128 bytes

enum class Kernel { copy, rows, columns };

struct Plan {
  Collapsed shape;
  Kernel kernel = Kernel::copy;
  int width = 1;       // elements per load, or per run
  bool odd = false;    // rows that begin or end within 16 bytes: loads are masked
  bool runs = false;   // few such rows: runs of loads of one element each
  bool whole = false;  // rows that are not odd, all of which a block has in flight at once
  wb::i64 outer = 1;   // kept places, those of a columns' innermost group aside
  wb::i64 packs = 1;   // loads across the innermost group
  wb::i64 steps = 1;   // loads down to a result: the reduced places, in packs where that is rows
  int across = 1;      // threads next to each other
  int team = 1;        // threads that share results: `across` times the threads below each other
  int threads = 1;     // per block: a team of more than a warp, or several teams
  int loads = kLoads;  // of a column's thread or a whole row's, in flight before the first is used
  wb::i64 tiles = 1;   // teams across the columns
  wb::i64 pieces = 1;  // blocks per team's results; the last one that is done combines them
  wb::i64 share = 0;   // steps per piece

  wb::i64 teams() const { return outer * tiles; }
  wb::i64 blocks() const {
    return team > kWarp ? teams() * pieces : (teams() * team + threads - 1) / threads;
  }
  std::string text() const {
    if (kernel == Kernel::copy) return shape.text() + ": nothing to reduce, a copy";
    std::string who = std::to_string(team) + (team == 1 ? " thread" : " threads");
    if (across > 1) who += ", " + std::to_string(across) + " across";
    const bool rows = kernel == Kernel::rows;
    std::string all = shape.text() + (rows ? ": rows, " : ": columns, ") + who + ", " +
                      (rows && !whole ? "" : std::to_string(loads) + " ") +
                      (runs ? "runs of " : "loads of ") + std::to_string(width) +
                      (odd ? ", masked" : "");
    if (whole) all += ", all at once";
    if (runs) all += ", all at once: few odd rows";
    if (pieces > 1) all += ", " + std::to_string(pieces) + " blocks per result: too few results";
    return all;
  }
};

// Loads that one result takes have numbers of 31 bits, and so have loads across, teams and blocks.
inline bool fits(const Plan& plan) {
  constexpr wb::i64 kMost = INT32_MAX;
  return plan.steps <= kMost && plan.packs <= kMost && plan.teams() <= kMost &&
         plan.blocks() <= kMost;
}

inline wb::i64 divide_up(wb::i64 a, wb::i64 b) { return (a + b - 1) / b; }

// Into how many pieces rows are cut, so that blocks fill the device's `slots` a whole number of
// times: the fewest of those that do it as well.
inline wb::i64 pieces_for(wb::i64 teams, wb::i64 most, wb::i64 slots) {
  wb::i64 best = 1;
  double filled = 0;
  for (wb::i64 pieces = 1; pieces <= std::max<wb::i64>(most, 1); ++pieces) {
    const wb::i64 blocks = teams * pieces, waves = (blocks + slots - 1) / slots;
    const double now = static_cast<double>(blocks) / static_cast<double>(waves * slots);
    if (now > filled + 0.02) best = pieces, filled = now;
  }
  return best;
}

// `resident`: blocks of kRowThreads that a multiprocessor holds of rows.
inline Plan plan_axes(const Collapsed& c, int element_bytes, std::uintptr_t address,
                      int multiprocessors, int resident = kHeld / kRowThreads) {
  const auto floor2 = [](wb::i64 n) {
    return static_cast<wb::i64>(
        std::bit_floor(static_cast<std::uint64_t>(std::max<wb::i64>(n, 1))));
  };
  const auto ceil2 = [](wb::i64 n) {
    return static_cast<wb::i64>(std::bit_ceil(static_cast<std::uint64_t>(std::max<wb::i64>(n, 1))));
  };
  Plan p;
  p.shape = c;
  const wb::i64 reduced = c.product(true), results = c.product(false);
  if (reduced == 1) return p;
  const int wide = kLoadBytes / element_bytes;
  const wb::i64 inner = c.group[c.count - 1].size;
  const bool even = inner % wide == 0 && address % kLoadBytes == 0;
  const wb::i64 slots = wb::i64{multiprocessors} * resident;
  // Blocks for most multiprocessors.
  const wb::i64 enough = std::max(multiprocessors * 3 / 4, 1);
  wb::i64 deep = 1, most = 1;  // threads below each other, pieces
  if (c.rows()) {
    p.kernel = Kernel::rows, p.width = wide, p.odd = !even, p.outer = results;
    p.packs = even ? inner / wide : (inner + 2 * (wide - 1)) / wide;  // wherever it begins
    p.steps = reduced ? p.packs * (reduced / inner) : 0;
    // A warp needs no barrier, so it takes what it can where there are enough rows for all warps.
    const bool many = results >= slots * kRowThreads / kWarp;
    // Where blocks of so many threads would not fill the device, there are twice as many of half.
    const bool fill = results * p.steps >= slots * kRowThreads * kLoads;
    deep = std::min<wb::i64>(floor2(p.steps / kLoads), fill ? kRowThreads : kMostThreads);
    if (p.steps <= kWarp * (many ? kWarpLoads : kShortLoads)) {
      deep = std::clamp<wb::i64>(ceil2((p.steps + kShortLoads - 1) / kShortLoads),
                                 std::min<wb::i64>(ceil2(p.steps), 4), kWarp);
    } else if (even && p.steps <= kWholeThreads * kFewLoads) {
      p.whole = true, p.loads = kFewLoads;
      deep = kWarp * divide_up(p.steps, kWarp * p.loads);
    } else if (p.odd && results >= enough && c.count <= 4) {
      // A block per result, in runs: if all blocks run at a time, and each has all of its result in
      // flight at once, nothing is left to wait for but one load. Masks would delay it.
      const wb::i64 packs = divide_up(inner, kRun), runs = packs * (reduced / inner);
      const wb::i64 room = multiprocessors * kHeld / kWarp / results;  // warps per block
      const wb::i64 warps = std::min({ceil2(runs), floor2(room), wb::i64{kTallThreads / kWarp}});
      if (warps > 1 && runs <= warps * kRuns) {
        p.runs = true, p.odd = false;
        p.width = kRun, p.packs = packs, p.steps = runs;
        deep = warps * kWarp;
      }
    }
  } else {
    p.kernel = Kernel::columns, p.width = even ? wide : 1;
    p.outer = inner ? results / inner : 0;
    p.packs = inner / p.width;
    p.steps = reduced;
    deep = floor2(p.steps / kLoads);
    wb::i64 across = std::min(ceil2(p.packs), std::max<wb::i64>(kMostLanes, kMostThreads / deep));
    const int least = even ? kLeastLanes : kWarp, split = even ? kSplitLanes : kWarp;
    const wb::i64 pairs = 2 * multiprocessors;
    const auto teams = [&] { return p.outer * divide_up(p.packs, across); };
    // Narrower until most multiprocessors have a block, or two where steps take divisions; and
    // where few blocks would be left for the last wave of pairs.
    const auto few = [&](wb::i64 n) {
      return n < (c.count > 3 ? 2 : 1) * enough ||
             (n > pairs && n < divide_up(n, pairs) * pairs * 3 / 4);
    };
    while (across > least && few(teams())) across /= 2;
    // Where that is too narrow, blocks share results: about a block per multiprocessor, again.
    if (teams() < enough && p.steps > kTallThreads / least * kLoads)
      across = std::min<wb::i64>(ceil2(p.packs), split);
    if (const wb::i64 n = teams(); n > 0 && n < enough)
      most = std::max(multiprocessors / n, divide_up(enough, n));
    const bool tall = p.steps / most >= kTallThreads / across * kLoads;
    deep = std::min(deep, (tall ? kTallThreads : kMostThreads) / across);
    p.across = static_cast<int>(across), p.tiles = divide_up(p.packs, across);
  }
  p.team = p.across * static_cast<int>(deep);
  p.threads = p.team > kWarp ? p.team : kMostThreads;
  p.share = p.steps;
  const wb::i64 full = deep * kLoads;  // steps that a team asks for at a time
  if (p.team > kWarp && p.teams() > 0 && p.steps > full) {
    if (p.kernel == Kernel::rows) {
      const wb::i64 places = slots * kRowThreads / std::max<wb::i64>(deep, kMostThreads);
      most = pieces_for(p.teams(), std::min(kWaves * places / p.teams(), p.steps / full), places);
    }
    const wb::i64 pieces = std::min(most, p.steps / full);
    p.share = divide_up(divide_up(p.steps, pieces), deep) * deep;
    p.pieces = divide_up(p.steps, p.share);
  }
  if (p.kernel == Kernel::columns && even && p.blocks() > multiprocessors) p.loads = kPairLoads;
  return p;
}

// The places of a team's results, and those that it reduces.
inline Places kept_places(const Plan& p) {
  Places places;
  for (int g = p.shape.count - 1; g >= 0; --g) {
    const Group& group = p.shape.group[g];
    const bool across = p.kernel == Kernel::columns && g == p.shape.count - 1;
    if (!group.reduced && !across) places.add(group.size, group.stride);
  }
  return places;
}
inline Places reduced_places(const Plan& p) {
  Places places;
  for (int g = p.shape.count - 1; g >= 0; --g) {
    const Group& group = p.shape.group[g];
    const bool along = p.kernel == Kernel::rows && g == p.shape.count - 1;
    if (group.reduced) places.add(along ? p.packs : group.size, along ? p.width : group.stride);
  }
  return places;
}
