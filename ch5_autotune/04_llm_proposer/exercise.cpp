// Bug hunt: a reader of a few lines, as you would write it in an hour. It guesses what a model
// meant, and that is the mistake: a tuner that takes "64.5" for 64 tries a configuration, and
// stores it, that the model did not propose.
//
//   ./workbook test 04_llm_proposer/exercise
//
// TODO: four kinds of answers that are wrong are accepted here. Find them, and refuse them. Which
//       verdict does "BM":4294967424 get, and why?
// Goal: right at every size
// Hints are in README.md.
#include <cstdlib>

#include "answers.h"

namespace {

// The configuration's number, or one of these.
int read(std::string_view text) {
  std::string rest(text);
  const auto eat = [&](char c) {
    rest.erase(0, rest.find_first_not_of(" \n\t\r"));
    const bool there = !rest.empty() && rest[0] == c;
    if (there) rest.erase(0, 1);
    return there;
  };
  const std::vector<tune::Parameter>& parameters = space().parameters();
  tune::Configuration c(parameters.size(), 0);
  if (!eat('{')) return kMalformed;
  for (std::size_t field = 0; field < parameters.size(); ++field) {
    if ((field && !eat(',')) || !eat('"')) return kMalformed;
    const std::string name = rest.substr(0, rest.find('"'));
    std::size_t i = 0;
    while (i < parameters.size() && parameters[i].name != name) ++i;
    if (i == parameters.size()) return kMalformed;
    rest.erase(0, name.size());
    if (!eat('"') || !eat(':')) return kMalformed;
    char* end = nullptr;
    const int value = static_cast<int>(std::strtoll(rest.c_str(), &end, 10));
    if (end == rest.c_str()) return kMalformed;
    rest.erase(0, rest.find_first_of(",}"));
    const std::vector<int>& values = parameters[i].values;
    c[i] = static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
  }
  if (!eat('}')) return kMalformed;
  return space().legal(c) ? number(c) : kIllegal;
}

void run(const Answers::Args& p) {
  std::vector<std::uint8_t> accepted(kConfigurations);
  for (wb::i64 i = 0; i < p.n; ++i) {
    p.verdict[i] = verdict(read(p.answer(i)), p.tried, accepted);
  }
}

}  // namespace

WB_CPU(Answers, exercise, run);
