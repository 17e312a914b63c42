// Hill climbing with restarts. It tries a configuration by chance, then its neighbours, which
// differ by one place in one parameter, then the neighbours of the best of them, until no neighbour
// is faster. Then it begins at another start. If parameters must change together, such a local
// optimum is seldom the best configuration.
#include <algorithm>
#include <cstdlib>

#include "strategies.h"

namespace tune {
namespace {

constexpr std::size_t kSteps = 6;  // tried at the same time

bool neighbours(const Configuration& a, const Configuration& b) {
  int steps = 0;
  for (std::size_t i = 0; i < a.size(); ++i) steps += std::abs(a[i] - b[i]);
  return steps == 1;
}

// Where the climb is after these records, each generation of which was a start or its steps.
const Record* standpoint(const History& history) {
  const Record* here = nullptr;
  for (std::size_t i = 0; i < history.size();) {
    const Record *found = nullptr, *from = here;
    bool step = false;
    for (const int g = history[i].generation; i < history.size() && history[i].generation == g;
         ++i) {
      const Record& r = history[i];
      step = step || (from && neighbours(r.configuration, from->configuration));
      if (r.status == Status::ok && (!found || r.seconds < found->seconds)) found = &r;
    }
    if (!step || (found && found->seconds < here->seconds)) here = found;
  }
  return here;
}

}  // namespace

void hill(const Setting& setting, const History& history, Generation& next) {
  if (const Record* here = standpoint(history)) {
    std::vector<Configuration> around = setting.space->neighbours(here->configuration);
    auto random = chance(setting, history.size());
    std::shuffle(around.begin(), around.end(), random);
    for (const Configuration& c : around)
      if (next.size() < kSteps) next.add(c);
  }
  if (next.size() == 0) next.add_any();
}

}  // namespace tune
