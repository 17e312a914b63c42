#include "measure/count.h"

#include <exception>

namespace wb {

void count(Group& group, Backend& backend, const Options& options, Runners& where) {
  const ArraySetup unchecked{.reference = false, .new_inputs = where.new_inputs()};
  for (Entry& e : group.entries) {
    if (!runs(e) || e.peer || e.row.samples.empty()) continue;
    HardwareCounts& counts = e.row.hardware;
    try {
      Data data(*e.variant->problem, group.axes, backend, options.seed, unchecked);
      const std::unique_ptr<Runner> runner = where.make(*e.variant, data, backend);
      data.arrays.load(0);
      counts = runner->measure({Request::hardware, 1, options.settings().cache}).hardware;
      runner->pause();
    } catch (const std::exception& why) {
      counts = {.missing = why.what()};
    }
    if (!counts.any() && counts.missing.empty())
      counts.missing = std::string("the backend ") + backend.name() + " has no hardware counters";
  }
}

}  // namespace wb
