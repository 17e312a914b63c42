// main() of every lesson program: verifies, times and traces the variants linked into it.
//
// Google Benchmark asks for the samples (one iteration = one sample), so its flags and JSON work;
// how they are taken is in rounds.h. Exit codes: 0 fine, 1 a wrong answer, 2 bad usage, 3 can't run
// here, 4 the device was lost, 5 file trouble.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "measure/rounds.h"
#include "model/results.h"
#include "model/trace_file.h"
#include "report/explain.h"
#include "report/sweep.h"
#include "report/table.h"
#include "threads.h"

namespace {

using namespace wb;

void progress(int done, int total, const std::string& what) {
  if (std::getenv("WB_PROGRESS"))
    std::fprintf(stderr, "@progress %d %d %s\n", done, total, what.c_str());
  else if (isatty(2))
    std::fprintf(
        stderr, "\r\033[K%s",
        done == total
            ? ""
            : ("[" + std::to_string(done) + "/" + std::to_string(total) + "] " + what).c_str());
}

// Remembers Google Benchmark's context and prints nothing.
class ContextOnly : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    std::ostringstream text;
    benchmark::JSONReporter reporter;
    reporter.SetOutputStream(&text);
    reporter.SetErrorStream(&text);
    reporter.ReportContext(context);
    try {
      nlohmann::json json = parse_json(text.str() + "]}").at("context");
      json.erase("host_name");
      if (json.contains("executable"))
        json["executable"] =
            std::filesystem::path(json["executable"].get<std::string>()).filename().string();
      context_ = dump_json(json);
    } catch (const std::exception&) {  // then the results go without it
    }
    return true;
  }
  void ReportRuns(const std::vector<Run>&) override {}
  const std::string& context() const { return context_; }

 private:
  std::string context_;
};

// One repetition of one row: what Google Benchmark calls, in any order.
void report_sample(benchmark::State& state, Group& group, Entry& e, Rounds& rounds) {
  const int index = e.reported++;
  while (group.rounds <= index) rounds.take(group);
  const bool wrong = !runs(e);
  // The loop runs for wrong rows too: 1.7 aborts when repetitions differ in their iterations.
  // A row that a lost device cut short repeats its last sample.
  const auto& samples = e.row.samples;
  const double seconds =
      samples.empty() ? 1e-9 : samples[std::min<std::size_t>(index, samples.size() - 1)];
  for (auto _ : state) state.SetIterationTime(seconds);
  if (wrong) {
    state.SkipWithError((e.row.error.empty() ? e.row.skipped : e.row.error).c_str());
    return;
  }
  state.counters["bytes_per_second"] = e.row.cost.bytes() / seconds;
  state.counters["flops_per_second"] = e.row.cost.flops / seconds;
}

void register_benchmarks(Group& group, Rounds& rounds, int samples) {
  for (Entry& e : group.entries)
    benchmark::RegisterBenchmark(
        benchmark_name(e).c_str(),
        [&](benchmark::State& state) { report_sample(state, group, e, rounds); })
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(samples);
}

// Returns Google Benchmark's context.
std::string run_groups(std::vector<Group>& groups, Rounds& rounds, const Options& options,
                       std::vector<TracedRow>& traces) {
  std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(options.seed));
  ContextOnly context;
  for (Group& group : groups) {
    register_benchmarks(group, rounds, options.samples());
    benchmark::RunSpecifiedBenchmarks(&context);
    benchmark::ClearRegisteredBenchmarks();
    if (groups.size() > 1) Rounds::drop(group);
  }
  const bool traced = options.sweep.empty() || !options.trace.empty();
  for (Group& group : groups) rounds.finish(group, traced ? &traces : nullptr);
  return context.context();
}

std::optional<Ceilings> ceilings_of(const Backend& backend) {
  const DeviceId device = backend.device();
  if (auto known = load_ceilings(device)) return known;
  const auto self = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "peaks";
  const std::string command = "'" + self.string() + "' --backend=" + device.backend;
  if (std::system(command.c_str()) == 0) return load_ceilings(device);
  std::fprintf(stderr, "no ceilings, so no roofline: %s failed\n", command.c_str());
  return std::nullopt;
}

