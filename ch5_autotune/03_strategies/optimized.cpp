// A model, corrected by the trials. No strategy so far knew what the parameters mean. Here a
// formula of a few lines predicts the time of each configuration, and the search begins with the
// one that it likes best. The formula can be wrong, so each trial corrects it for similar
// configurations: by a quarter of its error at one place apart, by a sixteenth at two. Every eighth
// trial takes a configuration by chance, in case the formula is far too pessimistic about it.
//
// Predict: how many trials are needed if the formula is the truth? If it says the same of all?
#include "strategies.h"

// Of ../02_gemm_tiles/space_cuda.h, worked out when the table was recorded.
struct Formula {
  static double seconds(const Configuration& c) { return Trials::table().records.at(c).predicted; }
};

namespace {

// For all configurations: the logarithm of the predicted seconds, and each parameter's places.
struct Known {
  std::vector<float> predicted;
  std::vector<std::vector<int>> places;
  Known() : places(Trials::all().front().size()) {
    for (const Configuration& c : Trials::all()) {
      predicted.push_back(std::log(static_cast<float>(Formula::seconds(c))));
      for (std::size_t k = 0; k < c.size(); ++k) places[k].push_back(c[k]);
    }
  }
};

class Model {
 public:
  explicit Model(const Known& known)
      : known_(known),
        predicted_(known.predicted),
        expected_(predicted_.size()),
        error_(predicted_.size()),
        weight_(predicted_.size()),
        apart_(predicted_.size()) {}

  std::size_t favourite() {
    const float prior = 0.02f, mean = tried_ ? sum_ / static_cast<float>(tried_) : 0;
    for (std::size_t i = 0; i < predicted_.size(); ++i)
      expected_[i] = predicted_[i] + (error_[i] + prior * mean) / (weight_[i] + prior);
    return std::min_element(expected_.begin(), expected_.end()) - expected_.begin();
  }

  void learn(std::size_t tried, double seconds) {
    // A failure counts as e times as slow as predicted.
    const float error =
        std::isinf(seconds) ? 1 : std::log(static_cast<float>(seconds)) - predicted_[tried];
    sum_ += error, ++tried_;
    std::fill(apart_.begin(), apart_.end(), 0);
    for (const std::vector<int>& place : known_.places)
      for (std::size_t i = 0; i < place.size(); ++i) apart_[i] += std::abs(place[i] - place[tried]);
    for (std::size_t i = 0; i < apart_.size(); ++i) {
      const float weight = kAlike[std::min(apart_[i], 7)];
      error_[i] += weight * error, weight_[i] += weight;
    }
    predicted_[tried] = std::numeric_limits<float>::infinity();  // not again
  }

 private:
  static constexpr float kAlike[] = {1, 1 / 4.f, 1 / 16.f, 1 / 64.f, 1 / 256.f, 1 / 1024.f, 0, 0};
  const Known& known_;
  std::vector<float> predicted_, expected_, error_, weight_;  // the last two: sums over the trials
  std::vector<int> apart_;
  float sum_ = 0;
  int tried_ = 0;
};

void search(Trials& trials, std::mt19937_64& random) {
  static const Known known;
  Model model(known);
  for (int trial = 1; !trials.over(); ++trial) {
    std::size_t i = model.favourite();
    while (trial % 8 == 0 && !trials.may_try(Trials::all()[i = random() % Trials::all().size()])) {
    }
    model.learn(i, trials.time(Trials::all()[i]));
  }
}

}  // namespace

WB_CPU(Strategies, optimized, each<search>);
