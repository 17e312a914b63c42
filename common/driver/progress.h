// How far a student is: one JSON file in the user's state folder.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace wb {

struct Progress {
  double best = 0;   // speed over the goal's, of several goals the least; 0: never right
  bool met = false;  // once is enough
  std::string date;  // of the best, 2026-11-22
  int hints = 0;     // that were shown
  std::vector<std::string> predictions;  // in the order of the page's questions
};

// $XDG_STATE_HOME/gpu-performance-workbook, or the same in ~/.local/state. Throws Failure (code 5)
// where there is no home.
std::filesystem::path state_folder();

// By Exercise::key(). A file that is none is set aside, with a line that says so.
std::map<std::string, Progress> read_progress();

// Reads, changes and writes as a whole, so that a kill leaves the old or the new.
void change_progress(const std::string& key, const std::function<void(Progress&)>& change);

// `path`, or with a number behind it: a name that is free.
std::filesystem::path free_name(const std::filesystem::path& path);

}  // namespace wb
