// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983): a walk that always accepts a faster
// configuration, and one that is slower by x with the chance exp(-x / temperature). At a high
// temperature it crosses valleys, at a low one it climbs. The temperature falls with the number of
// trials. Times count by their ratio, so that it means the same for any kernel: at 0.1 a
// configuration that is 10 % slower is accepted every third time.
#include <cmath>

#include "strategies.h"
#include "wb/problem.h"

namespace tune {
namespace {

constexpr double kHot = 0.15, kCold = 0.005, kHalfLife = 40;  // trials
constexpr std::size_t kSide = 4;                              // steps tried at the same time

// Repeats the walk of these records, with the same chances, and returns where it ended.
const Record* standpoint(const Setting& setting, const History& history) {
  const Record* here = nullptr;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Record& r = history[i];
    if (r.status != Status::ok) continue;
    const double heat = kCold + kHot * std::exp2(-static_cast<double>(i) / kHalfLife);
    const double drawn = (wb::uniform(setting.seed, i) + 1) / 2;
    if (!here || drawn < std::pow(here->seconds / r.seconds, 1 / heat)) here = &r;
  }
  return here;
}

}  // namespace

void annealing(const Setting& setting, const History& history, Generation& next) {
  auto random = chance(setting, history.size());
  if (const Record* here = standpoint(setting, history)) {
    const auto around = setting.space->neighbours(here->configuration, false);
    for (int tries = 0; tries < 64 && !around.empty() && next.size() < kSide; ++tries)
      next.add(around[random() % around.size()]);
  }
  if (next.size() == 0) next.add_any();  // walled in: from somewhere else
}

}  // namespace tune
