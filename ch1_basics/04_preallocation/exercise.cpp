// A program that does not know how many requests will come. It collects the answers in memory of
// its own and hands them over at the end. For each answer it allocates a larger array, sets it to
// zero, moves all answers there and frees the smaller one. It is right, and slow.
//
// TODO: write Answers anew. An answer should be written once, where it then stays; memory that was
//       asked for should serve the next round, too; and nobody needs zeros.
// Goal: 0.35 times optimized at requests=20,samples=1048576
// Hints are in README.md.
#include <vector>

#include "request.h"

namespace {

class Answers {
 public:
  explicit Answers(wb::i64 samples) : samples_(samples) {}

  // Room for one more answer.
  float* append() {
    const wb::Span span(wb::Work::allocate, "append");
    std::vector<float> larger(floats_.size() + samples_);
    std::copy(floats_.begin(), floats_.end(), larger.begin());
    floats_.swap(larger);
    return floats_.data() + floats_.size() - samples_;
  }
  // All answers, one behind the other.
  void hand_over(float* to) const {
    const wb::Span span(wb::Work::copy, "hand over");
    std::copy(floats_.begin(), floats_.end(), to);
  }

 private:
  wb::i64 samples_;  // of an answer
  std::vector<float> floats_;
};

auto make(const Preallocation::Args& p) {
  return [p, blurred = std::vector<float>(p.samples),
          smooth = std::vector<float>(p.samples)]() mutable {
    Answers answers(p.samples);
    for (wb::i64 r = 0; r < p.requests; ++r)
      process(p.signal(r), answers.append(), p.samples, blurred.data(), smooth.data());
    answers.hand_over(p.answers);
  };
}

}  // namespace

WB_CPU(Preallocation, exercise, make);
