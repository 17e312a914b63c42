#include "report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <sstream>

#include "base/output.h"

namespace wb::report {

namespace {

template <class... F> struct Each : F... { using F::operator()...; };
template <class... F> Each(F...) -> Each<F...>;  // which clang++ 14 does not find by itself

using Cells = std::vector<std::string>;

bool spans(const Cells& row, const Table& table) { return row.size() < table.columns.size(); }

std::string escaped(const std::string& text, char what, char with) {
  std::string out;
  for (const char c : text) {
    if (c == what) out += with;
    out += c;
  }
  return out;
}

// Columns of a terminal: a character of UTF-8 is several bytes.
std::size_t width_of(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
}

// All lines of a table, the head first.
std::vector<Cells> lines_of(const Table& table) {
  std::vector<Cells> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(column.head);
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  return lines;
}

// A cell that has no room even in a line with the first column alone goes on in the lines below.
std::vector<Cells> broken(const std::vector<Cells>& lines, const Table& table, std::size_t width) {
  constexpr std::size_t kLeast = 24;
  std::size_t first = 0;
  for (const Cells& line : lines) first = std::max(first, width_of(line[0]));
  const std::size_t room = std::max(kLeast, width - std::min(width, first + 2));
  std::vector<Cells> out = {lines[0]};
  for (const Cells& line : std::span(lines).subspan(1)) {
    const std::size_t at = out.size();
    out.push_back(line);
    for (std::size_t i = 1; !spans(line, table) && i < line.size(); ++i) {
      if (line[i].size() <= room) continue;
      std::istringstream pieces(wrapped(line[i], room));
      std::string piece;
      for (std::size_t n = at; std::getline(pieces, piece); ++n) {
        if (n == out.size()) out.emplace_back(line.size());
        out[n][i] = piece;
      }
    }
  }
  return out;
}

// The columns that are shown, and the notes. Where it folds, those behind the second in which two
// rows or more hold the same are a note: "Each row: FLOP/B 0.08, nearest ceiling memory.\n". Of
// dashes and zeros nothing is said.
std::pair<std::vector<std::size_t>, std::string> fitting(const Table& table, bool page,
                                                         bool folds) {
  std::vector<std::size_t> columns;
  std::string said;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.head.empty() || (column.only_page && !page)) continue;
    std::multiset<std::string> cells;
    for (const Cells& row : table.rows)
      if (!spans(row, table)) cells.insert(row[i]);
    if (!folds || i < 2 || cells.size() < 2 || *cells.begin() != *cells.rbegin())
      columns.push_back(i);
    else if (*cells.begin() != "-" && *cells.begin() != "0")
      said += (said.empty() ? "Each row: " : ", ") + column.head + " " + *cells.begin();
  }
  return {columns, said + (said.empty() ? "" : ".\n") + table.notes};
}

enum class Mood { plain, good, bad, doubtful };
Mood mood(const std::string& cell) {
  constexpr const char* kWrong[] = {"WRONG", "FAILED", "CRASHED", "HUNG", "NOT BUILT"};
  constexpr const char* kVerdicts[] = {"wrong", "does not compile", "hangs", "crashes", "cheats"};
  const bool wrong = std::any_of(std::begin(kWrong), std::end(kWrong),
                                 [&](const char* word) { return cell.starts_with(word); }) ||
                     std::ranges::find(kVerdicts, cell) != std::end(kVerdicts);
  if (cell.ends_with("faster") || cell == "met") return Mood::good;
  if (cell.ends_with("suspect") || cell.ends_with("ambiguous") || cell == "slow" ||
      cell.starts_with("slow, "))
    return Mood::doubtful;
  return wrong || cell.ends_with("slower") ? Mood::bad : Mood::plain;
}

// Of the terminal's own colours those that people can read on white and on black alike.
std::string coloured(const std::string& cell) {
  constexpr int kColours[] = {0, 32, 31, 35};
  const int colour = kColours[static_cast<int>(mood(cell))];
  return colour ? fmt::format("\033[{}m{}\033[0m", colour, cell) : cell;
}

