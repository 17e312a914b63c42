#include "programs/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "base/failure.h"
#include "base/output.h"
#include "programs/flags.h"

namespace wb {

Options parse_options(int argc, const char* const* argv, std::vector<std::string>& for_benchmark) {
  Options o;
  CLI::App app("One lesson of the GPU Performance Workbook. Google Benchmark's flags work too.");
  app.allow_extras();
  add_flags(app, o, kBackendFlag | kCaseFlags | kSweepFlag | kPeerFlag | kProgramFlags);
  app.add_option("--trace", o.trace, "write the traced passes in Chrome's trace format");
  app.add_flag("--quiet", o.quiet, "no tables");
  app.add_option("--exercise", o.exercise, "put the exercise beside the lesson: its program");
  app.add_flag("--serve", o.serve, "run variants as requests on standard input say");
  app.add_flag("--list", o.list, "the cases and axes, and run nothing");
  app.add_option("--benchmark_filter", o.filter);
  app.add_option("--benchmark_repetitions", o.repetitions, "samples of a row")
      ->check(CLI::Range(1, 10000));
  app.add_option("--benchmark_min_time", o.sample_seconds, "wall time of a sample, in seconds")
      ->transform(
          [](const std::string& s) { return s.ends_with('s') ? s.substr(0, s.size() - 1) : s; })
      ->check(no_time);
  app.add_option("--benchmark_out", o.out, "write results as JSON");
  std::string format = "json";
  app.add_option("--benchmark_out_format", format)->check(CLI::IsMember({"json"}));
  if (!parse(app, argc, argv, "--help")) std::exit(close_output(0));
  for (const std::string& extra : app.remaining()) {
    if (!extra.starts_with("--benchmark_")) throw Failure(2, no_flag(extra, app, "--help"));
    o.stock |=
        extra.starts_with("--benchmark_list_tests") || extra.starts_with("--benchmark_format");
    for_benchmark.push_back(extra);
  }
  passes(o, "");  // says so now if the filter is none
  return o;
}

}  // namespace wb
