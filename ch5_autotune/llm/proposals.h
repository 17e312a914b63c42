// What a language model is told, and what it proposed, read strictly: it is text from outside, and
// most of what can be wrong with it looks right.
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

// Of {"configurations": [{"BM": 128, ...}, ...]}: one for each; a single malformed one where the
// answer is anything else. `tried`: those of the journal; `asked`: those of this generation that
// were accepted, to which more are added. What is beyond the first 64 is not looked at.
std::vector<Proposal> read_proposals(const std::string& answer, const Space& space,
                                     const std::set<Configuration>& tried,
                                     std::set<Configuration>& asked);

// What a person would tell first: device, limits, problem.
std::string briefing(const Subject& subject, const Limits& limits);

// The space, the best of the journal, its failures with their reasons, what the values of each
// parameter have come to, and what was refused of the last answer. Asks for `count` more.
std::string question(const Setting& setting, const History& history, std::size_t count,
                     const std::vector<std::string>& refused);

}  // namespace tune
