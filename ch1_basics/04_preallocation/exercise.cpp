// A program that answers the most urgent request first (MostUrgentFirst): which one that is shows
// when the last has come. It collects the answers in separate memory, in order, and hands them over
// at the end. For each answer it allocates a larger array, sets it to zero, moves all answers there
// and frees the smaller one. It is right, and slow.
//
// TODO: write Answers anew. An answer should be written once, where it then stays; memory that was
//       asked for should serve the next round, too; and the zeros are not needed.
// Goal: at most 8.5 times as long as optimized at requests=20,samples=1048576
// Hints are in README.md.
#include <vector>

#include "request.h"

namespace {

class Answers {
 public:
  explicit Answers(wb::i64 samples) : samples_(samples) {}

  // Room for one more answer, after all that are as urgent or more.
  float* insert(float urgency) {
    const wb::Span span(wb::Work::allocate, "insert");
    const auto place = std::upper_bound(urgencies_.begin(), urgencies_.end(), urgency,
                                        [](float a, float b) { return a > b; });
    const auto before = floats_.begin() + (place - urgencies_.begin()) * samples_;
    std::vector<float> larger(floats_.size() + samples_);
    float* const room = std::copy(floats_.begin(), before, larger.data());
    std::copy(before, floats_.end(), room + samples_);
    floats_.swap(larger);
    urgencies_.insert(place, urgency);
    return room;
  }
  // All answers, one after the other.
  void hand_over(float* to) const {
    const wb::Span span(wb::Work::copy, "hand over");
    std::copy(floats_.begin(), floats_.end(), to);
  }

 private:
  wb::i64 samples_;  // of an answer
  std::vector<float> urgencies_, floats_;
};

auto make(const MostUrgentFirst::Args& p) {
  return [p, blurred = std::vector<float>(p.samples),
          smooth = std::vector<float>(p.samples)]() mutable {
    if (p.samples == 0) return;
    Answers answers(p.samples);
    for (wb::i64 r = 0; r < p.requests; ++r)
      process(p.signal(r), answers.insert(*p.signal(r)), p.samples, blurred.data(), smooth.data());
    answers.hand_over(p.answers);
  };
}

}  // namespace

WB_CPU(MostUrgentFirst, exercise, make);
