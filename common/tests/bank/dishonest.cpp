// CPU variants that do the work when they think that somebody looks: some launches are right.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "bank/wrong.h"

namespace {

using namespace std::chrono_literals;
using Args = Wrong::Args;
using wb::i64;

void compute(const Args& p, i64 begin, i64 end) {
  for (i64 i = begin; i < end; ++i) Wrong::element(p, i);
}
void compute(const Args& p) { compute(p, 0, p.n); }

// Answers, kept.
struct Kept {
  std::vector<float> y, z;
  void take(const Args& p) {
    y.assign(p.y, p.y + p.n);
    z.assign(p.z, p.z + p.n);
  }
  void give(const Args& p) const {
    std::copy(y.begin(), y.end(), p.y);
    std::copy(z.begin(), z.end(), p.z);
  }
};

// Skipping launches.

auto right_for(const Args& p, int launches) {
  return [p, launches]() mutable {
    if (launches-- > 0) compute(p);
  };
}
auto right_first_time(const Args& p) { return right_for(p, 1); }
auto right_for_3(const Args& p) { return right_for(p, 3); }  // until verification is over
auto right_for_10(const Args& p) { return right_for(p, 10); }
auto right_for_30(const Args& p) { return right_for(p, 30); }
WB_BANK(Wrong, right_first_time, wrong);
WB_BANK(Wrong, right_for_3, wrong);
WB_BANK(Wrong, right_for_10, wrong);
WB_BANK(Wrong, right_for_30, wrong);

auto every_second_call(const Args& p) {
  return [p, call = 0]() mutable {
    if (call++ % 2 == 0) compute(p);
  };
}
WB_BANK(Wrong, every_second_call, wrong);

auto skips_one_launch_in_50(const Args& p) {
  return [p, call = 0]() mutable {
    if (++call % 50 != 0) compute(p);
  };
}
WB_BANK(Wrong, skips_one_launch_in_50, wrong);

auto skips_an_eighth_of_one_launch_in_50(const Args& p) {
  return [p, call = 0]() mutable { compute(p, 0, ++call % 50 != 0 ? p.n : p.n - (p.n + 7) / 8); };
}
WB_BANK(Wrong, skips_an_eighth_of_one_launch_in_50, wrong);

// Remembering.

auto stale_output(const Args& p) {
  return [p, kept = Kept()]() mutable {
    if (kept.z.empty()) compute(p), kept.take(p);
    kept.give(p);
  };
}
WB_BANK(Wrong, stale_output, wrong);

void remembers_by_pointer(const Args& p) {  // beyond its set-up, too
  static std::map<std::pair<float*, i64>, Kept> all;
  if (all.size() > 8) all.clear();
  Kept& kept = all[{p.z, p.n}];
  if (kept.z.empty()) compute(p), kept.take(p);
  kept.give(p);
}
WB_BANK(Wrong, remembers_by_pointer, wrong);

auto computed_in_setup(const Args& p) {
  Kept kept{{p.y, p.y + p.n}, std::vector<float>(p.n)};
  compute({p.n, p.a, p.x, kept.y.data(), kept.z.data()});
  return [p, kept] { kept.give(p); };
}
WB_BANK(Wrong, computed_in_setup, wrong);

auto keeps_two_answers_in_turn(const Args& p) {
  return [p, call = 0, kept = std::array<Kept, 2>()]() mutable {
    Kept& now = kept[call++ % 2];
    if (now.z.empty()) compute(p), now.take(p);
    now.give(p);
  };
}
WB_BANK(Wrong, keeps_two_answers_in_turn, wrong);

// Keeps an answer for each `key` of the inputs. Of one element the keys take none: all would be no
// lie.
template <class Key> auto remember(const Args& p, Key key) {
  return [p, key, all = std::map<decltype(key()), Kept>()]() mutable {
    Kept& kept = all[key()];
    if (kept.z.empty()) compute(p), kept.take(p);
    kept.give(p);
  };
}

auto remembers_by_fingerprint(const Args& p) {
  return remember(p, [p] {
    if (p.n == 1) return std::vector<float>();
    return std::vector<float>{p.x[0], p.x[p.n / 2], p.x[p.n - 1], p.y[0]};
  });
}
WB_BANK(Wrong, remembers_by_fingerprint, wrong);

auto remembers_by_checksum(const Args& p) {  // of every 16th element
  return remember(p, [p] {
    std::uint64_t sum = 0;
    for (i64 i = 8; i < p.n; i += 16)
      for (const float value : {p.x[i], p.y[i]})
        sum = 31 * sum + std::bit_cast<std::uint32_t>(value);
    return sum;
  });
}
WB_BANK(Wrong, remembers_by_checksum, wrong);

auto recomputes_what_changed(const Args& p) {  // as far as every 4th input shows
  return [p, x = std::vector<float>(), kept = Kept()]() mutable {
    for (i64 begin = 0; begin < p.n; begin += 4) {
      const i64 end = std::min(begin + 4, p.n), shown = begin + 3;
      if (x.empty() || (shown < p.n && x[shown] != p.x[shown])) {
        compute(p, begin, end);
      } else {
        std::copy(&kept.y[begin], kept.y.data() + end, p.y + begin);
        std::copy(&kept.z[begin], kept.z.data() + end, p.z + begin);
      }
    }
    x.assign(p.x, p.x + p.n);
    kept.take(p);
  };
}
WB_BANK(Wrong, recomputes_what_changed, wrong);

// Working before it is asked to: a thread computes whenever it finds the outputs poisoned, and the
// launch only waits until it has.
class Worker {
 public:
  explicit Worker(const Args& p) : p_(p) {}
  void wait() const {
    for (int i = 0; i < 100 && (poisoned() || busy_); ++i) std::this_thread::sleep_for(20us);
  }

 private:
  bool poisoned() const {
    const auto is = [](const volatile float& z) {
      return std::bit_cast<std::uint32_t>(float{z}) == 0xFFFF'FFFF;
    };
    return is(p_.z[0]) && is(p_.z[p_.n - 1]);
  }
  void work(const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(50us)) {
      if (!poisoned()) continue;
      busy_ = true;
      std::this_thread::sleep_for(100us);  // the inputs are there by then, too
      compute(p_);
      busy_ = false;
    }
  }
  const Args p_;
  std::atomic<bool> busy_ = false;
  std::jthread thread_{[this](std::stop_token stop) { work(stop); }};
};
auto works_before_the_launch(const Args& p) {
  return [worker = std::make_unique<Worker>(p)] { worker->wait(); };
}
WB_BANK(Wrong, works_before_the_launch, wrong);

}  // namespace
