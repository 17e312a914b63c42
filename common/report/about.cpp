#include "report/about.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace wb::report {

namespace fs = std::filesystem;

namespace {

// The strings between `case_names[] = {` and `}`; of a text with escapes only what precedes one.
std::vector<std::string> case_names(const fs::path& header) {
  std::ifstream file(header);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> names;
  std::size_t at = text.find(" case_names[] = {");
  if (at == std::string::npos) return names;
  const std::size_t end = text.find("};", at);
  while ((at = text.find('"', at)) < end) {
    const std::size_t close = text.find('"', at + 1);
    if (close > end) break;
    names.push_back(text.substr(at + 1, close - at - 1));
    at = close + 1;
  }
  return names;
}

About about_page(const fs::path& page) {
  constexpr std::string_view kTakes = "**Takes:** ";
  std::ifstream file(page);
  About about;
  for (std::string line; std::getline(file, line) && !line.starts_with("## ");) {
    if (about.title.empty() && line.starts_with("# ")) {
      const std::size_t colon = line.find(": ");
      const std::size_t title = std::min(line.find_first_not_of("# 0123456789"), line.size());
      about.title = line.substr(title, colon == std::string::npos ? colon : colon - title);
      about.question = colon == std::string::npos ? "" : line.substr(colon + 2);
    }
    if (const std::size_t at = line.find(kTakes); at != std::string::npos) {
      const std::size_t begin = at + kTakes.size();
      about.takes = line.substr(begin, line.find('.', begin) - begin);
    }
  }
  return about;
}

}  // namespace

About about_lesson(const fs::path& source, const std::string& lesson) {
  About about;
  std::error_code none;
  const fs::path below = fs::path(lesson).lexically_normal();
  if (below.empty() || below.is_absolute() || *below.begin() == "..") return about;
  for (fs::path folder = below; folder.has_parent_path(); folder = folder.parent_path()) {
    const fs::path page = folder / "README.md";
    if (!fs::exists(source / page, none)) continue;
    about = about_page(source / page);
    about.page = page.string();
    break;
  }
  for (const auto& entry : fs::directory_iterator(source / below, none))
    if (entry.path().extension() == ".h" && about.case_names.empty())
      about.case_names = case_names(entry.path());
  return about;
}

void look_up(Results& results, const fs::path& source) {
  for (const Row& row : results.rows)
    if (!results.about.contains(row.lesson))
      results.about[row.lesson] = about_lesson(source, row.lesson);
}

}  // namespace wb::report
