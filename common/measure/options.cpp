#include "measure/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex.h>

#include <algorithm>
#include <cmath>

#include "base/failure.h"
#include "model/row.h"

namespace wb {
namespace {

// "a, b", each once; "none" without any.
struct Names {
  std::vector<std::string> all;
  void add(const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
  std::string text(const char* between) const {
    return all.empty() ? "none" : fmt::format("{}", fmt::join(all, between));
  }
};

// An axis as any case of the lesson has it, the tests' included; null: none has it.
const Axis* example(const Problem& problem, const std::vector<Case>& bench,
                    const std::string& name) {
  for (const std::vector<Case>* cases : {&bench, &problem.bench, &problem.test})
    for (const Case& c : *cases)
      if (const Axis* axis = c.find(name)) return axis;
  return nullptr;
}

// "rows=8192" as an axis of this lesson.
Axis read_axis(const Problem& problem, const std::vector<Case>& bench, const std::string& text) {
  const auto equal = text.find('=');
  const std::string name = text.substr(0, equal), value = text.substr(equal + 1);
  const Axis* known = example(problem, bench, name);
  if (!known) {
    Names names;
    for (const Case& c : bench)
      for (const Axis& axis : c) names.add(axis.name);
    throw Failure(
        2, fmt::format("{} has no axis '{}'; it has {}", problem.lesson, name, names.text(", ")));
  }
  if (known->word) {
    if (value.find_first_of("=/") != std::string::npos)
      throw Failure(
          2, fmt::format(
                 "bad --axis={}: no word has '=' or '/'; each axis takes its own --axis NAME=VALUE",
                 text));
    return {known->name, keep(value)};
  }
  const i64 number = integer(value).value_or(-1);
  if (number < 0 || number > i64{1} << 40)
    throw Failure(2, fmt::format("bad --axis={}: '{}' is not a number from 0 to 2^40; ./workbook "
                                 "list {} shows usual ones",
                                 text, value, problem.lesson));
  return {known->name, number};
}

bool has(const Case& c, const Axis& wanted) {
  return std::find(c.begin(), c.end(), wanted) != c.end();
}

Failure no_such_case(const Problem& problem, const std::vector<Case>& bench,
                     const std::vector<Axis>& wanted) {
  std::string line = problem.lesson + " has no such case";
  for (const Axis& axis : wanted) {
    if (!axis.word) continue;
    Names words;
    for (const Case& c : bench)
      if (*c.word(axis.name)) words.add(c.word(axis.name));
    line += fmt::format("; --{}: {}", axis.name, words.text(" "));
  }
  return Failure(2, line + "; numbers can be any: --axis NAME=NUMBER");
}

void put(Case& c, const Axis& axis) {
  c.set(axis);
  if (!axis.word) c.drop("size");  // which is a name for the numbers as they were
}

// The first case that has the wanted words, with the rest of what is wanted put in.
Case made_case(const Problem& problem, const std::vector<Case>& bench,
               const std::vector<Axis>& wanted) {
  const auto is_fixed = [&free = problem.any_word](const Axis& axis) {
    return axis.word && std::find(free.begin(), free.end(), axis.name) == free.end();
  };
  const auto first = std::find_if(bench.begin(), bench.end(), [&](const Case& c) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const Axis& axis) { return !is_fixed(axis) || has(c, axis); });
  });
  if (first == bench.end() || std::all_of(wanted.begin(), wanted.end(), is_fixed))
    throw no_such_case(problem, bench, wanted);
  Case c = *first;
  for (const Axis& axis : wanted) put(c, axis);
  double product = 1;
  for (const Axis& axis : c) product *= std::max<double>(static_cast<double>(axis.number), 1);
  if (product > 0x1p60)
    throw Failure(3, label(c) + " is larger than any memory: choose a smaller one");
  return c;
}

std::vector<Case> points_of(const Sweep& sweep, Case c, bool fast) {
  std::vector<Case> points;
  const double factor = fast ? sweep.factor * sweep.factor : sweep.factor;
  for (double at = static_cast<double>(sweep.from);; at *= factor) {
    const i64 point = std::min<i64>(std::llround(at), sweep.to);
    put(c, {sweep.axis, point});
    points.push_back(c);
    if (point == sweep.to) return points;
  }
}

}  // namespace

const std::vector<Sweep>& sweeps_of(const Problem& problem, const Traits& traits) {
  return traits.small_cases && !problem.sweeps_cpu.empty() ? problem.sweeps_cpu : problem.sweeps;
}

const Sweep* chosen_sweep(const Problem& problem, const Traits& traits, const Options& options) {
  if (options.sweep.empty()) return nullptr;
  Names known;
  for (const Sweep& sweep : sweeps_of(problem, traits)) {
    if (sweep.axis == options.sweep) return &sweep;
    known.add(sweep.axis);
  }
  throw Failure(2, fmt::format("{} has no axis '{}' to sweep; it has {}", problem.lesson,
                               options.sweep, known.text(", ")));
}

std::vector<Case> chosen_cases(const Problem& problem, const Traits& traits,
                               const Options& options) {
  const std::vector<Case>& bench =
      traits.small_cases && !problem.bench_cpu.empty() ? problem.bench_cpu : problem.bench;
  const Sweep* sweep = chosen_sweep(problem, traits, options);
  std::vector<Axis> wanted;
  for (const std::string& text : options.axes) wanted.push_back(read_axis(problem, bench, text));
  std::vector<Case> cases;
  std::copy_if(bench.begin(), bench.end(), std::back_inserter(cases), [&](const Case& c) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const Axis& a) { return has(c, a); });
  });
  if (cases.empty()) cases = {made_case(problem, bench, wanted)};
  if (options.first) cases.resize(1);
  return sweep ? points_of(*sweep, cases.front(), options.fast) : cases;
}

bool passes(const Options& options, const std::string& benchmark_name) {
  const bool inverted = options.filter.starts_with('-');
  if (options.filter.empty() || options.filter == "all") return true;
  regex_t pattern;  // POSIX: <regex> takes a compiler seconds
  if (::regcomp(&pattern, options.filter.c_str() + inverted, REG_EXTENDED | REG_NOSUB))
    throw Failure(2, "--benchmark_filter=" + options.filter + " is not a regular expression");
  const bool found = ::regexec(&pattern, benchmark_name.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&pattern);
  return found != inverted;
}

}  // namespace wb