std::string text(const Table& table, const Style& style) {
  auto [columns, notes] = fitting(table, false, table.folds && style.table != Style::kUnlimited);
  std::vector<Cells> lines = lines_of(table);
  if (style.table != Style::kUnlimited) lines = broken(lines, table, style.table);
  std::vector<std::size_t> width(table.columns.size());
  for (const Cells& line : lines)
    for (std::size_t i = 0; i < (spans(line, table) ? 1 : line.size()); ++i)
      width[i] = std::max(width[i], width_of(line[i]));
  const auto whole = [&](const std::vector<std::size_t>& part) {
    std::size_t sum = 0;
    for (const std::size_t i : part) sum += width[i] + 2;
    return sum - 2;
  };
  for (int next = 1; next <= std::ssize(table.columns) && whole(columns) > style.table; ++next)
    std::erase_if(columns, [&](std::size_t i) { return table.columns[i].leaves == next; });

  // What still has no room stands below, beside the first column again; a part has two at least.
  std::string out;
  for (bool first = true; first || columns.size() > 1; first = false) {
    std::vector<std::size_t> part = columns;
    while (part.size() > 2 && whole(part) > style.table) part.pop_back();
    columns.erase(columns.begin() + 1, columns.begin() + std::ssize(part));
    if (!first) out += "\n";
    for (const Cells& line : lines) {
      // What goes on of a cell in another part.
      const auto empty = [&](std::size_t i) { return i < line.size() && line[i].empty(); };
      if (!first && std::ranges::all_of(part, empty)) continue;
      std::string text;
      const auto add = [&](const std::string& cell) {
        text += style.colours && &line != &lines[0] ? coloured(cell) : cell;
      };
      for (const std::size_t i : part) {
        if (i > 0 && spans(line, table)) break;
        const std::string blanks(width[i] - width_of(line[i]), ' ');
        if (!table.columns[i].left) text += blanks;
        add(line[i]);
        text += (table.columns[i].left ? blanks : "") + "  ";
      }
      if (first && spans(line, table)) {
        const std::string blanks(width[0] + 2, ' ');
        add(wrapped(blanks + line[1], style.width).substr(blanks.size()));
      }
      out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
      if (&line == &lines[0]) out += std::string(whole(part), '-') + "\n";
    }
  }
  return out + wrapped(notes, style.width, 2);
}

std::string markdown(const Table& table) {
  const auto [columns, notes] = fitting(table, true, table.folds);
  std::string out, rule = "|";
  for (const std::size_t i : columns) rule += table.columns[i].left ? "---|" : "---:|";
  for (const Cells& line : lines_of(table)) {
    out += "|";
    for (const std::size_t i : columns)
      out += fmt::format(" {} |", i < line.size() ? escaped(line[i], '|', '\\') : "");
    out += "\n";
    if (!rule.empty()) out += std::exchange(rule, "") + "\n";
  }
  return out + (notes.empty() ? "" : "\n" + notes);
}

// What HTML means by itself is escaped; `code` and [links](of Markdown) become elements, if they
// lead to a place beside the page: what a student's program said may stand here, too.
std::string html(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t code = text[i] == '`' ? text.find('`', i + 1) : text.npos;
    const std::size_t middle = text[i] == '[' ? text.find("](", i) : text.npos;
    const std::size_t link = middle != text.npos ? text.find(')', middle) : text.npos;
    if (code != text.npos) {
      out += "<code>" + html(text.substr(i + 1, code - i - 1)) + "</code>";
      i = code;
    } else if (link != text.npos && text.find_first_of(" :\n", middle) > link &&
               text.compare(middle + 2, 2, "//") != 0) {
      out += fmt::format("<a href=\"{}\">{}</a>", html(text.substr(middle + 2, link - middle - 2)),
                         html(text.substr(i + 1, middle - i - 1)));
      i = link;
    } else {
      out += for_markup({text[i]});
    }
  }
  return out;
}

// A paragraph for each line.
std::string paragraphs(const std::string& text) {
  std::string out;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    if (end > at) out += "<p>" + html(text.substr(at, end - at)) + "</p>\n";
  }
  return out;
}

