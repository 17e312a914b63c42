// What a teacher sees of a class: who has done what, how near it was, what to look at.
#include "classroom/class_page.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "classroom/grade.h"
#include "has.h"

namespace wb::classroom {
namespace {

// student, lesson, verdict, reason, file, points, of, share, flags
const std::vector<Graded> kClass = {
    {"ada", "ch1_x/01_a", "met", "", "f1", 10, 10, 1},
    {"ada", "ch1_x/02_b", "not tried", "", "", 0, 10},
    {"bob", "ch1_x/01_a", "met", "", "f1", 10, 10, 1},
    {"bob", "ch1_x/02_b", "slow", "0.4 of optimized", "f2", 4, 10, 0.5, {"mentions fork"}},
    {"eve <b>", "ch1_x/01_a", "cheats", "[win](javascript:alert(1))<script>", "f3", 0, 10},
    {"eve <b>", "ch1_x/02_b", "wrong", "y: 1 of 2", "f4", 0, 10}};

report::Table table(const report::Document& page, std::size_t n) {  // the nth
  for (const report::Block& block : page)
    if (const report::Table* t = std::get_if<report::Table>(&block); t && n-- == 0) return *t;
  throw std::out_of_range("no such table");
}

TEST(ClassPage, SaysWhoHasDoneWhat) {
  using Cells = std::vector<std::string>;
  const report::Table who = table(class_page(kClass, "", ""), 0);
  EXPECT_EQ(who.columns.back().head, "02_b");
  EXPECT_EQ(who.rows[0], (Cells{"ada", "10", "1", "met", "-"}));
  EXPECT_EQ(who.rows[1], (Cells{"bob", "14", "1", "met", "slow, 50%"}));
  EXPECT_EQ(who.rows[2], (Cells{"eve <b>", "0", "0", "cheats", "wrong"}));
}

TEST(ClassPage, CountsByExercise) {
  using Cells = std::vector<std::string>;
  const report::Table by = table(class_page(kClass, "", ""), 1);
  EXPECT_EQ(by.rows[0], (Cells{"01_a", "3", "2", "0", "1", "100.0%", "6.667"}));
  EXPECT_EQ(by.rows[1], (Cells{"02_b", "2", "0", "1", "1", "25.0%", "2"}));
}

TEST(ClassPage, ShowsCheatsFlagsAndCopies) {
  const report::Table look = table(class_page(kClass, "", ""), 2);
  ASSERT_EQ(look.rows.size(), 4u);
  EXPECT_EQ(look.rows[0].back(), "the same file as bob");
  EXPECT_EQ(look.rows[1].back(), "the same file as ada");
  EXPECT_EQ(look.rows[2].back(), "mentions fork");
  EXPECT_TRUE(has(look.rows[3].back(), "javascript"));
  EXPECT_TRUE(has(report::as_text(class_page({kClass[0]}, "", ""), report::Style::text),
                  "Nothing was flagged"));
}

TEST(ClassPage, IsOnePageInWhichNoStudentsTextIsObeyed) {
  const std::string page = report::as_html(class_page(kClass, "Measured here.", "pages/"), "Class");
  for (const char* part :
       {"<p>3 students, 2 exercises. Measured here.</p>", "<td class=\"left good\">met</td>",
        "<td class=\"left bad\">cheats</td>", "<td class=\"left doubtful\">slow, 50%</td>",
        "<a href=\"pages/ada.html\">ada</a>", "<a href=\"pages/eve%20%3Cb%3E.html\">eve &lt;b&gt;",
        "&lt;script&gt;"})
    EXPECT_TRUE(has(page, part));
  EXPECT_FALSE(has(page, "href=\"javascript"));
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>")) << "the page's own alone";
}

nlohmann::json row(const std::string& student, const std::string& verdict, double points,
                   const std::string& reason = "") {
  return {{"student", student},
          {"lesson", "ch1_x/01_a"},
          {"backend", "cpu"},
          {"file", "f1"},
          {"verdict", verdict},
          {"reason", reason},
          {"points", points},
          {"share", points / 10},
          {"of", 10.0},
          {"flags", nlohmann::json::array()},
          {"goals", nlohmann::json::array()},
          {"evidence", {reason}}};
}

// What grade writes of these rows into a file of `kind`.
std::string written(const std::vector<nlohmann::json>& rows, const std::string& kind,
                    const nlohmann::json& skipped = nlohmann::json::array()) {
  const Scratch scratch;
  driver::RunOptions options;
  GradeOptions grade;
  options.csv = scratch.file("csv"), options.html = scratch.file("html");
  options.json = scratch.file("json");
  grade.junit = scratch.file("junit"), grade.gradescope = scratch.file("gradescope");
  grade.pages = scratch.file("pages");
  write_grades({{"workbook", "1"},
                {"commit", "0123456789"},
                {"date", "2026-01-02"},
                {"machine", "m"},
                {"sandbox", "limits"},
                {"not_held", ""},
                {"skipped", skipped},
                {"rows", rows}},
               options, grade);
  return std::filesystem::exists(scratch.file(kind)) ? read_file(scratch.file(kind)) : "none";
}

TEST(Grades, AreOneTableInEverySpreadsheet) {
  const std::string csv = written({row("ada", "met", 10), row("bob", "slow", 7.126),
                                   row("cy", "slow", 4.5), row("dan", "wrong", 0)},
                                  "csv");
  for (const char* line :
       {"ada,ch1_x/01_a,cpu,met,10,10,1,", "bob,ch1_x/01_a,cpu,slow,7.13,10,0.71,",
        "cy,ch1_x/01_a,cpu,slow,4.5,10,0.45,", "dan,ch1_x/01_a,cpu,wrong,0,10,0,"})
    EXPECT_TRUE(has(csv, line));
  for (const std::string name : {"=1+1", "+49", "-x", "@SUM(A1)", " =1", "\t=1", "\r=1"}) {
    const std::string cells =
        written({row(name, "wrong", 0, name)}, "csv", {{{"name", name}, {"why", name}}});
    EXPECT_TRUE(cells.substr(cells.find('\n') + 1).starts_with("'")) << cells;
    EXPECT_TRUE(has(cells, "f1,'") && has(cells, "\n'") && has(cells, ",skipped,,,,,'")) << cells;
  }
}

TEST(Grades, WithoutAVerdictHaveNoPoints) {
  nlohmann::json none = row("ada", "cannot grade here", 0, "no compiler");
  none["points"] = none["share"] = nullptr;
  EXPECT_TRUE(has(written({none}, "csv"), "ada,ch1_x/01_a,cpu,cannot grade here,,10,,f1,"));
  EXPECT_TRUE(has(written({none}, "json"), "\"points\": null"));
  EXPECT_TRUE(has(written({none}, "junit"), "<skipped message=\"cannot grade here: no compiler"));
  EXPECT_EQ(written({none}, "gradescope"), "none");
  EXPECT_NE(written({row("ada", "met", 10)}, "gradescope"), "none");
  const std::vector<Graded> all = {
      {.student = "ada", .lesson = "ch1_x/01_a", .verdict = "cannot grade here", .of = 10}};
  const report::Document page = class_page(all, "", "");
  EXPECT_EQ(table(page, 0).rows[0][1], "0 + ?");
  EXPECT_EQ(table(page, 1).rows[0][1], "0") << "tried";
  EXPECT_EQ(table(page, 2).rows[0][4], "-") << "points";
}

TEST(Grades, AreUtf8WhateverWasHandedIn) {
  const std::string bytes = "J\xf6rg \xef\xbf\xbe <";
  for (const char* kind : {"csv", "json", "junit", "html", "gradescope"}) {
    const std::string text = written({row(bytes, "wrong", 0, bytes)}, kind);
    EXPECT_FALSE(has(text, "\xf6")) << kind;
    EXPECT_TRUE(has(text, "J\xef\xbf\xbdrg")) << kind;
  }
  EXPECT_FALSE(has(written({row(bytes, "wrong", 0)}, "junit"), "\xef\xbf\xbe")) << "not in XML";
}

TEST(Grades, NameEveryStudentAndWhatWasSkipped) {
  testing::internal::CaptureStdout();
  const std::string html = written({row("ada", "not tried", 0), row("bob", "met", 10)}, "html",
                                   {{{"name", "notes"}, {"why", "holds no exercise"}}});
  const std::string said = testing::internal::GetCapturedStdout();
  for (const char* word : {"ada", "not tried", "notes", "it holds no exercise"})
    EXPECT_TRUE(has(said, word));
  EXPECT_TRUE(has(html, "notes") && has(html, "it holds no exercise")) << html;
}

// On a narrow screen, too, a reason is read next to its exercise.
TEST(Grades, HaveTheirReasonBelow) {
  testing::internal::CaptureStdout();
  written({row("ada", "wrong", 0, "sum is 1, want 2"), row("ada", "met", 10)}, "csv");
  EXPECT_TRUE(has(testing::internal::GetCapturedStdout(),
                  "ada      ch1_x/01_a  wrong     0 of 10\n         sum is 1, want 2\n"
                  "ada      ch1_x/01_a  met      10 of 10\n\n"
                  "1 student, 2 exercises: 1 met, 1 wrong\n"));
}

}  // namespace
}  // namespace wb::classroom
