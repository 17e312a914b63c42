// The code that the strategies share, and one function for each file of this folder.
#pragma once

#include <memory>
#include <random>
#include <set>
#include <vector>

#include "../proposer.h"

namespace tune {

// A generation while it fills: its members are legal, were not tried, and are all different.
class Generation {
 public:
  explicit Generation(const Setting& setting);
  void begin(const History& history);  // an empty one; histories only grow
  bool add(const Configuration& c);    // false, and nothing happens, if it may not be in it
  bool add_any();                      // one by chance; false: none is left
  bool untried(const Configuration& c) const { return left_.contains(c); }
  std::size_t size() const { return members_.size(); }
  const std::vector<Configuration>& members() const { return members_; }
  const std::vector<Configuration>& all() const { return all_; }  // legal, in an order by the seed

 private:
  std::vector<Configuration> all_, members_;
  std::set<Configuration> left_, in_;
  std::size_t seen_ = 0, next_ = 0;  // of the history; of all_, before which nothing is left
};

// The same numbers after the same records.
std::mt19937_64 chance(const Setting& setting, std::size_t records);

// Most strategies are a function of what was tried, which fills an empty generation.
using Strategy = void(const Setting& setting, const History& history, Generation& next);
Strategy exhaustive, random, hill, annealing, evolutionary;

// These remember more.
Proposer make_model(const Setting& setting);
Proposer make_llm(const Setting& setting);

}  // namespace tune
