// In place, and each call also reverses the array: the last element comes first. Writing an
// element at once would destroy one that is still to be read, so a call writes to another array and
// then copies that back. It is right, and moves every element twice.
//
// TODO: no second array. Which elements does the element at i depend on, and which thread may
//       write where?
// Goal: 0.8 times optimized at rows=4096,columns=4096,calls=8
// Hints are in README.md.
#include <vector>

#include "call.h"

namespace {

void turn(const float* from, float* to, wb::i64 count) {
#pragma omp parallel for simd schedule(static) if (parallel : count >= kWorthThreads)
  for (wb::i64 i = 0; i < count; ++i) to[count - 1 - i] = leaky_relu(from[i]);
}

void copy(const float* from, float* to, wb::i64 count) {
#pragma omp parallel for simd schedule(static) if (parallel : count >= kWorthThreads)
  for (wb::i64 i = 0; i < count; ++i) to[i] = from[i];
}

auto make(const Turning::Args& p) {
  return [p, other = std::vector<float>(p.count)]() mutable {
    for (int i = 0; i < p.calls; ++i) {
      turn(p.y, other.data(), p.count);
      copy(other.data(), p.y, p.count);
    }
  };
}

}  // namespace

WB_CPU(Turning, exercise, make);
WB_NOTE("another problem than the baseline's: each call also turns the array round");
