// Where sources and programs that nobody trusts are compiled and run.
#pragma once

#include <string>
#include <vector>

#include "classroom/official.h"

namespace wb::classroom {

// What keeps a student's source and program from the rest of the machine.
class Sandbox {
 public:
  explicit Sandbox(const Official& official);
  const std::string& name() const { return name_; }          // bubblewrap, or limits
  const std::string& not_held() const { return not_held_; }  // what it does not keep them from

  // Compiles `source` as the exercise and puts its programs into `bin`, a folder of `place`, as
  // test_exercise() and reach() want them; the exercise's one runs in a sandbox of its own. What
  // the compiler says where it fails, or takes longer. What it read, see
  // read_by_compiler(), is known in either case.
  std::string compile(const driver::Exercise& e, const std::filesystem::path& source,
                      const std::filesystem::path& place, double seconds) const;
  static std::string read_by_compiler(const std::filesystem::path& place);  // for other_source()

 private:
  // Of a build for the official exercise, with the student's files to write to. A small CMake
  // project of its own would say the same with 1 to 2 s of configuring for each submission, up to
  // an hour for a class of 60 with 40 exercises, and its flags could drift from the lesson's.
  struct Commands {
    std::string text = ":";
    std::vector<std::filesystem::path> linked{};  // files of the official build
  };
  Commands commands_of(const driver::Exercise& e, const std::filesystem::path& place) const;
  std::vector<std::string> box(bool shares_processes) const;  // the words in front of a program
  // Those in front of a compiler, which sees the headers, what it links and the one source.
  std::vector<std::string> box_of_compiler(const driver::Exercise& e,
                                           const std::filesystem::path& source,
                                           const std::filesystem::path& place,
                                           std::vector<std::filesystem::path> needed) const;
  std::string script(const driver::Exercise& e, const std::string& program,
                     const std::string& real) const;
  void put_programs(const driver::Exercise& e, const std::filesystem::path& place) const;
  const Official& official_;
  bool wrapped_ = false;  // by bubblewrap
  std::string name_, not_held_;
};

}  // namespace wb::classroom
