// access: which lanes of a warp touch which memory, drawn from a run on the backend that counts.
#include "report/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "driver/commands.h"
#include "report/table.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {

struct Drawn {
  const Row* row;
  std::string line;  // "optimized.cu:42"
  Access access;
};

// The backend that counts, which this build may not have.
const BuiltBackend& counting_backend(const Catalogue& catalogue) {
  const auto found = std::ranges::find_if(catalogue.backends, &BuiltBackend::untimed);
  if (found == catalogue.backends.end())
    throw Failure(3, "this build has no emulated GPU: ./workbook access builds one");
  return *found;
}

void need_variants(const std::vector<Selection>& selections, const BuiltBackend& backend) {
  for (const Selection& s : selections) {
    if (s.variants.empty())
      throw Failure(2, fmt::format("access draws a variant: ./workbook access {}/baseline",
                                   fs::path(s.lesson->path).filename().string()));
    for (const std::string& variant : s.variants) {
      if (s.lesson->has(variant, backend.name)) continue;
      std::string why = "has no " + variant + backend.extension;
      for (const auto& [left_out, needs] : s.lesson->left_out)
        if (left_out == variant + backend.extension)
          why = fmt::format("/{} needs {}, which the {} does not have", left_out, needs,
                            backend.device);
      throw Failure(3, s.lesson->path + (why[0] == '/' ? "" : " ") + why);
    }
  }
}

// The text of "optimized.cu:42", a file of the lesson or of what lessons share; "" where none is.
std::string source_text(const fs::path& lesson, const std::string& line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return "";
  std::error_code none;
  for (const fs::path& folder : {lesson, lesson.parent_path() / "shared"})
    for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
      if (entry.path().filename() != line.substr(0, colon)) continue;
      std::istringstream lines(read_file(entry.path().string()));
      std::string text;
      for (int i = std::stoi(line.substr(colon + 1)); i > 0 && std::getline(lines, text); --i) {
      }
      return text.substr(std::min(text.find_first_not_of(' '), text.size()));
    }
  return "";
}

// The costliest comes first; of equals shared memory, where a conflict is harder to see, and reads.
bool comes_before(const Drawn& a, const Drawn& b) {
  const auto key = [](const Drawn& d) {
    return std::tuple(-report::excess(d.access), !d.access.shared, d.access.verb);
  };
  return key(a) < key(b);
}

bool is_line(const std::string& line, const std::string& wanted) {
  return line == wanted || line.ends_with(":" + wanted);
}

// Of a row: what is drawn first, and the others.
std::vector<Drawn> requests_of(const Row& row, const std::string& wanted) {
  std::vector<Drawn> all;
  std::string known;
  for (const LineCounts& one : row.lines) {
    for (const Access& access : one.accesses) all.push_back({&row, one.line, access});
    if (!one.accesses.empty()) known += (known.empty() ? "" : ", ") + one.line;
  }
  const std::string name = row.lesson + "/" + row.variant;
  if (all.empty()) throw Failure(2, name + " makes no request to memory");
  std::stable_sort(all.begin(), all.end(), comes_before);
  std::stable_partition(all.begin(), all.end(),
                        [&](const Drawn& d) { return is_line(d.line, wanted); });
  if (!wanted.empty() && !is_line(all.front().line, wanted))
    throw Failure(2,
                  fmt::format("{} makes no request at line {}; these do: {}", name, wanted, known));
  return all;
}

}  // namespace

int run_access(const Catalogue& catalogue, const RunOptions& options, const std::string& line) {
  const BuiltBackend& backend = counting_backend(catalogue);
  const std::vector<Selection> selections = select(catalogue, options);
  need_variants(selections, backend);
  check_writable(options.svg);
  RunOptions quick = options;
  quick.choice.backend = backend.name, quick.choice.fast = quick.choice.first = true;
  const Run run = run_lessons(catalogue, selections, quick, false, [](const Results&) {});
  std::vector<report::AccessPanel> panels;
  for (const Row& row : run.results.rows) {
    const std::string title =
        fmt::format("{}/{}, {}", row.lesson, row.variant, run.results.name_of(row));
    if (row.status != Status::ok) {
      print("{}\n  {}\n", title, report::trouble(row));
      continue;
    }
    const std::vector<Drawn> all = requests_of(row, line);
    const Drawn& first = all.front();
    const std::string code = source_text(catalogue.source / row.lesson, first.line);
    print("{}\n{}: {}\n{}\n\n", title, first.line, code, report::sentence(first.access));
    put(report::draw_access(first.access, has_colours(1)) + "\n");
    if (all.size() > 1) print("Other requests (--line N draws one):\n");
    for (std::size_t i = 1; i < all.size(); ++i)
      print("  {:<24} {}\n", all[i].line, report::sentence(all[i].access));
    if (all.size() > 1) print("\n");
    const std::string file = first.line.substr(0, first.line.find(':'));
    const bool own = fs::path(file).stem() == row.variant;
    panels.push_back({(own ? "" : row.variant + ", ") + file, code, first.access});
  }
  if (!options.svg.empty() && !panels.empty()) {
    std::string command = "./workbook access";
    for (const std::string& name : options.names) command += " " + name;
    for (const std::string& axis : options.choice.axes) command += " --axis " + axis;
    if (!line.empty()) command += " --line " + line;
    write_atomically(options.svg, report::access_svg(panels, command));
  }
  return run.code;
}

}  // namespace wb::driver
