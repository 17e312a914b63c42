// The fastest configurations that were found on this device, kept in the user's cache folder.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tune {

// What is tuned, and where. Where all of this is the same, a winner counts, and a search can go on
// with another's journal.
struct Subject {
  std::string lesson, backend, device, id, driver;  // DeviceId's name, id and driver
  std::string axes;                                 // label() of the case
  std::string space;                                // Space::identity()
  bool operator==(const Subject&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subject, lesson, backend, device, id, driver, axes, space)

struct Winner {
  Subject subject;
  std::string configuration = {};  // Space::words()
  std::string strategy = {}, date = {};
  double seconds = 0, fallback_seconds = 0;  // of a launch: its own, and the default's, if right
  double search_seconds = 0;                 // what finding it took
  int trials = 0;
};

std::string cache_folder();  // of winners and journals: beside the measured ceilings

// What can't be read of the file is left out, with a line on stderr.
std::optional<Winner> find_winner(const Subject& subject);
// In place of an older one. Throws std::runtime_error as write_atomically does.
void save_winner(const Winner& winner);

}  // namespace tune
