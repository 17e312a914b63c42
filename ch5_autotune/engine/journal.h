// The files of a search: its journal, with one JSON object per line, the first of which names its
// subject, and the fastest configurations that were found on this device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/journal.h"
#include "space.h"

namespace tune {

enum class Status { ok, incorrect, compile_failed, spills, timeout, crashed, dishonest };
const char* name(Status status);  // "compile-failed"

// A configuration that was tried.
struct Record {
  Configuration configuration;
  Status status = Status::ok;
  double seconds = 0;  // of a launch; 0 where there is none
  int generation = 0;
  std::string reason = {};  // what is wrong, or ""
  int registers = 0;        // per thread, of a GPU kernel
  double occupancy = 0;     // threads of a multiprocessor, of all that it can have
  double spent = 0;         // seconds of searching until then
  double flops = 0;         // of the work, per second
  double predicted = 0;     // seconds, by the model; 0: there is none
};
using History = std::vector<Record>;

// The fastest one that is right, or null.
const Record* best(const History& history);

// The lesson and case that are tuned, and the machine. If all of this is the same, a winner counts,
// and a search can continue another one's journal.
struct Subject {
  std::string lesson, backend, device, id, driver;  // DeviceId's name, id and driver
  std::string axes;                                 // label() of the case
  std::string space;                                // Space::identity(). Of many machines: no id
  bool operator==(const Subject&) const = default;
};

struct Journal {
  Subject subject;
  History history = {};
};

// A line of a journal, and back. The latter throws std::exception.
nlohmann::json line_of(const Record& record, const Space& space);
Record record_of(const nlohmann::json& line, const Space& space);

// These throw what wb::read_journal() throws.
Journal load_journal(const std::string& path, const Space& space);
Subject load_subject(const std::string& path);

// Writes a journal, anew or from where it ended. Throws what wb::Journal throws.
class JournalWriter {
 public:
  JournalWriter(const std::string& path, const Space& space, const Subject& subject,
                bool resume = false);
  // The record is on the disk when it returns. If another process has written to the file, its text
  // is removed. A candidate that ran `alone` must have written it, so its record becomes dishonest.
  void add(Record record, bool alone = true);
  const Journal& journal() const { return journal_; }

 private:
  const Space& space_;
  Journal journal_;
  wb::Journal file_;
};

struct Winner {
  Subject subject;
  std::string configuration = {};  // Space::words()
  std::string date = {};
  double seconds = 0, fallback_seconds = 0;  // of a launch: its own, and the default's, if right
  double search_seconds = 0;                 // of the whole search
  int trials = 0;
};

// None if it cannot be read, with a line on stderr.
std::optional<Winner> find_winner(const Subject& subject);
// Replaces an older one. Throws std::runtime_error as write_atomically does.
void save_winner(const Winner& winner);

// A file of the user's cache folder, which may not be there: this subject's, with that end.
std::string cache_path(const Subject& subject, const std::string& end);

}  // namespace tune
