#include "classroom/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/process.h"
#include "classroom/official.h"
#include "driver/exercise.h"
#include "driver/page.h"

namespace wb::classroom {

namespace fs = std::filesystem;

namespace {

// What nobody gets, as git's patterns say it. Of the harness's tests the headers stay, which
// lessons' tests include.
std::vector<std::string> left_out() {
  std::vector<std::string> patterns = {"ch*/**/solution.*",          ".ci/**",
                                       "common/tests/harness.cmake", "common/tests/**/*.c*",
                                       "common/tests/**/*.sh",       "common/tests/**/*.py"};
  for (std::string& pattern : patterns) pattern = ":(exclude,glob)" + pattern;
  patterns.emplace_back(".");
  return patterns;
}

// Has CMake forget the lessons that are not there.
void forget_lessons(const fs::path& tree, const driver::Catalogue& catalogue,
                    const std::vector<const driver::Lesson*>& chosen) {
  for (const driver::Lesson& lesson : catalogue.lessons) {
    if (std::find(chosen.begin(), chosen.end(), &lesson) != chosen.end()) continue;
    const fs::path folder = lesson.path;
    const std::string list = (tree / *folder.begin() / "CMakeLists.txt").string();
    const std::string line =
        "wb_add_[a-z_]*lesson\\(([^ )]*/)?" + folder.filename().string() + "[ )][^\n]*\n";
    write_atomically(list, replace_pattern(read_file(list), line, ""));
  }
}

}  // namespace

int run_export(const driver::Catalogue& catalogue, const std::vector<std::string>& lessons,
               const std::string& folder, bool hints) {
  std::vector<const driver::Lesson*> chosen;
  for (const driver::Selection& s : driver::select(catalogue, lessons)) chosen.push_back(s.lesson);
  const fs::path target = fs::absolute(folder).lexically_normal();
  if (fs::exists(target)) throw Failure(2, folder + " is there already: name another folder");
  if (!fs::is_directory(target.parent_path()))
    throw Failure(5, target.parent_path().string() + " is no folder: make it first");
  const Scratch scratch(target.parent_path());
  const fs::path tree = scratch.file("tree");
  const std::string commit =
      output_of(git(catalogue.source, {"log", "-1", "--format=%h of %cs", "HEAD"}));
  unpack_commit(catalogue, tree, left_out());
  forget_lessons(tree, catalogue, chosen);
  if (!hints)
    for (const driver::Lesson& lesson : catalogue.lessons)
      if (const std::string page = (tree / lesson.path / "README.md").string(); fs::exists(page))
        write_atomically(page, driver::without_hints(read_file(page)));
  // `reset` asks git for the exercise as it was handed out.
  const auto own_git = [&](const std::vector<std::string>& words) {
    output_of(git(tree, words, false));
  };
  own_git({"init", "-q", "-b", "main", "--template="});
  own_git({"add", "-A"});
  own_git({"-c", "user.name=GPU Performance Workbook", "-c", "user.email=workbook@localhost",
           "commit", "-q", "-m", "The workbook as handed out"});
  fs::rename(tree, target);
  print("{}: {} lesson{} of commit {}, without solutions{}\nthen  cd {} && ./workbook next\n",
        folder, chosen.size(), chosen.size() == 1 ? "" : "s", commit.substr(0, commit.find('\n')),
        hints ? "" : " and hints", folder);
  return 0;
}

}  // namespace wb::classroom
