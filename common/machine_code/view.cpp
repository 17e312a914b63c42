#include "machine_code/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace wb::machine_code {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kLong = 100;        // instructions, of a listing that is summed up
constexpr std::size_t kSideBySide = 120;  // columns that two listings take

std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t end = width - std::min<std::size_t>(width, 3);
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;  // inside a character of UTF-8
  return text.substr(0, end) + "...";
}

Range range_of(const Shown& shown, bool whole) {
  return shown.loop && !whole ? *shown.loop : Range{0, shown.function.code.size() - 1};
}

// "4 x 128 bit, 1 x 32 bit"
std::string widths(const Tally& tally, Kind kind) {
  const auto found = tally.find(kind);
  if (found == tally.end()) return "0";
  std::string text;
  for (const auto& [width, n] : found->second)
    text = fmt::format("{}{}{}{}", n, width ? fmt::format(" x {} bit", width) : "",
                       text.empty() ? "" : ", ", text);
  return text;
}

report::Table counted(const std::vector<Shown>& shown) {
  report::Table table{.columns = {{.head = "counted", .left = true}}};
  table.notes =
      "A listing does not say how often a loop runs: the hottest is a guess, by its loads.\n";
  for (const Shown& s : shown) {  // of two loops and two functions a narrow screen has the loops
    table.columns.push_back({.head = s.variant, .leaves = s.loop && shown.size() > 1 ? 1 : 0});
    if (s.loop) table.columns.push_back({.head = s.variant + ": loop"});
  }
  // `cell` takes a variant, and what of it: all, or its loop. A row that says nothing is left out.
  const auto row = [&](const std::string& head, bool always, auto&& cell) {
    std::vector<std::string> cells{head};
    for (const Shown& s : shown) {
      const bool none = s.function.code.empty();
      cells.push_back(none ? "-" : cell(s, Range{0, s.function.code.size() - 1}));
      if (s.loop) cells.push_back(cell(s, *s.loop));
    }
    const auto says = [](const std::string& text) { return text != "0" && text != "-"; };
    if (always || std::any_of(cells.begin() + 1, cells.end(), says)) table.rows.push_back(cells);
  };
  row("instructions", true,
      [](const Shown&, const Range& range) { return std::to_string(range.size()); });
  constexpr std::tuple<Kind, const char*, bool> kinds[] = {
      {Kind::fma, "multiply-adds", true},
      {Kind::tensor, "tensor instructions", false},
      {Kind::load, "loads", true},
      {Kind::store, "stores", true},
      {Kind::copy, "copies to shared memory", false},
      {Kind::shared_load, "loads, shared memory", false},
      {Kind::shared_store, "stores, shared memory", false},
      {Kind::stack_load, "loads from the stack", true},
      {Kind::stack_store, "stores to the stack", true},
      {Kind::atomic, "atomics", false},
      {Kind::flag, "loads of flags", false},
      {Kind::barrier, "barriers", false}};
  for (const auto& [kind, head, always] : kinds)
    row(head, always, [kind = kind](const Shown& s, const Range& range) {
      return widths(tally(s.form, s.function, range), kind);
    });
  constexpr std::tuple<const char*, int Usage::*, const char*> usages[] = {
      {"registers of a thread", &Usage::registers, ""},
      {"stack of a thread", &Usage::stack, " B"},
      {"shared memory, static", &Usage::shared, " B"}};
  for (const auto& [head, field, unit] : usages)
    row(head, false, [field = field, unit = unit](const Shown& s, const Range&) {
      return s.usage ? std::to_string((*s.usage).*field) + unit : std::string("-");
    });
  return table;
}

// What is listed: the loop, or all of the function; or its PTX.
std::vector<Instruction> listed(const Shown& shown, const View& view) {
  if (shown.ptx) return shown.ptx->code;
  if (shown.function.code.empty()) return {};
  const Range range = range_of(shown, view.whole);
  const auto begin = shown.function.code.begin();
  return {begin + range.first, begin + range.last + 1};
}

// Rows of line, source and code; an instruction of the same line as the one before has code alone.
Rows listing(const std::vector<Instruction>& code, const View& view) {
  Rows rows;
  SourceLine before;
  for (const Instruction& instruction : code) {
    const SourceLine line = view.line(instruction);
    const bool same = line.file == before.file && line.number == before.number;
    rows.push_back({same || !line.number ? "" : std::to_string(line.number),
                    same ? "" : view.text(line), instruction.text});
    before = line;
  }
  return rows;
}

// The same, but a row a source line, those with the most instructions first: "512 FFMA, 4 LDS.128".
Rows summed_up(const std::vector<Instruction>& code, const View& view) {
  struct Line {
    SourceLine line;
    std::vector<std::pair<std::string, int>> names{};
    int sum = 0;
  };
  std::vector<Line> lines;
  for (const Instruction& instruction : code) {
    SourceLine line = view.line(instruction);
    line.function.clear();
    auto at = std::ranges::find(lines, line, &Line::line);
    if (at == lines.end()) at = lines.insert(at, {line});
    const auto name =
        std::ranges::find(at->names, instruction.name, [](auto& n) { return n.first; });
    ++(name == at->names.end() ? at->names.emplace_back(instruction.name, 0) : *name).second;
    ++at->sum;
  }
  std::ranges::stable_sort(lines, std::ranges::greater(), &Line::sum);
  Rows rows;
  for (auto& [line, names, sum] : lines) {
    std::ranges::stable_sort(names, [](auto& a, auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [name, n] : names)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name);
    rows.push_back(
        {line.number ? std::to_string(line.number) : "", view.text(line), cut(text, 40)});
  }
  return rows;
}

