#include "evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "base/failure.h"
#include "base/json.h"
#include "base/median.h"
#include "base/output.h"
#include "device/backends.h"
#include "measure/group.h"
#include "measure/serve.h"

namespace tune {
namespace {

// Who threw, or lost the device, gave no answer either.
Status status_of(wb::Status ended) {
  return ended == wb::Status::hung ? Status::timeout : Status::crashed;
}

std::string self() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace

const wb::Problem& problem_of(const Tunable& t) {
  for (const wb::Variant& v : wb::linked_variants())
    if (v.problem->lesson == t.lesson && v.name == "tuned" && v.backend == t.backend)
      return *v.problem;
  throw std::invalid_argument(t.lesson + " has no variant tuned");
}

Evaluator::Evaluator(const Tunable& tunable, Space space, const wb::Case& c, wb::Backend& backend,
                     std::uint64_t seed, const Patience& patience)
    : tunable_(tunable),
      axes_(c),
      backend_(backend),
      patience_(patience),
      limits_(limits_of(tunable.backend)),
      space_(std::move(space)),
      problem_(&problem_of(tunable)) {
  // Not those of an operation that has other parameters.
  for (const wb::Case& odd : problem_->test)
    if (tunable.space(odd, limits_).identity() == tunable.space(c, limits_).identity())
      checks_.push_back(
          std::make_unique<wb::Data>(*problem_, odd, backend, seed, wb::Care{.shared = true}));
  tuned_ = std::make_unique<wb::Data>(*problem_, c, backend, seed, wb::Care{.shared = true});
  const wb::Cost cost = problem_->cost(tuned_->arrays.args());
  flops_ = cost.flops;
  if (const auto ceilings = wb::load_ceilings(backend.device())) {
    limits_.flops = ceilings->peak(cost.math);
    limits_.bandwidth = std::max(ceilings->get("copy"), ceilings->get("copy_nt"));
  }
}

double Evaluator::predict(const Configuration& c) const {
  return tunable_.predict ? tunable_.predict(Values(space_, c), axes_, limits_) : 0;
}

std::vector<std::string> Evaluator::command(const Configuration& c,
                                            const std::string& object) const {
  std::vector<std::string> words = {self(), "--backend=" + tunable_.backend,
                                    "--configuration=" + space_.words(c), "--object=" + object};
  for (const wb::Axis& axis : axes_)
    words.push_back(fmt::format("--axis={}={}", axis.name,
                                axis.word ? axis.word : std::to_string(axis.number)));
  return words;
}

Evaluator::Compiled Evaluator::compile(const Configuration& c, const std::string& object) const {
  Compiled done{{.configuration = c}, object};
  std::vector<std::string> words = command(c, object);
  words.push_back("--compile");
  const double start = wb::seconds();
  const wb::Outcome outcome = wb::run_process(words, patience_.compile);
  done.record.compile_seconds = wb::seconds() - start;
  const auto fails = [&](Status status, const std::string& why) {
    done.record.status = status;
    done.record.reason = why;
  };
  if (outcome.timed_out)
    fails(Status::compile_failed, fmt::format("not compiled in {:g} s", patience_.compile));
  else if (!outcome.fine())
    fails(Status::compile_failed, wb::clean(outcome.errors.substr(0, outcome.errors.find('\n'))));
  else if (std::sscanf(outcome.output.c_str(), "registers=%d", &done.record.registers) == 1)
    if (int bytes = 0; std::sscanf(outcome.output.c_str(), "%*s spilled=%d", &bytes) == 1 && bytes)
      fails(Status::spills, fmt::format("{} bytes of registers go to memory", bytes));
  return done;
}

// The process of one candidate, and all that is asked of it.
struct Evaluator::Candidate {
  wb::Processes where;
  wb::Variant variant;
  std::unique_ptr<wb::Trial> trial = nullptr;  // on the tuned case

  Candidate(const Evaluator& e, const Compiled& compiled)
      : where(std::nullopt, wb::Remote(serving(e, compiled), e.patience_.answer)),
        variant{e.problem_, "exercise", e.tunable_.backend, {}} {}
  static std::vector<std::string> serving(const Evaluator& e, const Compiled& compiled) {
    std::vector<std::string> words = e.command(compiled.record.configuration, compiled.object);
    words.push_back("--serve");
    return words;
  }

