// Files: read whole, written as a whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace wb {

// The whole of a file of at most 64 MiB; throws std::runtime_error with one line that names it.
std::string read_file(const std::string& path);

// Writes to a temporary file beside `path`, flushes and renames, so that `path` always holds one
// whole result, the old or the new, with the permissions that it had. Throws std::runtime_error: no
// permission, read-only (for root, too), disk full. Another file (/dev/stdout) is just written to.
void write_atomically(const std::string& path, const std::string& text);

// Throws what write_atomically would throw for want of a folder or permission, and leaves nothing
// behind: to be called before measuring for minutes. An empty path is fine.
void check_writable(const std::string& path);

// TMPDIR, or /tmp. Throws Failure (code 5) where that is no folder.
std::filesystem::path temporary_folder();

// A folder of its own in `place`, gone with this object. Throws Failure (code 5) where it can't be,
// or has no room for 64 KiB.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& place = temporary_folder());
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace wb
