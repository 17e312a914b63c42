// A JSON library makes a tree of each answer, and a sorted set keeps the accepted ones. A library
// is not strict enough by itself: it keeps the last of two fields of one name, so names are counted
// while they are read, and 64.0 must not pass as an integer.
#include <nlohmann/json.hpp>

#include "answers.h"

namespace {

using nlohmann::json;
using tune::Verdict;

Verdict judge(const Answers::Args& p, std::string_view text,
              std::set<tune::Configuration>& accepted) {
  const std::vector<tune::Parameter>& parameters = space().parameters();
  std::size_t names = 0;
  const auto count = [&](int, json::parse_event_t event, json&) {
    names += event == json::parse_event_t::key;
    return true;
  };
  const json value = json::parse(text, count, false);  // without exceptions
  if (!value.is_object() || names != parameters.size()) return Verdict::malformed;
  tune::Configuration c;
  for (const tune::Parameter& parameter : parameters) {
    const auto field = value.find(parameter.name);
    if (field == value.end() || !field->is_number_integer()) return Verdict::malformed;
    const std::vector<int>& values = parameter.values;
    const auto same = [&](int known) { return *field == known; };
    const auto at = std::find_if(values.begin(), values.end(), same);
    c.push_back(static_cast<int>(at - values.begin()));
  }
  if (!space().legal(c)) return Verdict::illegal;
  if (p.tried[number(c)]) return Verdict::tried;
  return accepted.insert(c).second ? Verdict::accepted : Verdict::repeated;
}

void run(const Answers::Args& p) {
  std::set<tune::Configuration> accepted;
  for (wb::i64 i = 0; i < p.n; ++i)
    p.verdict[i] = static_cast<std::uint8_t>(judge(p, p.answer(i), accepted));
}

}  // namespace

WB_CPU(Answers, baseline, run);
