#include "classroom/submission.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/pattern.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

constexpr off_t kLargest = 256 << 10;  // bytes; exercises have 2 to 8 thousand

// The file as it is, never one that a link names; why it is refused.
void take(Submission& s, const fs::path& tree, const fs::path& name) {
  fs::path folder = tree;
  for (const fs::path& part : name.parent_path())
    if (const fs::file_status is = fs::symlink_status(folder /= part); fs::is_symlink(is))
      return void(s.refused = folder.filename().string() + " is a link, not a folder");
    else if (!fs::is_directory(is))
      return;
  const int file = ::open((tree / name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const bool link = file < 0 && errno == ELOOP;
  if (file < 0 && errno == ENOENT) return;  // not handed in
  struct stat is = {};
  if (link)
    s.refused = "is a link, not a file";
  else if (file < 0 || ::fstat(file, &is) || !S_ISREG(is.st_mode))
    s.refused = "is no file that can be read";
  else if (is.st_size > kLargest)
    s.refused = fmt::format("has {} bytes: at most {} are taken", is.st_size, kLargest);
  for (char block[1 << 14]; s.refused.empty();) {
    const ssize_t n = ::read(file, block, sizeof block);
    if (n <= 0 || s.text.size() > kLargest) break;
    s.text.append(block, static_cast<std::size_t>(n));
  }
  if (file >= 0) ::close(file);
  s.text = as_utf8_lines(std::move(s.text));
  if (s.refused.empty()) s.refused = refusal(s.text);
  s.tried = true;
}

// Has one of these chapters: a student may be called charlie.
bool is_tree(const fs::path& folder, const std::vector<Exercise>& exercises) {
  std::error_code none;
  return std::ranges::any_of(exercises, [&](const Exercise& e) {
    return fs::is_directory(folder / *fs::path(e.lesson->path).begin(), none);
  });
}

std::string goals_in(const std::string& text) {
  std::string goals, line;
  for (std::istringstream lines(text); std::getline(lines, line);)
    if (line.starts_with("// Goal:")) goals += line + "\n";
  return goals;
}

}  // namespace

std::string refusal(const std::string& text) {
  if (text.find('\0') != std::string::npos) return "holds a byte 0: it is no source";
  // U+202A to U+202E, U+2066 to U+2069: what is read is not what is compiled.
  if (!find_pattern(text, "\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]").empty())
    return "holds characters that turn the direction of text, so it shows other code than it has";
  const std::string include = R"re(#\s*include\s*["<][^">\n]*\.(cpp|cu|cc|cxx|c|o)[">])re";
  if (const auto found = find_pattern(text, include); !found.empty())
    return "takes another source: " + found[0];
  return "";
}

std::vector<std::string> flags_of(const std::string& text, const std::string& shipped) {
  constexpr std::array signs = {
      ".incbin",    "/proc/",      "LD_PRELOAD",  "SCHED_",      "xit(",        "clock_",
      "const_cast", "constructor", "dlopen",      "environ",     "execv",       "execl",
      "fesetround", "fork(",       "getenv",      "getppid",     "kill(",       "namespace wb",
      "nice(",      "fstream",     "omp_set",     "open(",       "prctl",       "ptrace",
      "sched_set",  "setpriority", "setrlimit",   "signal(",     "sleep",       "socket(",
      "thread",     "syscall",     "system(",     "#define WB_", "add_variant", "linked_variants",
      "_mm_setcsr", "fast-math",   "_FLUSH_ZERO", "std::map",    "process_vm",  "rdtsc"};
  std::vector<std::string> flags;
  for (const std::string sign : signs)
    if (text.find(sign) != std::string::npos && shipped.find(sign) == std::string::npos)
      flags.push_back("mentions " + sign);
  if (const std::string own = goals_in(text); !own.empty() && own != goals_in(shipped))
    flags.emplace_back("its Goal is not the exercise's");
  return flags;
}

std::vector<Submission> collect(const std::vector<std::string>& folders,
                                const std::vector<Exercise>& exercises) {
  std::vector<fs::path> trees;
  for (const std::string& folder : folders) {
    const fs::path top = fs::absolute(folder).lexically_normal() / "";
    const std::size_t before = trees.size();
    if (is_tree(top, exercises)) {
      trees.push_back(top.parent_path());
    } else if (fs::is_directory(top)) {
      for (const auto& entry : fs::directory_iterator(top))
        if (is_tree(entry.path(), exercises)) trees.push_back(entry.path());
    }
    if (trees.size() == before)
      throw Failure(2, folder + " is no student's tree, nor a folder of such: it has no ch*/");
    std::sort(trees.begin() + static_cast<std::ptrdiff_t>(before), trees.end());
  }
  std::set<std::string> names;
  std::vector<Submission> all;
  for (const fs::path& tree : trees) {
    const std::string student = clean(tree.filename().string());
    if (!names.insert(student).second)
      throw Failure(2, "two students are called " + student + ": rename a folder");
    for (const Exercise& e : exercises) {
      Submission s{student, e};
      take(s, tree, fs::path(e.lesson->path) / e.file.filename());
      if (s.tried && s.refused.empty()) s.tried = s.text != read_file(e.file.string());
      all.push_back(std::move(s));
    }
  }
  return all;
}

}  // namespace wb
