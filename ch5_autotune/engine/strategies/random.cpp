// Any that was not tried, all as likely. It learns nothing, and is harder to beat than it looks:
// with k of n that are good enough, half of all searches have one of them after about 0.7 n/k
// trials, whatever the space is like.
#include "strategies.h"

namespace tune {
namespace {

class Random : public Proposer {
 public:
  explicit Random(const Setting& setting) : generation_(setting) {}

  std::vector<Configuration> next(const History& history) override {
    generation_.begin(history);
    while (generation_.size() < 16 && generation_.add_any()) {
    }
    return generation_.members();
  }

 private:
  Generation generation_;
};

}  // namespace

std::unique_ptr<Proposer> make_random(const Setting& setting) {
  return std::make_unique<Random>(setting);
}

}  // namespace tune
