// main() of the programs tune_LESSON: searches, shows what was found, and is the process of a
// candidate. Exit codes as everywhere (base/failure.h): 0 fine, 1 nothing was right, 2 bad usage, 3
// can't run here, 5 file trouble, 130 interrupted.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <new>

#include "../replay/replay.h"
#include "base/failure.h"
#include "base/output.h"
#include "base/process.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "measure/options.h"
#include "programs/threads.h"
#include "search.h"

namespace {

using namespace tune;

struct Words {
  wb::Options options;
  Plan plan;
  std::string configuration, object, svg, replay;
  bool compile = false, serve = false, show = false, plot = false, chosen = false;
};

Words parse(int argc, char** argv) {
  Words w;
  CLI::App app("Searches for the fastest configuration of a lesson on this machine.");
  add_flags(app, w.options, wb::kBackendFlag | wb::kCaseFlags);
  app.add_option("--strategy", w.plan.strategy,
                 "how: " + fmt::format("{}", fmt::join(strategies(), ", ")))
      ->check(CLI::IsMember(strategies()));
  app.add_option("--budget", w.plan.budget, "trials at most")->check(CLI::Range(1, 1000000));
  app.add_option("--minutes", w.plan.minutes, "minutes at most")->check(CLI::Range(0.01, 100000.0));
  app.add_flag("--resume", w.plan.resume, "go on where a search was broken off");
  app.add_option("--jobs", w.plan.jobs, "compilers at once")->check(CLI::Range(1, 1024));
  app.add_option("--journal", w.plan.journal, "where each trial is written down");
  app.add_option("--time-limit", w.plan.patience.answer, "seconds for each answer of a candidate")
      ->check(wb::no_time);
  app.add_flag("--show", w.show, "what the last search found");
  app.add_flag("--chosen", w.chosen, "what the variant `tuned` takes for this case");
  app.add_flag("--plot", w.plot, "how it went, drawn");
  app.add_option("--svg", w.svg, "draw into this file");
  app.add_option("--replay", w.replay,
                 "the journal of a search of all: what other strategies need on it");
  // Of the processes that a search starts:
  app.add_option("--configuration", w.configuration)->group("");
  app.add_option("--object", w.object)->group("");
  app.add_flag("--compile", w.compile)->group("");
  app.add_flag("--serve", w.serve)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    std::exit(wb::close_output(app.exit(e)));
  } catch (const CLI::ParseError& e) {
    throw wb::Failure(2, std::string(e.what()) + "; see --help");
  }
  if (!w.plan.budget && w.plan.minutes == 0) w.plan.budget = 64;
  w.plan.seed = w.options.seed;
  return w;
}

// The lesson's, on the backend that is at hand.
const Tunable& tunable_here(const std::string& backend) {
  for (const Tunable& t : tunables())
    if (t.backend == backend) return t;
  throw wb::Failure(3, "this lesson has nothing to tune on " + backend);
}

int compile_one(const Words& w, const Tunable& t, const wb::Case& c) {
  const Limits limits = limits_of(t.backend);
  const Space space = t.space(c, limits);
  try {
    const Resources r = compile(t, space, space.parse(w.configuration), limits, w.object);
    if (r.registers) wb::print("registers={} spilled={}\n", r.registers, r.spilled);
    return 0;
  } catch (const std::exception& e) {
    throw wb::Failure(1, e.what());
  }
}

std::string journal_path(const Tunable& t, const wb::Case& c) {
  std::string name = std::filesystem::path(t.lesson).filename().string() + "-" + t.backend;
  for (const char letter : "-" + label(c)) name += std::isalnum(letter) ? letter : '-';
  return cache_folder() + "/" + name + ".jsonl";
}

int run(Words w) {
  if (!w.replay.empty()) return show_replays(w.replay, w.svg);
  if (w.serve) return serve_candidate(w.options.backend, w.configuration, w.object);
  std::unique_ptr<wb::Backend> backend;
  std::string name = w.options.backend;
  if (!w.compile) {
    backend = wb::open_backend(name);
    name = backend->name();
  }
  const Tunable& t = tunable_here(name);
  const wb::Case axes =
      chosen_cases(problem_of(t), wb::backend_info(name).traits, w.options).front();
  if (w.compile) return compile_one(w, t, axes);
  if (w.chosen) {
    wb::print("{}\n", chosen(t.lesson, name, axes));
    return 0;
  }

  if (w.plan.journal.empty()) w.plan.journal = journal_path(t, axes);
  const Space space = t.space(axes, limits_of(name));
  const wb::DeviceId device = backend->device();
  const Subject subject{t.lesson,      name,        device.name,     device.id,
                        device.driver, label(axes), space.identity()};
  if (w.show || w.plot || !w.svg.empty()) {
    if (!std::filesystem::exists(w.plan.journal))
      throw wb::Failure(2, "no search has written " + w.plan.journal + ": tune first");
    const Journal journal = load_journal(w.plan.journal, space);
    const auto winner = find_winner({.lesson = t.lesson,
                                     .backend = name,
                                     .device = device.id,
                                     .driver = device.driver,
                                     .axes = subject.axes});
    if (w.show) show(journal, space, winner ? &*winner : nullptr);
    if (w.plot || !w.svg.empty()) plot(journal, w.svg);
    return 0;
  }
  ::prctl(PR_SET_DUMPABLE, 0);  // no candidate may look into this process, which knows the answers
  wb::adopt_orphans();
  Evaluator evaluator(t, space, axes, *backend, w.plan.seed, w.plan.patience);
  return search(evaluator, subject, w.plan);
}

}  // namespace

int main(int argc, char** argv) {
  wb::let_threads_spin_briefly(argv);
  wb::open_output();
  wb::explain_faults();
  try {
    const Words words = parse(argc, argv);
    if (!words.serve && !words.compile) wb::catch_interrupts();
    return wb::close_output(run(words));
  } catch (const std::exception& e) {
    wb::tell("{}: {}", std::filesystem::path(argv[0]).filename().string(), wb::one_line(e, 800));
    const bool cannot = dynamic_cast<const wb::Unsupported*>(&e) ||  // too large for this machine
                        dynamic_cast<const std::bad_alloc*>(&e);
    return wb::close_output(wb::exit_code(e, cannot ? 3 : 5));
  }
}
