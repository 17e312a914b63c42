// main() of every lesson program: verifies, times and traces the variants linked into it.
//
// Google Benchmark asks for the samples (one iteration = one sample), so its flags and JSON work;
// how they are taken is in rounds.h. Exit codes: 0 fine, 1 a wrong answer, 2 bad usage, 3 can't run
// here, 4 the device was lost, 5 file trouble.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/process.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "measure/rounds.h"
#include "model/results.h"
#include "model/trace_file.h"
#include "programs/options.h"
#include "programs/threads.h"
#include "report/explain.h"
#include "report/sweep.h"
#include "report/table.h"

namespace {

using namespace wb;

void progress(int done, int total, const std::string& what) {
  if (std::getenv("WB_PROGRESS"))
    fmt::print(stderr, "@progress {} {} {}\n", done, total, what);
  else if (isatty(2))
    fmt::print(stderr, "\r\033[K{}",
               done == total ? "" : fmt::format("[{}/{}] {}", done, total, what));
}

// Leaves it to the tables to show what was measured.
struct Silent : benchmark::BenchmarkReporter {
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// One repetition of one row: what Google Benchmark calls, in any order.
void report_sample(benchmark::State& state, Group& group, Entry& e, Rounds& rounds) {
  const int index = e.reported++;
  while (group.rounds <= index) rounds.take(group);
  // The loop runs for wrong rows too: 1.7 aborts when repetitions differ in their iterations.
  // A row that a lost device cut short repeats its last sample.
  const auto& samples = e.row.samples;
  const double seconds =
      samples.empty() ? 1e-9 : samples[std::min<std::size_t>(index, samples.size() - 1)];
  for (auto _ : state) state.SetIterationTime(seconds);
  if (!runs(e)) {
    state.SkipWithError(e.row.reason.c_str());
    return;
  }
  state.counters["bytes_per_second"] = e.row.cost.bytes() / seconds;
  state.counters["flops_per_second"] = e.row.cost.flops / seconds;
}

// Has Google Benchmark ask for the samples; without a reporter it prints them its own way.
void run_benchmarks(std::span<Group> groups, Rounds& rounds, const Options& options,
                    benchmark::BenchmarkReporter* reporter) {
  for (Group& group : groups)
    for (Entry& e : group.entries)
      benchmark::RegisterBenchmark(
          benchmark_name(e.row).c_str(),
          [&](benchmark::State& state) { report_sample(state, group, e, rounds); })
          ->UseManualTime()
          ->Iterations(1)
          ->Repetitions(options.samples());
  benchmark::RunSpecifiedBenchmarks(reporter);
  benchmark::ClearRegisteredBenchmarks();
}

std::optional<Ceilings> ceilings_of(const Backend& backend) {
  const DeviceId device = backend.device();
  if (auto known = load_ceilings(device)) return known;
  const auto self = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "peaks";
  const auto say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  const std::vector<std::string> command = {self.string(), "--backend=" + device.backend};
  if (run_process(command, 600, {}, say).fine()) return load_ceilings(device);
  say("no ceilings, so no roofline: " + command[0] + " " + command[1] + " failed");
  return std::nullopt;
}

// What a run leaves, also when it gives up.
struct Outputs {
  Options options;
  Results results;
  void write() const {
    if (!options.out.empty()) write_atomically(options.out, to_json(results));
  }
};

std::unique_ptr<Peer> start_peer(const std::string& name) {
  if (name.empty()) return nullptr;
  try {
    return std::make_unique<Peer>(Peer::script(name));
  } catch (const Unsupported& e) {
    std::fprintf(stderr, "no %s column: %s\n", name.c_str(), e.what());
    return nullptr;
  }
}

void list(const std::vector<Group>& groups, const Backend& backend) {
  for (const Group& group : groups) std::printf("case %s\n", label(group.axes).c_str());
  const Problem& problem = *groups.front().entries.front().variant->problem;
  for (const Sweep& s : sweeps_of(problem, traits_of(backend)))
    fmt::print("--sweep {}: {} to {}\n", s.axis, s.from, s.to);
}

void print(const Results& results) {
  for (const SideBySide& c : side_by_side(results))
    std::printf("%s\n%s\n%s\n", case_table(c, results, Style::text).c_str(),
                explain(c, results).c_str(), goodput_lines(c, results).c_str());
  for (const Curve& c : curves(results))
    std::printf("%s\n%s\n", curve_table(c, results, Style::text).c_str(),
                curve_summary(c, results).c_str());
}

// The variant in the name of a link to this program: "baseline" when add is started as
// baseline_add.
std::string variant_called(const std::string& name) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").filename().string();
  const bool link = name.size() > own.size() + 1 && name.ends_with("_" + own);
  return link ? name.substr(0, name.size() - own.size() - 1) : "";
}

// Hands what it does not know to Google Benchmark.
Options parse(int argc, char** argv) {
  std::vector<std::string> extra = {argv[0]};
  Options options = parse_options(argc, argv, extra);
  if (options.variant.empty())
    options.variant = variant_called(std::filesystem::path(argv[0]).filename().string());
  std::vector<char*> pointers = {argv[0]};  // which Google Benchmark keeps
  for (auto s = extra.begin() + 1; s != extra.end(); ++s) pointers.push_back(s->data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) throw Failure(2, std::string("unknown flag ") + pointers[1] + "; see --help");
  return options;
}

// Measures the groups; the rows are in `outputs` even when something is thrown.
void measure(std::vector<Group>& groups, Backend& backend, Outputs& outputs) {
  const Options& options = outputs.options;
  int total = 0, done = 0;
  for (const Group& g : groups) total += static_cast<int>(g.entries.size()) * options.samples();
  const auto on_sample = [&](const Entry& e) {
    if (!options.stock) progress(done++, total, label(e.row.axes) + " " + e.row.variant);
  };
  Rounds rounds(backend, options, on_sample, Neighbours::probes_of(backend));
  std::vector<TracedRow> traces;
  if (options.stock) {  // Google Benchmark's own listing or output
    run_benchmarks(groups, rounds, options, nullptr);
  } else {
    fmt::print(stderr, "seed {}\n", options.seed);
    Silent silent;
    for (Group& group : groups) {
      run_benchmarks({&group, 1}, rounds, options, &silent);
      if (groups.size() > 1) Rounds::drop(group);
    }
    const bool traced = options.sweep.empty() || !options.trace.empty();
    for (Group& group : groups) rounds.finish(group, traced ? &traces : nullptr);
    progress(total, total, "");
  }
  for (Group& group : groups)
    for (Entry& e : group.entries) {
      e.row.date = today();
      outputs.results.rows.push_back(e.row);
    }
  if (!options.trace.empty()) write_atomically(options.trace, chrome_trace(traces));
  if (!rounds.lost().empty()) throw Failure(4, rounds.lost() + ": what follows was not run");
}

int run(Outputs& outputs) {
  const Options& options = outputs.options;
  const std::unique_ptr<Backend> backend = open_backend(options.backend);
  const std::unique_ptr<Peer> peer = start_peer(options.peer);
  std::vector<Group> groups = make_groups(linked_variants(), options, *backend, peer.get());
  if (options.list) {
    list(groups, *backend);
    return 0;
  }
  check_writable(options.trace);  // fails now rather than after minutes
  Results& results = outputs.results;
  if (!options.stock)
    if (const auto ceilings = ceilings_of(*backend)) {
      results.machine = ceilings->device.name;
      results.ceilings.push_back(*ceilings);
    }
  measure(groups, *backend, outputs);
  if (!options.quiet && !options.stock) print(results);

  const auto all = [&](auto what) {
    return std::all_of(results.rows.begin(), results.rows.end(), what);
  };
  if (all([](const Row& r) { return r.status == Status::skipped; }))
    throw Failure(3, results.rows.front().reason);
  return all([](const Row& r) { return r.status == Status::ok || r.status == Status::skipped; })
             ? 0
             : 1;
}

// The reason why nothing, or no more, was measured stands in the results, where the driver reads
// it; people read it on stderr.
int give_up(Outputs& outputs, const char* program, const std::exception& why) {
  const int code = exit_code(why, 5);  // files: write_atomically says which
  outputs.results.failure = code;
  outputs.results.failure_reason = why.what();
  bool told = false;
  try {
    outputs.write();
    told = !outputs.options.out.empty() && std::getenv("WB_PROGRESS");
  } catch (const std::exception&) {  // there is no place for it, and that may be why
  }
  if (!told)
    std::fprintf(stderr, "%s: %s\n", std::filesystem::path(program).filename().c_str(), why.what());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  let_threads_spin_briefly(argv);
  explain_faults();
  Outputs outputs;
  outputs.results.version = workbook_version();
  for (const std::string arg : std::span(argv, argc))  // known even when the others can't be read
    if (arg.starts_with("--benchmark_out=")) outputs.options.out = arg.substr(arg.find('=') + 1);
  try {
    outputs.options = parse(argc, argv);
    check_writable(outputs.options.out);
    const int code = run(outputs);
    outputs.write();
    return code;
  } catch (const std::exception& e) {
    return give_up(outputs, argv[0], e);
  }
}
