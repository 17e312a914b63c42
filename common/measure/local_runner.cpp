// Variants that run in this process.
#include "measure/runner.h"

namespace wb {
namespace {

class LocalRunner : public Runner {
 public:
  LocalRunner(const Variant& variant, Data& data, Backend& backend, int threads)
      : data_(data),
        backend_(backend),
        clock_(variant.problem->clock),
        regions_(data.arrays.regions()) {
    if (threads) backend_.offer_threads(threads);
    launch_ = set_up(variant, data.axes, data.arrays.args(), backend);
    backend_.synchronize();
  }
  ~LocalRunner() override { backend_.offer_threads(0); }

  void launch() override { launch_(backend_.stream()); }
  std::string left_running() override { return backend_.left_running(); }

  Measured measure(const Request& r) override {
    if (r.what == Request::samples)
      return {.times = sample(
                  r.budget, r.launches,
                  [&] {
                    data_.arrays.prepare();
                    backend_.time(launch_, clock_, r.cache, regions_);
                    if (r.look) data_.arrays.look();
                  },
                  [&](Times& times) { backend_.taken(times); })};
    const auto prepare = [this] { data_.arrays.prepare(); };
    if (r.what == Request::hardware)
      return {.hardware = count(backend_, launch_, prepare, r.cache, regions_)};
    Trace trace = backend_.trace(launch_, {prepare, [this] { data_.arrays.look(); }}, clock_,
                                 r.what == Request::trace ? Cache::hot : r.cache, r.launches);
    if (r.what == Request::trace) return {.trace = std::move(trace)};
    if (trace.device_seconds.empty())
      throw Unsupported(trace.missing.empty() ? "no activity records" : trace.missing);
    return {.times = {trace.device_seconds}};
  }

  void disturb(bool on) override { backend_.disturb(on); }

 private:
  Data& data_;
  Backend& backend_;
  const Clock clock_;
  const std::vector<Region> regions_;
  Launch launch_;
};

class ThisProcess : public Runners {
 public:
  std::unique_ptr<Runner> make(const Variant& variant, Data& data, Backend& backend) override {
    return std::make_unique<LocalRunner>(variant, data, backend, threads);
  }
};

}  // namespace

Launch set_up(const Variant& variant, const Case& c, const void* args, const Backend& backend) {
  const std::string missing = lacks(backend.abilities(), variant.needs, c);
  if (!missing.empty()) throw Unsupported(missing);
  return variant.make(args);
}

HardwareCounts count(Backend& backend, const Launch& launch, const std::function<void()>& prepare,
                     Cache cache, std::span<const Region> arrays) {
  return backend.count(
      [&] {
        prepare();
        if (cache == Cache::cold) backend.evict(arrays);
        backend.synchronize();
      },
      [&] {
        launch(backend.stream());
        backend.synchronize();
      });
}

Runners& this_process() {
  static ThisProcess process;
  return process;
}

}  // namespace wb
