// What a teacher sees of a class: who has done what, how near it was, what to look at.
#include "classroom/class_page.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wb {
namespace {

const std::vector<Graded> kClass = {
    {.student = "ada",
     .lesson = "ch1_x/01_a",
     .verdict = "met",
     .file = "f1",
     .points = 10,
     .of = 10,
     .share = 1},
    {.student = "ada", .lesson = "ch1_x/02_b", .verdict = "not tried", .of = 10},
    {.student = "bob",
     .lesson = "ch1_x/01_a",
     .verdict = "met",
     .file = "f1",
     .points = 10,
     .of = 10,
     .share = 1},
    {.student = "bob",
     .lesson = "ch1_x/02_b",
     .verdict = "slow",
     .reason = "0.4 of optimized",
     .file = "f2",
     .points = 4,
     .of = 10,
     .share = 0.5,
     .flags = {"mentions fork"}},
    {.student = "eve <b>",
     .lesson = "ch1_x/01_a",
     .verdict = "cheats",
     .reason = "[win](javascript:alert(1))<script>",
     .file = "f3",
     .of = 10},
    {.student = "eve <b>",
     .lesson = "ch1_x/02_b",
     .verdict = "wrong",
     .reason = "y: 1 of 2",
     .file = "f4",
     .of = 10}};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Table table(const Document& page, std::size_t n) {  // the nth
  for (const Block& block : page)
    if (const Table* t = std::get_if<Table>(&block); t && n-- == 0) return *t;
  throw std::out_of_range("no such table");
}

TEST(ClassPage, SaysWhoHasDoneWhat) {
  using Cells = std::vector<std::string>;
  const Table who = table(class_page(kClass, "", ""), 0);
  EXPECT_EQ(who.columns.back().head, "02_b");
  EXPECT_EQ(who.rows[0], (Cells{"ada", "10", "1", "met", "-"}));
  EXPECT_EQ(who.rows[1], (Cells{"bob", "14", "1", "met", "slow, 50%"}));
  EXPECT_EQ(who.rows[2], (Cells{"eve <b>", "0", "0", "cheats", "wrong"}));
}

TEST(ClassPage, CountsByExercise) {
  using Cells = std::vector<std::string>;
  const Table by = table(class_page(kClass, "", ""), 1);
  EXPECT_EQ(by.rows[0], (Cells{"01_a", "3", "2", "0", "1", "100.0%", "6.667"}));
  EXPECT_EQ(by.rows[1], (Cells{"02_b", "2", "0", "1", "1", "25.0%", "2"}));
}

TEST(ClassPage, DrawsHowManyCameHowFar) {
  for (const Block& block : class_page(kClass, "", ""))
    if (const Figure* figure = std::get_if<Figure>(&block)) {
      const std::string svg = figure->draw(Picture::svg, 100);
      EXPECT_EQ(std::count(svg.begin(), svg.end(), '<'), std::count(svg.begin(), svg.end(), '>'));
      EXPECT_TRUE(has(svg, ">01_a</text>") && has(svg, ">to 60%</text>") && has(svg, ">2</text>"))
          << svg;
    }
}

TEST(ClassPage, ShowsCheatsFlagsAndCopies) {
  const Table look = table(class_page(kClass, "", ""), 2);
  ASSERT_EQ(look.rows.size(), 4u);
  EXPECT_EQ(look.rows[0].back(), "the same file as bob");
  EXPECT_EQ(look.rows[1].back(), "the same file as ada");
  EXPECT_EQ(look.rows[2].back(), "mentions fork");
  EXPECT_TRUE(has(look.rows[3].back(), "javascript"));
  EXPECT_TRUE(has(as_text(class_page({kClass[0]}, "", ""), Style::text), "Nothing was flagged"));
}

TEST(ClassPage, IsOnePageInWhichNoStudentsTextIsObeyed) {
  const std::string page = as_html(class_page(kClass, "Measured here.", "pages/"), "Class");
  for (const char* part :
       {"<p>3 students, 2 exercises. Measured here.</p>", "<td class=\"left good\">met</td>",
        "<td class=\"left bad\">cheats</td>", "<td class=\"left doubtful\">slow, 50%</td>",
        "<a href=\"pages/ada.html\">ada</a>", "<a href=\"pages/eve%20%3Cb%3E.html\">eve &lt;b>",
        "src=\"data:image/svg+xml,", "&lt;script>"})
    EXPECT_TRUE(has(page, part)) << part << "\n" << page;
  EXPECT_FALSE(has(page, "href=\"javascript"));
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>")) << "the page's own alone";
}

}  // namespace
}  // namespace wb
