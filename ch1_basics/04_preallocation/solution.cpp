// The exercise, solved: reserve() takes the number at its word, so asking for one answer more each
// time moves all of them each time. Left alone, a vector doubles when it is full. And a vector that
// is cleared keeps its memory: from the second round on nothing is allocated.
#include <vector>

#include "request.h"

namespace {

auto make(const Preallocation::Args& p) {
  return [p, answers = std::vector<float>(), blurred = std::vector<float>(p.samples),
          smooth = std::vector<float>(p.samples)]() mutable {
    answers.clear();
    for (wb::i64 r = 0; r < p.requests; ++r) {
      {
        const wb::Span span(wb::Work::allocate, "append");
        answers.resize(answers.size() + p.samples);
      }
      process(p.signal(r), answers.data() + r * p.samples, p.samples, blurred.data(),
              smooth.data());
    }
    const wb::Span span(wb::Work::copy, "hand over");
    std::copy(answers.begin(), answers.end(), p.answers);
  };
}

}  // namespace

WB_CPU(Preallocation, solution, make);
