// main() of every lesson program: verifies, times and traces the variants linked into it.
//
// Google Benchmark asks for the samples (one iteration = one sample), so its flags and JSON work;
// how they are taken is in rounds.h. Exit codes: 0 fine, 1 a wrong answer or a suspect row, 2 bad
// usage, 3 can't run here, 4 the device was lost or an exercise crashed or hung, 5 file trouble.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <span>
#include <sstream>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "base/process.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "judged/processes.h"
#include "judged/serve.h"
#include "measure/count.h"
#include "measure/rounds.h"
#include "model/case_name.h"
#include "model/case_text.h"
#include "model/results.h"
#include "model/trace_file.h"
#include "programs/options.h"
#include "programs/threads.h"
#include "programs/under_driver.h"
#include "report/about.h"
#include "report/measured.h"
#include "report/standing.h"

namespace {

using namespace wb;

// `row`: which is measured next; null at the end.
void progress(int done, int total, const Row* row) {
  if (under_driver())
    tell("@progress {} {} {}", done, total, row ? benchmark_name(*row) : "");
  else if (has_cursor(2))
    put_error(
        "\r\033[K" +
        (row ? fmt::format("[{}/{}] {} {}", done, total, label(row->axes), row->variant) : ""));
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

// Has `peaks` measure: what is not known yet, or `again`.
std::optional<Ceilings> measured_ceilings(const DeviceId& device, bool again) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "peaks";
  std::vector<std::string> command = {self.string(), "--backend=" + device.backend};
  if (again) command.push_back("--again");
  const auto say = [](const std::string& line) { tell("{}", line); };
  if (run_process(command, 300, {}, say).fine()) return load_ceilings(device);
  tell("{}: {} {} failed",
       again ? "the ceilings stay as they were" : "without ceilings no roof is shown", command[0],
       command[1]);
  return std::nullopt;
}

// What Google Benchmark says of machine and program at the begin of its JSON.
std::string benchmark_context() {
  std::ostringstream text;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&text);
  reporter.ReportContext({});
  return dump_json(parse_json(text.str() + "]}").at("context"));
}

// What a run leaves, also when it gives up.
struct Outputs {
  Options options;
  Results results;
  bool timed = true;
  // The rows of the cases that were measured; `last`: of all, and nothing is added to them.
  void take(const std::vector<Group>& groups, bool last) {
    results.rows.clear();
    for (const Group& group : groups) {
      if (!last && group.rounds < options.samples()) continue;
      for (const Entry& e : group.entries) {
        Row& row = results.rows.emplace_back(e.row);
        row.date = today();
        if (!timed) row.samples.clear();
        if (!timed && row.status == Status::ok && row.lines.empty() &&
            row.counters[Counter::calls] == 0)
          row.status = Status::skipped, row.reason = "nothing that this case does is counted";
        if (!last && !row.split && row.no_goodput.empty())
          row.no_goodput = "the program ended before the traced pass";
      }
    }
  }
  void write() const {
    if (options.out.empty()) return;
    write_atomically(options.out, to_json(results, under_driver() ? "{}" : benchmark_context()));
  }
};

// Whether a row, or the triad in turn with it, was faster than a ceiling allows.
bool beats(const Row& row, const Ceilings& ceilings) {
  const report::Standing s = report::standing(row, &ceilings);
  return s.suspect || s.delivered > 1.03;
}

// What beats a ceiling may show that it was measured while the machine was busy, so that is done
// again, once a run: the programs of the driver's run write into one folder.
void raise_ceilings(const Outputs& outputs, const DeviceId& device, Ceilings& ceilings) {
  const std::vector<Row>& rows = outputs.results.rows;
  if (std::none_of(rows.begin(), rows.end(), [&](const Row& r) { return beats(r, ceilings); }))
    return;
  if (under_driver() && !outputs.options.out.empty()) {
    const std::string once =
        std::filesystem::path(outputs.options.out).replace_filename("measured again").string();
    if (std::filesystem::exists(once)) return;
    write_atomically(once, "");
    outputs.write();  // this takes a while
  }
  if (const auto higher = measured_ceilings(device, /*again=*/true)) ceilings = *higher;
}

std::unique_ptr<Peer> start_peer(const std::string& name, const Registry& registry) {
  if (name.empty() || registry.empty()) return nullptr;
  try {
    return std::make_unique<Peer>(Peer::script(name), registry.front().problem->lesson);
  } catch (const Unsupported& e) {
    tell("no {} column: {}", name, e.what());
    return nullptr;
  }
}

// As everybody reads them, in the lesson's header.
std::vector<std::string> case_names(const Problem& problem) {
  return report::about_lesson(source_folder(), problem.lesson).case_names;
}

