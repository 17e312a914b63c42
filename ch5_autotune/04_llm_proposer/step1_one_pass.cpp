// A reader for this one kind of answer: one pass over the bytes, no tree, nothing allocated. A byte
// for each configuration says whether it is legal, and another whether it was accepted.
//
// Predict: an answer has some 75 bytes. Where is the time now: in the bytes, the names or the
// numbers?
#include "reader.h"

namespace {

auto make(const Answers::Args& p) {
  return [p, reader = Reader<Listed>(), accepted = std::vector<std::uint8_t>()]() mutable {
    accepted.assign(kConfigurations, 0);
    for (wb::i64 i = 0; i < p.n; ++i) {
      p.verdict[i] = verdict(reader.read(p.answer(i)), p.tried, accepted);
    }
  };
}

}  // namespace

WB_CPU(Answers, step1_one_pass, make);
