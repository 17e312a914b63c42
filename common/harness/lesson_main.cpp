// main() of every lesson program: verifies, times and traces the variants linked into it.
//
// Google Benchmark asks for the samples (one iteration = one sample), so its flags and JSON work;
// what a sample is, is in trial.h. Exit codes: 0 fine, 1 a wrong answer, 2 bad usage, 3 can't run
// here, 5 file trouble.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "harness/failure.h"
#include "harness/options.h"
#include "harness/peer.h"
#include "harness/statistics.h"
#include "harness/threads.h"
#include "harness/trial.h"
#include "report/explain.h"
#include "report/json.h"
#include "report/sweep.h"
#include "report/table.h"
#include "report/timeline.h"

namespace {

using namespace wb;

// A variant on a case, while it runs.
struct Entry {
  const Variant* variant;
  Data* data = nullptr;
  Backend* backend;
  Row row;
  Peer* peer = nullptr;  // takes the samples instead of a variant
  std::unique_ptr<Trial> trial;
  int reported = 0;  // samples that Google Benchmark has
};

// A case on a backend: the variants that are compared with each other.
struct Group {
  Shape shape;
  Backend* backend;
  std::vector<Entry> entries;
  std::map<const Problem*, std::unique_ptr<Data>> data;  // nearly always of one problem
  int rounds = 0;                                        // samples taken of each entry
};

// ---- what to run ------------------------------------------------------------------------------

std::string benchmark_name(const Entry& e) {
  return e.row.lesson + "/" + e.row.variant + "/" + e.row.backend + "/" + e.row.label;
}

// Roles in the order of a lesson: baseline, steps, optimized, library, the rest.
int role_order(const std::string& name) {
  const char* order[] = {"baseline", "step", "optimized", "library", "exercise", "solution"};
  for (int i = 0; i < 6; ++i)
    if (name.starts_with(order[i])) return i;
  return 6;
}

class Backends {
 public:
  explicit Backends(const std::string& wanted) {
    if (wanted != "cpu" && (wanted == "cuda" || built_with_cuda())) {
      try {
        all_[BackendKind::cuda] = make_cuda_backend();
      } catch (const std::exception& e) {
        if (wanted == "cuda") throw Failure(3, e.what());
      }
    }
    if (all_.empty()) all_[BackendKind::cpu] = make_cpu_backend();
  }
  // Null when this backend was not asked for.
  Backend* get(BackendKind kind) const {
    auto it = all_.find(kind);
    return it == all_.end() ? nullptr : it->second.get();
  }
  const auto& all() const { return all_; }

 private:
  std::map<BackendKind, std::unique_ptr<Backend>> all_;
};

std::vector<Group> make_groups(const Options& options, const Backends& backends, Peer* peer) {
  std::vector<const Variant*> chosen;
  std::stringstream names(options.variant);
  std::vector<std::string> wanted;
  for (std::string name; std::getline(names, name, ',');) wanted.push_back(name);
  for (const Variant& v : variants())
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), v.name) != wanted.end())
      chosen.push_back(&v);
  std::stable_sort(chosen.begin(), chosen.end(), [](auto* a, auto* b) {
    return std::pair(role_order(a->name), a->name) < std::pair(role_order(b->name), b->name);
  });
  if (chosen.empty())
    throw Failure(2, "no variant --variant=" + options.variant + " in this program");

  std::vector<Group> groups;
  for (const auto& [kind, backend] : backends.all()) {
    const auto first =
        std::find_if(chosen.begin(), chosen.end(), [&](auto* v) { return v->backend == kind; });
    if (first == chosen.end()) continue;
    const Sweep* sweep = chosen_sweep(*(*first)->problem, kind, options);
    for (const Shape& shape : chosen_shapes(*(*first)->problem, kind, options)) {
      Group group{.shape = shape, .backend = backend.get(), .entries = {}, .data = {}};
      for (const Variant* v : chosen) {
        if (v->backend != kind) continue;
        Entry e{.variant = v, .backend = backend.get(), .row = {}, .trial = nullptr};
        e.row.lesson = v->problem->lesson;
        e.row.variant = v->name;
        e.row.backend = name(kind);
        e.row.label = label(shape);
        e.row.clock = v->problem->clock == Clock::wall ? "wall" : "device";
        e.row.cache = options.cache;
        e.row.note = v->note;
        if (sweep) {
          const char* shows[] = {"time", "bandwidth", "flops", "item"};
          e.row.sweep = sweep->name;
          e.row.at = static_cast<double>(shape.*sweep->extent);
          e.row.show = shows[static_cast<int>(sweep->show)];
        }
        e.row.timer =
            kind == BackendKind::cpu || v->problem->clock == Clock::wall ? "host" : "events";
        if (passes(options, benchmark_name(e))) group.entries.push_back(std::move(e));
      }
      if (group.entries.empty()) continue;
      const Problem& problem = *(*first)->problem;
      if (peer && problem.clock == Clock::device && peer->knows(problem.lesson, shape.op)) {
        Row row = group.entries.front().row;
        row.variant = options.peer;
        row.note = peer->version();
        group.entries.push_back({.variant = group.entries.front().variant,
                                 .backend = backend.get(),
                                 .row = row,
                                 .peer = peer,
                                 .trial = nullptr});
      }
      groups.push_back(std::move(group));
    }
  }
  if (groups.empty())
    throw Failure(options.filter.empty() ? 3 : 2,
                  "nothing to run: no variant matches this backend and filter");
  return groups;
}

