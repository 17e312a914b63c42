// The goals that an exercise names in its file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/row.h"
#include "wb/axes.h"

namespace wb::driver {

// "// Goal: 0.95 times optimized at dtype=fp32,rows=8192,columns=8192", a line of the exercise's
// first comment: on this case at least 0.95 times as fast as optimized. Where it may be much
// slower,
// "// Goal: at most 2 times as long as optimized at ...". The class of a case, its "size", is left
// out. An exercise with several such lines has to reach all of them. Of a bug hunt "// Goal: right
// at every size". Where a device counts instead of timing, the goals are in counts: "// Goal: at
// most 4.1 sectors_per_request at rows=512,columns=512", or at least, by the names of kCounters.
struct Goal {
  double factor = 0;         // of the variant's speed; in counts the limit
  bool as_long = false;      // it is said as times, not as speeds
  std::string variant = {};  // empty: it is in counts, or being right is all
  Case axes;
  std::optional<Counter> counter = {};
  bool at_least = false;  // of the counter
  bool only_right() const { return variant.empty() && !counter; }
  bool at(const Case& other) const;  // whether that is the goal's case
  // As the page says it: "8192 x 8192, fp32: at least 0.95 times as fast as `optimized`", "...: at
  // most 2 times as long as `optimized`".
  std::string text(const std::vector<std::string>& case_names) const;
  // Where a speed stands, with its interval: "at 0.97 [0.9612, 0.98] of optimized, goal 0.95".
  std::string stand(double ratio, double low, double high) const;
  std::string stand(double count) const;  // "at 4 sectors per request, goal at most 4.1"
};

// Throws Failure (code 2), which names the file and says how it comes back, for a Goal that has
// another form, without any, without a file, and for UTF-16, which no compiler reads. `counts`:
// those in counts instead of those of speed; being right is among both.
std::vector<Goal> goals_of(const std::filesystem::path& exercise, bool counts = false);

// What the file holds, as it is.
std::string read_source(const std::filesystem::path& file);
// A student's source as the workbook's own files are: UTF-8 without a byte order mark, lines end
// with '\n'. From UTF-8 or UTF-16, line ends of any system; other bytes stay as they are.
std::string as_utf8_lines(std::string bytes);

}  // namespace wb::driver