// Cases by name, with what chooses them behind it; then the axes, with their values and how far
// they can be swept.
void list(const std::vector<Group>& groups, const Backend& backend) {
  const Problem& problem = *groups.front().entries.front().variant->problem;
  const std::vector<std::string> names = case_names(problem);
  std::vector<std::pair<std::string, std::string>> axes;  // a name, its values
  for (const Group& group : groups) {
    print("case {}: {}\n", case_name(group.axes, names), label(group.axes));
    for (const Axis& axis : group.axes) {
      const std::string value = value_of(axis);
      const auto known = std::find_if(axes.begin(), axes.end(),
                                      [&](const auto& a) { return a.first == axis.name; });
      if (known == axes.end())
        axes.emplace_back(axis.name, value);
      else if ((", " + known->second + ",").find(", " + value + ",") == std::string::npos)
        known->second += ", " + value;
    }
  }
  for (const auto& [name, values] : axes) print("--axis {}: {}\n", name, values);
  for (const Sweep& s : sweeps_of(problem, traits_of(backend)))
    print("--sweep {}: {} to {}\n", s.axis, s.from, s.to);
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
void measure(std::vector<Group>& groups, Backend& backend, Runners& where, Outputs& outputs) {
  const Options& options = outputs.options;
  // In samples. A row is announced first to be set up and checked, which takes about as long as all
  // its samples; its traced pass takes as long as two.
  const bool traced = outputs.timed && (options.sweep.empty() || !options.trace.empty());
  const int set_up = options.samples(), a_row = set_up + options.samples() - 1 + 2 * traced;
  int total = 0, done = 0;
  for (const Group& g : groups) total += static_cast<int>(g.entries.size()) * a_row;
  std::set<const Entry*> begun;
  const auto on_sample = [&](const Entry& e) {
    if (!options.stock) progress(done, total, &e.row);
    done += begun.insert(&e).second ? set_up : 1;
  };
  Rounds rounds(backend, options, on_sample, Neighbours::probes_of(backend), where);
  std::vector<TracedRow> traces;
  if (options.stock) {  // Google Benchmark's own listing or output
    run_benchmarks(groups, rounds, options, nullptr);
  } else {
    Silent silent;
    // The driver has the cases that are done, should a variant of the next one hang or crash. (A
    // file that somebody else named keeps what it has until all is measured.)
    const auto keep = [&] {
      outputs.take(groups, /*last=*/false);
      outputs.results.failure = 4, outputs.results.failure_reason = "not all was measured";
      if (under_driver()) outputs.write();
    };
    for (Group& group : groups) {
      run_benchmarks({&group, 1}, rounds, options, &silent);
      if (groups.size() > 1 && !Rounds::stays(group)) Rounds::drop(group);
      keep();
    }
    for (Group& group : groups) {
      rounds.finish(group, traced ? &traces : nullptr);
      if (&group != &groups.back()) keep();
    }
    for (Group& group : groups)
      if (options.counters) count(group, backend, options, where);
    progress(total, total, nullptr);
  }
  outputs.take(groups, /*last=*/true);
  outputs.results.failure = 0, outputs.results.failure_reason = "";
  if (!options.trace.empty()) write_atomically(options.trace, chrome_trace(traces));
  if (!rounds.lost().empty()) throw Failure(4, rounds.lost() + ": what follows was not run");
}

int run(Outputs& outputs) {
  Options& options = outputs.options;
  const std::unique_ptr<Backend> backend = open_backend(options.backend);
  outputs.timed = !traits_of(*backend).untimed;
  if (!outputs.timed) options.repetitions = 1, options.sample_seconds = 1e-3;  // counts are exact
  Registry registry = linked_variants();
  std::unique_ptr<judged::Processes> processes;  // with an exercise all variants run in such
  if (!options.exercise.empty())
    processes = judged::start(registry, std::filesystem::absolute(options.exercise),
                              backend->name(), std::filesystem::read_symlink("/proc/self/exe"));
  const std::unique_ptr<Peer> peer = start_peer(options.peer, registry);
  std::vector<Group> groups = make_groups(registry, options, *backend, peer.get());
  if (options.list) {
    list(groups, *backend);
    return 0;
  }
  check_writable(options.trace);  // fails now rather than after minutes
  Results& results = outputs.results;
  const Problem& problem = *groups.front().entries.front().variant->problem;
  results.about[problem.lesson].case_names = case_names(problem);
  const DeviceId device = backend->device();
  const bool only_traces = options.quiet && !options.trace.empty();  // no roof is shown
  if (!outputs.timed) results.machine = device.name;
  if (!options.stock && outputs.timed) {
    auto ceilings = load_ceilings(device);
    if (!ceilings && !only_traces) ceilings = measured_ceilings(device, /*again=*/false);
    if (ceilings) results.machine = device.name, results.ceilings = {*ceilings};
  }
  measure(groups, *backend, processes ? *processes : this_process(), outputs);
  if (!results.ceilings.empty() && !only_traces)
    raise_ceilings(outputs, device, results.ceilings[0]);
  if (!options.quiet && !options.stock)
    put(report::as_text(report::measured(results, {.screen = true}),
                        report::Style::screen(options.wide)));

  const auto all = [&](auto what) {
    return std::all_of(results.rows.begin(), results.rows.end(), what);
  };
  if (!all([](const Row& r) { return r.status != Status::crashed && r.status != Status::hung; }))
    return 4;
  if (all([](const Row& r) { return r.status == Status::skipped; }))
    throw Failure(3, results.rows.front().reason);
  const Ceilings* ceilings = results.ceilings.empty() ? nullptr : &results.ceilings[0];
  return all([&](const Row& r) {
    const bool doubtful = !options.allow_suspect && report::standing(r, ceilings).suspect;
    return r.status == Status::skipped || (r.status == Status::ok && !doubtful);
  })
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
    told = !outputs.options.out.empty() && under_driver();
  } catch (const std::exception&) {  // there is no place for it, and that may be why
  }
  if (!told) tell("{}: {}", std::filesystem::path(program).filename().string(), one_line(why, 800));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  let_threads_spin_briefly(argv);
  open_output();
  explain_faults();
  Outputs outputs;
  outputs.results.version = workbook_version();
  for (const std::string arg : std::span(argv, argc))  // known even when the others can't be read
    if (arg.starts_with("--benchmark_out=")) outputs.options.out = arg.substr(arg.find('=') + 1);
  try {
    outputs.options = parse(argc, argv);
    if (outputs.options.serve) return judged::serve(linked_variants(), outputs.options.backend);
    check_writable(outputs.options.out);
    const int code = run(outputs);
    outputs.write();
    return close_output(code);
  } catch (const std::exception& e) {
    return close_output(give_up(outputs, argv[0], e));
  }
}
