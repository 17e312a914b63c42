// What a strategy may do: try a configuration, and learn its time. It sees no predictions: the
// formula of `optimized` was fitted to these times, and trying in its order finds a good one at the
// 13th trial, without any search.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../replay/recorded.h"

using tune::Configuration;  // for each parameter the place of its value in the list

class Trials : protected tune::Recorded {
 public:
  using tune::Recorded::all;                                                // that are legal
  static int values(std::size_t parameter) { return counts()[parameter]; }  // how many there are
  static double optimum() { return table().optimum; }                       // seconds

  // A search, each trial of which takes so long.
  explicit Trials(std::chrono::microseconds trial = std::chrono::microseconds(10))
      : trial_(trial) {}

  // Seconds; infinite where it did not compile, spilled or gave wrong results. The n-th trial ends
  // when n trials' time has passed since the search began, or at once if that is over, also if it
  // tries the same configuration again. So a strategy thinks for free as long as all its thinking
  // takes less than all its trials: next to a compiler, thinking is short.
  double time(const Configuration& c) {
    const tune::Record& r = table().records.at(c);
    const bool right = r.status == tune::Status::ok;
    const double seconds = right ? r.seconds : std::numeric_limits<double>::infinity();
    best_ = std::min(best_, seconds);
    left_ -= may_try(c);
    open_[number(c)] = false;
    end_ += trial_;
    while (std::chrono::steady_clock::now() < end_) {
    }
    return seconds;
  }
  bool may_try(const Configuration& c) const { return open_[number(c)]; }  // legal, and not tried
  // The untried ones that differ in one parameter: by one place where `near`, else by any.
  std::vector<Configuration> neighbours(const Configuration& c, bool near) const {
    std::vector<Configuration> found;
    for (std::size_t i = 0; i < c.size(); ++i)
      for (int place = 0; place < values(i); ++place) {
        Configuration other = c;
        other[i] = place;
        if ((!near || std::abs(place - c[i]) == 1) && may_try(other)) found.push_back(other);
      }
    return found;
  }
  double best() const { return best_; }
  // It has 98 % of the optimum, or has tried all.
  bool over() const { return optimum() / best_ >= tune::kGood || left_ == 0; }

 private:
  friend struct Formula;  // which only `optimized` has

  const std::chrono::microseconds trial_;
  std::vector<bool> open_ = legal();  // those that may be tried
  std::size_t left_ = all().size();
  double best_ = std::numeric_limits<double>::infinity();
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now();
};

// Any configuration that was not tried, each with the same chance. There must be one.
inline Configuration any(const Trials& trials, std::mt19937_64& random) {
  const std::vector<Configuration>& all = Trials::all();
  for (;;)
    if (const Configuration& c = all[random() % all.size()]; trials.may_try(c)) return c;
}
