#include "base/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"

namespace wb {

namespace fs = std::filesystem;
using nlohmann::json;

json read_journal(const std::string& path, const TakeLine& take, std::string* kept) {
  std::istringstream lines(read_file(path));
  std::string line;
  json header;
  std::getline(lines, line);
  if (json::accept(line)) header = parse_json(line);
  if (!header.is_object())
    throw Failure(5, path +
                         ": its first line is not that of a journal: mend it, or begin anew "
                         "without --resume");
  if (kept) *kept = line + "\n";
  int lost = 0;
  while (take && std::getline(lines, line)) try {
      take(parse_json(line));
      if (kept) *kept += line + "\n";
    } catch (const std::exception&) {
      lost += !lines.eof();
    }
  if (lost) tell("{} of the lines of {} can't be read and are left out", lost, path);
  return header;
}

Journal::~Journal() { ::close(file_); }

void Journal::hold() {
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno));
  if (::flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
    ::close(file);
    throw Failure(2, "another program is writing to " + path_ + ": wait for its end, or stop it");
  }
  ::close(std::exchange(file_, file));  // -1 at first, which is no file
}

void Journal::begin(const json& header) {
  if (fs::is_regular_file(path_) && fs::file_size(path_) > 0) fs::rename(path_, path_ + ".old");
  text_ = dump_json(header) + "\n";
  write_atomically(path_, text_);
  hold();
}

void Journal::resume(const json& header, const TakeLine& take) {
  if (fs::file_size(path_) == 0) return begin(header);
  const json theirs = read_journal(path_, {});
  for (const auto& [field, value] : header.items())
    if (const json is = theirs.value(field, json()); is != value)
      throw Failure(2, fmt::format("{} belongs to something else, its {} is {}, not {}: begin anew "
                                   "without --resume",
                                   path_, field, dump_json(is), dump_json(value)));
  read_journal(path_, take, &text_);
  mend();  // what could not be read
}

bool Journal::mend() {
  std::string found;
  try {
    found = read_file(path_);
  } catch (const std::exception&) {  // somebody has removed it
  }
  if (found == text_) return false;
  write_atomically(path_, text_);
  hold();
  return true;
}

void Journal::add(const json& line) {
  mend();
  const std::string more = dump_json(line) + "\n";
  std::size_t done = 0;
  for (ssize_t n = 1; n > 0 && done < more.size(); done += std::max<ssize_t>(n, 0))
    n = ::write(file_, more.data() + done, more.size() - done);
  if (done < more.size() || ::fdatasync(file_)) {
    const std::string why = std::strerror(errno);
    [[maybe_unused]] const int is_left_to_mend = ::ftruncate(file_, std::ssize(text_));
    throw std::runtime_error("cannot write " + path_ + ": " + why);
  }
  text_ += more;
}

}  // namespace wb
