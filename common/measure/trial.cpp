#include "measure/trial.h"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/clock.h"
#include "base/median.h"
#include "device/backends.h"

namespace wb {
namespace {
constexpr double kLong = 0.1;  // seconds of a launch that warms itself up
}

Trial::Trial(const Variant& variant, Data& data, Backend& backend, Runners& where)
    : data_(data), backend_(backend) {
  if (variant.bound && !variant.judged) bound_ = variant.bound(data.arrays.args());
  runner_ = where.make(variant, data, backend);
}

double Trial::bound() const {
  data_.answers.hold_to(bound_);
  return data_.answers.bound();
}

// Gives threads of the variant the time for work that nobody asked for yet.
std::string Trial::work_before_launch() {
  data_.arrays.prepare(1);
  backend_.synchronize_stream();
  runner_->resume();
  for (int turn = 0; turn < 2; ++turn) {
    ::usleep(traits_of(backend_).accelerator ? 5000 : 500);
    backend_.left_running();  // those that wait for a core get one
  }
  return data_.arrays.untouched();
}

std::string Trial::verify() {
  Arrays& arrays = data_.arrays;
  data_.answers.hold_to(bound_);
  for (const int version : {0, Answers::kBases, 1}) {
    // One long launch has to do, but where a clock judges; a GPU's first one may be loading code.
    const Traits& on = traits_of(backend_);
    const bool once = seconds_ > kLong && (on.untimed || !(on.accelerator || runner_->judged()));
    if (version > 0 && (once || !data_.answers.has_versions())) break;
    arrays.load(version == 1);
    if (std::string early = version == 1 ? work_before_launch() : ""; !early.empty()) return early;
    if (!runner_->judged()) backend_.hold(0.02);  // who is judged waits in its own process
    arrays.prepare(version == 1 || !data_.answers.changes().empty() ? version : 0);
    const double start = wb::seconds();
    runner_->launch();
    arrays.look();
    backend_.synchronize_stream();
    if (const double took = wb::seconds() - start; took > kLong) seconds_ = took;
    pause();
    const std::string seen = arrays.seen();
    std::string problem = runner_->left_running();
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

std::vector<std::byte> Trial::outputs() {
  data_.arrays.load(0);
  data_.arrays.prepare(0);
  runner_->launch();
  backend_.synchronize_stream();
  pause();
  return data_.arrays.outputs();
}

std::string Trial::verify_disturbed(int times) {
  runner_->disturb(true);
  const std::shared_ptr<Runner> until_the_end(runner_.get(), [](Runner* r) {
    try {
      r->disturb(false);
    } catch (const std::exception&) {  // its process has ended, which somebody has told
    }
  });
  for (int i = 0; i < times; ++i)
    if (const std::string problem = verify(); !problem.empty())
      return "with its timing disturbed: " + problem;
  return "";
}

void Trial::pause() {
  runner_->pause();
  if (runner_->judged()) data_.arrays.distrust();
}

void Trial::warm_up(const Settings& settings) {
  if (seconds_ > kLong || traits_of(backend_).untimed) return;
  data_.arrays.load(0);
  const Request few{Request::samples, 3, settings.cache, settings.budget / 2, /*look=*/false};
  seconds_ = median(runner_->measure(few).times.seconds);
  pause();
}

double Trial::sample(const Settings& settings, std::string& error, bool whole) {
  if (seconds_ == 0) warm_up(settings);
  data_.arrays.load(0);  // which are not trusted behind its pause
  int at_most = seconds_ > settings.budget ? 1 : settings.at_most;
  if (static std::random_device chance; whole && runner_->judged())
    at_most = 1 + static_cast<int>(chance() % std::min(at_most, launches_));
  const Times times =
      runner_->measure({Request::samples, at_most, settings.cache, settings.budget}).times;
  seconds_ = median(times.seconds);
  if (at_most == settings.at_most) launches_ = static_cast<int>(times.seconds.size());
  for (std::size_t i = 0; i < counters_.size(); ++i)
    if (const auto& taken = times.counters.at(i); !taken.empty())
      counters_.at(i).push_back(median(taken));
  lines = times.lines;
  backend_.synchronize_stream();
  pause();
  data_.answers.hold_to(bound_);
  error = data_.arrays.seen();
  if (whole && error.empty()) error = data_.arrays.check();
  return seconds_;
}

Counters<double> Trial::counters() const {
  Counters<double> medians{};
  for (std::size_t i = 0; i < medians.size(); ++i)
    if (!counters_.at(i).empty()) medians.at(i) = median(counters_.at(i));
  return medians;
}

Trace Trial::trace(int iterations) {
  data_.arrays.load(0);
  Trace trace = runner_->measure({Request::trace, iterations}).trace;
  pause();
  return trace;
}

std::vector<double> Trial::device_seconds(const Settings& settings, int launches,
                                          std::string& error) {
  data_.arrays.load(0);
  std::vector<double> taken =
      runner_->measure({Request::records, launches, settings.cache}).times.seconds;
  pause();
  backend_.synchronize_stream();
  data_.answers.hold_to(bound_);
  error = data_.arrays.seen();
  return taken;
}

}  // namespace wb
