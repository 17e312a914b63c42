// main() of the programs tune_LESSON: searches, shows what was found, and is the process of a
// candidate. Exit codes as everywhere (base/failure.h): 0 fine, 1 nothing was right, 2 bad usage, 3
// can't run here, 5 file trouble, 130 interrupted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <new>
#include <random>
#include <set>
#include <thread>

#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/process.h"
#include "cluster/workers.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "engine/search.h"
#include "judged/serve.h"
#include "measure/options.h"
#include "plots/plots.h"
#include "plots/show.h"
#include "programs/flags.h"
#include "programs/threads.h"
#include "report/gnuplot.h"

namespace {

using namespace tune;

struct Words {
  wb::Options options;
  Plan plan;
  double patience = 20;
  Forced candidate;
  std::string macros, svg, html, replay, launcher;
  int jobs = 0;
  bool show = false, plot = false, work = false;
  std::vector<std::string> command;  // of this process
};

// The parameters of each kind of case that the words choose, by the first one's name. A device that
// is not here has no limits, which only constraints ask for.
std::string explained(const wb::Options& options) {
  std::string text;
  for (const auto& [backend, t] : tunables()) {
    if (options.backend != "auto" && options.backend != backend) continue;
    Limits limits;
    try {
      limits = limits_of(backend);
    } catch (const std::exception&) {
    }
    std::set<std::string> known;
    for (const wb::Case& c :
         chosen_cases(*judged_variant(backend).problem, wb::backend_info(backend).traits, options))
      if (const Space space = t.space(c, limits); known.insert(space.identity()).second)
        text +=
            fmt::format("\nParameters on {}, {}:\n{}", backend, label(c), parameters(space).text);
  }
  return text;
}

Words parse(int argc, char** argv) {
  Words w;
  CLI::App app("Searches for the fastest configuration of a lesson on this machine.");
  app.name("./workbook tune " + tunables().begin()->second.lesson);
  add_flags(app, w.options, wb::kBackendFlag | wb::kAxisFlags);
  w.options.seed = std::random_device{}();
  app.add_option("--seed", w.options.seed, "the seed of inputs and of what is tried");
  app.add_option("--strategy", w.plan.strategy,
                 "how: " + fmt::format("{}", fmt::join(strategies(), ", ")))
      ->check(CLI::IsMember(strategies()));
  app.add_option("--budget", w.plan.budget, "trials at most")->check(CLI::Range(1, 1000000));
  app.add_option("--minutes", w.plan.minutes, "minutes at most")->check(CLI::Range(0.01, 100000.0));
  app.add_flag("--resume", w.plan.resume, "continue a search that was interrupted");
  app.add_option("--jobs", w.jobs,
                 "how many compilers run at once; with --launcher: how many trials")
      ->check(CLI::Range(1, 1024));
  app.add_option("--launcher", w.launcher,
                 "put before each of --jobs workers, which gives it a machine of its own: "
                 "srun --exclusive -N1 -n1");
  app.add_option("--journal", w.plan.journal, "the file that keeps each trial");
  app.add_option("--time-limit", w.patience, "seconds that a candidate may take to answer")
      ->check(wb::no_time);
  app.add_flag("--show", w.show, "show what the last search found");
  app.add_flag("--plot", w.plot, "draw how the last search went");
  app.add_option("--svg", w.svg, "draw it into this SVG file");
  app.add_option("--html", w.html, "write a page: what the last search found, and every trial");
  app.add_option("--replay", w.replay,
                 "a journal of an exhaustive search: show how many trials other strategies need");
  // Of the processes that a search starts: one is a worker, one compiles, one serves what was
  // compiled.
  app.add_flag("--work", w.work)->group("");
  app.add_option("--object", w.candidate.object)->group("");
  app.add_option("--macros", w.macros)->group("");
  app.add_option("--configuration", w.candidate.configuration)->group("");
  if (!wb::parse(app, argc, argv, app.get_name() + " --help")) {
    wb::print("{}", explained(w.options));
    std::exit(wb::close_output(0));
  }
  if (!w.plan.budget && w.plan.minutes == 0) w.plan.budget = 64;
  w.plan.seed = w.options.seed;
  w.command = wb::split_words(w.launcher);
  w.command.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  w.command.insert(w.command.end(), argv + 1, argv + argc);
  w.command.push_back("--work");
  return w;
}

// One of the processes that a search starts.
int run_candidate(const Words& w) {
  const Tunable& t = tunable(w.options.backend);
  forced() = w.candidate;
  // It may be killed: what it and its compiler leave goes with the folder of the search.
  const std::filesystem::path folder = std::filesystem::path(w.candidate.object).parent_path();
  if (!folder.empty()) ::setenv("TMPDIR", folder.c_str(), 1);
  // Its kernels are on the stream that it is given, and what starts them is the lesson's, whose own
  // tests hold it to that: no launch has to wait.
  if (!w.candidate.configuration.empty())
    return wb::judged::serve({judged_variant(t.backend)}, t.backend, /*hold=*/0);
  wb::catch_interrupts();  // whoever stops a compilation stops its compiler, too
  compile(t.lesson + "/" + t.source, w.macros, limits_of(t.backend), w.candidate.object);
  return 0;
}

// What an earlier search left.
void look(const Words& w, const Journal& journal, const Space& space,
          const std::optional<Winner>& winner) {
  const wb::report::Document all = found(journal, space, winner);
  const wb::report::Figure figure = plot(journal);
  if (w.show) wb::put(wb::report::as_text(all, wb::report::Style::screen(true)));
  if (w.plot || !(w.svg + w.html).empty()) wb::report::require_gnuplot();
  if ((w.plot || !w.svg.empty()) && !best(journal.history))
    throw wb::Failure(1, "no trial was right: there is nothing to draw");
  if (w.plot) wb::put(wb::report::as_text({figure}, wb::report::Style::screen(true)));
  if (!w.svg.empty()) wb::write_atomically(w.svg, figure.draw(wb::report::Picture::svg, 100));
  if (w.html.empty()) return;
  wb::report::Document page = {wb::report::Heading{1, "Search"}};
  page.insert(page.end(), all.begin(), all.end());
  page.insert(page.end(), {figure, trials(journal, space)});
  wb::write_atomically(w.html, wb::report::as_html(page, "Search: " + journal.subject.lesson));
}

// Shows the last search and what it found for a device, or searches, with a judge that `make`
// makes.
template <class Make>
int search_or_show(Words& w, const Subject& subject, const Subject& device, const Space& space,
                   Make make) {
  if (w.plan.journal.empty()) w.plan.journal = cache_path(subject, ".jsonl");
  if (w.show || w.plot || !(w.svg + w.html).empty()) {
    if (!std::filesystem::exists(w.plan.journal))
      throw wb::Failure(2, "no search has written " + w.plan.journal + ": tune first");
    const Journal journal = load_journal(w.plan.journal, space);
    look(w, journal, space, find_winner(device));
    return 0;
  }
  const auto folder = std::filesystem::path(cache_path(subject, "")).parent_path();
  if (std::error_code failed; std::filesystem::create_directories(folder, failed), failed)
    throw wb::Failure(5, fmt::format("cannot make {}: {}; set XDG_CACHE_HOME to another folder",
                                     folder.string(), failed.message()));
  const auto judge = make();
  wb::put(wb::report::as_text({wb::report::Heading{4, fmt::format("{}, {}: what can be chosen",
                                                                  subject.lesson, subject.axes)},
                               parameters(space)},
                              wb::report::Style::screen(true)));
  return search(*judge, subject, w.plan);
}

// The case that is tuned.
wb::Case axes_of(const Words& w, const std::string& backend) {
  return chosen_cases(*judged_variant(backend).problem, wb::backend_info(backend).traits, w.options)
      .front();
}

int run_elsewhere(Words& w) {
  Crew crew(w.command, std::max(w.jobs, 1));
  Subject subject = crew.hello().subject;
  subject.id.clear();
  const Tunable& t = tunable(subject.backend);
  const wb::Case axes = axes_of(w, subject.backend);
  return search_or_show(w, subject, crew.hello().subject, t.space(axes, crew.hello().limits),
                        [&] { return std::make_unique<Workers>(t, axes, crew); });
}

int run(Words& w) {
  if (!w.replay.empty()) return show_replays(w.replay, w.svg);
  if (!w.candidate.object.empty()) return run_candidate(w);
  wb::catch_interrupts();
  if (!w.launcher.empty() && !w.work) return run_elsewhere(w);
  const std::unique_ptr<wb::Backend> backend = wb::open_backend(w.options.backend);
  const Tunable& t = tunable(backend->name());
  const wb::Case axes = axes_of(w, t.backend);
  const auto evaluator = [&] {
    const int jobs = w.jobs ? w.jobs : std::max(1u, std::thread::hardware_concurrency());
    return std::make_unique<Evaluator>(t, axes, *backend, w.options.seed, w.patience, jobs);
  };
  if (w.work) return work(*evaluator());
  const Space space = t.space(axes, limits_of(t.backend));
  const Subject subject = subject_of(t, axes, space);
  return search_or_show(w, subject, subject, space, evaluator);
}

}  // namespace

int main(int argc, char** argv) {
  wb::let_threads_spin_briefly(argv);
  wb::open_output();
  wb::explain_faults();
  try {
    Words words = parse(argc, argv);
    return wb::close_output(run(words));
  } catch (const std::exception& e) {
    wb::tell("{}: {}", std::filesystem::path(argv[0]).filename().string(), wb::one_line(e, 800));
    const bool cannot = dynamic_cast<const wb::Unsupported*>(&e) ||  // too large for this machine
                        dynamic_cast<const std::bad_alloc*>(&e);
    return wb::close_output(wb::exit_code(e, cannot ? 3 : 5));
  }
}
