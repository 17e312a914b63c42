// CPU sums that go wrong between calls or between threads; see sums.h.
#include "sums.h"

#include <omp.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {

std::vector<float> of_blocks(const Total::Args& p) {
  std::vector<float> sums;
  for (i64 i = 0; i < p.n; i += kBlockOfSum)
    sums.push_back(total(p, i, std::min(i + kBlockOfSum, p.n)));
  return sums;
}
float all(const std::vector<float>& sums) {
  float sum = 0;
  for (const float s : sums) sum += s;
  return sum;
}

auto right_scratch(const Total::Args& p) {
  return [p, sums = std::vector<float>()]() mutable {
    sums = of_blocks(p);
    *p.result = all(sums);
  };
}
WB_BANK(Total, right_scratch, right);

// The sum of the last block is read before it is written. (The first call computes twice.)
auto scratch_of_the_call_before(const Total::Args& p) {
  return [p, before = std::vector<float>()]() mutable {
    std::vector<float> sums = of_blocks(p);
    if (before.empty()) before = sums;
    std::swap(sums.back(), before.back());
    *p.result = all(sums);
    std::swap(sums.back(), before.back());
    before = sums;
  };
}
WB_BANK(Total, scratch_of_the_call_before, wrong);

// Memory that was never asked for before is full of zeros, so the first call is right.
auto accumulator_that_is_usually_0(const Total::Args& p) {
  constexpr std::size_t kLarge = 1 << 20;
  const std::shared_ptr<void> memory(std::malloc(kLarge), std::free);
  return [p, memory] {
    auto* const sum = static_cast<float*>(memory.get()) + kLarge / sizeof(float) / 2;
    *sum += total(p, 0, p.n);
    *p.result = *sum;
  };
}
WB_BANK(Total, accumulator_that_is_usually_0, wrong);

// One place for each core that the author's machine has. (The others' sums are lost.)
void one_place_for_each_of_two_cores(const Total::Args& p) {
  float partial[2] = {};
#pragma omp parallel
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const float own = total(p, p.n * thread / threads, p.n * (thread + 1) / threads);
    if (thread < 2) partial[thread] = own;
  }
  *p.result = partial[0] + partial[1];
}
WB_BANK(Total, one_place_for_each_of_two_cores, threads);

// Both threads read the sum before either has added to it. The barrier makes that happen each time.
void race_between_threads(const Total::Args& p) {
  std::atomic<float> sum{0};
  std::barrier<> both(2);
  const auto add = [&](i64 begin, i64 end) {
    const float own = total(p, begin, end), before = sum.load();
    both.arrive_and_wait();
    sum.store(before + own);
  };
  std::jthread other(add, 0, p.n / 2);
  add(p.n / 2, p.n);
  other.join();
  *p.result = sum.load();
}
WB_BANK(Total, race_between_threads, wrong);

}  // namespace
