#include "evaluator.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>

#include "base/failure.h"
#include "base/median.h"
#include "base/output.h"
#include "device/backends.h"
#include "model/needs.h"

namespace tune {
namespace {

// Compiled files are loaded from there: without this each candidate would seem to crash.
void check_that_programs_load_from(const std::filesystem::path& folder) {
  struct statvfs mount = {};
  if (::statvfs(folder.c_str(), &mount) == 0 && mount.f_flag & ST_NOEXEC)
    throw wb::Failure(5, folder.string() +
                             " is mounted noexec, and tune loads what it compiles "
                             "from there: set TMPDIR to another folder");
}

std::string self() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace

wb::Variant judged_variant(const std::string& backend) {
  for (wb::Variant v : wb::linked_variants())
    if (wb::role_of(v.name) == wb::VariantRole::tuned && v.backend == backend) {
      v.judged = true;
      return v;
    }
  throw std::out_of_range("no variant to tune on " + backend);
}

Evaluator::Evaluator(const Tunable& tunable, const wb::Case& c, wb::Backend& backend,
                     std::uint64_t seed, double patience, int jobs)
    : Judge(tunable, c, limits_of(tunable.backend)),
      backend_(backend),
      patience_(patience),
      jobs_(jobs),
      variant_(judged_variant(tunable.backend)) {
  if (const std::string missing = wb::lacks(backend.abilities(), variant_.needs, c);
      !missing.empty())  // or each candidate would fail for this reason
    throw wb::Unsupported(missing);
  check_that_programs_load_from(wb::temporary_folder());
  const auto data = [&](const wb::Case& axes) {
    return std::make_unique<wb::Data>(*variant_.problem, axes, backend, seed,
                                      wb::ArraySetup{.new_inputs = wb::judged::draw_new_inputs});
  };
  // Not those of an operation that has other parameters.
  for (const wb::Case& odd : variant_.problem->test)
    if (tunable.space(odd, limits_).identity() == space_.identity()) checks_.push_back(data(odd));
  tuned_ = data(c);
  const wb::Cost cost = variant_.problem->cost(tuned_->arrays.args());
  flops_ = cost.flops;
  if (const auto ceilings = wb::load_ceilings(backend.device())) {
    limits_.flops = ceilings->peak(cost.math);
    limits_.bandwidth = std::max(ceilings->get("copy"), ceilings->get("copy_nt"));
  }
}

Record Evaluator::compile(const Configuration& c) const {
  Record r;
  const wb::Outcome outcome =
      wb::run_process({self(), "--backend=" + tunable_.backend, "--macros=" + space_.macros(c),
                       "--object=" + object(c)},
                      kCompileLimit);
  if (!outcome.fine()) {
    r.status = Status::compile_failed;
    r.reason = outcome.timed_out ? fmt::format("not compiled within {:g} s", kCompileLimit)
                                 : wb::clean(outcome.errors.substr(0, outcome.errors.find('\n')));
  }
  return r;
}

std::string Evaluator::object(const Configuration& c) const {
  return scratch_.file(std::to_string(std::hash<std::string>{}(space_.macros(c))));
}

void Evaluator::begin(const std::vector<Configuration>& all) {
  for (const Configuration& c : all)
    if (auto& one = compiled_[object(c)]; !one.valid())
      one = std::async(std::launch::async, &Evaluator::compile, this, c);
  if (!wb::traits_of(backend_).accelerator)
    for (const auto& [object, one] : compiled_) one.wait();
}

void Evaluator::try_all(const std::vector<Configuration>& all,
                        const std::function<bool(Record)>& enough) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % jobs_ == 0) begin({all.begin() + i, all.begin() + std::min(i + jobs_, all.size())});
    if (enough(judge(all[i]))) return;
  }
}

wb::judged::Remote Evaluator::process(const Configuration& c) const {
  return wb::judged::Remote({self(), "--backend=" + tunable_.backend,
                             "--configuration=" + space_.words(c), "--object=" + object(c)},
                            patience_);
}

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

// A busy machine can make launches with new inputs look slow. So a candidate that seems to keep
// answers is measured once more, in a new process, and that decides.
Record Evaluator::judge(const Configuration& c) {
  const Record first = judge_once(c);
  return first.status == Status::dishonest ? judge_once(c) : first;
}

Record Evaluator::judge_once(const Configuration& c) {
  begin({c});
  Record r = compiled_[object(c)].get();
  r.configuration = c;
  const auto fails = [&](Status status, const std::string& why) {
    r.status = status;
    r.reason = why;
    return r;
  };
  if (r.status != Status::ok) return r;
  try {
    wb::judged::Processes where(std::nullopt, process(c));
    for (const auto& data : checks_) try {
        if (const std::string error = wb::Trial(variant_, *data, backend_, where).verify();
            !error.empty())
          return fails(Status::incorrect, label(data->axes) + ": " + error);
      } catch (const wb::Unsupported&) {  // a case that it refuses is not its business
      }
    wb::Trial trial(variant_, *tuned_, backend_, where);
    int threads = 0, spilled = 0;
    std::ifstream(object(c) + ".seen") >> threads >> r.registers >> spilled;
    if (spilled)
      return fails(Status::spills, fmt::format("{} bytes of registers go to memory", spilled));
    r.occupancy = static_cast<double>(threads) / std::max(limits_.threads, 1);
    std::string error = trial.verify();
    const double taken = error.empty() ? seconds(trial, error, 3) : 0;
    if (!error.empty()) return fails(Status::incorrect, error);
    if (trial.runner().corrected(taken) > taken)
      return fails(Status::dishonest, trial.runner().note());
    if (!(taken > 0)) return fails(Status::incorrect, "it takes no time at all");
    r.seconds = taken;
    r.flops = flops_ / taken;
    return r;
  } catch (const wb::RunEnded& e) {  // who threw, or lost the device, gave no answer either
    return fails(e.status == wb::Status::hung ? Status::timeout : Status::crashed, wb::one_line(e));
  } catch (const wb::Failure&) {
    throw;  // Ctrl-C
  } catch (const std::exception& e) {
    return fails(Status::crashed, wb::one_line(e));
  }
}

std::vector<std::vector<double>> Evaluator::in_turn(const std::vector<Configuration>& all,
                                                    int samples) {
  std::deque<wb::judged::Processes> places;
  begin(all);
  for (const Configuration& c : all) {
    compiled_[object(c)].wait();
    places.emplace_back(std::nullopt, process(c));
  }
  std::vector<std::unique_ptr<wb::Trial>> trials(places.size());
  std::vector<std::vector<double>> taken(places.size());
  for (int round = 0; round < samples; ++round)
    for (std::size_t turn = 0; turn < places.size(); ++turn) {
      const std::size_t i = round % 2 ? places.size() - 1 - turn : turn;
      try {
        if (!trials[i])
          trials[i] = std::make_unique<wb::Trial>(variant_, *tuned_, backend_, places[i]);
        std::string error;
        const double s = seconds(*trials[i], error, 1);
        if (error.empty()) taken[i].push_back(s);
      } catch (const wb::Failure&) {
        throw;
      } catch (const std::exception&) {  // it has fewer samples, and does not win
      }
      if (trials[i]) trials[i]->pause();
    }
  return taken;
}

}  // namespace tune