// Without the column of sources: in front of its first instruction a line stands in a row of its
// own.
Rows narrow(const Rows& rows, std::size_t width) {
  Rows out;
  std::vector<std::string> said;
  for (const auto& row : rows) {
    if (!row[1].empty() && std::ranges::find(said, row[0] + row[1]) == said.end()) {
      said.push_back(row[0] + row[1]);
      out.push_back({row[0], cut(row[1], width)});
      out.push_back({"", cut("  " + row[2], width)});
    } else {
      out.push_back({row[0], cut("  " + row[2], width)});
    }
  }
  return out;
}

Rows beside(Rows a, Rows b) {
  const std::size_t left = a.empty() ? 2 : a[0].size(), right = b.empty() ? left : b[0].size();
  a.resize(std::max(a.size(), b.size()), std::vector<std::string>(left));
  b.resize(a.size(), std::vector<std::string>(right));
  for (std::size_t i = 0; i < a.size(); ++i) a[i].insert(a[i].end(), b[i].begin(), b[i].end());
  return a;
}

std::vector<report::Column> columns(const std::string& variant, bool with_source) {
  std::vector<report::Column> out{{.head = "line"}};
  if (with_source) out.push_back({.head = "source", .left = true, .code = true});
  out.push_back({.head = variant, .left = true, .code = true});
  return out;
}

// "a.cpp, lines 7 to 9"
std::string where(const Shown& s, const View& view) {
  std::map<std::string, std::pair<int, int>> files;  // the first line of each and the last
  for (std::size_t i = s.loop->first; i <= s.loop->last; ++i)
    if (const SourceLine line = view.line(s.function.code[i]); line.number) {
      const std::string name = std::filesystem::path(line.file).filename().string();
      auto& [first, last] = files.try_emplace(name, line.number, line.number).first->second;
      first = std::min(first, line.number);
      last = std::max(last, line.number);
    }
  std::string text;
  for (const auto& [name, lines] : files)
    text +=
        (text.empty() ? "" : "; ") + name +
        (lines.first == lines.second ? fmt::format(", line {}", lines.first)
                                     : fmt::format(", lines {} to {}", lines.first, lines.second));
  return text;
}

std::string about(const Shown& s, const View& view) {
  if (s.function.code.empty())
    return fmt::format("{} has no machine code of its own: it calls a library, or only copies.\n",
                       s.file);
  const std::string name = cut(s.function.name, 60);
  std::string text = s.file + ": ";
  if (s.loop)
    text += fmt::format("the hottest loop of {} has {} instructions ({}).", name, s.loop->size(),
                        where(s, view));
  else if (loops_of(s.function).empty())
    text +=
        fmt::format("{} has no loop, so a thread runs each of its {} instructions at most once.",
                    name, s.function.code.size());
  else
    text += fmt::format("{} has only loops that wait, or that call a library.", name);
  constexpr std::size_t kNamed = 6;
  const std::size_t named = std::min(s.others.size(), kNamed);
  if (named > 0)
    text += fmt::format(" Other functions, for --kernel: {}{}.",
                        fmt::join(s.others.begin(), s.others.begin() + named, ", "),
                        named < s.others.size() ? ", ..." : "");
  return text + "\n";
}

}  // namespace

report::Document document(const std::vector<Shown>& shown, const View& view, std::size_t width) {
  report::Document shows;
  std::string text;
  for (const Shown& s : shown) text += about(s, view);
  shows.push_back(report::Sentences{text, true});
  shows.push_back(counted(shown));

  std::vector<Rows> listings;
  bool summed = false;
  for (const Shown& s : shown) {
    const std::vector<Instruction> code = listed(s, view);
    const bool sum = code.size() > kLong && !view.every;
    Rows rows = sum ? summed_up(code, view) : listing(code, view);
    summed |= sum;
    listings.push_back(std::move(rows));
  }
  const bool page = width == report::Style::kUnlimited;
  report::Table table;
  if (shown.size() == 2 && (page || width >= kSideBySide)) {
    const std::size_t half = page ? width : (width - 2) / 2 - 6;
    for (Rows& rows : listings)
      if (!page) rows = narrow(rows, half);
    table.rows = beside(listings[0], listings[1]);
    for (const Shown& s : shown)
      for (const report::Column& column : columns(s.variant, page)) table.columns.push_back(column);
    shows.push_back(table);
  } else {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      constexpr std::size_t kSource = 20;  // columns that it has at least
      const std::size_t room = std::max<std::size_t>(width, 80) - 8;
      std::size_t code = shown[i].variant.size();
      for (auto& row : listings[i])
        code = std::max(code, (row[2] = cut(row[2], room - kSource)).size());
      for (auto& row : listings[i]) row[1] = cut(row[1], room - code);
      shows.push_back(
          report::Table{.columns = columns(shown[i].variant, true), .rows = listings[i]});
    }
  }
  if (summed)
    shows.push_back(report::Sentences{
        "More than 100 instructions are summed up by source lines; --loop lists them.\n"});
  return shows;
}

}  // namespace wb::machine_code
