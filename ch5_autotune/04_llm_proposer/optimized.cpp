// All cores read; one decides. Which of two equal answers came first depends on their order, so it
// can't be decided side by side; but next to reading, it costs nothing. So the reading is split,
// and a short second pass in order says what is repeated.
//
// Predict: what would be wrong if each thread marked what it accepted in one shared array?
#include "hashed.h"

namespace {

auto make(const Answers::Args& p) {
  return [p, reader = Reader<Hashed>(), accepted = std::vector<std::uint8_t>(),
          numbers = std::vector<int>(static_cast<std::size_t>(p.n))]() mutable {
#pragma omp parallel for schedule(dynamic, 256)
    for (wb::i64 i = 0; i < p.n; ++i) numbers[i] = reader.read(p.answer(i));
    accepted.assign(kConfigurations, 0);
    for (wb::i64 i = 0; i < p.n; ++i) {
      p.verdict[i] = verdict(numbers[i], p.tried, accepted);
    }
  };
}

}  // namespace

WB_CPU(Answers, optimized, make);
