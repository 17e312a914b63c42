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

// Cells in columns; a row with one cell more than its variant spans the rest.
struct Grid {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> body;
  std::size_t left = 1;  // this many leading columns are aligned left

  std::string print(Style style) const {
    std::vector<std::size_t> width;
    for (const std::string& cell : head) width.push_back(cell.size());
    for (const auto& row : body)
      for (std::size_t i = 0; i < row.size() && row.size() == head.size(); ++i)
        width[i] = std::max(width[i], row[i].size());
    for (const auto& row : body) width[0] = std::max(width[0], row[0].size());

    std::string out;
    const auto line = [&](const std::vector<std::string>& row) {
      std::string text = style == Style::markdown ? "|" : "";
      for (std::size_t i = 0; i < head.size(); ++i) {
        const std::string cell = i < row.size() ? row[i] : "";
        if (style == Style::markdown) {
          text += fmt::format(" {} |", escaped(cell, '|', '\\'));
        } else {
          text += i < left ? fmt::format("{:<{}}  ", cell, width[i])
                           : fmt::format("{:>{}}  ", cell, width[i]);
        }
      }
      while (!text.empty() && text.back() == ' ') text.pop_back();
      out += text + "\n";
    };
    line(head);
    if (style == Style::markdown) {
      out += "|";
      for (std::size_t i = 0; i < head.size(); ++i) out += i < left ? "---|" : "---:|";
      out += "\n";
    } else {
      std::size_t total = 0;
      for (const std::size_t w : width) total += w + 2;
      out += std::string(total - 2, '-') + "\n";
    }
    for (const auto& row : body) {
      if (style == Style::text && row.size() < head.size())
        out += fmt::format("{:<{}}  {}\n", row[0], width[0], row[1]);
      else
        line(row);
    }
    return out;
  }
};

}  // namespace wb
