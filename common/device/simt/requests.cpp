#include "device/simt/requests.h"

#include <algorithm>
#include <bit>
#include <map>

#include "device/simt/lines.h"

namespace simt {

using wb::Count;

bool counting = false;
Places places;
double counted_blocks = 0;
std::vector<Request>* kept_requests = nullptr;

namespace {

constexpr std::uintptr_t kSector = 32, kWord = 4, kBanks = 32;

// Numbers, each once. Neighbours come one after the other, so the last ones are looked at first.
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

void count(const Request& r) {
  AtPlace& at = places[r.event.place];
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
    case Kind::shared_store: {
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
  if (kept_requests) kept_requests->push_back(r);
}

}  // namespace

int sectors_of(const Request& r) {
  Distinct sectors;
  each_lane(r, [&](int lane) {
    const std::uintptr_t begin = r.addresses[static_cast<std::size_t>(lane)];
    sectors.add(begin / kSector);
    sectors.add((begin + r.event.bytes - 1) / kSector);
  });
  return sectors.count;
}

Cycles cycles_of(const Request& r) {
  const int words = std::max(1, r.event.bytes / 4), together = 32 / words;
  Cycles all{0, 0};
  for (int start = 0; start < 32; start += together) {
    std::array<Distinct, kBanks> wanted;  // words of each bank
    int worst = 0;
    for (int lane = start; lane < start + together; ++lane) {
      if (!(r.lanes >> lane & 1)) continue;
      for (int i = 0; i < words; ++i) {
        const std::uintptr_t word =
            r.addresses[static_cast<std::size_t>(lane)] / kWord + static_cast<unsigned>(i);
        Distinct& bank = wanted[word % kBanks];
        bank.add(word);
        worst = std::max(worst, bank.count);
      }
    }
    all.cycles += worst;
    all.least += worst > 0;
  }
  return all;
}

void begin_counts() {
  counting = true;
  places.clear();
  counted_blocks = 0;
}

std::vector<wb::LineCounts> end_counts() {
  counting = false;
  std::vector<std::uint32_t> all;
  for (const auto& [place, at] : places) all.push_back(place);
  std::map<std::pair<std::string, int>, wb::Counts> by_line;
  const std::vector<std::string> lines = lines_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t colon = std::min(lines[i].find(':'), lines[i].size());
    wb::Counts& sum = by_line[{lines[i].substr(0, colon),
                               std::atoi(lines[i].c_str() + std::min(colon + 1, lines[i].size()))}];
    wb::Counts own = places[all[i]].counts;
    own[Count::barriers] /= std::max(1.0, counted_blocks);
    sum += own;
  }
  std::vector<wb::LineCounts> sorted;
  for (const auto& [where, counts] : by_line)
    sorted.push_back(
        {where.first + (where.second ? ":" + std::to_string(where.second) : ""), counts});
  return sorted;
}

void Lanes::merge(std::uint32_t stopped) {
  for (;;) {
    const Event* first = nullptr;
    const auto before = [](const Event& a, const Event& b) {
      return a.depth != b.depth ? a.depth > b.depth : a.place < b.place;
    };
    // All lanes of a meeting are there, but for those that will not come.
    const auto complete = [&](const Event& meeting) {
      for (std::uint32_t left = static_cast<std::uint32_t>(meeting.address); left;
           left &= left - 1) {
        const Queue& q = queues_[static_cast<std::size_t>(std::countr_zero(left))];
        if (q.size() > 0 && (q.head().kind != Kind::meeting || q.head().address != meeting.address))
          return false;
      }
      return true;
    };
    const Event* waits = nullptr;  // a meeting that is not complete
    for (std::size_t lane = 0; lane < queues_.size(); ++lane) {
      const Queue& q = queues_[lane];
      if (q.size() == 0) {
        if (!(stopped >> lane & 1)) return;
        continue;
      }
      const Event& head = q.head();
      if (first && head.same(*first) && head.kind != Kind::meeting) continue;
      if (head.kind == Kind::meeting && !complete(head))
        waits = &head;
      else if (!first || before(head, *first))
        first = &head;
    }
    if (!first) first = waits;
    if (!first) return;
    Request r{.event = *first};
    for (std::size_t lane = 0; lane < queues_.size(); ++lane) {
      Queue& q = queues_[lane];
      if (q.size() == 0) continue;
      const Event& head = q.head();
      const bool takes = r.event.kind == Kind::meeting
                             ? head.kind == Kind::meeting && head.address == r.event.address
                             : head.same(r.event);
      if (!takes) continue;
      r.lanes |= 1u << lane;
      r.addresses[lane] = head.address;
      q.pop();
    }
    if (r.event.kind != Kind::meeting) count(r);
  }
}

}  // namespace simt
