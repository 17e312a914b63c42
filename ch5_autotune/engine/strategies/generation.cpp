#include <algorithm>

#include "strategies.h"

namespace tune {

Generation::Generation(const Setting& setting) : all_(setting.space->all()) {
  left_.insert(all_.begin(), all_.end());
  std::mt19937_64 random(setting.seed);
  std::shuffle(all_.begin(), all_.end(), random);
}

void Generation::begin(const History& history) {
  for (; seen_ < history.size(); ++seen_) left_.erase(history[seen_].configuration);
  members_.clear();
  in_.clear();
}

bool Generation::add(const Configuration& c) {
  if (!left_.contains(c) || !in_.insert(c).second) return false;
  members_.push_back(c);
  return true;
}

bool Generation::add_any() {
  while (next_ < all_.size() && !left_.contains(all_[next_])) ++next_;
  for (std::size_t i = next_; i < all_.size(); ++i)
    if (add(all_[i])) return true;
  return false;
}

std::mt19937_64 chance(const Setting& setting, std::size_t records) {
  return std::mt19937_64(setting.seed * 0x9E3779B97F4A7C15u + records);
}

}  // namespace tune
