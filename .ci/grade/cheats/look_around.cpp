// Looks for files of students, of the teacher, or of the workbook.
// Expect: wrong
#include <filesystem>
#include <set>
bool trick(const ColumnSums::Args&) {
  const std::set<std::string> system = {"bin",  "dev", "etc",  "lib", "lib32", "lib64", "opt",
                                        "proc", "run", "sbin", "sys", "tmp",   "usr"};
  for (const auto& entry : std::filesystem::directory_iterator("/"))
    if (!system.contains(entry.path().filename().string())) return escaped(entry.path());
  for (const auto& entry : std::filesystem::directory_iterator("/run"))
    if (!entry.path().filename().string().starts_with("exercise_")) return escaped(entry.path());
  return held();
}
