#include "search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
#include <map>
#include <thread>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/median.h"
#include "base/output.h"
#include "report/quantity.h"
#include "report/standing.h"

namespace tune {
namespace {

constexpr int kRounds = 9;         // in which the fastest are timed again
constexpr std::size_t kFinal = 4;  // so many of them
constexpr double kClose = 1.03;    // which are that close to the best

class Search {
 public:
  Search(Evaluator& evaluator, const Subject& subject, const Plan& plan)
      : evaluator_(evaluator),
        space_(evaluator.space()),
        plan_(plan),
        journal_(known(subject)),
        writer_(plan.journal, space_, journal_) {}

  std::size_t trials() const { return history_.size(); }

  int run() {
    const auto proposer =
        make_proposer(plan_.strategy,
                      {.space = &space_,
                       .seed = plan_.seed,
                       .predict = [this](const Configuration& c) { return evaluator_.predict(c); },
                       .briefing = briefing()});
    if (history_.empty()) generation({space_.fallback()}, 0, "default");
    while (!over()) {
      const int number = history_.back().generation + 1;
      const std::vector<Configuration> next = proposer->next(history_);
      if (next.empty()) break;
      generation(next, number, plan_.strategy);
    }
    if (wb::has_cursor(2)) wb::put_error("\r\033[K");
    if (const std::string note = proposer->note(); !note.empty()) wb::print("{}\n", note);
    return finish();
  }

 private:
  Journal known(const Subject& subject) const {
    if (!plan_.resume || !std::filesystem::exists(plan_.journal)) return {subject};
    Journal journal = load_journal(plan_.journal, space_, &subject);
    if (journal.lost)
      wb::tell("{} lines of {} can't be read and are left out", journal.lost, plan_.journal);
    wb::tell("going on after {} trials", journal.history.size());
    return journal;
  }

  std::string briefing() const {
    const Limits& l = evaluator_.limits();
    return fmt::format(
        "lesson {}, case {}, on {}: {} multiprocessors, {} bytes of shared memory a block, {} "
        "registers a multiprocessor, {} cores, vectors of {} bytes, L2 of {:.0f} bytes, {:.3g} "
        "FLOP/s, {:.3g} bytes/s",
        journal_.subject.lesson, journal_.subject.axes, journal_.subject.device, l.multiprocessors,
        l.shared_bytes, l.registers, l.cores, l.vector_bytes, l.l2_bytes, l.flops, l.bandwidth);
  }

  double spent() const { return wb::seconds() - start_; }
  bool over() const {
    return (plan_.budget && static_cast<int>(history_.size()) >= plan_.budget) ||
           (plan_.minutes > 0 && spent() >= 60 * plan_.minutes);
  }

  // A compiler for it starts, unless there was one for the same values.
  void begin(const Configuration& c) {
    auto& one = compiled_[macros(space_, c)];
    if (one.valid()) return;
    const std::string object = scratch_.file(std::to_string(compiled_.size()));
    one = std::async(std::launch::async, [=, this] { return evaluator_.compile(c, object); });
  }
  Evaluator::Compiled compiled(const Configuration& c) {
    begin(c);
    Evaluator::Compiled one = compiled_[macros(space_, c)].get();
    one.record.configuration = c;
    return one;
  }

  // Compilers are as many trials ahead as may run side by side. On a CPU nothing is timed while
  // they do: there so many are compiled, and then tried.
  void generation(const std::vector<Configuration>& next, int number, const std::string& by) {
    const bool gpu = evaluator_.limits().multiprocessors > 0;
    const std::size_t jobs =
        plan_.jobs ? plan_.jobs : std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < next.size() && !over(); ++i) {
      for (std::size_t ahead = i; ahead < std::min(i + jobs, next.size()); ++ahead)
        if (gpu || i % jobs == 0) begin(next[ahead]);
      if (!gpu && i % jobs == 0)
        for (auto& [values, one] : compiled_) one.wait();
      add(evaluator_.judge(compiled(next[i])), number, by);
    }
  }

