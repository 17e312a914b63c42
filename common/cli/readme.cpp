#include "cli/readme.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/failure.h"
#include "report/explain.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

// The rows at and below a path: a lesson, a chapter, or "all".
Results below(const Results& results, const std::string& path) {
  Results part = results;
  std::erase_if(part.rows, [&](const Row& row) {
    return path != "all" && row.lesson != path && !row.lesson.starts_with(path + "/");
  });
  return part;
}

std::string block(const Results& results, const std::string& path) {
  const Results part = below(results, path);
  if (part.rows.empty()) return "";
  const Row& first = part.rows.front();
  std::string command = "`./workbook compare" + (path == "all" ? "" : " " + path) +
                        " --backend=" + first.backend +
                        (first.cache == "hot" ? " --cache=hot`" : "`");
  if (first.lesson == path) return lesson_report(part, Style::markdown, command);
  return summary_table(part, Style::markdown) + "\n" + provenance(part, first.backend, command);
}

}  // namespace

std::string lesson_report(const Results& results, Style style, const std::string& command) {
  const bool markdown = style == Style::markdown;
  std::string out;
  for (const Case& c : cases(results)) {
    const Row& first = c.first();
    const std::string title = first.label + (first.cache == "hot" ? ", hot cache" : "");
    out += markdown ? fmt::format("**{}**\n\n", title)
                    : fmt::format("{} {} {}\n", first.lesson, first.backend, title);
    out += case_table(c, results, style) + "\n" + explain(c, results) + "\n";
    if (!markdown) out += goodput_lines(c, results) + "\n";
  }
  if (!results.rows.empty()) out += provenance(results, results.rows.front().backend, command);
  return out;
}

std::string with_tables(const std::string& readme, const std::string& file,
                        const std::map<std::string, Results>& machines) {
  std::string out;
  std::istringstream lines(readme);
  bool in_code = false;
  int number = 0, opened = 0;  // line of the block's start; 0 outside
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (opened) {
      if (line != "<!-- end results -->") continue;
      opened = 0;
    } else if (line.starts_with("```")) {
      in_code = !in_code;
    }
    out += line + "\n";
    if (in_code || !line.starts_with("<!-- results ")) continue;
    std::istringstream words(line);
    std::string path, machine, end;
    words >> end >> end >> path >> machine >> end;
    if (end != "-->")
      throw Failure(5, fmt::format("{}:{}: write <!-- results LESSON MACHINE -->", file, number));
    opened = number;
    const auto results = machines.find(machine);
    const std::string text = results == machines.end() ? "" : block(results->second, path);
    if (!text.empty()) out += "\n" + text + "\n";
  }
  if (opened)
    throw Failure(5, fmt::format("{}:{}: no <!-- end results --> after this", file, opened));
  return out;
}

std::vector<fs::path> readmes(const fs::path& source) {
  std::vector<fs::path> files;
  if (fs::exists(source / "README.md")) files.push_back(source / "README.md");
  for (const auto& chapter : fs::directory_iterator(source)) {
    if (!chapter.is_directory() || !chapter.path().filename().string().starts_with("ch")) continue;
    for (const auto& entry : fs::recursive_directory_iterator(chapter.path()))
      if (entry.path().filename() == "README.md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace wb