// ---- running ----------------------------------------------------------------------------------

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
    auto json = nlohmann::json::parse(text.str() + "]}", nullptr, false);
    if (json.is_discarded()) return true;
    json = json["context"];
    json.erase("host_name");
    if (json.contains("executable"))
      json["executable"] = std::filesystem::path(json["executable"].get<std::string>()).filename();
    context_ = json.dump();
    return true;
  }
  void ReportRuns(const std::vector<Run>&) override {}
  const std::string& context() const { return context_; }

 private:
  std::string context_;
};

std::string lost;  // why the device can't be used any more; empty: it can

// What a step does, with what can go wrong in it written into the row. After the loss of the device
// nothing is tried any more, but what was measured before stays.
template <class F> void guarded(Entry& e, F step) {
  if (!lost.empty()) {
    if (e.row.samples.empty() && e.row.error.empty()) e.row.skipped = "not run: " + lost;
    return;
  }
  try {
    step();
  } catch (const Unsupported& what) {
    e.row.skipped = what.what();
  } catch (const std::bad_alloc&) {
    e.row.skipped = "out of memory: choose a smaller --size";
  } catch (const std::exception& what) {
    e.row.error = std::string("FAILED: ") + what.what();
    if (e.backend->lost())
      lost = "the device was lost in " + e.row.variant + " (" + e.row.label + ")";
  }
}

void add_note(Row& row, const std::string& note) {
  if (row.note.find(note) == std::string::npos) row.note += (row.note.empty() ? "" : "; ") + note;
}

bool runs(const Entry& e) { return e.row.error.empty() && e.row.skipped.empty(); }

// Before the first sample: what the row is about, and the check of its answers.
void set_up(Entry& e, const Options& options) {
  if (!runs(e)) return;
  e.row.cost = e.data->cost();
  const Items items = e.data->items();
  e.row.items = items.count;
  e.row.item = items.name;
  e.row.per = items.count == 0 ? "" : items.rate ? "second" : "item";
  if (e.peer) return;
  e.trial = std::make_unique<Trial>(*e.variant, *e.data, *e.backend);
  e.row.error = e.trial->verify();
  if (runs(e)) e.trial->warm_up(options.settings());
}