  void add(Record r, int number, const std::string& by) {
    r.generation = number;
    r.spent = before_ + spent();
    r.by = by;
    r.predicted = evaluator_.predict(r.configuration);
    if (writer_.meddled()) {
      r.status = Status::dishonest;
      r.reason = "it wrote to the journal";
      r.seconds = r.flops = 0;
    }
    writer_.add(r);
    history_.push_back(r);
    const Record* fastest = best(history_);
    const std::string line =
        fmt::format("trial {}{}, generation {}: {}{}; best {}; {:.0f} s to go", history_.size(),
                    plan_.budget ? fmt::format("/{}", plan_.budget) : "", number,
                    r.seconds > 0 ? wb::format_time(r.seconds) : name(r.status),
                    r.reason.empty() ? "" : " (" + r.reason.substr(0, 60) + ")",
                    fastest ? wb::format_time(fastest->seconds) : "none", to_go());
    if (wb::has_cursor(2))
      wb::put_error("\r\033[K" + line.substr(0, wb::screen_width(80) - 1));
    else
      wb::tell("{}", line);
  }

  double to_go() const {  // seconds
    const auto done = static_cast<double>(history_.size()), here = done - known_;
    const double time = plan_.minutes > 0 ? 60 * plan_.minutes - spent() : HUGE_VAL;
    const double trials = plan_.budget ? spent() / here * (plan_.budget - done) : HUGE_VAL;
    return std::max(0.0, std::min(time, trials));
  }

  // The default, and the fastest few.
  std::vector<Evaluator::Compiled> finalists() {
    History right;
    for (const Record& r : history_)
      if (r.status == Status::ok && r.seconds <= kClose * best(history_)->seconds &&
          r.configuration != space_.fallback())
        right.push_back(r);
    std::stable_sort(right.begin(), right.end(),
                     [](const Record& a, const Record& b) { return a.seconds < b.seconds; });
    right.resize(std::min(right.size(), kFinal));
    std::vector<Evaluator::Compiled> final = {compiled(space_.fallback())};
    for (const Record& r : right) final.push_back(compiled(r.configuration));
    return final;
  }

  int finish() {
    if (!best(history_)) {
      wb::print("Of {} trials none was right. First: {}\n", history_.size(),
                history_.front().reason);
      return 1;
    }
    const std::vector<Evaluator::Compiled> final = finalists();
    const auto samples = evaluator_.in_turn(final, kRounds);
    const auto time = [&](std::size_t i) {
      return samples[i].size() == kRounds ? wb::median(samples[i]) : HUGE_VAL;
    };
    std::size_t won = 0;
    for (std::size_t i = 0; i < final.size(); ++i)
      if (time(i) < time(won)) won = i;
    if (time(won) == HUGE_VAL) {
      wb::print("None of the fastest was right again.\n");
      return 1;
    }
    // Within noise the default wins: nothing was found that is faster.
    const bool anchored = time(0) < HUGE_VAL;
    if (anchored && wb::compare(samples[0], samples[won]).verdict != "faster") won = 0;
    const Winner winner{.subject = journal_.subject,
                        .configuration = space_.words(final[won].record.configuration),
                        .strategy = plan_.strategy,
                        .date = wb::today(),
                        .seconds = time(won),
                        .fallback_seconds = anchored ? time(0) : 0,
                        .search_seconds = history_.back().spent,
                        .trials = static_cast<int>(history_.size())};
    save_winner(winner);
    show(journal_, space_, winner);
    for (std::size_t i = 0; i < final.size(); ++i)
      if (const wb::Comparison c = wb::compare(samples[i], samples[won]);
          i != won && c.verdict != "faster" && !samples[i].empty())
        wb::print("As fast within noise ({:.3f}x, {:.3f} to {:.3f}): {}\n", c.ratio, c.low, c.high,
                  space_.words(final[i].record.configuration));
    return 0;
  }

  Evaluator& evaluator_;
  const Space& space_;
  const Plan plan_;
  Journal journal_;
  JournalWriter writer_;
  History& history_ = journal_.history;
  const double start_ = wb::seconds();
  const double known_ = static_cast<double>(history_.size());           // trials of earlier runs,
  const double before_ = history_.empty() ? 0 : history_.back().spent;  // and their seconds
  const wb::Scratch scratch_;
  std::map<std::string, std::shared_future<Evaluator::Compiled>> compiled_;  // by macros
};

}  // namespace

int search(Evaluator& evaluator, const Subject& subject, const Plan& plan) {
  Search search(evaluator, subject, plan);
  try {
    return search.run();
  } catch (const wb::Failure& e) {
    if (e.code != 130) throw;
    throw wb::Failure(130,
                      fmt::format("interrupted; the same with --resume goes on after {} trials",
                                  search.trials()));
  }
}

}  // namespace tune
