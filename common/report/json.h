// Results as Google Benchmark JSON: its compare.py and other readers work on these files.
#pragma once

#include <filesystem>
#include <string>

#include "report/row.h"

namespace wb {

// One "iteration" entry a sample (run_type, repetition_index, real_time in ns, plus our fields),
// one entry with error_occurred for a wrong or skipped row. A row's own fields stand in its first
// entry; machine, version and ceilings stand in context.workbook, without host name or serial
// number. `benchmark_context` is the "context" object that Google Benchmark wrote, as JSON text, or
// empty.
std::string to_json(const Results& results, const std::string& benchmark_context = "");

// Throws std::runtime_error with one line that names `source`: not JSON, cut off, deeper than 16
// levels, larger than 64 MiB, fields missing, wrong types, no samples. Unknown fields are ignored.
Results from_json(const std::string& text, const std::string& source);
Results load_results(const std::string& path);

// The whole of a file of at most 64 MiB; throws std::runtime_error with one line that names it.
std::string read_file(const std::string& path);

// Writes to a temporary file beside `path`, flushes and renames, so that `path` always holds one
// whole result, the old or the new. Throws std::runtime_error: no permission, disk full. A path
// that exists and is no regular file (/dev/stdout) is written to as it stands.
void write_atomically(const std::string& path, const std::string& text);

// Throws what write_atomically would throw for want of a folder or permission, and leaves nothing
// behind: to be called before measuring for minutes. An empty path is fine.
void check_writable(const std::string& path);

// A folder of its own in `place`, gone with what it holds when this object is. Throws
// std::runtime_error where it can't be made.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& place = std::filesystem::temp_directory_path());
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace wb
