#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/failure.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20;

// An open temporary file beside its target; gone again unless it took the target's place.
class Temporary {
 public:
  explicit Temporary(const std::string& path) : target_(path) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode_ = 0666 & ~mask;
    std::error_code error;
    if (fs::is_directory(path, error)) fail("is a folder");
    direct_ = fs::is_other(path, error);  // /dev/stdout on a pipe
    if (!direct_ && fs::is_symlink(path, error)) {
      const fs::path real = fs::canonical(path, error);
      if (error) fail("is a broken link");
      target_ = real.string();
    }
    struct stat now = {};
    if (!direct_ && ::stat(target_.c_str(), &now) == 0) {
      mode_ = now.st_mode & 0777;
      // Root may write to anything; a file without the permission is still not to be replaced.
      if (!(mode_ & 0222) || ::access(target_.c_str(), W_OK)) fail("it is read-only");
    }
    if (!direct_) name_ = target_ + ".XXXXXX";
    file_ = direct_ ? ::open(target_.c_str(), O_WRONLY | O_CLOEXEC)
                    : ::mkostemp(name_.data(), O_CLOEXEC);
    if (file_ < 0) fail(std::strerror(errno));
  }
  ~Temporary() {
    if (file_ >= 0) ::close(file_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  void become_target(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(std::strerror(errno));
      done += static_cast<std::size_t>(n);
    }
    if (direct_) return;
    if (::fchmod(file_, mode_) || ::fsync(file_) || ::rename(name_.c_str(), target_.c_str()))
      fail(std::strerror(errno));
    name_.clear();
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error("cannot write " + target_ + ": " + why);
  }
  std::string target_, name_;
  mode_t mode_;  // that of the file that is there, or the usual one
  bool direct_ = false;
  int file_ = -1;
};

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  if (fs::is_directory(path, error)) throw std::runtime_error("cannot read " + path + ": a folder");
  if (!file) throw std::runtime_error("cannot read " + path + ": " + std::strerror(errno));
  std::string text;
  char block[1 << 16];
  while (file.read(block, sizeof block) || file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargest) throw std::runtime_error(path + ": larger than 64 MiB");
  }
  return text;
}

void write_atomically(const std::string& path, const std::string& text) {
  Temporary(path).become_target(text);
}

void check_writable(const std::string& path) {
  if (!path.empty()) Temporary file(path);
}

fs::path temporary_folder() {
  const char* given = std::getenv("TMPDIR");
  fs::path place = given && *given ? given : "/tmp";
  if (std::error_code none; !fs::is_directory(place, none))
    throw Failure(5, place.string() + " is no folder for temporary files: make it, or set TMPDIR");
  return place;
}

Scratch::Scratch(const fs::path& place) : path_((place / "workbook.XXXXXX").string()) {
  const auto is_full = [](int error) { return error == ENOSPC || error == EDQUOT; };
  int error = ::mkdtemp(path_.data()) ? 0 : errno;
  if (error && !is_full(error))
    throw Failure(5, "cannot write to " + place.string() + ": " + std::strerror(error) +
                         "; make it writable, or set TMPDIR to another folder");
  // A full disk may still have room for a folder. Without this the program that then finds no room
  // for its file is blamed.
  if (!error) try {
      write_atomically(file("room"), std::string(1 << 16, ' '));
    } catch (const std::exception&) {
      error = errno;
    }
  std::error_code ignored;
  fs::remove(file("room"), ignored);
  if (!is_full(error)) return;
  fs::remove(path_, ignored);
  throw Failure(5, "the disk that holds " + place.string() + " is full: make room" +
                       (place == temporary_folder() ? ", or set TMPDIR to another folder" : ""));
}
Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace wb
