// How far a student is: one JSON file in the user's state folder.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace wb::driver {

struct Progress {
  double best = 0;    // speed over the goal's, of several goals the least; 0: never right
  bool met = false;   // once is enough
  double solved = 0;  // when last, in seconds since 1970
  std::string date;   // of the best, 2026-11-22
  int hints = 0;      // that were shown
  std::vector<std::string> predictions;  // in the order of the page's questions
};

// $XDG_STATE_HOME/gpu-performance-workbook, or the same in ~/.local/state. Throws Failure (code 5)
// where there is no home.
std::filesystem::path state_folder();

// By Exercise::key(). What is no such file is set aside, with a line that says so; where no file
// can be there is a line, too, and no progress.
std::map<std::string, Progress> read_progress();

// Reads, changes and writes as a whole, one program at a time, so that a kill leaves the old or the
// new. False, with a line that says why, where it cannot be kept.
bool change_progress(const std::string& key, const std::function<void(Progress&)>& change);

// "kept in FILE", or that it is not.
std::string where_progress_is();

// `path`, or with a number behind it: a name that is free.
std::filesystem::path free_name(const std::filesystem::path& path);

}  // namespace wb::driver
