// A program that does not know how many requests will come. It collects the answers in a vector of
// its own and hands them over at the end. Room is reserved before each answer is appended, so the
// vector never has to grow while it is written to. Or so the author thought.
//
// TODO: one line makes the vector grow far too often; find it. Then let the memory stay when the
//       answers have been handed over: what does clear() do, and what does a new vector do?
// Goal: 0.5 times baseline at requests=20,samples=1048576
// Hints are in README.md.
#include <vector>

#include "request.h"

namespace {

auto make(const Preallocation::Args& p) {
  return [p, blurred = std::vector<float>(p.samples),
          smooth = std::vector<float>(p.samples)]() mutable {
    std::vector<float> answers;
    for (wb::i64 r = 0; r < p.requests; ++r) {
      {
        const wb::Span span(wb::Work::allocate, "append");
        answers.reserve(answers.size() + p.samples);
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

WB_CPU(Preallocation, exercise, make);
