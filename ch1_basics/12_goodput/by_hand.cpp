// Goodput by hand, on the CPU: all that the harness of this workbook does for a lesson, in one file
// and with nothing but the standard library. A long array passes through in chunks; each is
// gathered into a fresh buffer ("load"), computed on, and checked at the end.
//
//   g++ -O3 -march=native -std=c++20 by_hand.cpp && ./a.out
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
double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

constexpr int kChunks = 64, kChunk = 1 << 18, kSteps = 8, kIterations = 9;

// The useful work: x drives kSteps of a small simulation.
template <class T> T simulate(T x) {
  T value = 0;
  for (int step = 0; step < kSteps; ++step) value = value * T(0.9375) + x;
  return value;
}
void compute(const std::vector<float>& x, float* y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = simulate(x[i]);
}

struct Times {
  double useful, total;
};

// One iteration. Only the time in compute() is useful. All the rest is necessary, but computes
// nothing.
Times iterate(const std::vector<float>& input, std::vector<float>& output) {
  double useful = 0;
  const auto start = Clock::now();
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const auto from = input.begin() + static_cast<std::ptrdiff_t>(chunk) * kChunk;
    const std::vector<float> buffer(from, from + kChunk);  // allocates and copies
    const auto begin = Clock::now();
    compute(buffer, &output[static_cast<std::size_t>(chunk) * kChunk]);
    useful += seconds_between(begin, Clock::now());
  }
  return {useful, seconds_between(start, Clock::now())};
}

// Compares every element with double precision. Nothing cancels, as all terms have the sign of x,
// so each step adds at most 2^-24 for the multiplication and as much for the addition.
bool correct(const std::vector<float>& input, const std::vector<float>& output) {
  const double allowed = 2.0 * kSteps * 0x1p-24;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const double want = simulate<double>(input[i]);
    if (!(std::abs(output[i] - want) <= allowed * std::abs(want))) {  // so that NaN is wrong
      std::fprintf(stderr, "wrong: y[%zu] = %g, want %g\n", i, output[i], want);
      return false;
    }
  }
  return true;
}

}  // namespace

int main() {
  std::vector<float> input(static_cast<std::size_t>(kChunks) * kChunk), output(input.size());
  std::mt19937 random(20260301);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& value : input) value = uniform(random);

  std::vector<Times> times;
  for (int i = 0; i < kIterations + 1; ++i) {
    std::fill(output.begin(), output.end(), std::nanf(""));  // an answer of before does not count
    times.push_back(iterate(input, output));
    if (!correct(input, output)) return 1;
  }
  times.erase(times.begin());  // the first warms up
  // The median, as a machine is sometimes disturbed.
  std::sort(times.begin(), times.end(), [](auto& a, auto& b) { return a.total < b.total; });
  const auto [useful, total] = times[kIterations / 2];
  std::printf("goodput=%.1f%% (useful=%.2f ms total=%.2f ms)\n", 100 * useful / total, 1e3 * useful,
              1e3 * total);
}
