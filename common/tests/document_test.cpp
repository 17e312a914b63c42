// A document is printed in several forms, none of which what composes it knows.
#include "report/document.h"

#include <gtest/gtest.h>

#include "report/results_page.h"
#include "report_rows.h"

namespace wb {
namespace {

const Table kTable{{{.head = "name", .left = true},
                    {.head = "n"},
                    {.head = "on a page", .only_page = true},
                    {.head = ""}},
                   {{"a|b", "1", "x", "hidden"}, {"c", "why it has none"}},
                   false,
                   "note: of a\n"};

TEST(Document, AsText) {
  EXPECT_EQ(as_text({Heading{2, "Lesson"}, Heading{4, "Case"}, kTable, Sentences{""},
                     Sentences{"One.\nTwo.\n", true}},
                    Style::text),
            "Lesson\n\nCase\nname  n\n-------\na|b   1\nc     why it has none\nnote: of a\n\n"
            "One.\nTwo.\n\n");
}

TEST(Document, AsMarkdown) {
  EXPECT_EQ(
      as_markdown({Heading{2, "Lesson"}, Heading{4, "Case"}, kTable, Sentences{""},
                   Sentences{"One.\nTwo.\n", true}, Figure{"a curve", "c.svg", {}}}),
      "## Lesson\n\n**Case**\n\n| name | n | on a page |\n|---|---:|---:|\n| a\\|b | 1 | x |\n"
      "| c | why it has none |  |\n\nnote: of a\n\n* One.\n* Two.\n\n![a curve](c.svg)\n");
}

TEST(Document, AsCsv) {
  EXPECT_EQ(as_csv({{{.head = "a"}, {.head = "b,c"}}, {{"1", "\"2\""}}}),
            "a,\"b,c\"\n1,\"\"\"2\"\"\"\n");
}

// Another form is another function: this one is for the web.
template <class... F> struct Each : F... { using F::operator()...; };
std::string as_html(const Document& document) {
  std::string out;
  for (const Block& block : document)
    std::visit(
        Each{[&](const Heading& h) { out += fmt::format("<h{0}>{1}</h{0}>", h.level, h.text); },
             [&](const Sentences& s) { out += "<p>" + s.text + "</p>"; },
             [&](const Table& table) {
               out += "<table>";
               for (const auto& row : table.rows) {
                 out += "<tr>";
                 for (const std::string& cell : row) out += "<td>" + cell + "</td>";
               }
               out += "</table>";
             },
             [&](const Figure& f) { out += f.draw(Picture::svg, 0); }},
        block);
  return out;
}

TEST(Document, IsAPageInAFormOfItsOwn) {
  const Results results = make_results();
  const std::string page = as_html(results_page(results, "ch1_x", "gpu"));
  for (const char* part : {"<h1>ch1_x on Test GPU</h1>", "<h2>01_sum</h2>", "<h4>n=1</h4>",
                           "<td>100 us</td>", "<p>optimized is 10x faster than baseline"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
}

}  // namespace
}  // namespace wb
