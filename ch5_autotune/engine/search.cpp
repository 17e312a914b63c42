#include "search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "../llm/proposals.h"
#include "../plots/show.h"
#include "base/alive.h"
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
  Search(Judge& judge, const Subject& subject, const Plan& plan)
      : judge_(judge),
        space_(judge.space()),
        plan_(plan),
        writer_(plan.journal, space_, subject, plan.resume) {
    if (!history_.empty()) wb::tell("continuing after {} trials", history_.size());
  }

  int run() {
    const auto proposer = make_proposer(
        plan_.strategy, {.space = &space_,
                         .seed = plan_.seed,
                         .predict = [this](const Configuration& c) { return judge_.predict(c); },
                         .briefing = briefing(subject_, judge_.limits())});
    try {
      if (history_.empty()) {
        if (wb::has_cursor(2))
          wb::put_error("\r\033[Ktrial 1 is the default: compiling and testing it");
        generation({space_.fallback()});
      }
      for (std::vector<Configuration> next; !over(); generation(next))
        if (next = proposer.next(history_); next.empty()) break;
    } catch (const std::exception& e) {  // Ctrl-C, a full disk
      if (wb::has_cursor(2)) wb::put_error("\r\033[K");
      throw wb::Failure(wb::exit_code(e, 5),
                        fmt::format("{}; the same command with --resume goes on after {} trials",
                                    e.what(), history_.size()));
    }
    if (wb::has_cursor(2)) wb::put_error("\r\033[K");
    if (const std::string note = proposer.note(); !note.empty()) wb::print("{}\n", note);
    return finish();
  }

 private:
  double here() const { return wb::seconds() - start_; }  // seconds of this run,
  double spent() const { return before_ + here(); }       // and with earlier ones
  bool over() const {
    return (plan_.budget && static_cast<int>(history_.size()) >= plan_.budget) ||
           (plan_.minutes > 0 && here() >= 60 * plan_.minutes);
  }

  void generation(std::vector<Configuration> next) {
    const int number = history_.empty() ? 0 : history_.back().generation + 1;
    if (plan_.budget && next.size() > plan_.budget - history_.size())
      next.resize(plan_.budget - history_.size());
    judge_.try_all(next, [&](Record r) {
      r.generation = number;
      r.spent = spent();
      r.predicted = judge_.predict(r.configuration);
      writer_.add(r, judge_.alone());
      tell(history_.back());
      return over();
    });
  }

  void tell(const Record& r) const {
    const Record* fastest = best(history_);
    std::string line =
        fmt::format("trial {}{}, generation {}: {}; best {}; {:.0f} s to go{}", history_.size(),
                    plan_.budget ? fmt::format("/{}", plan_.budget) : "", r.generation,
                    r.seconds > 0 ? wb::report::format_time(r.seconds) : name(r.status),
                    fastest ? wb::report::format_time(fastest->seconds) : "none", to_go(),
                    r.reason.empty() ? "" : " (" + r.reason + ")");
    if (!wb::has_cursor(2)) return wb::tell("{}", line);
    if (const std::size_t width = wb::screen_width(80) - 1; line.size() > width)
      line.replace(width - 3, line.npos, "...");
    wb::put_error("\r\033[K" + line);
  }

  double to_go() const {  // seconds
    const auto done = static_cast<double>(history_.size());
    const double time = plan_.minutes > 0 ? 60 * plan_.minutes - here() : HUGE_VAL;
    const double trials = plan_.budget ? spent() / done * (plan_.budget - done) : HUGE_VAL;
    return std::max(0.0, std::min(time, trials));
  }

  // The default, and the fastest few.
  std::vector<Configuration> finalists() const {
    std::multimap<double, Configuration> right;
    for (const Record& r : history_)
      if (r.status == Status::ok && r.seconds <= kClose * best(history_)->seconds)
        right.emplace(r.seconds, r.configuration);
    std::vector<Configuration> final = {space_.fallback()};
    for (const auto& [seconds, c] : right)
      if (final.size() <= kFinal && c != final[0]) final.push_back(c);
    return final;
  }

  int finish() {
    if (!best(history_)) {
      wb::print("Of {} trials none was right. First: {}\n", history_.size(),
                history_.front().reason);
      return 1;
    }
    const std::vector<Configuration> final = finalists();
    const auto samples = [&] {
      const wb::Alive alive("timing the default and the fastest again, in turn");
      return judge_.in_turn(final, kRounds);
    }();
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
    if (anchored && wb::report::compare(samples[0], samples[won]).verdict != "faster") won = 0;
    Winner winner{.subject = subject_,
                  .configuration = space_.words(final[won]),
                  .date = wb::today(),
                  .seconds = time(won),
                  .fallback_seconds = anchored ? time(0) : 0,
                  .search_seconds = history_.back().spent,
                  .trials = static_cast<int>(history_.size())};
    for (const Subject& device : judge_.subjects()) {
      winner.subject = device;
      save_winner(winner);
    }
    wb::put(wb::report::as_text(found(writer_.journal(), space_, winner),
                                wb::report::Style::screen(true)));
    for (std::size_t i = 0; i < final.size(); ++i)
      if (const wb::report::Comparison c = wb::report::compare(samples[i], samples[won]);
          i != won && c.verdict != "faster" && !samples[i].empty())
        wb::print("{} ({:.3f}x, {:.3f} to {:.3f}): {}\n",
                  c.verdict == "same" ? "As fast within noise"
                                      : "Perhaps faster or slower, for the times vary",
                  c.ratio, c.low, c.high, space_.words(final[i]));
    return 0;
  }

  Judge& judge_;
  const Space& space_;
  const Plan plan_;
  JournalWriter writer_;
  const Subject& subject_ = writer_.journal().subject;
  const History& history_ = writer_.journal().history;
  const double before_ = history_.empty() ? 0 : history_.back().spent;
  const double start_ = wb::seconds();
};

}  // namespace

int search(Judge& judge, const Subject& subject, const Plan& plan) {
  return Search(judge, subject, plan).run();
}

}  // namespace tune
