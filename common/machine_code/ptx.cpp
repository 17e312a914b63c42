// PTX, as nvcc writes it:
//
//   .visible .entry _Z6kernelPf(
//   {
//   	.loc	1 13 5, function_name $L__info_string0, inlined_at 2 20 17
//   	ld.global.f32 	%f1, [%rd4];
//   $L__BB0_2:
//   }
//   	.file	1 "/a/b.h"
#include <map>
#include <sstream>

#include "base/pattern.h"
#include "machine_code/reader.h"

namespace wb::machine_code {

std::vector<Function> read_ptx(const std::string& text) {
  std::map<std::string, std::string> files;
  std::istringstream before(text);
  for (std::string line; std::getline(before, line);)
    if (line.starts_with("\t.file"))
      if (const auto found = find_pattern(line, "(\\d+) \"([^\"]*)\""); !found.empty())
        files[found[1]] = found[2];

  Reader reader;
  std::vector<SourceLine> lines;
  bool inside = false;  // of a function's body
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (line == "{" || line == "}") {
      inside = line == "{";
    } else if (!inside) {
      const auto found = find_pattern(line, "\\.(entry|func)\\s+(\\([^)]*\\)\\s*)?(\\w+)");
      if (!found.empty()) reader.begin(found[3]);
      lines.clear();
    } else if (first != std::string::npos && line.compare(first, 4, ".loc") == 0) {
      const auto found = find_pattern(line, "\\.loc\\s+(\\d+) (\\d+)(.*inlined_at (\\d+) (\\d+))?");
      if (found.empty()) continue;
      lines = {source_line(files[found[1]], found[2])};
      if (!found[4].empty()) lines.push_back(source_line(files[found[4]], found[5]));
    } else if (first != std::string::npos && line[first] != '.' && line[first] != '/') {
      // Parameters are called after their function.
      const std::string code = replace_pattern(line.substr(first), "\\w+_param_", "param_");
      reader.add({.text = replace_pattern(code, "\\s+", " "), .lines = lines}, "");
    }
  }
  return reader.done();
}

}  // namespace wb::machine_code
