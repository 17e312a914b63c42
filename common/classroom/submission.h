// What students hand in: only exercise files are taken, and looked at before a compiler is.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "classroom/hand_in.h"

namespace wb::classroom {

struct Submission {
  std::string student;
  driver::Exercise exercise;  // the official one
  std::string text{};         // of the file, as as_utf8_lines() makes it
  std::string refused{};      // why nobody compiles it: a link, a pipe, hidden characters
  std::string unread{};       // why this machine cannot read it
  bool there = false;         // it was handed in
  bool tried = false;         // and differs from the exercise as shipped
};

struct Collected {
  std::vector<Submission> in;  // an entry for each student and exercise
  std::vector<HandIn> skipped;
};

// What hand_ins() finds in `folders`. Of two hand-ins of a student in one folder the newer counts,
// and the older is among those that are skipped. Throws Failure (2) where there is no student, and
// where two folders have a student of the same name.
Collected collect(const std::vector<std::string>& folders,
                  const std::vector<driver::Exercise>& exercises);

// Why a source can have no honest purpose; empty where it may.
std::string refusal(const std::string& text);

// What a teacher should look at: "mentions fork(", "its Goal is not the exercise's". Words that the
// exercise as shipped has, too, do not count.
std::vector<std::string> flags_of(const std::string& text, const std::string& shipped);

}  // namespace wb::classroom
