#include "measure/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/failure.h"
#include "measure/answers.h"
#include "measure/random_cases.h"
#include "model/case_text.h"

namespace wb {
namespace {

// "a, b", each once; "none" without any.
struct Names {
  std::vector<std::string> all;
  void add(const std::string& name) {
    if (std::ranges::find(all, name) == all.end()) all.push_back(name);
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
Axis known_axis(const Problem& problem, const std::vector<Case>& bench, const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  const Axis* known = example(problem, bench, name);
  if (!known) {
    Names names;
    for (const Case& c : bench)
      for (const Axis& axis : c) names.add(axis.name);
    throw Failure(
        2, fmt::format("{} has no axis '{}'; it has {}", problem.lesson, name, names.text(", ")));
  }
  const Axis axis = read_axis(text, /*word=*/known->word);
  if (known->word && std::string_view(axis.word).find_first_of("=/") != std::string::npos)
    throw Failure(2, fmt::format("bad --axis={}: no word has '=' or '/'; each axis takes its own "
                                 "--axis NAME=VALUE",
                                 text));
  if (!known->word && (axis.word || axis.number < 0 || axis.number > i64{1} << 40))
    throw Failure(2, fmt::format("bad --axis={}: '{}' is not a number from 0 to 2^40; ./workbook "
                                 "list {} shows usual ones",
                                 text, value_of(axis), problem.lesson));
  return axis;
}

bool has(const Case& c, const Axis& wanted) { return std::ranges::find(c, wanted) != c.end(); }

// What the lesson computes, where its cases have no such word: its name.
std::string operation(const Problem& problem) {
  const std::string name = problem.lesson.substr(problem.lesson.find_last_of('/') + 1);
  return !problem.operation.empty() ? problem.operation : name.substr(name.find('_') + 1);
}

bool is_word_of(const std::vector<Case>& cases, const Axis& wanted) {
  return std::ranges::any_of(cases, [&](const Case& c) { return has(c, wanted); });
}

// By the largest array: 512^2 elements are small, 2048^2 medium, 4096^2 large, 8192^2 xlarge.
const char* size_class(const Problem& problem, const Case& c) {
  i64 most = 0;
  bind(problem, c, [&](const ArraySpec& array) {
    most = std::max(most, array.count);
    return nullptr;
  });
  return most <= 1 << 20  ? "small"
         : most < 1 << 23 ? "medium"
         : most < 1 << 25 ? "large"
                          : "xlarge";
}

// Halves the largest number until the case is little work: what is counted for each request stays.
Case made_small(const Problem& problem, Case c) {
  constexpr double kWork = 1 << 21;  // elements moved, and operations
  for (;;) {
    double elements = 0;
    const auto args = bind(problem, c, [&](const ArraySpec& array) {
      elements += static_cast<double>(array.count);
      return nullptr;
    });
    const Axis* largest = nullptr;
    for (const Axis& axis : c)
      if (!axis.word && (!largest || axis.number > largest->number)) largest = &axis;
    if (elements + problem.cost(args.get()).flops / 2 <= kWork || !largest || largest->number < 64)
      return c;
    c.set({largest->name, largest->number / 2});
    c.drop("size");
  }
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

// The first case that has most of the wanted words, with the rest of what is wanted put in:
// numbers, and words that other cases have (those of another backend, of the tests).
Case made_case(const Problem& problem, const std::vector<Case>& bench,
               const std::vector<Axis>& wanted) {
  const auto can_be_put = [&](const Axis& axis) {
    const std::vector<std::string>& free = problem.any_word;
    return !axis.word || std::ranges::find(free, axis.name) != free.end() ||
           (std::string_view(axis.name) != "size" &&
            (is_word_of(problem.bench, axis) || is_word_of(problem.bench_cpu, axis) ||
             is_word_of(problem.test, axis)));
  };
  const Case* nearest = nullptr;
  int most = -1;
  for (const Case& c : bench) {
    int words = 0;
    for (const Axis& axis : wanted)
      if (has(c, axis))
        words += axis.word != nullptr;
      else if (!can_be_put(axis))
        words = -2 * Case::kMost;  // not this one
    if (words > most) most = words, nearest = &c;
  }
  if (!nearest) throw no_such_case(problem, bench, wanted);
  Case c = *nearest;
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
  std::vector<Case> cases = bench;
  for (const std::string& text : options.axes) {
    if (text.starts_with("size=") && !example(problem, bench, "size")) {
      Names sizes;
      std::erase_if(cases, [&](const Case& c) {
        const std::string own = size_class(problem, c);
        sizes.add(own);
        return own != text.substr(5);
      });
      if (cases.empty())
        throw Failure(2, fmt::format("{} has no case of that size; --size: {}", problem.lesson,
                                     sizes.text(" ")));
    } else if (text != "op=" + operation(problem) || is_word_of(bench, {"op", text.c_str() + 3})) {
      wanted.push_back(known_axis(problem, bench, text));
    }
  }
  const std::vector<Case> sized = cases;
  std::erase_if(cases, [&](const Case& c) {
    return !std::ranges::all_of(wanted, [&](const Axis& a) { return has(c, a); });
  });
  if (cases.empty()) cases = {made_case(problem, sized, wanted)};
  if (options.unlisted > 0) {
    cases = unlisted_cases(problem, cases, options.unlisted, options.seed);
    if (cases.empty())
      throw Failure(2, problem.lesson + " has no size to draw: name its cases with --axis");
  }
  if (options.first) cases.resize(1);
  if (traits.untimed && options.any_case()) {
    std::vector<Case> small;
    std::set<std::string> known;  // large cases may become the same small one
    for (const Case& c : cases)
      if (Case made = made_small(problem, c); known.insert(label(made)).second)
        small.push_back(made);
    cases = std::move(small);
  }
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
