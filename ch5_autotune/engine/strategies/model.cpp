// The model's order, best first, corrected by what was measured: where a configuration took 20 %
// more than predicted, one that is like it is expected to, too. The more alike, the more; where
// nothing like it was tried, the mean of all corrections holds.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/failure.h"
#include "strategies.h"

namespace tune {
namespace {

constexpr std::size_t kMembers = 8;
constexpr double kFailed = 1;    // what fails counts as e times as slow as predicted
constexpr double kPrior = 0.02;  // how much the mean weighs
constexpr double kNear = 0.7;

class Model : public Proposer {
 public:
  explicit Model(const Setting& setting) : setting_(setting), generation_(setting) {
    for (const Configuration& c : generation_.all()) {
      const double seconds = setting.predict ? setting.predict(c) : 0;
      if (!(seconds > 0))
        throw wb::Failure(2, "there is no model of this lesson's time: take another strategy");
      candidates_.push_back({&c, std::log(seconds)});
    }
  }

  std::vector<Configuration> next(const History& history) override {
    generation_.begin(history);
    for (; learnt_ < history.size(); ++learnt_) learn(history[learnt_]);
    std::vector<const Candidate*> order;
    for (const Candidate& c : candidates_)
      if (generation_.untried(*c.configuration)) order.push_back(&c);
    const double mean = learnt_ ? sum_ / static_cast<double>(learnt_) : 0;
    const auto expected = [&](const Candidate* c) {
      return c->predicted + (c->error + kPrior * mean) / (c->weight + kPrior);
    };
    std::stable_sort(order.begin(), order.end(), [&](const Candidate* a, const Candidate* b) {
      return expected(a) < expected(b);
    });
    for (const Candidate* c : order)
      if (generation_.size() < kMembers - 1) generation_.add(*c->configuration);
    generation_.add_any();  // and one by chance, for a model can be wrong
    return generation_.members();
  }

 private:
  struct Candidate {
    const Configuration* configuration;
    double predicted;              // logarithms of seconds
    double error = 0, weight = 0;  // sums over what was tried
  };

  void learn(const Record& r) {
    const double predicted = std::log(setting_.predict(r.configuration));
    const double error = r.status == Status::ok ? std::log(r.seconds) - predicted : kFailed;
    sum_ += error;
    for (Candidate& c : candidates_) {
      double apart = 0;
      for (std::size_t i = 0; i < r.configuration.size(); ++i)
        apart += std::abs((*c.configuration)[i] - r.configuration[i]);
      const double weight = std::exp(-apart / kNear);
      c.error += weight * error;
      c.weight += weight;
    }
  }

  const Setting setting_;
  Generation generation_;
  std::vector<Candidate> candidates_;
  std::size_t learnt_ = 0;
  double sum_ = 0;
};

}  // namespace

std::unique_ptr<Proposer> make_model(const Setting& setting) {
  return std::make_unique<Model>(setting);
}

}  // namespace tune
