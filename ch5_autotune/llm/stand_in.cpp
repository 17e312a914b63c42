#include "stand_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <set>
#include <string_view>
#include <vector>

namespace tune {
namespace {

using Places = std::vector<int>;  // for each parameter the place of its value; -1: none

struct Known {
  std::string name, assigned, quoted;  // BM, " BM=" and "\"BM\":"
  std::vector<int> values;             // rising
  std::vector<double> chances;         // of each value to be drawn, in proportion
};

// A refusal whose reason has this word is about these parameters: where each + is as large and each
// - as small, the same resource is short. Where each = is the same, the same values do not fit.
struct Rule {
  std::string_view word, about;
};
constexpr Rule kRules[] = {{"shared memory", "+BM +BN +BK +STAGES +BOXES +BLOCKS "},
                           {"threads", "+CONSUMERS +BLOCKS "},
                           {"wide", "+BN +CONSUMERS +BLOCKS "},
                           {"sums", "+BM +BN -CONSUMERS +BLOCKS "},
                           {"whole", "=BM =CONSUMERS "}};

struct Refusal {
  Places places;
  std::string signs;  // for each parameter + - = as in a rule, or a blank: it does not matter
};

struct Briefing {
  std::vector<Known> parameters;
  std::set<Places> tried;  // that it was told
  std::vector<Refusal> refused;
  std::size_t count = 0;
};

// The number at the start of the text, or 0.
double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The text after `mark`, or "".
std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == text.npos ? std::string_view() : text.substr(at + mark.size());
}

// Of " BM=64 BN=128" or {"BM":64,"BN":128}.
Places places(const Briefing& b, std::string_view text) {
  Places all;
  for (const Known& p : b.parameters) {
    const std::string_view value = after(text, text.starts_with('{') ? p.quoted : p.assigned);
    const auto at = std::find(p.values.begin(), p.values.end(), static_cast<int>(number(value)));
    all.push_back(at == p.values.end() ? -1 : static_cast<int>(at - p.values.begin()));
  }
  return all;
}

// "BM=64,128 BN=64". Values in the middle are likely to be good, as long as nothing else is known.
void read_parameters(std::string_view line, Briefing& b) {
  for (std::string_view word; !line.empty();
       line.remove_prefix(std::min(word.size() + 1, line.size()))) {
    word = line.substr(0, line.find(' '));
    const std::string name(word.substr(0, word.find('=')));
    Known p{name, ' ' + name + '=', '"' + name + "\":", {}, {}};
    for (std::string_view rest = after(word, "="); !rest.empty(); rest = after(rest, ","))
      p.values.push_back(static_cast<int>(number(rest)));
    const auto n = static_cast<int>(p.values.size());
    for (int i = 0; i < n; ++i) p.chances.push_back(1 + std::min(i, n - 1 - i));
    if (n > 0) b.parameters.push_back(std::move(p));
  }
}

// "Least time in us with each value: BM=64: 83.5; BM=128: 80;". A value that is 10 % slower than
// the fastest one is drawn e times less often, and so is one without a time.
void read_times(std::string_view line, Briefing& b) {
  for (Known& p : b.parameters) {
    double fastest = HUGE_VAL;
    std::vector<double> us;
    for (const int value : p.values) {
      us.push_back(number(after(line, p.assigned + std::to_string(value) + ": ")));
      if (us.back() > 0) fastest = std::min(fastest, us.back());
    }
    for (std::size_t i = 0; i < us.size() && fastest < HUGE_VAL; ++i)
      p.chances[i] = us[i] > 0 ? std::exp(-10 * (us[i] / fastest - 1)) : std::exp(-1);
  }
}

// {"BM":64,"BN":128}: a reason
Refusal read_refusal(std::string_view line, const Briefing& b) {
  Refusal refusal{places(b, line), std::string(b.parameters.size(), '=')};
  for (const Rule& rule : kRules)
    if (after(line, "}: ").find(rule.word) != line.npos)
      for (std::size_t i = 0; i < b.parameters.size(); ++i) {
        const std::size_t at = rule.about.find(b.parameters[i].name + ' ');
        const bool there = at != rule.about.npos && at > 0;
        refusal.signs[i] = there ? rule.about[at - 1] : ' ';
      }
  return refusal;
}

Briefing read(std::string_view question) {
  Briefing b;
  bool parameters = false;  // are on the next line
  for (std::string_view line; !question.empty();) {
    line = question.substr(0, question.find('\n'));
    question.remove_prefix(std::min(line.size() + 1, question.size()));
    if (parameters) read_parameters(line, b);
    parameters = line == "Parameters and their values:";
    if (const std::string_view words = after(line, " us:"); !words.empty())
      b.tried.insert(places(b, words));
    if (line.starts_with("Least time")) read_times(line, b);
    if (line.starts_with('{')) b.refused.push_back(read_refusal(line, b));
    if (line.starts_with("Propose "))
      b.count = static_cast<std::size_t>(std::clamp(number(line.substr(8)), 0.0, 64.0));
  }
  return b;
}

bool avoids(const Refusal& r, const Places& c) {
  for (std::size_t i = 0; i < c.size(); ++i)
    if ((r.signs[i] == '+' && c[i] < r.places[i]) || (r.signs[i] == '-' && c[i] > r.places[i]) ||
        (r.signs[i] == '=' && c[i] != r.places[i]))
      return false;
  return true;
}

}  // namespace

std::string stand_in(const std::string& question, std::uint64_t seed) {
  Briefing b = read(question);
  if (b.parameters.empty()) b.count = 0;
  std::mt19937_64 random(seed);
  std::string text;
  std::size_t proposed = 0;
  for (std::size_t tries = 0; tries < 64 * b.count && proposed < b.count; ++tries) {
    Places c;
    for (const Known& p : b.parameters) {
      double left = 0;
      for (const double chance : p.chances) left += chance;
      left *= static_cast<double>(random() >> 11) * 0x1p-53;
      std::size_t i = 0;
      while (i + 1 < p.chances.size() && (left -= p.chances[i]) >= 0) ++i;
      c.push_back(static_cast<int>(i));
    }
    const auto refused = [&](const Refusal& r) { return avoids(r, c); };
    if (std::any_of(b.refused.begin(), b.refused.end(), refused) || !b.tried.insert(c).second)
      continue;
    text += proposed++ ? ", {" : "{";
    for (std::size_t i = 0; i < c.size(); ++i)
      text += fmt::format("{}\"{}\": {}", i ? ", " : "", b.parameters[i].name,
                          b.parameters[i].values[c[i]]);
    text += '}';
  }
  return "{\"configurations\": [" + text + "]}";
}

}  // namespace tune
