// All of them, in order.
#include <algorithm>
#include <set>

#include "strategies.h"

namespace tune {
namespace {

class Exhaustive : public Proposer {
 public:
  explicit Exhaustive(const Setting& setting) : all_(setting.space->all()) {}

  std::vector<Configuration> next(const History& history) override {
    std::set<Configuration> tried;
    for (const Record& r : history) tried.insert(r.configuration);
    std::vector<Configuration> generation;
    for (const Configuration& c : all_)
      if (!tried.contains(c) && generation.size() < 64) generation.push_back(c);
    return generation;
  }

 private:
  const std::vector<Configuration> all_;
};

}  // namespace

std::unique_ptr<Proposer> make_exhaustive(const Setting& setting) {
  return std::make_unique<Exhaustive>(setting);
}

}  // namespace tune
