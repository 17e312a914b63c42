#include "device/simt/counts.h"

#include <algorithm>
#include <bit>
#include <map>

#include "device/simt/lines.h"
#include "device/simt/memory.h"
#include "wb/coalescing.h"

namespace simt {

using wb::Count;

bool counting = false;
Places places;
double counted_blocks = 0, counted_calls = 0;

namespace {

// Numbers, each once. Neighbours come one after the other, so the last ones are looked at first;
// and they are not cleared before, which wb::Distinct does and which takes longer than the rest.
struct Distinct {
  std::array<std::uintptr_t, 64> seen;
  int count = 0;
  bool add(std::uintptr_t number) {
    for (int i = count - 1; i >= 0; --i)
      if (seen[static_cast<std::size_t>(i)] == number) return false;
    seen[static_cast<std::size_t>(count++)] = number;
    return true;
  }
};

template <class F> void each_lane(const Request& r, F f) {
  for (std::uint32_t left = r.lanes; left; left &= left - 1) f(std::countr_zero(left));
}

// As a picture shows it.
wb::Access picture_of(const Request& r) {
  wb::Access a;
  a.verb = r.event.kind == Kind::atomic                                      ? a.changes
           : r.event.kind == Kind::load || r.event.kind == Kind::shared_load ? a.reads
                                                                             : a.writes;
  a.bytes = r.event.bytes;
  a.at.fill(a.kIdle);
  std::uintptr_t lowest = ~std::uintptr_t{0};
  each_lane(r, [&](int lane) { lowest = std::min(lowest, r.addresses[lane]); });
  std::uintptr_t begin = shared_begin(reinterpret_cast<const void*>(lowest));
  a.shared = begin != 0;
  if (!a.shared) begin = lowest & ~(std::uintptr_t{4 * wb::kSectorBytes} - 1);
  each_lane(r, [&](int lane) { a.at[lane] = static_cast<long>(r.addresses[lane] - begin); });
  return a;
}

}  // namespace

void count(const Request& r, std::uint64_t warp) {
  AtPlace& at = places[r.event.place];
  if (warp < at.warp) {
    at.warp = warp;
    at.first = picture_of(r);
    at.cost = at.first.shared ? cycles_of(r).cycles : sectors_of(r);
  }
  wb::Counts& counts = at.counts;
  counts[Count::lanes] += std::popcount(r.lanes);
  switch (r.event.kind) {
    case Kind::load:
    case Kind::store: {
      const bool load = r.event.kind == Kind::load;
      counts[load ? Count::loads : Count::stores] += 1;
      counts[load ? Count::load_sectors : Count::store_sectors] += sectors_of(r);
      Distinct starts;
      each_lane(r, [&](int lane) { starts.add(r.addresses[static_cast<std::size_t>(lane)]); });
      counts[Count::asked] += starts.count * r.event.bytes;
      break;
    }
    case Kind::shared_load:
    case Kind::shared_store:
    case Kind::shared_copy: {
      const auto [cycles, least] = cycles_of(r);
      counts[Count::shared] += 1;
      counts[Count::cycles] += cycles;
      counts[Count::least] += least;
      break;
    }
    default:
      counts[Count::atomics] += 1;
      counts[Count::atomic_lanes] += std::popcount(r.lanes);
      each_lane(r, [&](int lane) {
        double& all = at.on_address[r.addresses[static_cast<std::size_t>(lane)]];
        counts[Count::one_address] = std::max(counts[Count::one_address], ++all);
      });
  }
}

int sectors_of(const Request& r) {
  Distinct sectors;
  each_lane(r, [&](int lane) {
    const std::uintptr_t begin = r.addresses[static_cast<std::size_t>(lane)];
    sectors.add(begin / wb::kSectorBytes);
    sectors.add((begin + r.event.bytes - 1) / wb::kSectorBytes);
  });
  return sectors.count;
}

namespace {
Cycles cycles_of_lanes(const Request& r, std::uint32_t lanes) {
  const int words = std::max(1, r.event.bytes / 4);
  // Whether lanes that are so far apart want the same.
  const auto pairs = [&](int start, int apart) {
    for (int lane = start; lane < start + 16; ++lane) {
      const int other = lane ^ apart;
      if ((lanes >> lane & lanes >> other & 1) && r.addresses[static_cast<std::size_t>(lane)] !=
                                                      r.addresses[static_cast<std::size_t>(other)])
        return false;
    }
    return true;
  };
  Cycles all{0, 0};
  for (int start = 0, together; start < 32; start += together) {
    together = 32 / words;
    if (words == 4 && start % 16 == 0 && (pairs(start, 1) || pairs(start, 2))) together = 16;
    std::array<Distinct, wb::kBanks> wanted;  // words of each bank
    int worst = 0;
    for (int lane = start; lane < start + together; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      for (int i = 0; i < words; ++i) {
        const std::uintptr_t word =
            r.addresses[static_cast<std::size_t>(lane)] / wb::kWordBytes + static_cast<unsigned>(i);
        Distinct& bank = wanted[word % wb::kBanks];
        bank.add(word);
        worst = std::max(worst, bank.count);
      }
    }
    all.cycles += worst;
    all.least += worst > 0;
  }
  return all;
}
}  // namespace

Cycles cycles_of(const Request& r) {
  Cycles all = cycles_of_lanes(r, r.lanes);
  if (r.event.kind != Kind::shared_copy || r.event.bytes == 16) return all;
  all.cycles = 0;
  for (std::uint32_t left = r.lanes; left;) {
    std::uint32_t same = 0;  // lanes that read of one line
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (r.lines[lane] == r.lines[static_cast<std::size_t>(std::countr_zero(left))])
        same |= 1u << lane & left;
    all.cycles += cycles_of_lanes(r, same).cycles;
    left &= ~same;
  }
  return all;
}

void begin_counts() {
  counting = true;
  places.clear();
  counted_blocks = counted_calls = 0;
}

std::vector<wb::LineCounts> end_counts() {
  counting = false;
  std::vector<std::uint32_t> all;
  for (const auto& [place, at] : places) all.push_back(place);
  std::ranges::sort(all);
  struct Line {
    wb::Counts counts{};
    std::map<std::pair<int, bool>, const AtPlace*> first = {};  // of each kind
  };
  std::map<std::pair<std::string, int>, Line> by_line;
  const std::vector<std::string> lines = lines_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t colon = std::min(lines[i].find(':'), lines[i].size());
    Line& line = by_line[{lines[i].substr(0, colon),
                          std::atoi(lines[i].c_str() + std::min(colon + 1, lines[i].size()))}];
    const AtPlace& at = places[all[i]];
    wb::Counts own = at.counts;
    own[Count::barriers] /= std::max(1.0, counted_blocks);
    line.counts += own;
    if (own.requests() == 0) continue;
    const AtPlace*& first = line.first[{at.first.verb, at.first.shared}];
    if (!first || at.cost > first->cost) first = &at;
  }
  std::vector<wb::LineCounts> sorted;
  for (const auto& [where, line] : by_line) {
    sorted.push_back(
        {where.first + (where.second ? ":" + std::to_string(where.second) : ""), line.counts});
    for (const auto& [kind, at] : line.first) sorted.back().accesses.push_back(at->first);
  }
  return sorted;
}

}  // namespace simt
