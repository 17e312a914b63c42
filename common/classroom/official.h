// The workbook as its last commit has it, in a folder of the build.
#pragma once

#include <string>
#include <vector>

#include "driver/exercise.h"

namespace wb::classroom {

// Writes those files of the last commit that git's patterns name into `tree`. Throws Failure: 2
// without git and for another user's clone, 3 what git says.
void unpack_commit(const driver::Catalogue& catalogue, const std::filesystem::path& tree,
                   std::vector<std::string> patterns);
// A command of git in that folder, which writes files as the commit has them, whatever line ends
// git is told to write. Hooks and other settings of the user count in their own repository alone,
// where they say which folders are safe: not without `any_settings`.
std::vector<std::string> git(const std::filesystem::path& folder,
                             const std::vector<std::string>& words, bool any_settings = true);
std::string output_of(const std::vector<std::string>& command);  // throws the same

// The line of a compiler, or of CMake about one, that says why.
std::string first_error(const std::string& said);

// An exercise's text, with the name of its variant changed to `shipped`.
std::string as_shipped(const std::string& exercise);

// With a variant `shipped` in each lesson: its exercise before anyone touched it.
class Official {
 public:
  // Unpacks and configures, unless an earlier run has done so for the same commit.
  explicit Official(const driver::Catalogue& teachers);
  // What another machine has unpacked and built, of that commit.
  Official(const driver::Catalogue& teachers, const std::string& commit);
  const driver::Catalogue& catalogue() const { return catalogue_; }
  const std::string& commit() const { return commit_; }
  std::filesystem::path folder() const { return folder_; }
  // What is judged against these exercises. Throws Failure (3) when it does not build.
  void build(const std::vector<driver::Exercise>& exercises) const;

 private:
  std::filesystem::path folder_;
  std::string commit_;
  driver::Catalogue catalogue_;
};

}  // namespace wb::classroom
