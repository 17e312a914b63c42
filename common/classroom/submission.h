// What students hand in: only exercise files are taken, and looked at before a compiler is.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "driver/exercise.h"

namespace wb {

struct Submission {
  std::string student;
  Exercise exercise;      // the official one
  std::string text{};     // of the file, as as_utf8_lines() makes it
  std::string refused{};  // why nobody compiles it: a link, a pipe, hidden characters
  bool tried = false;     // it is there, and differs from the exercise as shipped
};

// Of each student in `folders`: a tree of the workbook, named as the student, or a folder of such.
// Throws Failure (2) for what is neither, and for two students of one name.
std::vector<Submission> collect(const std::vector<std::string>& folders,
                                const std::vector<Exercise>& exercises);

// Why a source can have no honest purpose; empty where it may.
std::string refusal(const std::string& text);

// What a teacher should look at: "mentions fork(", "its Goal is not the exercise's". Words that the
// exercise as shipped has, too, do not count.
std::vector<std::string> flags_of(const std::string& text, const std::string& shipped);

}  // namespace wb
