#include "pages/gpus.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/failure.h"
#include "base/files.h"
#include "base/pattern.h"
#include "model/needs.h"
#include "model/row.h"

namespace wb::pages {

namespace fs = std::filesystem;

namespace {

// What readers have. Shared memory per block is "Maximum amount of shared memory per thread block"
// of the CUDA C++ Programming Guide's table of compute capabilities.
struct Gpu {
  const char* name;
  Abilities has;
};
constexpr Gpu kGpus[] = {{"T4 (7.5)", {75, 64}},          {"A100 (8.0)", {80, 163}},
                         {"A10, RTX 30 (8.6)", {86, 99}}, {"L4, RTX 40 (8.9)", {89, 99}},
                         {"H100, H200 (9.0)", {90, 227}}, {"RTX 50 (12.0)", {120, 99}}};

std::string runs(const std::vector<Need>& needs, const Abilities& gpu) {
  std::vector<std::string> without;
  for (const Need& need : needs) {
    if (need.met(gpu)) continue;
    if (need.only.empty()) return "no";
    without.push_back(need.only);
  }
  return without.empty() ? "yes" : fmt::format("not {}", fmt::join(without, ", "));
}

// By lesson and declaration the variants, in the lesson's order.
using Declared = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

void look_into(const fs::path& file, const fs::path& source, Declared& declared) {
  const auto found = find_pattern(read_file(file.string()), R"~(\nWB_NEEDS\((?:"([^"]*)"\);\n)?)~");
  if (found.empty()) return;
  if (found[1].empty())
    throw std::runtime_error(file.string() + ": WB_NEEDS(\"...\"); takes a line of its own");
  const std::string variant = file.stem().string();
  fs::path folder = fs::relative(file, source).parent_path();
  if (folder.filename() == variant) folder = folder.parent_path();  // all_shapes/all_shapes
  declared[{folder.string(), found[1]}].push_back(variant);
}

}  // namespace

std::vector<fs::path> files_of_chapters(const fs::path& source) {
  std::vector<fs::path> files;
  for (const auto& chapter : fs::directory_iterator(source))
    if (chapter.is_directory() && chapter.path().filename().string().starts_with("ch"))
      for (const auto& entry : fs::recursive_directory_iterator(chapter.path()))
        if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

report::Table gpu_table(const fs::path& source) {
  Declared declared;
  for (const fs::path& file : files_of_chapters(source)) look_into(file, source, declared);
  report::Table table{{{"lesson", true}, {"variants", true}, {"need", true}}};
  for (const Gpu& gpu : kGpus) table.columns.push_back({gpu.name, true});
  for (auto& [key, variants] : declared) {
    const auto& [lesson, text] = key;
    std::sort(variants.begin(), variants.end(), lesson_order);
    auto& row =
        table.rows.emplace_back(std::vector{fmt::format("[{}](../{}/README.md)", lesson, lesson),
                                            fmt::format("{}", fmt::join(variants, ", ")), text});
    for (const Gpu& gpu : kGpus) row.push_back(runs(read_needs(text), gpu.has));
  }
  return table;
}

std::string with_gpu_table(const std::string& page, const std::string& file,
                           const fs::path& source) {
  const std::string begin = "<!-- needs -->\n", end = "<!-- end needs -->\n";
  const std::size_t from = page.find(begin), to = page.find(end, from);
  if (to == std::string::npos)
    throw Failure(5, file + ": no <!-- needs --> with <!-- end needs -->");
  return page.substr(0, from + begin.size()) + "\n" + report::as_markdown({gpu_table(source)}) +
         "\n" + page.substr(to);
}

}  // namespace wb::pages
