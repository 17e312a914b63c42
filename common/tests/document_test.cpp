// A document is printed in several forms, none of which what composes it knows.
#include "report/document.h"

#include <gtest/gtest.h>

#include "has.h"
#include "pages/pages.h"
#include "report_rows.h"

namespace wb::report {
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

// A terminal would break it inside a number.
TEST(Document, ACellThatIsTooWideGoesOnBelow) {
  const Table table{{{.head = "counted", .left = true}, {.head = "kernel"}, {.head = "loop"}},
                    {{"loads", "2 x 512 bit, 2 x 256 bit, 4 x 128 bit", "1"}, {"adds", "0", "2"}},
                    false,
                    ""};
  EXPECT_EQ(as_text({table}, {.width = 40, .table = 40}),
            "counted                         kernel\n--------------------------------------\n"
            "loads    2 x 512 bit, 2 x 256 bit, 4 x\n                               128 bit\n"
            "adds                                 0\n\ncounted  loop\n-------------\n"
            "loads       1\nadds        2\n\n");
  EXPECT_TRUE(has(as_text({table}, Style::text), "4 x 128 bit     1"));
}

TEST(Document, ANameOutsideOfAsciiMovesNoColumn) {
  const Table table{{{.head = "who", .left = true}, {.head = "n"}}, {{"Zoë", "1"}, {"Bob", "2"}}};
  EXPECT_EQ(as_text({table}, Style::text), "who  n\n------\nZoë  1\nBob  2\n\n");
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

TEST(Document, AsHtmlThatNeedsNoOtherFile) {
  const std::string page = as_html(
      {Heading{2, "a < b"}, kTable, Sentences{"`x < 1` is [here](a.md).\n[1, 2] \"is\" 3 & 4\n"},
       Figure{"a curve", "c.svg", [](Picture p, int) { return p == Picture::svg ? "<svg>" : ""; }},
       Figure{"none", "n.svg", [](Picture, int) { return ""; }}},
      "<title>");
  for (const char* part :
       {"<title>&lt;title&gt;</title>", "<h2>a &lt; b</h2>", "<th class=\"left\">name</th>",
        "<td class=\"\">1</td><td class=\"\">x</td></tr>",
        "<td class=\"\" colspan=\"2\">why it has none</td></tr>", "<p>note: of a</p>",
        "<p><code>x &lt; 1</code> is <a href=\"a.md\">here</a>.</p>",
        "<p>[1, 2] &quot;is&quot; 3 &amp; 4</p>", "src=\"data:image/svg+xml,%3Csvg%3E\""})
    EXPECT_TRUE(has(page, part));
  EXPECT_FALSE(has(page, "hidden"));
  EXPECT_FALSE(has(page, "http")) << "nothing from elsewhere";
  const Table listing{.columns = {{.head = "line"}, {.head = "c", .left = true, .code = true}},
                      .rows = {{"1", "a < b"}}};
  EXPECT_TRUE(has(as_html({listing}, ""), "<td class=\"left code\">a &lt; b</td>"));
}

TEST(Document, LinksOnlyToPlacesBesideThePage) {
  for (const char* elsewhere :
       {"[a](javascript:alert(1))", "[a](https://x.org/)", "[a](//x.org/)", "[a](data:,x)"}) {
    const std::string page = as_html({Sentences{elsewhere}}, "");
    EXPECT_FALSE(has(page, "<a ")) << elsewhere;
  }
  EXPECT_TRUE(has(as_html({Sentences{"[a](b/c.md#d)"}}, ""), "<a href=\"b/c.md#d\">"));
}

TEST(Document, IsAPageOfResultsForTheWeb) {
  const Results results = make_results();
  const std::string page = as_html(pages::results_page(results, "ch1_x", "gpu"), "");
  for (const char* part : {"<h1>ch1_x on Test GPU</h1>", "<h2>01_sum</h2>", "<h4>n=1</h4>",
                           ">100 us</td>", "<p>optimized is 10x faster than baseline"})
    EXPECT_TRUE(has(page, part));
}

}  // namespace
}  // namespace wb::report
