#include "classroom/hand_in.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>

#include "base/failure.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/process.h"

namespace wb::classroom {

namespace fs = std::filesystem;

namespace {

// Characters of a name behind the student's: ".tar.gz", ".ZIP". 0: it is no archive's.
std::size_t ending(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found = find_pattern(name, "\\.(zip|7z|rar|tar|t[gx]z|tbz2?|tar\\.(gz|bz2|xz|zst))$");
  return found.empty() ? 0 : found[0].size();
}

constexpr double kSecondsOfAnArchive = 60;

// What Moodle puts before a file's name where it makes no folders.
constexpr const char* kMoodles = "^.*_assignsubmission_file_";

// What macOS adds, or a hidden name.
bool is_no_students(const std::string& name) { return name == "__MACOSX" || name.starts_with('.'); }

// Moodle puts more behind a name.
std::string student_of(const fs::path& path) {
  std::string name = replace_pattern(path.filename().string(), "_assignsubmission_.*", "");
  if (is_archive(path)) name.resize(name.size() - ending(name));
  return clean(as_utf8(name.empty() ? path.filename().string() : name));
}

// Has one of these chapters, for a student may be called charlie; or a lesson with an exercise in
// it, not with students, as in a folder of those who handed in that lesson.
bool is_tree(const fs::path& folder, const std::vector<driver::Exercise>& exercises) {
  std::error_code none;
  return std::ranges::any_of(exercises, [&](const driver::Exercise& e) {
    const fs::path lesson = e.lesson->path;
    return fs::is_directory(folder / *lesson.begin(), none) ||
           fs::exists(fs::symlink_status(folder / lesson.filename() / e.file.filename(), none));
  });
}

// Where a folder holds chapters, and these hold students: the first exercise that is found, else
// "".
std::string student_below_lesson(const fs::path& top,
                                 const std::vector<driver::Exercise>& exercises) {
  std::error_code none;
  std::string found;
  for (const driver::Exercise& e : exercises) {
    const fs::path lesson = top / e.lesson->path;
    if (fs::exists(lesson / e.file.filename(), none)) return "";  // it is one student's tree
    for (const auto& entry : fs::directory_iterator(lesson, none))
      if (found.empty() && fs::exists(entry.path() / e.file.filename(), none))
        found = (entry.path() / e.file.filename()).lexically_relative(top).string();
  }
  return clean(as_utf8(found));
}

std::string several(const std::set<std::string>& trees) {
  return fmt::format("holds {} trees ({}): if these are students, name their folder to grade",
                     trees.size(), clean(as_utf8(fmt::format("{}", fmt::join(trees, ", ")))));
}

// Where exercises may lie without folders: of each name only one is asked for.
bool names_tell(const std::vector<driver::Exercise>& exercises) {
  std::set<fs::path> names;
  return std::ranges::all_of(
      exercises, [&](const driver::Exercise& e) { return names.insert(e.file.filename()).second; });
}

bool is_exercise(const fs::path& name, const std::vector<driver::Exercise>& exercises) {
  return std::ranges::any_of(exercises, [&](auto& e) { return e.file.filename() == name; });
}

// `flat`: there is an exercise without folders.
std::string no_tree(const std::vector<driver::Exercise>& exercises, bool flat = false) {
  if (exercises.empty()) return "is not asked for";
  if (flat) return "has an exercise without folders: say of which lesson it is, with --lesson";
  return "holds no exercise in its place, as in " + exercises[0].lesson->path + "/" +
         exercises[0].file.filename().string();
}

struct Entry {
  std::string name, before;  // all of it; what stands in front of the exercise's place
  std::string lesson;        // the path of its lesson
  bool is_file = false;      // and not a link or a pipe
  std::size_t size = 0;
};

// Of a line of `bsdtar -tv`, which looks like a line of `ls -l`; none for what is no exercise.
std::optional<Entry> entry_of(std::string line, const std::vector<driver::Exercise>& exercises) {
  if (line.starts_with('l')) line.resize(std::min(line.size(), line.find(" -> ")));
  if (line.starts_with('h')) line.resize(std::min(line.size(), line.find(" link to ")));
  for (const driver::Exercise& e : exercises) {
    const fs::path lesson = e.lesson->path;
    const std::string file = "/" + e.file.filename().string(), chapter = *lesson.begin();
    const std::string place = lesson.filename().string() + file;
    if (line.size() > 4096 || !line.ends_with(place)) continue;
    const auto parts = find_pattern(line, R"(^(.)\S+ +\d+ +.*? +(\d+) +\w+ +\d+ +[\d:]+ (.*)$)");
    if (parts.empty()) return {};
    Entry entry{parts[3], "", e.lesson->path, parts[1] == "-", std::stoull(parts[2])};
    entry.before = "/" + entry.name.substr(0, entry.name.size() - place.size());
    if (!entry.before.ends_with('/') ||
        !find_pattern(entry.before, "^//|/\\.\\./|/__MACOSX/").empty())
      return {};
    if (entry.before.ends_with("/" + chapter + "/"))
      entry.before.resize(entry.before.size() - chapter.size() - 1);
    return entry;
  }
  return {};
}

// Reads what there is of exercises. bsdtar writes nothing to the disk here, so that neither links
// nor paths nor sizes can do harm; run_process() bounds what it prints.
void read_archive(HandIn& h, const std::vector<driver::Exercise>& exercises) {
  const auto tar = [&](const char* what, const std::string& name) {
    std::vector<std::string> command = {"env", "LC_ALL=C.UTF-8", "bsdtar", "--passphrase", "?",
                                        what,  h.tree.string()};
    if (!name.empty()) command.insert(command.end(), {"--", name});
    const Outcome outcome = run_process(command, kSecondsOfAnArchive);
    if (outcome.code == 127) {
      h.skipped = "bsdtar, which unpacks it, is not here: apt-get install libarchive-tools";
      h.lacking = true;
    } else if (outcome.flooded || outcome.timed_out) {
      h.skipped = "is an archive with too many entries, which is not unpacked";
    } else if (!outcome.fine()) {
      h.skipped = "cannot be unpacked: " +
                  clean(as_utf8(outcome.errors.substr(0, outcome.errors.find('\n'))));
    }
    return outcome.output;
  };
  std::vector<Entry> entries, flat;
  std::istringstream lines(tar("-tvf", ""));
  for (std::string line; std::getline(lines, line);) {
    if (const auto entry = entry_of(line, exercises)) entries.push_back(*entry);
    for (const driver::Exercise& e : exercises)  // as if it were in its lesson's folder
      if (const std::string file = e.file.filename().string(), folder = e.lesson->path + "/";
          line.ends_with(" " + file) || line.ends_with(" ./" + file))
        if (auto entry = entry_of(line.insert(line.size() - file.size(), folder), exercises)) {
          entry->name.erase(entry->name.size() - file.size() - folder.size(), folder.size());
          flat.push_back(*entry);
        }
  }
  if (!h.skipped.empty()) return;
  if (entries.empty() && names_tell(exercises)) entries = flat;
  if (entries.empty()) return void(h.skipped = no_tree(exercises, !flat.empty()));
  const auto depth = [](const Entry& e) { return std::ranges::count(e.before, '/'); };
  const auto top = std::ranges::min(entries, {}, depth);
  std::erase_if(entries, [&](const Entry& e) { return depth(e) > depth(top); });
  std::set<std::string> trees;
  for (const Entry& e : entries) trees.insert(e.before);
  if (trees.size() > 1) return void(h.skipped = several(trees));
  for (const Entry& e : entries) {
    // bsdtar takes a pattern; and names that are not ASCII it writes in its own way.
    const std::string pattern = replace_pattern(e.name, "[^A-Za-z0-9 ._/-]+", "*");
    std::string& text = h.archived[e.lesson];
    if (e.size > kLargestSource)
      text.assign(kLargestSource + 1, ' ');
    else if (e.is_file)
      text = tar("-xOqf", pattern);
  }
}

HandIn look_into(const fs::path& path, const std::vector<driver::Exercise>& exercises) {
  HandIn h{.student = student_of(path), .tree = path};
  if (::access(path.c_str(), is_archive(path) ? R_OK : R_OK | X_OK)) {
    h.skipped = fmt::format("cannot be read: {}", std::strerror(errno)), h.lacking = true;
    return h;
  }
  if (is_archive(path)) return read_archive(h, exercises), h;
  if (is_tree(path, exercises)) return h;
  std::error_code why;
  std::set<std::string> trees, archives;
  bool flat = false;
  for (const auto& entry : fs::directory_iterator(path, why)) {
    const std::string name = entry.path().filename().string();
    if (is_no_students(name) || entry.is_symlink(why)) continue;
    if (is_archive(entry.path())) archives.insert(name);
    if (entry.is_directory(why) && is_tree(entry.path(), exercises)) trees.insert(name);
    flat |= is_exercise(name, exercises);
  }
  if (trees.empty()) trees = archives;
  h.flat = trees.empty() && flat && names_tell(exercises);
  if (h.flat) return h;
  if (trees.empty())
    h.skipped = no_tree(exercises, flat);
  else if (trees.size() > 1)
    h.skipped = several(trees);
  else if (h.tree = path / *trees.begin(); is_archive(h.tree))
    read_archive(h, exercises);
  return h;
}

}  // namespace

bool is_archive(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) && ending(path.filename().string()) > 0;
}

