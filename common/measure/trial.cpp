#include "measure/trial.h"

#include <chrono>
#include <thread>

#include "base/median.h"

namespace wb {

Trial::Trial(const Variant& variant, Data& data, Backend& backend, Processes* processes)
    : variant_(variant), data_(data), backend_(backend) {
  if (variant.bound && variant.name != "exercise") bound_ = variant.bound(data.arrays.args());
  if (processes)
    remote_ = std::make_unique<RemoteTrial>(*processes, variant, data, backend);
  else
    launch_ = variant.make(data.arrays.args());
  backend_.synchronize();
}

double Trial::bound() const {
  data_.answers.hold_to(bound_);
  return data_.answers.bound();
}

// Gives threads of the variant the time for work that nobody asked for yet.
std::string Trial::work_before_launch() {
  data_.arrays.prepare(1);
  backend_.synchronize_stream();
  if (remote_) remote_->resume();
  for (int turn = 0; turn < 2; ++turn) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    backend_.left_running();  // those that wait for a core get one
  }
  return data_.arrays.untouched();
}

std::string Trial::verify() {
  Arrays& arrays = data_.arrays;
  data_.answers.hold_to(bound_);
  for (const int version : {0, Answers::kBases, 1}) {
    arrays.load(version == 1);
    if (version == 1)
      if (std::string early = work_before_launch(); !early.empty()) return early;
    backend_.hold(0.02);
    arrays.prepare(version == 1 || !data_.answers.changes().empty() ? version : 0);
    std::string left;
    if (remote_) {
      backend_.synchronize_stream();
      left = remote_->launch();
    } else {
      launch_(backend_.stream());
    }
    arrays.look();
    backend_.synchronize_stream();
    pause();
    const std::string seen = arrays.seen();
    std::string problem = remote_ ? left : backend_.left_running();
    if (problem.empty()) problem = arrays.check();
    if (problem.empty() && !seen.empty())
      problem = seen + ", and right later: it returned before its work was done";
    if (problem.empty()) {
      arrays.look();
      backend_.synchronize();
      problem = arrays.seen();
      if (!problem.empty()) problem += ", some time after it was right";
    }
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string Trial::verify_disturbed(int times) {
  backend_.disturb(true);
  const std::shared_ptr<Backend> until_the_end(&backend_, [](Backend* b) { b->disturb(false); });
  for (int i = 0; i < times; ++i)
    if (const std::string problem = verify(); !problem.empty())
      return "with its timing disturbed: " + problem;
  return "";
}

void Trial::pause() {
  if (remote_) remote_->pause();
  if (judged()) data_.arrays.distrust();
}

std::vector<double> Trial::time(const Settings& settings, double budget, int at_most, bool look) {
  if (remote_) return remote_->time(settings.cache, budget, at_most, look);
  Steps steps{[this] { data_.arrays.prepare(); }};
  if (look) steps.after = [this] { data_.arrays.look(); };
  return backend_.time(launch_, steps, variant_.problem->clock, settings.cache,
                       data_.arrays.regions(), budget, at_most);
}

void Trial::warm_up(const Settings& settings) {
  data_.arrays.load(0);
  seconds_ = median(time(settings, settings.budget / 2, 3, /*look=*/false));
  pause();
}

double Trial::sample(const Settings& settings, std::string& error, bool whole) {
  data_.arrays.load(0);
  if (seconds_ == 0) warm_up(settings);
  const int at_most = seconds_ > settings.budget ? 1 : settings.at_most;
  seconds_ = median(time(settings, settings.budget, at_most, /*look=*/true));
  const auto& enqueues = remote_ ? remote_->enqueue_seconds() : backend_.enqueue_seconds();
  if (!enqueues.empty()) enqueues_.push_back(median(enqueues));
  backend_.synchronize_stream();
  pause();
  data_.answers.hold_to(bound_);
  error = data_.arrays.seen();
  if (whole && error.empty()) error = data_.arrays.check();
  return seconds_;
}

double Trial::enqueue() const { return enqueues_.empty() ? 0 : median(enqueues_); }

Trace Trial::trace(int iterations, Cache cache) {
  data_.arrays.load(0);
  if (!remote_)
    return backend_.trace(launch_,
                          {[this] { data_.arrays.prepare(); }, [this] { data_.arrays.look(); }},
                          variant_.problem->clock, cache, iterations);
  data_.arrays.prepare();
  backend_.synchronize_stream();
  Trace trace = remote_->trace(iterations);
  pause();
  return trace;
}

std::vector<double> Trial::device_seconds(const Settings& settings, int launches,
                                          std::string& error) {
  std::vector<double> taken;
  if (remote_) {
    data_.arrays.load(0);
    taken = remote_->record_seconds(settings.cache, launches);
    pause();
    backend_.synchronize_stream();
  } else {
    const Trace trace = this->trace(launches, settings.cache);
    if (trace.device_seconds.empty())
      throw Unsupported(trace.missing.empty() ? "no activity records" : trace.missing);
    taken = trace.device_seconds;
  }
  data_.answers.hold_to(bound_);
  error = data_.arrays.seen();
  return taken;
}

}  // namespace wb
