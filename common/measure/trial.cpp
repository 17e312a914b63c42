#include "measure/trial.h"

#include "base/median.h"

namespace wb {

Trial::Trial(const Variant& variant, Data& data, Backend& backend)
    : variant_(variant), data_(data), backend_(backend), launch_(variant.make(data.arrays.args())) {
  backend_.synchronize();
}

std::string Trial::verify() {
  // The second run has the inputs of the first, which check() found unchanged.
  for (const int run : {0, 1, 2}) {
    data_.arrays.load(run / 2, /*again=*/run == 0);
    backend_.hold(0.02);
    data_.arrays.prepare(/*poison=*/true);
    launch_(backend_.stream());
    backend_.synchronize_stream();
    std::string problem = data_.arrays.check();
    backend_.synchronize();
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

void Trial::warm_up(const Settings& settings) {
  data_.arrays.load(1, /*again=*/false);
  seconds_ = median(backend_.time(
      launch_, [&](bool) { data_.arrays.prepare(false); }, variant_.problem->clock, settings.cache,
      data_.arrays.regions(), settings.budget / 2, 3));
}

double Trial::sample(const Settings& settings, std::string* error) {
  const auto prepare = [&](bool last) { data_.arrays.prepare(/*poison=*/last && error); };
  const Clock clock = variant_.problem->clock;
  data_.arrays.load(1, /*again=*/false);
  if (seconds_ == 0) warm_up(settings);
  const int at_most = seconds_ > settings.budget ? 1 : settings.at_most;
  seconds_ = median(backend_.time(launch_, prepare, clock, settings.cache, data_.arrays.regions(),
                                  settings.budget, at_most));
  if (!backend_.enqueue_seconds().empty()) enqueues_.push_back(median(backend_.enqueue_seconds()));
  if (error) *error = data_.arrays.check();
  return seconds_;
}

double Trial::enqueue() const { return enqueues_.empty() ? 0 : median(enqueues_); }

Trace Trial::trace(int iterations, Cache cache) {
  data_.arrays.load(1, /*again=*/false);
  return backend_.trace(
      launch_, [&] { data_.arrays.prepare(false); }, variant_.problem->clock, cache, iterations);
}

std::vector<double> Trial::device_seconds(const Settings& settings, int launches) {
  const Trace trace = this->trace(launches, settings.cache);
  if (trace.device_seconds.empty())
    throw Unsupported(trace.missing.empty() ? "no activity records" : trace.missing);
  return trace.device_seconds;
}

}  // namespace wb
