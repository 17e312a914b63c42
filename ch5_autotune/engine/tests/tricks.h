// Candidates that are fast because they do less than their task, each of a kind that a tuner with a
// model in the loop was fooled by (../../04_llm_proposer/NOTES.md).
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <tuple>
#include <vector>

enum Trick {
  kNothing = 11,   // relies on the answer of another one, which may still be in y
  kConstant,       // zeros, the mean of the answers
  kAtFirst,        // computes while it is checked, and stops when it is timed
  kByAddress,      // keeps the answer to the arrays at these addresses
  kByFingerprint,  // keeps the answer to inputs with these few values
  kAboutRight,     // is off by 0.5 %, where a tolerance of 1 % would not mind
  kLater,          // returns at once, and a thread computes when the clock has stopped
  kFreedMemory     // hopes to be given memory that an answer was in
};

inline void compute(long n, const float* x, float* y) {
  for (long i = 0; i < n; ++i) y[i] = 2 * x[i];
}

template <class Key> void kept(Key key, long n, const float* x, float* y) {
  static std::map<Key, std::vector<float>> all;
  if (all.size() > 8) all.clear();
  std::vector<float>& answer = all[key];
  if (answer.empty()) compute(n, x, y), answer.assign(y, y + n);
  std::copy(answer.begin(), answer.end(), y);
}

template <int kind> void trick(long n, const float* x, float* y) {
  static std::map<long, int> launches;  // of each size; the first three of one are checked
  ++launches[n];
  if (n == 0) return;
  if (kind == kConstant) std::fill_n(y, n, 0.0f);
  if (kind == kAtFirst && launches[n] <= 3) compute(n, x, y);
  if (kind == kByAddress) kept(std::tuple(n, x, y), n, x, y);
  if (kind == kByFingerprint) kept(std::tuple(n, x[0], x[n / 2], x[n - 1]), n, x, y);
  if (kind == kAboutRight)
    for (long i = 0; i < n; ++i) y[i] = 2.01f * x[i];
  if (kind == kLater)
    std::thread([=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      compute(n, x, y);
    }).detach();
  if (kind == kFreedMemory) {
    const float* const found = new float[n];
    std::copy(found, found + n, y);
  }
}
