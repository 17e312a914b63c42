// The bank of wrong variants, CPU half. `right` is the one that must pass.
#include "bank/wrong.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "wb/cpu.h"

namespace {

using Args = Wrong::Args;
using wb::i64;

#define WB_BANK(NAME) \
  static const bool r_##NAME = wb::add_variant<Wrong>("bank", #NAME, "cpu", NAME)

void compute(const Args& p, i64 begin, i64 end, i64 step = 1) {
  for (i64 i = begin; i < end; i += step) {
    p.z[i] = p.a * p.x[i] + p.y[i];
    p.y[i] += 1;
  }
}

void right(const Args& p) { compute(p, 0, p.n); }
WB_BANK(right);

void no_write(const Args&) {}
WB_BANK(no_write);

void zeros(const Args& p) {
  std::fill_n(p.z, p.n, 0.0f);
  std::fill_n(p.y, p.n, 0.0f);
}
WB_BANK(zeros);

void nan(const Args& p) {
  compute(p, 0, p.n);
  p.z[p.n / 2] = std::numeric_limits<float>::quiet_NaN();
}
WB_BANK(nan);

void infinite(const Args& p) {
  compute(p, 0, p.n);
  p.z[p.n / 2] = std::numeric_limits<float>::infinity();
}
WB_BANK(infinite);

void dropped_tail(const Args& p) { compute(p, 0, (p.n - 1) / 32 * 32); }
WB_BANK(dropped_tail);

void overrun(const Args& p) {
  compute(p, 0, p.n);
  p.z[p.n] = 1;
}
WB_BANK(overrun);

void underrun(const Args& p) {
  compute(p, 0, p.n);
  p.z[-1] = 1;
}
WB_BANK(underrun);

void overrun_by_loop(const Args& p) { compute(p, 0, p.n + 1); }
WB_BANK(overrun_by_loop);

void overrun_by_copy(const Args& p) {
  compute(p, 0, p.n);
  p.z[p.n] = p.x[p.n];
}
WB_BANK(overrun_by_copy);

void reads_outside(const Args& p) {  // a value from behind the end reaches the answer
  compute(p, 0, p.n);
  p.z[p.n - 1] += 0 * p.x[p.n];
}
WB_BANK(reads_outside);

void changes_input(const Args& p) {
  compute(p, 0, p.n);
  const_cast<float*>(p.x)[p.n - 1] += 1;
}
WB_BANK(changes_input);

void off_by_1e3(const Args& p) {
  compute(p, 0, p.n);
  p.z[p.n / 2] += p.z[p.n / 2] < 0 ? -1e-3f : 1e-3f;
}
WB_BANK(off_by_1e3);

void half_the_work(const Args& p) {
  compute(p, 0, p.n, 2), std::fill_n(p.z, p.n > 1 ? 0 : 1, 0.0f);
}
WB_BANK(half_the_work);

void swapped_index(const Args& p) {
  for (i64 i = 0; i < p.n; ++i) {
    p.z[i] = p.a * p.x[p.n - 1 - i] + p.y[i] + (p.n == 1 ? 1 : 0);
    p.y[i] += 1;
  }
}
WB_BANK(swapped_index);

auto right_first_time(const Args& p) {
  return [p, first = true]() mutable {
    if (first) compute(p, 0, p.n);
    first = false;
  };
}
WB_BANK(right_first_time);

auto stale_output(const Args& p) {
  return [p, z = std::vector<float>(), y = std::vector<float>()]() mutable {
    if (z.empty()) {
      compute(p, 0, p.n);
      z.assign(p.z, p.z + p.n);
      y.assign(p.y, p.y + p.n);
    } else {
      std::copy(z.begin(), z.end(), p.z);
      std::copy(y.begin(), y.end(), p.y);
    }
  };
}
WB_BANK(stale_output);

auto timed_cheat(const Args& p) {  // does the work until verification is over
  return [p, launches = 0]() mutable {
    if (launches++ < 3) compute(p, 0, p.n);
  };
}
WB_BANK(timed_cheat);

// The work goes on after the call has returned: the CPU's side stream.
auto side_thread(const Args& p) {
  return [p, worker = std::shared_ptr<std::jthread>()]() mutable {
    worker = std::make_shared<std::jthread>([p] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      compute(p, 0, p.n);
    });
  };
}
WB_BANK(side_thread);

}  // namespace
