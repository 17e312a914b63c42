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

#include "../replay/replay.h"
#include "base/build_info.h"

using tune::Configuration;  // for each parameter the place of its value in the list

class Trials {
 public:
  static const std::vector<Configuration>& all() {  // that are legal
    static const std::vector<Configuration> all = table().space.all();
    return all;
  }
  static int values(std::size_t parameter) { return counts()[parameter]; }  // how many there are
  static double optimum() { return table().optimum; }                       // seconds

  // Seconds; infinite where it did not compile, spilled or gave wrong results. A trial takes 10 us
  // from the end of the one before it, also if it tries the same configuration again. So a strategy
  // thinks for free as long as it takes less than a trial: next to a compiler, thinking is short.
  double time(const Configuration& c) {
    const tune::Record& r = table().records.at(c);
    const bool right = r.status == tune::Status::ok;
    const double seconds = right ? r.seconds : std::numeric_limits<double>::infinity();
    best_ = std::min(best_, seconds);
    left_ -= may_try(c);
    open_[number(c)] = false;
    const auto end = end_ + std::chrono::microseconds(10);
    while ((end_ = std::chrono::steady_clock::now()) < end) {
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

  // Recorded by an exhaustive search: table.jsonl in this folder.
  static const tune::Table& table() {
    static const tune::Table table = tune::load_table(std::string(wb::source_folder()) +
                                                      "/ch5_autotune/03_strategies/table.jsonl");
    return table;
  }
  static const std::vector<int>& counts() {  // of values, by parameter
    static const std::vector<int> counts = [] {
      std::vector<int> counts;
      for (const tune::Parameter& p : table().space.parameters())
        counts.push_back(static_cast<int>(p.values.size()));
      return counts;
    }();
    return counts;
  }
  // Its number among all, legal or not, from 1. It is 0 where a parameter has no such place.
  static std::size_t number(const Configuration& c) {
    const std::vector<int>& count = counts();
    std::size_t n = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c[i] < 0 || c[i] >= count[i]) return 0;
      n = n * count[i] + c[i];
    }
    return n + 1;
  }
  static const std::vector<bool>& legal() {  // by number
    static const std::vector<bool> legal = [] {
      std::size_t number_of_all = 1;
      for (const int count : counts()) number_of_all *= count;
      std::vector<bool> legal(number_of_all + 1);
      for (const Configuration& c : all()) legal[number(c)] = true;
      return legal;
    }();
    return legal;
  }

  std::vector<bool> open_ = legal();  // those that may be tried
  std::size_t left_ = all().size();
  double best_ = std::numeric_limits<double>::infinity();
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now();
};

// Any configuration that was not tried, each with the same chance. There must be one.
inline Configuration any(const Trials& trials, std::mt19937_64& random) {
  const std::vector<Configuration>& all = Trials::all();
  for (std::size_t i = random() % all.size();; i = (i + 1) % all.size())
    if (trials.may_try(all[i])) return all[i];
}
