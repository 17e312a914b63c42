// Looks for the process that knows inputs, seed and answers, to read its memory and command line.
// Expect: wrong
#include <filesystem>
#include <fstream>
bool trick(const ColumnSums::Args&) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    if (words.find("--gtest_output") != words.npos || words.find("--benchmark_out") != words.npos)
      return escaped(words);
  }
  return held();
}
