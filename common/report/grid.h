// Cells in columns, as text or Markdown.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

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

  // `notes`: the lines below.
  std::string print(Style style, const std::string& notes = "") const {
    const bool markdown = style == Style::markdown;
    std::vector<std::size_t> width(head.size());
    const auto fit = [&](const std::vector<std::string>& row) {
      for (std::size_t i = 0; i < (spans(row) ? 1 : row.size()); ++i)
        width[i] = std::max(width[i], row[i].size());
    };
    fit(head);
    for (const auto& row : body) fit(row);

    std::string out;
    const auto line = [&](const std::vector<std::string>& row) {
      std::string text = markdown ? "|" : "";
      for (std::size_t i = 0; i < (markdown ? head : row).size(); ++i) {
        if (head[i].empty()) continue;
        text += markdown ? fmt::format(" {} |", i < row.size() ? escaped(row[i], '|', '\\') : "")
                : i < left || spans(row) ? fmt::format("{:<{}}  ", row[i], width[i])
                                         : fmt::format("{:>{}}  ", row[i], width[i]);
      }
      out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    };
    line(head);
    std::string rule = markdown ? "|" : "";
    for (std::size_t i = 0; i < head.size(); ++i)
      if (!head[i].empty())
        rule += !markdown ? std::string(width[i] + 2, '-') : i < left ? "---|" : "---:|";
    out += rule.substr(0, rule.size() - (markdown ? 0 : 2)) + "\n";
    for (const auto& row : body) line(row);
    return out + (markdown && !notes.empty() ? "\n" : "") + notes;
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
  bool spans(const std::vector<std::string>& row) const { return row.size() < head.size(); }
};

}  // namespace wb
