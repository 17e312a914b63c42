// A call returns a new vector, as functions do that have no side effects: y = f(x). When its result
// has been used, the vector is freed. Only the last call writes to the caller's array.
//
// Predict: how often is a new vector's memory written before the call has its result there? (The
// system clears pages that a program gets, and a vector sets its elements to zero.)
#include <utility>
#include <vector>

#include "call.h"

namespace {

void run(const InPlace::Args& p) {
  const float* from = p.x;
  std::vector<float> last;
  for (int i = 1; i < p.calls; ++i) {
    std::vector<float> result;
    {
      const wb::Span span(wb::Work::allocate, "allocate");
      result.resize(p.count);
    }
    call(from, result.data(), p.count);
    const wb::Span span(wb::Work::allocate, "free");
    last = std::move(result);  // frees the one before
    from = last.data();
  }
  call(from, p.y, p.count);
}

}  // namespace

WB_CPU(InPlace, baseline, run);
WB_EXERCISE(Turning);
