// What a strategy may do: try a configuration, and learn its time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "../replay/replay.h"
#include "base/build_info.h"

using tune::Configuration;  // one number a parameter: the place of its value

class Trials {
 public:
  // Recorded by an exhaustive search: table.jsonl beside this file.
  static const tune::Table& table() {
    static const tune::Table table = tune::load_table(std::string(wb::source_folder()) +
                                                      "/ch5_autotune/03_strategies/table.jsonl");
    return table;
  }
  static const std::vector<Configuration>& all() {  // that are legal
    static const std::vector<Configuration> all = table().space.all();
    return all;
  }
  static double predicted(const Configuration& c) { return table().records.at(c).predicted; }
  static int values(std::size_t parameter) {  // how many there are
    return static_cast<int>(table().space.parameters()[parameter].values.size());
  }

  // Seconds; infinite where it did not compile, spilled or gave wrong results. Takes 10 us, for the
  // same one again, too.
  double time(const Configuration& c) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(10);
    const tune::Record& r = table().records.at(c);
    const bool right = r.status == tune::Status::ok;
    const double seconds = right ? r.seconds : std::numeric_limits<double>::infinity();
    best_ = std::min(best_, seconds);
    tried_.insert(c);
    while (std::chrono::steady_clock::now() < end) {
    }
    return seconds;
  }
  bool may_try(const Configuration& c) const {  // it is legal, and was not tried
    return !tried_.contains(c) && table().records.contains(c);
  }
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
  bool over() const {
    return table().optimum / best_ >= tune::kGood || tried_.size() == all().size();
  }

 private:
  std::set<Configuration> tried_;
  double best_ = std::numeric_limits<double>::infinity();
};

// One that was not tried, all as likely; while there is any.
inline Configuration any(const Trials& trials, std::mt19937_64& random) {
  const std::vector<Configuration>& all = Trials::all();
  for (std::size_t i = random() % all.size();; i = (i + 1) % all.size())
    if (trials.may_try(all[i])) return all[i];
}
