#include "measure/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <sstream>

#include "base/failure.h"

namespace wb {
namespace {

i64 extent(const std::string& text, const std::string& whole) {
  std::size_t used = 0;
  i64 value = -1;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
  }
  if (used == 0 || used != text.size() || value < 0 || value > (i64{1} << 40))
    throw Failure(2, "bad --size=" + whole + ": '" + text + "' is no extent from 0 to 2^40");
  return value;
}

// "n=1000,m=7" in place of the lesson's own cases; what it does not name stays as in `shape`.
Shape explicit_shape(const std::string& text, Shape shape) {
  double product = 1;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equal = part.find('=');
    const std::map<std::string, i64*> extents = {
        {"m", &shape.m}, {"n", &shape.n}, {"k", &shape.k}, {"batch", &shape.batch}};
    const auto found = extents.find(part.substr(0, equal));
    if (equal == std::string::npos || found == extents.end())
      throw Failure(
          2, "bad --size=" + text + ": give a size class or extents m, n, k, batch such as n=1000");
    *found->second = extent(part.substr(equal + 1), text);
  }
  for (const i64 e : {shape.m, shape.n, shape.k, shape.batch}) product *= std::max<double>(e, 1);
  if (product > 0x1p60)
    throw Failure(3, "--size=" + text + " is larger than any memory: choose a smaller one");
  shape.size = "";
  return shape;
}

std::vector<Shape> points_of(const Sweep& sweep, Shape shape, bool fast) {
  std::vector<Shape> points;
  const double factor = fast ? sweep.factor * sweep.factor : sweep.factor;
  for (double at = static_cast<double>(sweep.from);; at *= factor) {
    shape.*sweep.extent = std::min(std::llround(at), static_cast<long long>(sweep.to));
    shape.size = "";
    points.push_back(shape);
    if (shape.*sweep.extent == sweep.to) return points;
  }
}

}  // namespace

const Sweep* chosen_sweep(const Problem& problem, BackendKind kind, const Options& options) {
  if (options.sweep.empty()) return nullptr;
  std::string known;
  for (const Sweep& sweep : problem.sweeps_on(kind)) {
    if (sweep.name == options.sweep) return &sweep;
    known += std::string(known.empty() ? "" : ", ") + sweep.name;
  }
  throw Failure(2, problem.lesson + " has no axis '" + options.sweep + "' to sweep; " +
                       (known.empty() ? "it has none" : "it has " + known));
}

std::vector<Shape> chosen_shapes(const Problem& problem, BackendKind kind, const Options& options) {
  const Sweep* sweep = chosen_sweep(problem, kind, options);
  const bool extents = options.size.find('=') != std::string::npos;
  std::vector<Shape> shapes;
  std::vector<std::string> known[3];
  const std::string wanted[3] = {extents ? "" : options.size, options.op, options.dtype};
  for (const Shape& shape : problem.bench_on(kind)) {
    const std::string have[3] = {shape.size, shape.op, shape.dtype};
    bool match = true;
    for (int i = 0; i < 3; ++i) {
      match = match && (wanted[i].empty() || wanted[i] == have[i]);
      if (!have[i].empty() &&
          std::find(known[i].begin(), known[i].end(), have[i]) == known[i].end())
        known[i].push_back(have[i]);
    }
    if (match) shapes.push_back(shape);
  }
  if (shapes.empty()) {
    std::string line = problem.lesson + " has no such case;";
    const char* flag[3] = {" --size", " --op", " --dtype"};
    for (int i = 0; i < 3; ++i)
      if (!wanted[i].empty())
        line +=
            fmt::format("{}: {};", flag[i],
                        known[i].empty() ? "none" : fmt::format("{}", fmt::join(known[i], " ")));
    throw Failure(2, line + " or give extents such as --size=n=1000");
  }
  if (options.first) shapes.resize(1);
  if (extents) shapes = {explicit_shape(options.size, shapes.front())};
  return sweep ? points_of(*sweep, shapes.front(), options.fast) : shapes;
}

bool passes(const Options& options, const std::string& benchmark_name) {
  const bool inverted = options.filter.starts_with('-');
  if (options.filter.empty() || options.filter == "all") return true;
  regex_t pattern;  // POSIX: <regex> takes a compiler seconds
  if (::regcomp(&pattern, options.filter.c_str() + inverted, REG_EXTENDED | REG_NOSUB))
    throw Failure(2, "--benchmark_filter=" + options.filter + " is no regular expression");
  const bool found = ::regexec(&pattern, benchmark_name.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&pattern);
  return found != inverted;
}

Options parse_options(int argc, const char* const* argv, std::vector<std::string>& for_benchmark) {
  Options o;
  CLI::App app("One lesson of the GPU Performance Workbook. Google Benchmark's flags work too.");
  app.allow_extras();
  app.add_option("--backend", o.backend, "auto: the GPU where one answers")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--size", o.size, "a size class, or extents such as m=64,n=64");
  app.add_option("--dtype", o.dtype);
  app.add_option("--op", o.op);
  app.add_option("--sweep", o.sweep, "walk an axis of the lesson");
  app.add_option("--peer", o.peer, "another library beside it: pytorch")
      ->check(CLI::IsMember({"pytorch"}));
  app.add_option("--cache", o.cache)->check(CLI::IsMember({"cold", "hot"}));
  app.add_option("--seed", o.seed, "of the input data");
  app.add_option("--variant", o.variant, "only these, with commas between them");
  app.add_option("--trace", o.trace, "write the traced passes in Chrome's trace format");
  app.add_flag("--first", o.first, "only the first of the lesson's cases");
  app.add_flag("--fast", o.fast, "fewer and shorter samples");
  app.add_flag("--quiet", o.quiet, "no tables");
  app.add_flag("--list", o.list, "the cases and axes, and run nothing");
  app.add_option("--benchmark_filter", o.filter);
  app.add_option("--benchmark_repetitions", o.repetitions, "samples of a row")
      ->check(CLI::Range(1, 10000));
  app.add_option("--benchmark_min_time", o.sample_seconds, "wall time of a sample, in seconds")
      ->transform(
          [](const std::string& s) { return s.ends_with('s') ? s.substr(0, s.size() - 1) : s; })
      ->check([](const std::string& s) {
        return std::strtod(s.c_str(), nullptr) > 0 ? "" : "'" + s + "' is no time in seconds";
      });
  app.add_option("--benchmark_out", o.out, "write results as JSON");
  std::string format = "json";
  app.add_option("--benchmark_out_format", format)->check(CLI::IsMember({"json"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help
    std::exit(app.exit(e));
  } catch (const CLI::ParseError& e) {
    throw Failure(2, std::string(e.what()) + "; see --help");
  }
  for (const std::string& extra : app.remaining()) {
    if (!extra.starts_with("--benchmark_"))
      throw Failure(2, "unknown flag " + extra + "; see --help");
    o.stock |=
        extra.starts_with("--benchmark_list_tests") || extra.starts_with("--benchmark_format");
    for_benchmark.push_back(extra);
  }
  passes(o, "");  // throws now for what is no regular expression
  return o;
}

}  // namespace wb