// The variant in the name of a link to this program: "baseline" when add is started as
// baseline_add.
std::string variant_called(const std::string& name) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").filename().string();
  const bool link = name.size() > own.size() + 1 && name.ends_with("_" + own);
  return link ? name.substr(0, name.size() - own.size() - 1) : "";
}

int run(int argc, char** argv) {
  std::vector<std::string> extra = {argv[0]};
  Options options = parse_options(argc, argv, extra);
  if (options.variant.empty())
    options.variant = variant_called(std::filesystem::path(argv[0]).filename().string());
  std::vector<char*> pointers;
  for (std::string& s : extra) pointers.push_back(s.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) throw Failure(2, std::string("unknown flag ") + pointers[1] + "; see --help");

  const std::unique_ptr<Backend> backend = open_backend(options.backend);
  std::unique_ptr<Peer> peer;
  if (!options.peer.empty()) try {
      peer = std::make_unique<Peer>(Peer::script(options.peer));
    } catch (const Unsupported& e) {
      std::fprintf(stderr, "no %s column: %s\n", options.peer.c_str(), e.what());
    }
  std::vector<Group> groups = make_groups(options, *backend, peer.get());
  if (options.list) {
    for (const Group& group : groups) std::printf("case %s\n", label(group.shape).c_str());
    const Problem& problem = *groups.front().entries.front().variant->problem;
    for (const Sweep& s : problem.sweeps_on(backend->kind()))
      std::printf("--sweep %s: %lld to %lld\n", s.name, static_cast<long long>(s.from),
                  static_cast<long long>(s.to));
    return 0;
  }
  for (const std::string& file : {options.out, options.trace})
    if (!file.empty()) check_writable(file);  // fails now rather than after minutes

  Results results;
  results.version = workbook_version();
  if (!options.stock)
    if (const auto ceilings = ceilings_of(*backend)) {
      results.machine = ceilings->device.name;
      results.ceilings.push_back(*ceilings);
    }

  int total = 0, done = 0;
  for (const Group& g : groups) total += static_cast<int>(g.entries.size()) * options.samples();
  Rounds rounds(*backend, options, [&](const Entry& e) {
    if (!options.stock) progress(done++, total, e.row.label + " " + e.row.variant);
  });
  std::vector<TracedRow> traces;
  std::string context;
  if (options.stock) {  // Google Benchmark's own listing or output
    for (Group& group : groups) register_benchmarks(group, rounds, options.samples());
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();
  } else {
    context = run_groups(groups, rounds, options, traces);
    progress(total, total, "");
  }

  for (Group& group : groups)
    for (Entry& e : group.entries) {
      e.row.date = today();
      results.rows.push_back(e.row);
    }
  if (!options.quiet && !options.stock) {
    for (const Case& c : cases(results))
      std::printf("%s\n%s\n%s\n", case_table(c, results, Style::text).c_str(),
                  explain(c, results).c_str(), goodput_lines(c, results).c_str());
    for (const Curve& c : curves(results))
      std::printf("%s\n%s\n", curve_table(c, results, Style::text).c_str(),
                  curve_summary(c, results).c_str());
  }
  if (!options.out.empty()) write_atomically(options.out, to_json(results, context));
  if (!options.trace.empty()) write_atomically(options.trace, chrome_trace(traces));

  const auto count_if = [&](auto what) {
    return std::count_if(results.rows.begin(), results.rows.end(), what);
  };
  if (!rounds.lost().empty()) throw Failure(4, rounds.lost() + ": what follows was not run");
  if (count_if([](const Row& r) { return !r.error.empty(); }) > 0) return 1;
  if (count_if([](const Row& r) { return !r.skipped.empty(); }) ==
      static_cast<long>(results.rows.size()))
    throw Failure(3, results.rows.front().skipped);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  let_threads_spin_briefly(argv);
  try {
    return run(argc, argv);
  } catch (const Failure& e) {
    std::fprintf(stderr, "%s: %s\n", std::filesystem::path(argv[0]).filename().c_str(), e.what());
    return e.code;
  } catch (const std::exception& e) {  // files: write_atomically says which
    std::fprintf(stderr, "%s: %s\n", std::filesystem::path(argv[0]).filename().c_str(), e.what());
    return 5;
  }
}
