// A class at a glance, from what `grade` found: who has done what, how near each exercise was, and
// what a teacher should look at.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"

namespace wb::classroom {

// One exercise of one student.
struct Graded {
  std::string student, lesson;  // "ada", "CHAPTER/LESSON"
  std::string verdict;          // "met", "slow", "wrong" ... "not tried"
  std::string reason{};         // in a line; of what is not met
  std::string file{};           // what was handed in: equal ids are equal files; "" for nothing
  double points = 0, of = 0;    // none where the verdict is "cannot grade here"
  double share = 0;             // of the gap that the goal asks to close; 1: met
  std::vector<std::string> flags{};  // what costs nothing, and should be looked at
};

// Students by name; lessons as they come first. `measured` is a sentence that says where and how,
// `pages` the folder of the students' own pages as seen from this one, with a "/", or "".
report::Document class_page(const std::vector<Graded>& all, const std::string& measured,
                            const std::string& pages);

}  // namespace wb::classroom
