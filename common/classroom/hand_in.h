// What lies in the folder that a teacher collected: folders and archives, each of one student.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "driver/exercise.h"

namespace wb::classroom {

constexpr std::size_t kLargestSource = 256 << 10;  // bytes; exercises have 2 to 8 thousand

bool is_archive(const std::filesystem::path& path);  // by its name: .zip, .tar.gz, .tgz ...

// Bytes that are not UTF-8 become %E4, so that two names stay two.
std::string as_utf8(const std::string& bytes);

struct HandIn {
  std::string student;  // the folder's or archive's name, in UTF-8
  std::filesystem::path
      tree{};  // the folder that holds ch*/ or the lessons' folders; or an archive
  // What an archive holds of the exercises, by the path of their lesson. Never a link: these are
  // "".
  std::map<std::string, std::string> archived{};
  bool flat = false;      // the exercises lie in `tree` without folders,
  std::string before{};   // with this before their names
  std::string skipped{};  // why nothing of it is graded
  bool lacking = false;   // it is skipped for what this machine lacks
};

// `folder` is a student's tree or archive, or a folder of such. A tree may lie one folder deeper
// than the student's name, and lessons may lie without their chapter. All that is found is
// returned, what is skipped, too. An exercise without folders is taken if it is the only one of its
// name. An archive is read in memory, never unpacked to a disk. Throws Failure (2) for what is
// neither.
std::vector<HandIn> hand_ins(const std::string& folder,
                             const std::vector<driver::Exercise>& exercises);

}  // namespace wb::classroom
