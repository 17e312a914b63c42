// What a long run has found so far, so that it can go on where it was ended: a file of JSON
// objects, one on each line. The first one, the header, says what the file belongs to.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wb {

// May throw std::exception at a line that means nothing.
using TakeLine = std::function<void(const nlohmann::json& line)>;

// Returns the header, and hands on each line behind it unless `take` is empty. Lines that can't be
// read, or at which `take` throws, are left out, and one line on stderr says how many; one at the
// end that a crash cut short does not count. `kept`: the text of all others. Throws
// std::runtime_error for no file, Failure (code 5) where the first line is no header.
nlohmann::json read_journal(const std::string& path, const TakeLine& take,
                            std::string* kept = nullptr);

class Journal {
 public:
  // Holds the file: throws Failure (code 2) where another program does, and std::runtime_error
  // where it can't be written.
  explicit Journal(const std::string& path) : path_(path) { hold(); }
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // One of these comes first. begin() keeps an older file as PATH.old. resume() reads what is there
  // as read_journal() does, or begins; it throws Failure (code 2) where the header is another.
  void begin(const nlohmann::json& header);
  void resume(const nlohmann::json& header, const TakeLine& take);

  // On the disk when it returns. Throws std::runtime_error, and then the file is as before.
  void add(const nlohmann::json& line);
  // Whether somebody else has written to the file. What they wrote is gone then.
  bool mend();

 private:
  void hold();
  const std::string path_;
  std::string text_{};  // of the whole file
  int file_ = -1;
};

}  // namespace wb