std::string as_utf8(const std::string& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    const std::size_t more = c < 0x80   ? 0
                             : c < 0xc2 ? 9
                             : c < 0xe0 ? 1
                             : c < 0xf0 ? 2
                             : c < 0xf5 ? 3
                                        : 9;
    const std::string rest = bytes.substr(i + 1, more);
    const bool good = rest.size() == more && std::ranges::all_of(rest, [](char b) {
                        return (static_cast<unsigned char>(b) & 0xc0) == 0x80;
                      });
    text += good ? bytes[i] + rest : fmt::format("%{:02X}", c);
    i += good ? 1 + more : 1;
  }
  return text;
}

std::vector<HandIn> hand_ins(const std::string& folder,
                             const std::vector<driver::Exercise>& exercises) {
  fs::path top = fs::absolute(folder).lexically_normal();
  if (!top.has_filename()) top = top.parent_path();  // of "class/"
  if (const std::string found = student_below_lesson(top, exercises); !found.empty())
    throw Failure(2, fmt::format("{} has folders of students in those of lessons, as {}: grade "
                                 "takes students first, as STUDENT/{}/{}",
                                 folder, found, exercises[0].lesson->path,
                                 exercises[0].file.filename().string()));
  if (is_archive(top) || is_tree(top, exercises)) return {look_into(top, exercises)};
  if (!fs::exists(top))
    throw Failure(2, folder + " does not exist: name folders of students; --lesson names lessons");
  if (!fs::is_directory(top))
    throw Failure(2, folder + " is no student's tree or archive, nor a folder of such");
  std::set<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(top)) entries.insert(entry.path());
  std::vector<HandIn> all;
  for (const fs::path& entry : entries) {
    const std::string name = clean(as_utf8(entry.filename().string()));
    std::string stem = entry.filename().string();
    stem.resize(stem.size() - ending(stem));
    const bool source = std::ranges::any_of(
        exercises, [&](auto& e) { return e.file.extension() == entry.extension(); });
    if (!fs::is_directory(entry) && !is_archive(entry) && !source) continue;
    const std::string raw = entry.filename().string(), file = replace_pattern(raw, kMoodles, "");
    if (file != raw && is_exercise(file, exercises) && names_tell(exercises))
      all.push_back({.student = student_of(entry),
                     .tree = top,
                     .flat = true,
                     .before = raw.substr(0, raw.size() - file.size())});
    else if (is_no_students(raw))
      all.push_back({.student = name, .skipped = "is no student: its name begins with a dot"});
    else if (source && !fs::is_directory(entry))
      all.push_back({.student = name, .skipped = "is in no student's folder"});
    else if (is_archive(entry) && fs::is_directory(top / stem))
      all.push_back({.student = name, .skipped = "the folder of the same name counts"});
    else
      all.push_back(look_into(entry, exercises));
    if (entry.filename() == "__MACOSX") all.back().skipped = "is no student: macOS made it";
  }
  return all;
}

}  // namespace wb::classroom
