// Cells in columns, as text or Markdown.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/output.h"
#include "report/table.h"

namespace wb {

inline std::string escaped(const std::string& text, char what, char with) {
  std::string out;
  for (const char c : text) {
    if (c == what) out += with;
    out += c;
  }
  return out;
}

struct Grid {
  std::vector<std::string> head;               // a column without one is left out
  std::vector<std::vector<std::string>> body;  // a second cell without a third spans the rest
  std::size_t left = 1;                        // this many leading columns are aligned left
  std::vector<std::size_t> leaving = {};       // columns that a narrow table does without, in order

  // `notes`: the lines below.
  std::string print(const Style& style, const std::string& notes = "") const {
    const bool markdown = style.is_markdown;
    std::vector<std::size_t> width(head.size());
    const auto fit = [&](const std::vector<std::string>& row) {
      for (std::size_t i = 0; i < (spans(row) ? 1 : row.size()); ++i)
        width[i] = std::max(width[i], row[i].size());
    };
    fit(head);
    for (const auto& row : body) fit(row);
    std::vector<std::string> shown = head, rest(head.size());
    const auto whole = [&] {
      std::size_t sum = 0;
      for (std::size_t i = 0; i < shown.size(); ++i) sum += shown[i].empty() ? 0 : width[i] + 2;
      return sum - 2;
    };
    for (std::size_t i = 0; i < leaving.size() && whole() > style.table; ++i)
      shown[leaving[i]].clear();
    // What still has no room stands below, beside the first column again.
    for (std::size_t i = shown.size() - 1; i > 1 && whole() > style.table; --i)
      std::swap(shown[i], rest[i]);

    std::string out;
    const auto cell = [&](const std::vector<std::string>& row, std::size_t i) {
      if (markdown) return fmt::format(" {} |", i < row.size() ? escaped(row[i], '|', '\\') : "");
      if (spans(row) && i == 1) {
        const std::size_t indent = width[0] + 2;
        return wrapped(std::string(indent, ' ') + row[i], style.width, indent).substr(indent);
      }
      return i < left || spans(row) ? fmt::format("{:<{}}  ", row[i], width[i])
                                    : fmt::format("{:>{}}  ", row[i], width[i]);
    };
    const auto line = [&](const std::vector<std::string>& row) {
      std::string text = markdown ? "|" : "";
      for (std::size_t i = 0; i < (markdown ? head : row).size(); ++i) {
        if (shown[i].empty()) continue;
        const char* colour = style.colours && &row != &head ? colour_of(row[i]) : "";
        text += colour + cell(row, i) + (*colour ? "\033[0m" : "");
      }
      out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    };
    line(head);
    std::string rule = markdown ? "|" : "";
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (!shown[i].empty())
        rule += !markdown ? std::string(width[i] + 2, '-') : i < left ? "---|" : "---:|";
    out += rule.substr(0, rule.size() - (markdown ? 0 : 2)) + "\n";
    for (const auto& row : body) line(row);
    if (std::any_of(rest.begin(), rest.end(), [](const auto& name) { return !name.empty(); })) {
      Grid below{rest, body, left};
      below.head[0] = head[0];
      out += "\n" + below.print(style);
    }
    return out + (markdown && !notes.empty() ? "\n" : "") + wrapped(notes, style.width, 2);
  }

  // Leaves out the columns behind the second in which two rows or more hold the same, and says what
  // that is: "Each row: FLOP/B 0.0833, bound memory.\n". Of dashes and zeros nothing is said.
  std::string fold() {
    std::string said;
    for (std::size_t i = 2; i < head.size(); ++i) {
      std::vector<std::string> cells;
      for (const auto& row : body)
        if (!spans(row)) cells.push_back(row[i]);
      const auto differs = [&](const std::string& cell) { return cell != cells[0]; };
      if (head[i].empty() || cells.size() < 2 || std::any_of(cells.begin(), cells.end(), differs))
        continue;
      if (cells[0] != "-" && cells[0] != "0")
        said += (said.empty() ? "Each row: " : ", ") + head[i] + " " + cells[0];
      head[i].clear();
    }
    return said + (said.empty() ? "" : ".\n");
  }

 private:
  // Of the terminal's own colours those that people can read on white and on black alike.
  static const char* colour_of(const std::string& cell) {
    constexpr const char *kRed = "\033[31m", *kGreen = "\033[32m", *kMagenta = "\033[35m";
    constexpr const char* kWrong[] = {"WRONG", "FAILED", "CRASHED", "HUNG", "NOT BUILT"};
    if (cell.ends_with("faster")) return kGreen;
    if (cell.ends_with("suspect") || cell.ends_with("ambiguous")) return kMagenta;
    const bool wrong = std::any_of(std::begin(kWrong), std::end(kWrong),
                                   [&](const char* word) { return cell.starts_with(word); });
    return wrong || cell.ends_with("slower") ? kRed : "";
  }
  bool spans(const std::vector<std::string>& row) const { return row.size() < head.size(); }
};

}  // namespace wb
