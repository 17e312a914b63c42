#include "classroom/submission.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/pattern.h"

namespace wb::classroom {

namespace fs = std::filesystem;

namespace {

// The file as it is, never one that a link names; why it is refused.
void take(Submission& s, const fs::path& tree, const fs::path& name) {
  fs::path folder = tree;
  for (const fs::path& part : name.parent_path())
    if (const fs::file_status is = fs::symlink_status(folder /= part); fs::is_symlink(is)) {
      s.there = true, s.refused = folder.filename().string() + " is a link, not a folder";
      return;
    } else if (!fs::is_directory(is)) {
      return;
    }
  const int file = ::open((tree / name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return;  // not handed in
  s.there = true;
  struct stat is = {};
  if (file < 0 && errno == ELOOP)
    s.refused = "is a link, not a file";
  else if (file < 0)
    s.unread = std::string("cannot be read: ") + std::strerror(errno);
  else if (::fstat(file, &is) || !S_ISREG(is.st_mode))
    s.refused = "is no file that can be read";
  for (char block[1 << 14]; s.refused.empty() && s.unread.empty();) {
    const ssize_t n = ::read(file, block, sizeof block);
    if (n < 0) s.unread = std::string("cannot be read: ") + std::strerror(errno);
    if (n <= 0 || s.text.size() > kLargestSource) break;
    s.text.append(block, static_cast<std::size_t>(n));
  }
  if (file >= 0) ::close(file);
}

void take(Submission& s, const HandIn& from) {
  const fs::path lesson = s.exercise.lesson->path, file = s.exercise.file.filename();
  if (is_archive(from.tree)) {
    const auto found = from.archived.find(lesson);
    s.there = found != from.archived.end();
    if (s.there) s.text = found->second;
  } else if (from.flat) {
    take(s, from.tree, from.before + file.string());
  } else {
    take(s, from.tree, lesson / file);
    if (!s.there) take(s, from.tree, lesson.filename() / file);
  }
  if (s.text.size() > kLargestSource) s.refused = "is larger than an exercise: at most 256 KiB";
  s.text = driver::as_utf8_lines(std::move(s.text));
  if (s.refused.empty()) s.refused = refusal(s.text);
  s.tried = s.there && (!s.refused.empty() || s.text != read_file(s.exercise.file.string()));
}

// When it was written last: of a tree, the newest of its exercises. A class is not stopped by a
// student who hands in twice; people mean the last one, and the folder's name does not say which.
fs::file_time_type written(const HandIn& h, const std::vector<driver::Exercise>& exercises) {
  fs::file_time_type last = fs::file_time_type::min();
  std::vector<fs::path> files = {h.tree};
  if (!is_archive(h.tree)) {
    files.clear();
    for (const driver::Exercise& e : exercises) {
      const fs::path lesson = e.lesson->path, file = e.file.filename();
      files.push_back(h.tree / (h.before + file.string()));  // without folders
      files.insert(files.end(), {h.tree / lesson / file, h.tree / lesson.filename() / file});
    }
  }
  for (const fs::path& file : files)
    if (std::error_code none; fs::exists(file, none))
      last = std::max(last, fs::last_write_time(file, none));
  return last;
}

// In the class's folder, where a student may have more than one.
std::string name_of(const HandIn& h, const std::string& folder) {
  if (!h.before.empty()) return clean(as_utf8(h.before));
  return clean(as_utf8(h.tree.lexically_relative(fs::absolute(folder)).string()));
}

// A file that a student saved under another name, as browsers do: "exercise (1).cpp". "": none.
std::string renamed(const HandIn& h, const driver::Exercise& e) {
  if (is_archive(h.tree)) return "";
  const fs::path lesson = e.lesson->path, file = e.file.filename();
  for (const fs::path& folder : {h.tree / lesson, h.tree / lesson.filename()}) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      const fs::path name = entry.path().filename();
      if (name != file && name.extension() == file.extension() &&
          name.string().starts_with(file.stem().string()))
        return clean(as_utf8((folder.lexically_relative(h.tree) / name).string()));
    }
  }
  return "";
}

std::string goals_in(const std::string& text) {
  std::string goals, line;
  for (std::istringstream lines(text); std::getline(lines, line);)
    if (line.starts_with("// Goal:")) goals += line + "\n";
  return goals;
}

}  // namespace

std::string refusal(const std::string& text) {
  // U+202A to U+202E, U+2066 to U+2069: what is read is not what is compiled.
  if (!find_pattern(text, "\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]").empty())
    return "holds characters that turn the direction of text, so it shows other code than it has";
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

Collected collect(const std::vector<std::string>& folders,
                  const std::vector<driver::Exercise>& exercises) {
  Collected all;
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    std::map<std::string, HandIn> students;
    for (HandIn& h : hand_ins(folder, exercises)) {
      HandIn older = h;
      if (h.skipped.empty()) {
        const auto [known, is_new] = students.try_emplace(h.student, h);
        if (is_new) continue;
        if (written(h, exercises) >= written(known->second, exercises))
          older = std::exchange(known->second, h);
        const auto name = [&](const HandIn& one) { return name_of(one, folder); };
        older.skipped = fmt::format("is an older hand-in of {}: {} is newer, and counts", h.student,
                                    name(known->second));
        older.student = name(older);
      }
      all.skipped.push_back(std::move(older));
    }
    for (const auto& [student, h] : students) {
      if (!names.insert(student).second)
        throw Failure(2, "two of the folders have a student " + student + ": rename one of them");
      for (const driver::Exercise& e : exercises) {
        Submission& s = all.in.emplace_back(Submission{student, e});
        take(s, h);
        if (const std::string other = s.there ? "" : renamed(h, e); !other.empty())
          all.skipped.push_back({.student = student,
                                 .skipped = fmt::format("has {}: rename it to {} and grade again",
                                                        other, e.file.filename().string())});
      }
    }
    // Of who is graded all the same, its folder is named: Moodle makes one for a text, too.
    for (HandIn& h : all.skipped)
      if (students.contains(h.student) && !h.tree.empty()) h.student = name_of(h, folder);
  }
  if (all.in.empty() && std::ranges::none_of(all.skipped, &HandIn::lacking)) {
    for (const HandIn& h : all.skipped) tell("grade: {} is skipped: it {}", h.student, h.skipped);
    throw Failure(2, fmt::format("{}: nothing here is a student's tree, nor a folder of such",
                                 fmt::join(folders, ", ")));
  }
  return all;
}

}  // namespace wb::classroom
