// A first measurement, by hand: all that it takes to know how fast a loop is, in one file and with
// nothing but the standard library. Allocate, run, check, time.
//
//   g++ -O2 -std=c++20 by_hand.cpp && ./a.out
//
// A table of samples (rows) and features (columns); every column has its weight.
//
// Predict: swap the two loops of scale(). Each element is still taken once. Does the time change?
// (Why not -O3? Try it, before and after: it may swap them for you.)
//
// Exit codes: 0 fine, 1 a wrong answer.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRows = 1 << 20, kColumns = 16, kElements = kRows * kColumns, kRuns = 9;

void scale(const float* weight, const float* x, float* y) {
  for (int column = 0; column < kColumns; ++column)
    for (int row = 0; row < kRows; ++row) {
      const int i = row * kColumns + column;
      y[i] = weight[column] * x[i];
    }
}

// One product, rounded once: there is just one right answer.
bool correct(const std::vector<float>& weight, const std::vector<float>& x,
             const std::vector<float>& y) {
  for (int i = 0; i < kElements; ++i) {
    const float want = weight[i % kColumns] * x[i];
    if (!(y[i] == want)) {  // so that NaN is wrong
      std::fprintf(stderr, "wrong: y[%d] = %g, want %g\n", i, y[i], want);
      return false;
    }
  }
  return true;
}

}  // namespace

int main() {
  // Random: zeros would hide errors.
  std::vector<float> weight(kColumns), x(kElements), y(kElements, std::nanf(""));
  std::mt19937 random(20260301);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& value : weight) value = uniform(random);
  for (float& value : x) value = uniform(random);

  std::vector<double> seconds;
  for (int i = 0; i < kRuns + 1; ++i) {
    const auto start = Clock::now();
    scale(weight.data(), x.data(), y.data());
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    if (!correct(weight, x, y)) return 1;          // no time is shown for a wrong answer
    std::fill(y.begin(), y.end(), std::nanf(""));  // an answer of before does not count
  }
  seconds.erase(seconds.begin());  // the first warms up
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[kRuns / 2];  // as a machine is sometimes disturbed
  std::printf("%.1f ms, %.1f GB/s (x read once, y written once)\n", 1e3 * median,
              8.0 * kElements / median / 1e9);
}
