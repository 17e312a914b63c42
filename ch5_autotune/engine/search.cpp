#include "search.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <semaphore>
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
        subject_(subject),
        plan_(plan),
        history_(known()),
        journal_(plan.journal, subject, space_, history_, !plan.resume),
        scratch_(cache_folder()) {}

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
  History known() const {
    if (!plan_.resume || !std::filesystem::exists(plan_.journal)) return {};
    Journal journal = load_journal(plan_.journal, space_, &subject_);
    if (journal.lost)
      wb::tell("{} lines of {} can't be read and are left out", journal.lost, plan_.journal);
    wb::tell("going on after {} trials", journal.history.size());
    return std::move(journal.history);
  }

  std::string briefing() const {
    const Limits& l = evaluator_.limits();
    return fmt::format(
        "lesson {}, case {}, on {}: {} multiprocessors, {} bytes of shared memory a block, {} "
        "registers a multiprocessor, {} cores, vectors of {} bytes, L2 of {:.0f} bytes, {:.3g} "
        "FLOP/s, {:.3g} bytes/s",
        subject_.lesson, subject_.axes, subject_.device, l.multiprocessors, l.shared_bytes,
        l.registers, l.cores, l.vector_bytes, l.l2_bytes, l.flops, l.bandwidth);
  }

  double spent() const { return wb::seconds() - start_; }
  bool over() const {
    return (plan_.budget && static_cast<int>(history_.size()) >= plan_.budget) ||
           (plan_.minutes > 0 && spent() >= 60 * plan_.minutes);
  }

  void generation(const std::vector<Configuration>& next, int number, const std::string& by) {
    // Compilers run side by side; on a CPU nothing is timed while they do.
    std::counting_semaphore<> places(
        plan_.jobs ? plan_.jobs : std::max(1u, std::thread::hardware_concurrency()));
    std::atomic<bool> enough = false;
    std::vector<std::shared_future<Evaluator::Compiled>> compiled;
    for (const Configuration& c : next) {
      const std::string object = scratch_.file(evaluator_.key(c));  // others may have the same
      auto& one = compiled_[object];
      if (!one.valid())
        one =
            std::async(std::launch::async, [&, c, object] {
              places.acquire();
              const std::unique_ptr<std::counting_semaphore<>, void (*)(std::counting_semaphore<>*)>
                  place(&places, [](auto* p) { p->release(); });
              return enough ? Evaluator::Compiled{{.configuration = c}, object}
                            : evaluator_.compile(c, object);
            }).share();
      compiled.push_back(one);
    }
    struct Stop {  // what still waits need not begin
      std::atomic<bool>& enough;
      std::vector<std::shared_future<Evaluator::Compiled>>& all;
      ~Stop() {
        enough = true;
        for (auto& one : all) one.wait();
      }
    } stop{enough, compiled};
    if (evaluator_.limits().multiprocessors == 0)
      for (auto& one : compiled) one.wait();
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (over()) return;
      Evaluator::Compiled one = compiled[i].get();
      one.record.configuration = next[i];
      add(evaluator_.judge(one), number, by);
    }
  }

  void add(Record r, int number, const std::string& by) {
    r.generation = number;
    r.spent = before_ + spent();
    r.by = by;
    r.predicted = evaluator_.predict(r.configuration);
    if (journal_.meddled()) {
      r.status = Status::dishonest;
      r.reason = "it wrote to the journal";
      r.seconds = r.flops = 0;
    }
    journal_.add(r);
    history_.push_back(r);
    ++done_;
    const Record* fastest = best(history_);
    const std::string line =
        fmt::format("trial {}{}, generation {}: {}{}; best {}{}", history_.size(),
                    plan_.budget ? fmt::format("/{}", plan_.budget) : "", number,
                    r.seconds > 0 ? wb::format_time(r.seconds) : name(r.status),
                    r.reason.empty() ? "" : " (" + r.reason.substr(0, 60) + ")",
                    fastest ? wb::format_time(fastest->seconds) : "none", eta());
    if (wb::has_cursor(2))
      wb::put_error("\r\033[K" + line.substr(0, wb::screen_width(80) - 1));
    else
      wb::tell("{}", line);
  }

  std::string eta() const {
    double left = plan_.minutes > 0 ? 60 * plan_.minutes - spent() : 0;
    if (plan_.budget) {
      const double trials = spent() / done_ * (plan_.budget - static_cast<int>(history_.size()));
      left = plan_.minutes > 0 ? std::min(left, trials) : trials;
    }
    return left > 0 ? fmt::format("; {:.0f} s to go", left) : "";
  }

  // The fastest few and the default, compiled anew.
  std::vector<Evaluator::Compiled> finalists() {
    History right;
    for (const Record& r : history_)
      if (r.status == Status::ok) right.push_back(r);
    std::stable_sort(right.begin(), right.end(),
                     [](const Record& a, const Record& b) { return a.seconds < b.seconds; });
    std::vector<Evaluator::Compiled> final;
    const auto add = [&](const Configuration& c) {
      final.push_back(evaluator_.compile(c, scratch_.file(fmt::format("final-{}", final.size()))));
    };
    add(space_.fallback());
    for (const Record& r : right)
      if (final.size() <= kFinal && r.seconds <= kClose * right.front().seconds &&
          r.configuration != space_.fallback())
        add(r.configuration);
    return final;
  }

  int finish() {
    if (!best(history_)) {
      wb::print("Of {} trials none was right. First: {}\n", history_.size(),
                history_.front().reason);
      return 1;
    }
    const double searched = history_.back().spent;
    std::vector<Evaluator::Compiled> final = finalists();
    const auto samples = evaluator_.in_turn(final, kRounds);
    std::size_t won = 0;
    for (std::size_t i = 0; i < final.size(); ++i)
      if (samples[i].size() == kRounds && wb::median(samples[i]) < wb::median(samples[won]))
        won = i;
    const wb::Comparison gain = wb::compare(samples[0], samples[won]);
    // Within noise the default wins: nothing was found that is faster.
    if (gain.verdict != "faster") won = 0;
    Winner winner{.lesson = subject_.lesson,
                  .backend = subject_.backend,
                  .device = subject_.id,
                  .driver = subject_.driver,
                  .axes = subject_.axes,
                  .space = subject_.space,
                  .configuration = space_.words(final[won].record.configuration),
                  .strategy = plan_.strategy,
                  .date = wb::today(),
                  .seconds = wb::median(samples[won]),
                  .fallback_seconds = wb::median(samples[0]),
                  .search_seconds = searched,
                  .trials = static_cast<int>(history_.size())};
    save_winner(winner);
    show({subject_, history_, 0}, space_, &winner);
    for (std::size_t i = 0; i < final.size(); ++i)
      if (const wb::Comparison c = wb::compare(samples[i], samples[won]);
          i != won && c.verdict != "faster" && !samples[i].empty())
        wb::print("As fast within noise ({:.3f}x, {:.3f} to {:.3f}): {}\n", c.ratio, c.low, c.high,
                  space_.words(final[i].record.configuration));
    return 0;
  }

  Evaluator& evaluator_;
  const Space& space_;
  const Subject subject_;
  const Plan plan_;
  History history_;
  JournalWriter journal_;
  const wb::Scratch scratch_;
  std::map<std::string, std::shared_future<Evaluator::Compiled>> compiled_;  // by object
  const double start_ = wb::seconds();
  const double before_ = history_.empty() ? 0 : history_.back().spent;  // by earlier runs
  int done_ = 0;                                                        // trials of this run
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
