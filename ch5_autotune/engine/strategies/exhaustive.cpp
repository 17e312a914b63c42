// All of them, in order: the only one that knows when it has the best. What the others are measured
// against.
#include <algorithm>

#include "strategies.h"

namespace tune {
namespace {

class Exhaustive : public Proposer {
 public:
  explicit Exhaustive(const Setting& setting) : all_(setting.space->all()), generation_(setting) {}

  std::vector<Configuration> next(const History& history) override {
    generation_.begin(history);
    for (const Configuration& c : all_)
      if (generation_.size() < 64) generation_.add(c);
    return generation_.members();
  }

 private:
  const std::vector<Configuration> all_;  // in the space's order
  Generation generation_;
};

}  // namespace

std::unique_ptr<Proposer> make_exhaustive(const Setting& setting) {
  return std::make_unique<Exhaustive>(setting);
}

}  // namespace tune
