#include "proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"

namespace tune {
namespace {

using nlohmann::json;

constexpr std::size_t kMost = 64, kBest = 8, kFailures = 12;

// Names of fields in the text, and in the parsed object, where a name that occurs twice counts
// once.
std::size_t fields(const json& value) {
  std::size_t count = value.is_object() ? value.size() : 0;
  if (value.is_structured())
    for (const json& inner : value) count += fields(inner);
  return count;
}

json parse_once(const std::string& text) {
  json value = wb::parse_json(text);
  std::size_t names = 0;  // a colon follows each, and no other is outside of texts
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_text = !in_text;
    if (in_text && text[i] == '\\') ++i;
    names += !in_text && text[i] == ':';
  }
  if (names != fields(value)) throw std::runtime_error("a name is there twice");
  return value;
}

// Throws std::runtime_error where it is malformed.
Proposal read_one(const json& one, const Space& space) {
  if (!one.is_object()) throw std::runtime_error("it is no object");
  const std::vector<Parameter>& parameters = space.parameters();
  for (const auto& field : one.items())
    if (std::none_of(parameters.begin(), parameters.end(),
                     [&](const Parameter& p) { return p.name == field.key(); }))
      throw std::runtime_error("there is no parameter " + field.key().substr(0, 40));
  Proposal proposal;
  for (const Parameter& p : parameters) {
    if (!one.contains(p.name)) throw std::runtime_error(p.name + " is missing");
    const json& value = one[p.name];
    if (!value.is_number_integer()) throw std::runtime_error(p.name + " is no integer");
    const auto at =
        std::find_if(p.values.begin(), p.values.end(), [&](int known) { return value == known; });
    proposal.configuration.push_back(static_cast<int>(at - p.values.begin()));
  }
  proposal.reason = space.why_illegal(proposal.configuration);
  if (!proposal.reason.empty()) proposal.verdict = Verdict::illegal;
  return proposal;
}

}  // namespace

const char* name(Verdict verdict) {
  constexpr const char* names[] = {"accepted", "malformed", "illegal", "repeated", "tried"};
  return names[static_cast<int>(verdict)];
}

std::vector<Proposal> read_proposals(const std::string& answer, const Space& space,
                                     const std::set<Configuration>& tried,
                                     std::set<Configuration>& asked) {
  json whole;
  try {
    whole = parse_once(answer);
    if (!whole.is_object() || whole.size() != 1 || !whole.contains("configurations") ||
        !whole["configurations"].is_array())
      throw std::runtime_error("it is not {\"configurations\": [...]}");
  } catch (const std::exception& e) {
    return {{Verdict::malformed, {}, std::string("the answer is refused: ") + e.what()}};
  }
  std::vector<Proposal> all;
  for (const json& one : whole["configurations"]) {
    if (all.size() == kMost) break;
    Proposal p;
    try {
      p = read_one(one, space);
      if (p.verdict == Verdict::accepted && tried.contains(p.configuration))
        p.verdict = Verdict::tried, p.reason = "it was tried before";
      else if (p.verdict == Verdict::accepted && !asked.insert(p.configuration).second)
        p.verdict = Verdict::repeated, p.reason = "it is there twice";
    } catch (const std::exception& e) {
      p = {Verdict::malformed, {}, e.what()};
    }
    if (!p.reason.empty()) p.reason = wb::dump_json(one).substr(0, 120) + ": " + p.reason;
    all.push_back(std::move(p));
  }
  return all;
}

std::string briefing(const Subject& subject, const Limits& l) {
  return fmt::format(
      "lesson {}, case {}, on {}: {} multiprocessors, {} bytes of shared memory a block, {} "
      "registers a multiprocessor, {} cores, vectors of {} bytes, L2 of {:.0f} bytes, {:.3g} "
      "FLOP/s, {:.3g} bytes/s",
      subject.lesson, subject.axes, subject.device, l.multiprocessors, l.shared_bytes, l.registers,
      l.cores, l.vector_bytes, l.l2_bytes, l.flops, l.bandwidth);
}

std::string question(const Setting& setting, const History& history, std::size_t count,
                     const std::vector<std::string>& refused) {
  const Space& space = *setting.space;
  const std::vector<Parameter>& parameters = space.parameters();
  std::string text =
      fmt::format("{}\nParameters and their values:\n{}\n", setting.briefing, space.identity());
  for (const Parameter& p : parameters)
    if (!p.meaning.empty()) text += fmt::format("{}: {}\n", p.name, p.meaning);
  std::vector<const Record*> right;
  std::map<std::string, const Record*> wrong;  // one of each reason
  std::vector<std::vector<double>> least;      // by parameter and place; 0: was not right yet
  for (const Parameter& p : parameters) least.emplace_back(p.values.size());
  for (const Record& r : history) {
    if (r.status != Status::ok) {
      wrong[fmt::format("{} ({})", name(r.status), r.reason.substr(0, 120))] = &r;
      continue;
    }
    right.push_back(&r);
    for (std::size_t i = 0; i < r.configuration.size(); ++i)
      if (double& known = least[i][r.configuration[i]]; known == 0 || r.seconds < known)
        known = r.seconds;
  }
  text += fmt::format("{} were tried. The fastest:\n", history.size());
  const std::size_t shown = std::min(right.size(), kBest);
  std::partial_sort(right.begin(), right.begin() + static_cast<long>(shown), right.end(),
                    [](auto a, auto b) { return a->seconds < b->seconds; });
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{:.4g} us: {}\n", 1e6 * right[i]->seconds,
                        space.words(right[i]->configuration));
  text += "Least time in us with each value:";
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (std::size_t place = 0; place < least[i].size(); ++place)
      if (least[i][place] > 0)
        text += fmt::format(" {}={}: {:.4g};", parameters[i].name, parameters[i].values[place],
                            1e6 * least[i][place]);
  text += "\nWhat failed, one of each kind:\n";
  std::size_t failures = 0;
  for (const auto& [reason, r] : wrong)
    if (++failures <= kFailures)
      text += fmt::format("{}: {}\n", reason, space.words(r->configuration));
  if (!refused.empty()) text += "Of your answers these were refused:\n";
  for (const std::string& reason : refused) text += reason + "\n";
  return text + fmt::format("Propose {} configurations that may be faster.", count);
}

}  // namespace tune
