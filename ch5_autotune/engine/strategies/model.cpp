// The model's order, best first, corrected by the measured times. If a configuration took 20 % more
// than predicted, a similar one is expected to, too; if no similar one was tried, the mean of all
// errors is used. The trials also say how far to trust the model: if it knows nothing, only the
// corrections are left.
#include <algorithm>
#include <cmath>

#include "base/failure.h"
#include "strategies.h"

namespace tune {
namespace {

constexpr std::size_t kOfAGeneration = 8;
constexpr double kFailed = 1;    // a failure counts as e times as slow as predicted
constexpr double kPrior = 0.02;  // weight of the mean of all errors, next to those near by
constexpr double kNear = 0.7;    // places apart at which a trial counts 1/e
constexpr double kBelief = 1;    // weight of the model before the first trial

class Model {
 public:
  explicit Model(const Setting& setting) : setting_(setting), generation_(setting) {
    for (const Configuration& c : generation_.all()) {
      const double seconds = setting.predict ? setting.predict(c) : 0;
      if (!(seconds > 0))
        throw wb::Failure(2, "there is no model of this lesson's time: take another strategy");
      candidates_.push_back({&c, std::log(seconds)});
    }
  }

  std::vector<Configuration> next(const History& history) {
    generation_.begin(history);
    for (; learnt_ < history.size(); ++learnt_) learn(history[learnt_]);
    const double trust = this->trust(), mean = learnt_ ? sum_.error(trust) / sum_.weight : 0;
    std::vector<std::pair<double, const Candidate*>> order;
    for (const Candidate& c : candidates_)
      if (generation_.untried(*c.configuration)) {
        const double error = (c.near.error(trust) + kPrior * mean) / (c.near.weight + kPrior);
        order.emplace_back(trust * c.predicted + error, &c);
      }
    std::sort(order.begin(), order.end());
    for (const auto& [expected, c] : order)
      if (generation_.size() < kOfAGeneration - 1) generation_.add(*c->configuration);
    generation_.add_any();  // and one by chance, because a model can be wrong
    return generation_.members();
  }

 private:
  struct Sums {  // over what was tried, of logarithms of seconds
    double weight = 0, measured = 0, predicted = 0;
    void add(double w, double m, double p) { weight += w, measured += w * m, predicted += w * p; }
    double error(double trust) const { return measured - trust * predicted; }
  };
  struct Candidate {
    const Configuration* configuration;
    double predicted;
    Sums near = {};  // the nearer, the more weight
  };

  // How much of a predicted difference was measured, by the slope of a line through all trials: 1
  // of a good model, 0 of one that knows nothing.
  double trust() const {
    if (learnt_ == 0) return 1;
    const double together = products_ - sum_.measured * sum_.predicted / sum_.weight;
    const double alone = squares_ - sum_.predicted * sum_.predicted / sum_.weight;
    return std::clamp((kBelief + together) / (kBelief + alone), 0.0, 1.0);
  }

  void learn(const Record& r) {
    const double predicted = std::log(setting_.predict(r.configuration));
    const double measured = r.status == Status::ok ? std::log(r.seconds) : predicted + kFailed;
    sum_.add(1, measured, predicted);
    products_ += measured * predicted, squares_ += predicted * predicted;
    for (Candidate& c : candidates_) {
      double apart = 0;
      for (std::size_t i = 0; i < r.configuration.size(); ++i)
        apart += std::abs((*c.configuration)[i] - r.configuration[i]);
      c.near.add(std::exp(-apart / kNear), measured, predicted);
    }
  }

  const Setting setting_;
  Generation generation_;
  std::vector<Candidate> candidates_;
  std::size_t learnt_ = 0;
  Sums sum_;
  double products_ = 0, squares_ = 0;
};

}  // namespace

Proposer make_model(const Setting& setting) {
  return {[model = std::make_shared<Model>(setting)](const History& h) { return model->next(h); }};
}

}  // namespace tune
