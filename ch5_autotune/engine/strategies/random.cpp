// Any that was not tried, all as likely.
#include <algorithm>
#include <set>

#include "strategies.h"

namespace tune {
namespace {

class Random : public Proposer {
 public:
  explicit Random(const Setting& setting) : setting_(setting), all_(setting.space->all()) {
    std::mt19937_64 random(setting.seed);
    std::shuffle(all_.begin(), all_.end(), random);
  }

  std::vector<Configuration> next(const History& history) override {
    std::set<Configuration> tried;
    for (const Record& r : history) tried.insert(r.configuration);
    std::vector<Configuration> generation;
    for (const Configuration& c : all_)
      if (!tried.contains(c) && generation.size() < 16) generation.push_back(c);
    return generation;
  }

 private:
  const Setting setting_;
  std::vector<Configuration> all_;
};

}  // namespace

std::unique_ptr<Proposer> make_random(const Setting& setting) {
  return std::make_unique<Random>(setting);
}

}  // namespace tune