// A sample of every row of the group. Each is taken in several parts, and the rows take turns in an
// order of chance: what is compared was measured within the same tenths of a second, so what the
// machine does to all of them cancels in the ratios. (On a virtual machine with loud neighbours a
// variant compared with itself is "ambiguous" without this, more often than not.)
void take_round(Group& group, const Options& options,
                const std::function<void(const Entry&)>& on_sample) {
  constexpr int kParts = 5;
  const bool first = group.rounds == 0, last = ++group.rounds == options.samples();
  std::minstd_rand random(options.seed + group.rounds);
  struct Turn {
    Entry* entry;
    std::vector<double> parts;
    double spent = 0;  // seconds of the budget
  };
  std::vector<Turn> turns;
  for (Entry& e : group.entries) {
    if (first) {
      on_sample(e);
      guarded(e, [&] { set_up(e, options); });
    }
    if (first || last) guarded(e, [&] { add_note(e.row, e.backend->state().problem); });
    turns.push_back({.entry = &e, .parts = {}});
  }
  Settings part = options.settings();
  part.budget /= kParts;
  for (int i = 0; i < kParts; ++i) {
    std::shuffle(turns.begin(), turns.end(), random);
    for (auto& [e, parts, spent] : turns) {
      if (!runs(*e) || spent >= options.settings().budget) continue;
      if (i == 0 && !first) on_sample(*e);
      guarded(*e, [&, e = e, &parts = parts] {
        if (e->peer) {  // starting and stopping its profiler takes too long for parts
          const Peer::Sample sample =
              e->peer->sample(e->row.lesson, e->row.label, e->backend->kind(), part.cache,
                              options.settings().budget);
          parts.push_back(sample.seconds);
          e->row.timer = sample.timer;
        } else {
          parts.push_back(e->trial->sample(part, last && i == 0 ? &e->row.error : nullptr));
        }
      });
      spent += e->peer ? options.settings().budget
                       : std::max(part.budget, parts.empty() ? 0 : parts.back());
    }
  }
  for (const auto& [e, parts, spent] : turns) {
    if (!parts.empty() && e->row.skipped.empty()) e->row.samples.push_back(median(parts));
    if (e->trial) e->row.enqueue = e->trial->enqueue();
  }
}