  // What is wrong with its answers, or "". A case that it refuses is not its business.
  std::string check(wb::Data& data, wb::Backend& backend) {
    try {
      const std::string error = wb::Trial(variant, data, backend, where).verify();
      return error.empty() ? "" : label(data.axes) + ": " + error;
    } catch (const wb::Unsupported&) {
      return "";
    }
  }
};

// The median of samples; of what is too short for events, of activity records where there are any.
double Evaluator::seconds(wb::Trial& trial, std::string& error, int samples) {
  const wb::Settings settings{.budget = 0.02, .at_most = 200};
  trial.warm_up(settings);
  std::vector<double> taken;
  for (int i = 0; i < samples && error.empty(); ++i)
    taken.push_back(trial.sample(settings, error, i == 0));
  if (wb::traits_of(backend_).accelerator && error.empty() && wb::median(taken) < 50e-6) try {
      taken = trial.device_seconds(settings, 9 * samples, error);
    } catch (const wb::Unsupported&) {  // the events' then
    }
  return wb::median(taken);
}

Record Evaluator::judge(const Compiled& compiled) {
  Record r = compiled.record;
  if (r.status != Status::ok) return r;
  const auto fails = [&](Status status, const std::string& why) {
    r.status = status;
    r.reason = why;
    r.seconds = r.flops = 0;
    return r;
  };
  try {
    Candidate candidate(*this, compiled);
    for (const auto& data : checks_)
      if (const std::string error = candidate.check(*data, backend_); !error.empty())
        return fails(Status::incorrect, error);
    wb::Trial trial(candidate.variant, *tuned_, backend_, candidate.where);
    if (int threads = 0; std::ifstream(compiled.object + ".threads") >> threads)
      r.occupancy = static_cast<double>(threads) / std::max(limits_.threads, 1);
    std::string error = trial.verify();
    if (error.empty()) r.seconds = seconds(trial, error, 3);
    if (!error.empty()) return fails(Status::incorrect, error);
    if (trial.runner().longer() > 1) return fails(Status::dishonest, trial.runner().note());
    if (!(r.seconds > 0)) return fails(Status::incorrect, "it takes no time at all");
    r.flops = flops_ / r.seconds;
    return r;
  } catch (const wb::Ended& e) {
    return fails(status_of(e.status), wb::one_line(e));
  } catch (const wb::Unsupported& e) {
    return fails(Status::refused, e.what());
  } catch (const wb::Failure&) {
    throw;  // Ctrl-C
  } catch (const std::exception& e) {
    return fails(Status::crashed, wb::one_line(e));
  }
}

std::vector<std::vector<double>> Evaluator::in_turn(const std::vector<Compiled>& candidates,
                                                    int samples) {
  std::vector<std::unique_ptr<Candidate>> all;
  std::vector<std::vector<double>> taken(candidates.size());
  for (const Compiled& c : candidates) {
    all.push_back(std::make_unique<Candidate>(*this, c));
    Candidate& one = *all.back();
    one.trial = std::make_unique<wb::Trial>(one.variant, *tuned_, backend_, one.where);
    one.trial->pause();
  }
  for (int round = 0; round < samples; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t turn = round % 2 ? all.size() - 1 - i : i;
      try {
        std::string error;
        const double s = seconds(*all[turn]->trial, error, 1);
        if (error.empty()) taken[turn].push_back(s);
        all[turn]->trial->pause();
      } catch (const wb::Failure&) {
        throw;
      } catch (const std::exception&) {  // it has fewer samples, and does not win
      }
    }
  return taken;
}

int serve_candidate(const std::string& backend, const std::string& configuration,
                    const std::string& object) {
  force({configuration, object});
  wb::Registry registry = wb::linked_variants();
  std::erase_if(registry,
                [&](const wb::Variant& v) { return v.name != "tuned" || v.backend != backend; });
  for (wb::Variant& v : registry) v.name = "exercise";  // as who is judged from outside is called
  // Its kernels are on the stream that it is given, and what starts them is the lesson's, whose own
  // tests hold it to that: no launch has to wait.
  return wb::serve(registry, backend, /*hold=*/0);
}

}  // namespace tune
