// The fastest configurations that were found on this device, kept in the user's cache folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tune {

struct Winner {
  std::string lesson = {}, backend = {};
  std::string device = {}, driver = {};  // DeviceId's id and driver
  std::string axes = {};                 // label() of the case
  std::string space = {};                // Space::identity()
  std::string configuration = {};        // Space::words()
  std::string strategy = {}, date = {};
  double seconds = 0, fallback_seconds = 0;  // of a launch: its own, and the default's
  double search_seconds = 0;                 // what finding it took
  int trials = 0;
  bool same_key(const Winner& other) const {
    return lesson == other.lesson && backend == other.backend && device == other.device &&
           driver == other.driver && axes == other.axes;
  }
};

// What can be read of the file; what can't is left out, with a line on stderr.
std::vector<Winner> load_winners();
// In place of one with the same key. Throws std::runtime_error as write_atomically does.
void save_winner(const Winner& winner);
std::optional<Winner> find_winner(const Winner& key);

}  // namespace tune
