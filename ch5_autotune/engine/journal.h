// What a search tried, kept as it goes: one JSON object a line, the first of which says of what.
#pragma once

#include <string>

#include "proposer.h"
#include "winners.h"

namespace tune {

struct Journal {
  Subject subject;
  History history = {};
  int lost = 0;  // lines that can't be read; the last one, cut short by a crash, does not count
};

// Throws std::runtime_error for a file that can't be read, Failure for one without a first line
// (code 5) and for one of another subject than `wanted` (code 2); null: of any.
Journal load_journal(const std::string& path, const Space& space, const Subject* wanted = nullptr);
Subject load_subject(const std::string& path);

// Written by this process alone.
class JournalWriter {
 public:
  // Begins with what is known already; an older file of which nothing is becomes FILE.old. Throws
  // std::runtime_error.
  JournalWriter(std::string path, const Space& space, const Journal& known);
  // On the disk when it returns. Throws Failure (code 5) with what to do where the disk is full.
  void add(const Record& record);
  // Whether somebody else wrote to the file; then it is as it was again.
  bool meddled();

 private:
  const std::string path_;
  const Space& space_;
  std::string text_;  // of the whole file
};

}  // namespace tune
