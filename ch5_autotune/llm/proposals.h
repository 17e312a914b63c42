// The question to a language model, and the strict reading of its answer. The answer is text from
// outside, and most wrong answers look right.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "../engine/proposer.h"
#include "../engine/tunable.h"

namespace tune {

enum class Verdict { accepted, malformed, illegal, repeated, tried };
const char* name(Verdict verdict);

struct Proposal {
  Verdict verdict = Verdict::accepted;
  Configuration configuration = {};
  std::string reason = {};  // with what was proposed
};

// Reads {"configurations": [{"BM": 128, ...}, ...]} and returns a proposal for each, or a single
// malformed one if the answer is anything else. `tried`: those of the journal; `asked`: the
// accepted ones of this generation, to which it adds. It reads the first 64 only.
std::vector<Proposal> read_proposals(const std::string& answer, const Space& space,
                                     const std::set<Configuration>& tried,
                                     std::set<Configuration>& asked);

// The facts that a person would tell first: device, limits, problem.
std::string briefing(const Subject& subject, const Limits& limits);

// What a model is told, as text: the space and what its parameters mean, the fastest configurations
// of the history, its failures with their reasons, the best time with each value of each parameter,
// and these refusals of its answers. It asks for `count` more configurations.
std::string question(const Setting& setting, const History& history, std::size_t count,
                     const std::vector<std::string>& refused);

}  // namespace tune
