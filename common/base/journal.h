// What a long run has found so far, so that it can go on where it was ended: a file of JSON
// objects, one on each line. The first one, the header, says what the file belongs to.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"

namespace wb {

// May throw std::exception at a line that means nothing.
using TakeLine = std::function<void(const nlohmann::json& line)>;

// Returns the header, and hands on each line behind it unless `take` is empty. Lines that can't be
// read, or at which `take` throws, are left out, and one line on stderr says how many. One at the
// end that a crash cut short does not count. `kept`: the text of all others, the header's included.
// Throws std::runtime_error for a file that can't be read, and Failure (code 5) where the first
// line is no header.
nlohmann::json read_journal(const std::string& path, const TakeLine& take,
                            std::string* kept = nullptr);

class Journal {
 public:
  // Holds the file as long as this object is there. Throws Failure (code 2) where another program
  // does, and std::runtime_error where it can't be written.
  explicit Journal(std::string path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // One of these comes first. begin() keeps an older file as PATH.old. resume() hands on what is
  // there, as read_journal() does, and begins where nothing is; it throws what that throws, and
  // Failure (code 2) where the header is another.
  void begin(const nlohmann::json& header);
  void resume(const nlohmann::json& header, const TakeLine& take);

  // On the disk when it returns. Throws std::runtime_error, for one on a full disk, and then the
  // file is as it was before.
  void add(const nlohmann::json& line);
  // Whether somebody else has written to the file. What they wrote is gone then.
  bool mend();
  const std::string& path() const { return path_; }

 private:
  void hold();
  const std::string path_;
  std::string text_{};  // of the whole file
  int file_ = -1;
};

}  // namespace wb