// One repetition of one row: what Google Benchmark calls, in any order.
void report_sample(benchmark::State& state, Group& group, Entry& e, const Options& options,
                   const std::function<void(const Entry&)>& on_sample) {
  const int index = e.reported++;
  while (group.rounds <= index) take_round(group, options, on_sample);
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

bool timed(const Entry& e) { return !e.row.samples.empty() && runs(e); }

// The arrays of a problem in this case, made when first asked for.
Data* bind(Group& group, const Problem& problem, const Options& options, bool with_reference) {
  auto& data = group.data[&problem];
  if (!data)
    data =
        std::make_unique<Data>(problem, group.shape, *group.backend, options.seed, with_reference);
  return data.get();
}

// Activity records can slow launches down for the rest of a process, so this comes after the timing
// of every case; data that was dropped by then is made again.
void revive(Group& group, const Options& options) {
  if (!group.data.empty()) return;
  for (Entry& e : group.entries) {
    if (!timed(e) || e.peer) continue;
    e.data = bind(group, *e.variant->problem, options, /*with_reference=*/false);
    e.trial = std::make_unique<Trial>(*e.variant, *e.data, *group.backend);
  }
}

// Goodput and the split of the wall time.
void trace_rows(Group& group, std::vector<TracedRow>& traces) {
  for (Entry& e : group.entries) {
    if (!timed(e) || !e.trial) continue;
    guarded(e, [&] {
      const double seconds = median(e.row.samples);
      const int iterations = std::clamp(static_cast<int>(0.05 / seconds), 3, 100);
      const Trace trace = e.trial->trace({}, iterations);
      if (trace.missing.empty()) {
        e.row.split = split(trace);
        e.row.total = trace.wall / trace.iterations;
        if (e.row.clock == "wall" && e.backend->kind() == BackendKind::cuda) {
          e.row.split = without_tracing(*e.row.split, e.row.total, seconds);
          e.row.total = seconds;
        }
        e.row.useful = e.row.split->compute * e.row.total;
        traces.push_back({benchmark_name(e), trace});
      } else {
        e.row.no_goodput = trace.missing;
      }
    });
  }
}

// An event pair adds one to two microseconds, a few percent of short rows, so these are timed again
// from activity records, interleaved as before.
void retime_short_rows(Group& group, const Options& options) {
  constexpr double kShort = 50e-6;
  std::map<Entry*, std::vector<double>> samples;
  for (int i = 0; i < options.samples(); ++i)
    for (Entry& e : group.entries) {
      if (!timed(e) || !e.trial || e.row.timer != "events" || median(e.row.samples) >= kShort)
        continue;
      guarded(e, [&] {
        std::string missing;
        const auto seconds = e.trial->device_seconds(options.settings(), 50, &missing);
        if (!seconds.empty())
          samples[&e].push_back(median(seconds));
        else
          add_note(e.row, "event pairs add 1 to 3 us to this row: " + missing);
      });
    }
  for (auto& [e, values] : samples) {
    e->row.samples = values;
    e->row.timer = "cupti";
  }
}

void run_groups(std::vector<Group*> groups, const Options& options,
                benchmark::BenchmarkReporter* reporter,
                const std::function<void(const Entry&)>& on_sample) {
  for (Group* group : groups) {
    for (Entry& e : group->entries) {
      guarded(
          e, [&] { e.data = bind(*group, *e.variant->problem, options, /*with_reference=*/true); });
      benchmark::RegisterBenchmark(benchmark_name(e).c_str(),
                                   [&, group](benchmark::State& state) {
                                     report_sample(state, *group, e, options, on_sample);
                                   })
          ->UseManualTime()
          ->Iterations(1)
          ->Repetitions(options.samples());
    }
  }
  if (reporter)
    benchmark::RunSpecifiedBenchmarks(reporter);
  else
    benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
}

void drop(Group& group) {
  for (Entry& e : group.entries) e.trial.reset();
  group.data.clear();
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

int run(int argc, char** argv) {
  std::vector<std::string> extra = {argv[0]};
  const Options options = parse_options(argc, argv, extra);
  std::vector<char*> pointers;
  for (std::string& s : extra) pointers.push_back(s.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) throw Failure(2, std::string("unknown flag ") + pointers[1] + "; see --help");

  const Backends backends(options.backend);
  std::unique_ptr<Peer> peer;
  if (!options.peer.empty()) try {
      peer = std::make_unique<Peer>(Peer::script(options.peer));
    } catch (const Unsupported& e) {
      std::fprintf(stderr, "no %s column: %s\n", options.peer.c_str(), e.what());
    }
  std::vector<Group> groups = make_groups(options, backends, peer.get());
  for (const std::string& file : {options.out, options.trace})
    if (!file.empty()) check_writable(file);  // fails now rather than after minutes

  Results results;
  results.version = WB_VERSION;
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  results.date = date;
  if (!options.stock)
    for (const auto& [kind, backend] : backends.all())
      if (auto c = ceilings_of(*backend)) {
        if (results.machine.empty()) results.machine = c->device.name;
        results.ceilings.push_back(*c);
      }

  ContextOnly context;
  std::vector<TracedRow> traces;
  std::vector<Group*> all;
  int total = 0, done = 0;
  for (Group& g : groups)
    all.push_back(&g), total += static_cast<int>(g.entries.size()) * options.samples();
  const auto on_sample = [&](const Entry& e) {
    progress(done++, total, e.row.label + " " + e.row.variant);
  };
  if (options.stock) {
    run_groups(all, options, nullptr, [](const Entry&) {});
    for (std::size_t i = 0; options.list && i < groups.size(); ++i) {
      const BackendKind kind = groups[i].backend->kind();
      if (i > 0 && groups[i - 1].backend->kind() == kind) continue;  // said already
      for (const Sweep& s : groups[i].entries.front().variant->problem->sweeps_on(kind))
        std::printf("--sweep %s: %lld to %lld (%s)\n", s.name, static_cast<long long>(s.from),
                    static_cast<long long>(s.to), std::string(name(kind)).c_str());
    }
  } else {
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(options.seed));
    for (Group* group : all) {
      run_groups({group}, options, &context, on_sample);
      if (all.size() > 1) drop(*group);
    }
    for (Group* group : all) {
      if (!lost.empty()) break;
      guarded(group->entries.front(), [&] { revive(*group, options); });
      if (options.sweep.empty() || !options.trace.empty()) trace_rows(*group, traces);
      retime_short_rows(*group, options);
      drop(*group);
    }
    progress(total, total, "");
  }

  for (Group& group : groups)
    for (Entry& e : group.entries) results.rows.push_back(e.row);
  if (!options.out.empty()) write_atomically(options.out, to_json(results, context.context()));
  if (!options.trace.empty()) write_atomically(options.trace, chrome_trace(traces));
  if (!options.quiet && !options.stock)
    for (const Case& c : cases(results))
      std::printf("%s\n%s\n%s\n", case_table(c, results, Style::text).c_str(),
                  explain(c, results).c_str(), goodput_lines(c, results).c_str());
  if (!options.quiet && !options.stock)
    for (const Curve& c : curves(results))
      std::printf("%s\n%s\n", curve_table(c, results, Style::text).c_str(),
                  curve_summary(c, results).c_str());

  const auto count_if = [&](auto what) {
    return std::count_if(results.rows.begin(), results.rows.end(), what);
  };
  if (!lost.empty()) throw Failure(4, lost + ": what follows was not run");
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
