// What is shown, apart from how: tables, sentences and pictures, and what prints them as text, as
// Markdown, as HTML and as CSV. One more form is one more function here: nothing that composes
// knows of it.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace wb::report {

struct Heading {
  int level;  // 1: of a page, 2: of a lesson, 3: of a sweep, 4: of a case
  std::string text;
};
struct Sentences {
  std::string text;   // links and `code` as Markdown writes them
  bool list = false;  // each line for itself
};
struct Column {
  std::string head{};      // a column without one is left out
  bool left = false;       // aligned
  int leaves = 0;          // a narrow table does without the lowest first; 0: with all
  bool only_page = false;  // not in text, where sentences say it
  bool code = false;       // lines of a program, which HTML does not break
};
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows{};  // a second cell without a third spans the rest
  bool folds = false;   // says once below what all of two rows or more have, unless it is wide text
  std::string notes{};  // lines below
};
enum class Picture { terminal, svg, png };
struct Figure {
  std::string title, file;  // as seen from a page
  // The bytes; empty where there is nothing to draw. `width` is in columns of a terminal.
  std::function<std::string(Picture, int width)> draw;
};
using Block = std::variant<Heading, Sentences, Table, Figure>;
using Document = std::vector<Block>;  // what is empty is left out

// How wide text is, and whether it has colours.
struct Style {
  static constexpr std::size_t kUnlimited = std::string::npos;
  std::size_t width = kUnlimited;  // characters of a line of sentences
  std::size_t table = kUnlimited;  // and of a table: columns leave until it fits
  int picture = 100;               // and of a picture
  bool colours = false;
  static const Style text;         // for a file or a pipe: all columns, and lines as they are
  static Style screen(bool wide);  // standard output; `wide`: every column
};
inline const Style Style::text{};

std::string as_text(const Document& document, const Style& style);
std::string as_markdown(const Document& document);
// One file that needs no other: tables sort by a click, pictures are in it, light or dark as the
// reader's system.
std::string as_html(const Document& document, const std::string& title);
std::string as_csv(const Table& table);

// A text for HTML, SVG and XML: & < > " are escaped, and control characters become blanks.
std::string for_markup(const std::string& text);

}  // namespace wb::report
