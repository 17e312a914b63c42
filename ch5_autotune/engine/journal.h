// What a search tried, kept as it goes: one JSON object a line, the first of which says of what.
#pragma once

#include <string>

#include "proposer.h"

namespace tune {

// What the records of two searches must have in common for one to go on with the other's.
struct Subject {
  std::string lesson, backend, device, id, driver;
  std::string axes;   // label() of the case
  std::string space;  // Space::identity()
  bool operator==(const Subject&) const = default;
};

struct Journal {
  Subject subject;
  History history;
  int lost = 0;  // lines that can't be read; the last one, cut short by a crash, does not count
};

// Throws std::runtime_error for a file that can't be read or has no first line, and Failure (code
// 2) for one of another subject than `wanted`; null: of any.
Journal load_journal(const std::string& path, const Space& space, const Subject* wanted = nullptr);
Subject load_subject(const std::string& path);

// Written by this process alone.
class JournalWriter {
 public:
  // Begins with what is known already; an older file of that name, if `keep_old`, is renamed to
  // FILE.old. Throws std::runtime_error.
  JournalWriter(std::string path, const Subject& subject, const Space& space, const History& known,
                bool keep_old);
  // On the disk when it returns. Throws Failure (code 5) with what to do where the disk is full.
  void add(const Record& record);
  // Whether somebody else wrote to the file; then it is as it was again.
  bool meddled();

 private:
  const std::string path_;
  const Space& space_;
  std::string text_;  // of the whole file
  int trials_ = 0;
};

}  // namespace tune
