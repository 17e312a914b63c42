// Proposals of a language model, judged. Each answer should be one configuration: a JSON object
// that has every parameter once, with an integer of the parameter's list. Text goes in, and one
// verdict for each answer comes out, the first that applies: malformed, illegal, tried (the journal
// has it), repeated (an answer before it was the same, and was accepted), accepted.
#pragma once

#include <string_view>

#include "../llm/proposals.h"
#include "made_up.h"
#include "wb/cpu.h"

struct Answers {
  static constexpr wb::Case bench[] = {{{"answers", 16384}}};
  static constexpr wb::Case test[] = {{{"answers", 1}}, {{"answers", 100}}, {{"answers", 5000}}};

  struct Args {
    wb::i64 n;
    const std::uint8_t* text;   // kWidth bytes for each answer, filled up with 0
    const std::uint8_t* tried;  // of each configuration, by number(): 1 if the journal has it
    std::uint8_t* verdict;      // tune::Verdict

    std::string_view answer(wb::i64 i) const {
      const std::string_view whole(reinterpret_cast<const char*>(text) + i * kWidth, kWidth);
      return whole.substr(0, whole.find('\0'));
    }
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 n = c["answers"];
    const auto letter = [](wb::i64 at, std::uint64_t seed) {
      return static_cast<double>(letter_of(seed, at / kWidth, at % kWidth));
    };
    const auto third = [](wb::i64 at, std::uint64_t seed) {
      return wb::uniform(seed, static_cast<std::uint64_t>(at)) > 1 / 3. ? 1. : 0.;
    };
    return {n, io.in<std::uint8_t>("text", n * kWidth, letter),
            io.in<std::uint8_t>("tried", kConfigurations, third),
            io.out<std::uint8_t>("verdict", n)};
  }
  static wb::Cost cost(const Args& p) {
    return {.read = static_cast<double>(p.n * kWidth + kConfigurations),
            .write = static_cast<double>(p.n)};
  }
  static wb::Items items(const Args& p) { return {static_cast<double>(p.n), "answer"}; }
  static wb::Tolerance tolerance(const Args&) { return {}; }

  // As the tuner reads them.
  static void reference(const Args& p) {
    std::set<tune::Configuration> tried, asked;
    for (const tune::Configuration& c : space().all())
      if (p.tried[number(c)]) tried.insert(c);
    for (wb::i64 i = 0; i < p.n; ++i) {
      const std::string list = "{\"configurations\":[" + std::string(p.answer(i)) + "]}";
      const auto read = tune::read_proposals(list, space(), tried, asked);
      p.verdict[i] =
          static_cast<std::uint8_t>(read.size() == 1 ? read[0].verdict : tune::Verdict::malformed);
    }
  }
};

constexpr int kMalformed = -1, kIllegal = -2;

// The verdict on an answer that was read as the configuration of this number, or as one of these
// two.
inline std::uint8_t verdict(int n, const std::uint8_t* tried, std::vector<std::uint8_t>& accepted) {
  const auto result = n == kMalformed ? tune::Verdict::malformed
                      : n == kIllegal ? tune::Verdict::illegal
                      : tried[n]      ? tune::Verdict::tried
                      : accepted[n]   ? tune::Verdict::repeated
                                      : tune::Verdict::accepted;
  if (result == tune::Verdict::accepted) accepted[n] = 1;
  return static_cast<std::uint8_t>(result);
}
