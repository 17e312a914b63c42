// The bug hunt's reader, fixed: a number consists of digits alone and is not cut to 32 bits, a name
// may occur once, and nothing may follow the object.
#include <charconv>

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
  tune::Configuration c(parameters.size(), -1);
  if (!eat('{')) return kMalformed;
  for (std::size_t field = 0; field < parameters.size(); ++field) {
    if ((field && !eat(',')) || !eat('"')) return kMalformed;
    const std::string name = rest.substr(0, rest.find('"'));
    std::size_t i = 0;
    while (i < parameters.size() && parameters[i].name != name) ++i;
    if (i == parameters.size() || c[i] >= 0) return kMalformed;
    rest.erase(0, name.size());
    if (!eat('"') || !eat(':')) return kMalformed;
    rest.erase(0, rest.find_first_not_of(" \n\t\r"));
    long long value = 0;
    const char *const first = rest.data(), *const last = first + rest.size();
    const auto [end, error] = std::from_chars(first, last, value);
    const char* const digits = first + (rest[0] == '-');
    if (error != std::errc() || (*digits == '0' && end - digits > 1)) return kMalformed;
    rest.erase(0, end - first);
    const std::vector<int>& values = parameters[i].values;
    c[i] = static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
  }
  if (!eat('}') || rest.find_first_not_of(" \n\t\r") != std::string::npos) return kMalformed;
  return space().legal(c) ? number(c) : kIllegal;
}

void run(const Answers::Args& p) {
  std::vector<std::uint8_t> accepted(kConfigurations);
  for (wb::i64 i = 0; i < p.n; ++i) {
    p.verdict[i] = verdict(read(p.answer(i)), p.tried, accepted);
  }
}

}  // namespace

WB_CPU(Answers, solution, run);
