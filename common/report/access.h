// Pictures of requests: which lanes of a warp touch which sectors of global memory, or which banks
// of shared memory. Sources of the rules: wb/coalescing.h.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/access.h"

namespace wb::report {

// Memory as rows of 128 bytes: 4 sectors, or a word of each of the 32 banks. Only rows that are
// touched, and of many the first and the last.
struct AccessGrid {
  static constexpr int kNothing = -1;  // is not touched
  static constexpr int kUnused = -2;   // moves with its sector, and no lane wants it
  static constexpr int kSeveral = -3;  // more than one lane wants it
  static constexpr std::size_t kMost = 16, kFirst = 6, kLast = 2;  // rows that are drawn
  struct Row {
    long begin;                 // in bytes, as Access::at
    std::array<int, 32> words;  // the lane that wants it, or one of the above
  };
  std::vector<Row> rows = {};
  std::size_t left_out = 0;   // rows behind the first kFirst
  int lanes = 0;              // that take part
  int sectors = 0, used = 0;  // used: bytes that lanes want, each once
  std::array<int, 32> lanes_of_bank{};
  int conflict = 0;  // different words of one bank that are wanted at a time; 1: no conflict
  int passes = 1;    // that a request of this width needs without conflicts
  int on_one = 0;    // the most lanes that want the same word
};
AccessGrid grid_of(const Access& access);

// How many times as many sectors, or cycles of shared memory, it takes as its bytes need.
double excess(const Access& access);

// "32 lanes read 32 sectors: 4 of each 32 bytes are used"
std::string sentence(const Access& access);

// The grid in at most 80 columns, with what its marks mean.
std::string draw_access(const Access& access, bool colour);

struct AccessPanel {
  std::string title, code;  // where it is, and the source line
  Access access;
};
// By common/pages/access.py. `command` made it, and stands in it. Throws Failure (code 2) without
// python3.
std::string access_svg(const std::vector<AccessPanel>& panels, const std::string& command);

}  // namespace wb::report
