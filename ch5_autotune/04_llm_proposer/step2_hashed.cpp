// Step 1 compares each of six names with up to six parameters. A hash that is made for these names
// finds each with one comparison.
//
// Predict: all cores could read. Which decision must still be made in order?
#include "hashed.h"

namespace {

auto make(const Answers::Args& p) {
  return [p, reader = Reader<Hashed>(), accepted = std::vector<std::uint8_t>()]() mutable {
    accepted.assign(kConfigurations, 0);
    for (wb::i64 i = 0; i < p.n; ++i) {
      p.verdict[i] = verdict(reader.read(p.answer(i)), p.tried, accepted);
    }
  };
}

}  // namespace

WB_CPU(Answers, step2_hashed, make);
