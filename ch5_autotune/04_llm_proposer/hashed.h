// Finds a parameter by its name without comparing it with all names.
#pragma once

#include <array>

#include "reader.h"

// A perfect hash of length, first and last letter. The constructor tries multipliers until no two
// parameters share a slot. One comparison is left, because a name may be no parameter's.
class Hashed {
 public:
  Hashed() {
    const std::vector<tune::Parameter>& parameters = space().parameters();
    for (bool clash = true; clash;) {
      clash = false;
      multiplier_ += 2;
      slots_.fill({});
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        Slot& slot = slots_[hash(parameters[i].name)];
        clash = clash || slot.parameter >= 0;
        slot = {parameters[i].name, static_cast<int>(i)};
      }
    }
  }
  int operator()(std::string_view name) const {
    if (name.empty()) return -1;
    const Slot& slot = slots_[hash(name)];
    return slot.name == name ? slot.parameter : -1;
  }

 private:
  struct Slot {
    std::string_view name;
    int parameter = -1;
  };
  std::size_t hash(std::string_view name) const {
    return (name.size() + 5u * name.front() + multiplier_ * name.back()) % 64;
  }
  std::size_t multiplier_ = 1;
  std::array<Slot, 64> slots_;
};