std::string html(const Table& table) {
  constexpr const char* kMoods[] = {"", " good", " bad", " doubtful"};
  const auto [columns, notes] = fitting(table, true, false);
  std::string out = "<div class=\"wide\"><table>\n<thead><tr>";
  const auto side = [&](std::size_t i) {
    return table.columns[i].code ? "left code" : table.columns[i].left ? "left" : "";
  };
  for (const std::size_t i : columns)
    out += fmt::format("<th class=\"{}\">{}</th>", side(i), html(table.columns[i].head));
  out += "</tr></thead>\n<tbody>\n";
  for (const Cells& row : table.rows) {
    const bool whole = spans(row, table);
    out += "<tr>";
    for (const std::size_t i : columns) {
      if (whole && i > 1) break;
      out += fmt::format(
          "<td class=\"{}{}\"{}>{}</td>", side(i), kMoods[static_cast<int>(mood(row[i]))],
          whole && i == 1 ? fmt::format(" colspan=\"{}\"", columns.size() - 1) : "", html(row[i]));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n" + paragraphs(notes);
}

// A picture inside the page, which therefore needs no other file: all but plain letters as %XX.
std::string html(const Figure& figure) {
  const std::string svg = figure.draw(Picture::svg, 100);
  if (svg.empty()) return "";
  std::string data;
  for (const char c : svg)
    data += std::isalnum(static_cast<unsigned char>(c)) || c == ' '
                ? std::string(1, c)
                : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return fmt::format(
      "<figure><img alt=\"{0}\" src=\"data:image/svg+xml,{1}\"><figcaption>{0}"
      "</figcaption></figure>\n",
      html(figure.title), data);
}

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>)";
// A click on a head sorts by its column: 950 us comes before 1.2 ms.
constexpr const char* kStyle = R"(</title>
<style>
:root { color-scheme: light dark; --line: light-dark(#ccc, #444); --soft: light-dark(#f4f4f4, #222) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th { cursor: pointer; background: var(--soft) }
th:first-child, td:first-child { position: sticky; left: 0 } td:first-child { background: Canvas }
.left { text-align: left } td.left:last-child { white-space: normal; min-width: 12rem } td[colspan] { white-space: normal }
td.code, td.code:last-child { font-family: monospace; white-space: pre; max-width: 26rem; overflow: clip; text-overflow: ellipsis }
td.good { color: light-dark(#116329, #7ee787) } td.bad { color: light-dark(#b3261e, #ff8a80) }
td.doubtful { color: light-dark(#7b3fb5, #d2a8ff) }
td.good, td.bad, td.doubtful { background: color-mix(in srgb, currentColor 10%, transparent) }
h2 { border-top: 2px solid var(--line); padding-top: 1rem } h4 { margin-bottom: 0.3rem }
code { background: var(--soft); padding: 0 0.2rem }
figure { margin: 1rem 0 } img { max-width: 100%; background: #fff }
</style></head><body>
)";
constexpr const char* kScript = R"(<script>
const units = {ns: 1e-9, us: 1e-6, ms: 1e-3, GB: 1e9, TB: 1e12, MB: 1e6, GFLOP: 1e9, TFLOP: 1e12};
function value(text) {
  const found = text.match(/^([-+0-9.,]+)x? ?([A-Za-z]*)/);
  return found ? parseFloat(found[1].replace(/,/g, '')) * (units[found[2]] || 1) : NaN;
}
for (const head of document.querySelectorAll('th'))
  head.onclick = () => {
    const body = head.closest('table').tBodies[0], at = head.cellIndex;
    const up = head.dataset.up = head.dataset.up === '1' ? '0' : '1';
    const text = row => row.cells[Math.min(at, row.cells.length - 1)].textContent;
    const order = (a, b) => {
      const x = value(text(a)), y = value(text(b));
      return isNaN(x) || isNaN(y) ? text(a).localeCompare(text(b), 'en', {numeric: true}) : x - y;
    };
    body.append(...[...body.rows].sort((a, b) => up === '1' ? order(a, b) : order(b, a)));
  };
</script></body></html>
)";

}  // namespace

std::string for_markup(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 32 && c != '\n' ? ' ' : c;
    }
  return out;
}

Style Style::screen(bool wide) {
  const std::size_t width = screen_width(kUnlimited);
  constexpr std::size_t kReadable = 100;  // of a sentence
  return {.width = width == kUnlimited ? width : std::min(width, kReadable),
          .table = wide ? kUnlimited : width,
          .picture = static_cast<int>(std::min<std::size_t>(screen_width(100), 120)),
          .colours = has_colours(1)};
}

// Behind each block a blank line, but between a case's heading and its table.
std::string as_text(const Document& document, const Style& style) {
  std::string out;
  for (const Block& block : document) {
    const std::string shown = std::visit(
        Each{[&](const Heading& h) {
               const std::string line = wrapped(h.text, style.width, 2);
               return style.colours ? "\033[1m" + line + "\033[0m\n" : line + "\n";
             },
             [&](const Sentences& s) { return wrapped(s.text, style.width, s.list ? 2 : 0); },
             [&](const Table& table) { return text(table, style); },
             [&](const Figure& figure) { return figure.draw(Picture::terminal, style.picture); }},
        block);
    const Heading* heading = std::get_if<Heading>(&block);
    if (!shown.empty()) out += shown + (heading && heading->level == 4 ? "" : "\n");
  }
  return out;
}

// Between two blocks a blank line.
std::string as_markdown(const Document& document) {
  std::string out;
  for (const Block& block : document) {
    const std::string shown = std::visit(
        Each{[](const Heading& h) {
               return h.level == 4 ? "**" + h.text + "**\n"
                                   : std::string(h.level, '#') + " " + h.text + "\n";
             },
             [](const Sentences& s) {
               std::string text = s.list && !s.text.empty() ? "* " : "";
               for (const char& c : s.text)
                 text += s.list && c == '\n' && &c != &s.text.back() ? "\n* " : std::string(1, c);
               return text;
             },
             [](const Table& table) { return markdown(table); },
             [](const Figure& f) { return fmt::format("![{}]({})\n", f.title, f.file); }},
        block);
    if (!shown.empty()) out += (out.empty() ? "" : "\n") + shown;
  }
  return out;
}

std::string as_html(const Document& document, const std::string& title) {
  std::string out = kHead + html(title) + kStyle;
  for (const Block& block : document)
    out += std::visit(Each{[](const Heading& h) {
                             return fmt::format("<h{0}>{1}</h{0}>\n", h.level, html(h.text));
                           },
                           [](const Sentences& s) { return paragraphs(s.text); },
                           [](const auto& other) { return html(other); }},
                      block);
  return out + kScript;
}

std::string as_csv(const Table& table) {
  std::string out;
  for (const Cells& line : lines_of(table))
    for (const std::string& cell : line) {
      const bool plain = cell.find_first_of(",\"\n\r") == std::string::npos;
      out += (plain ? cell : '"' + escaped(cell, '"', '"') + '"') +
             (&cell == &line.back() ? "\n" : ",");
    }
  return out;
}

}  // namespace wb::report
