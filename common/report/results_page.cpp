#include "report/results_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "base/output.h"
#include "report/explain.h"
#include "report/quantity.h"
#include "report/sweep.h"

namespace wb {

namespace {

// Of the run that a row is of.
std::string flags(const Row& row) {
  return " --backend=" + row.backend + (row.cache == "hot" ? " --cache=hot" : "");
}

// "ch4/02_matmul/tiles" is of chapter ch4; there it is 02_matmul_tiles.
std::string chapter_of(const std::string& lesson) { return lesson.substr(0, lesson.find('/')); }

std::string anchor(const std::string& lesson) {
  std::string name = lesson.substr(lesson.find('/') + 1);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

bool within_2_percent(double a, double b) { return std::abs(a - b) <= 0.02 * std::max(a, b); }

// Whether one table can stand for two cases: each row says the same, within 2 %.
bool agree(const SideBySide& a, const SideBySide& b, const Results& results) {
  return std::equal(
      a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [&](const Row* x, const Row* y) {
        const Standing s = standing(*x, results.ceilings_of(x->backend)),
                       t = standing(*y, results.ceilings_of(y->backend));
        const auto counts = [](const Row& row, const Standing& standing) {
          const auto quantity = counted(row);
          return quantity ? quantity->of(row, standing) : 0;
        };
        return x->lesson == y->lesson && x->backend == y->backend && x->cache == y->cache &&
               x->variant == y->variant && x->status == y->status && x->reason == y->reason &&
               x->note == y->note && s.bound == t.bound && s.suspect == t.suspect &&
               within_2_percent(s.seconds, t.seconds) && within_2_percent(s.gbps, t.gbps) &&
               within_2_percent(s.gflops, t.gflops) && within_2_percent(s.roof, t.roof) &&
               within_2_percent(x->enqueue, y->enqueue) &&
               within_2_percent(counts(*x, s), counts(*y, t)) &&
               x->split.has_value() == y->split.has_value() &&
               (!x->split || within_2_percent(x->split->compute, y->split->compute));
      });
}

// Cases whose tables agree with that of the first of them.
std::vector<std::vector<SideBySide>> grouped(const std::vector<SideBySide>& cases,
                                             const Results& results) {
  std::vector<std::vector<SideBySide>> groups;
  for (const SideBySide& c : cases) {
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](auto& group) { return agree(group[0], c, results); });
    if (same == groups.end())
      groups.push_back({c});
    else
      same->push_back(c);
  }
  return groups;
}

std::string markdown_cases(const Results& results) {
  std::string out;
  for (const std::vector<SideBySide>& group : grouped(side_by_side(results), results)) {
    for (const SideBySide& c : group)
      out += (&c == &group[0] ? "**" : "; **") + results.name_of(c.first()) + "**";
    out += "\n\n";
    if (group.size() > 1)
      out += "The rows of these cases agree within 2 %; the figures are those of the first.\n\n";
    out +=
        case_table(group[0], results, Style::markdown) + "\n" + explain(group[0], results) + "\n";
  }
  return out;
}

}  // namespace

std::string curve_file(const std::string& lesson, const std::string& axis,
                       const std::string& machine) {
  return fmt::format("{}_{}_{}.svg", machine, anchor(lesson), axis);
}

std::string page_file(const std::string& path, const std::string& machine) {
  return fmt::format("{}_{}.md", machine, path.substr(0, path.find_first_of("_/")));
}

std::string page_link(const std::string& lesson, const std::string& machine) {
  return page_file(lesson, machine) + "#" + anchor(lesson);
}

std::string compare_command(const Results& part, const std::string& path) {
  const auto peer = std::find_if(part.rows.begin(), part.rows.end(),
                                 [](const Row& row) { return !row.peer.empty(); });
  return "`./workbook compare" + (path == "all" ? "" : " " + path) + flags(part.rows.front()) +
         (peer == part.rows.end() ? ""
                                  : " --peer " + peer->variant.substr(0, peer->variant.find('_'))) +
         "`";
}

std::string lesson_report(const Results& results, const Style& style) {
  std::string out, lesson;
  const auto bold = [&](const std::string& text) {
    return style.colours ? "\033[1m" + text + "\033[0m\n" : text + "\n";
  };
  const auto heading = [&](const Row& row, const std::string& what) {
    const About about = results.about_lesson(row.lesson);
    if (lesson != row.lesson && !about.title.empty())
      out += bold(wrapped(about.title + (about.question.empty() ? "" : ": ") + about.question,
                          style.width)) +
             "\n";
    lesson = row.lesson;
    out += bold(wrapped(row.lesson + ", " + row.backend + ", " + what, style.width, 2));
  };
  for (const SideBySide& c : side_by_side(results)) {
    heading(c.first(), results.name_of(c.first()));
    out += case_table(c, results, style) + "\n" + wrapped(explain(c, results), style.width) + "\n" +
           wrapped(goodput_lines(c), style.width, 2) + "\n";
  }
  for (const Curve& c : curves(results)) {
    heading(c.first(), "by " + c.first().sweep);
    out += curve_table(c, results, style) + "\n" +
           wrapped(curve_summary(c, results), style.width, 2) + "\n";
  }
  return out;
}

std::string lesson_markdown(const Results& results, const std::string& command) {
  std::string out = markdown_cases(results);
  for (const Curve& c : curves(results))
    out += curve_table(c, results, Style::markdown) + "\n" + curve_summary(c, results) + "\n";
  return out + provenance(results, command);
}

std::string sweep_report(const Results& results, const std::string& lesson, const std::string& axis,
                         const std::string& machine, const std::string& folder,
                         const std::string& instead_of_table) {
  for (const Curve& curve : curves(results)) {
    const Row& first = curve.first();
    if (first.lesson != lesson || first.sweep != axis) continue;
    const Results rows = only(results, [&](const Row& row) { return curve.has(row); });
    const std::string picture = fmt::format("![{} by {}]({}{})\n\n", lesson, axis, folder,
                                            curve_file(lesson, axis, machine));
    if (!instead_of_table.empty())
      return picture + "Measured " + days(rows) + ". " + instead_of_table + "\n";
    std::istringstream knees(curve_summary(curve, results));
    std::string lines;
    for (std::string knee; std::getline(knees, knee);) lines += "* " + knee + "\n";
    return picture + curve_table(curve, results, Style::markdown) + "\n" + lines +
           (lines.empty() ? "" : "\n") +
           provenance(rows,
                      fmt::format("`./workbook run {} --sweep {}{}`", lesson, axis, flags(first)));
  }
  return "";
}

std::string results_page(const Results& results, const std::string& chapter,
                         const std::string& machine) {
  const Results all =
      only(results, [&](const Row& row) { return chapter_of(row.lesson) == chapter; });
  std::string out = fmt::format(
      "# {} on {}\n\nEvery case and sweep of [{}](../../{}/README.md). `./workbook report "
      "--markdown` writes this page from [{}.json]({}.json).\n",
      chapter, results.machine, chapter, chapter, machine, machine);
  std::set<std::string> seen;
  for (const Row& row : all.rows) {
    if (!seen.insert(row.lesson).second) continue;
    const About about = results.about_lesson(row.lesson);
    out += "\n## " + anchor(row.lesson) + "\n\n";
    if (!about.page.empty())
      out += fmt::format("[{}](../../{}){}{}\n\n", about.title, about.page,
                         about.question.empty() ? "" : ": ", about.question);
    const Results lesson = only(all, [&](const Row& r) { return r.lesson == row.lesson; });
    const Results cases = only(lesson, [&](const Row& r) { return r.sweep.empty(); });
    if (!cases.rows.empty()) out += lesson_markdown(cases, compare_command(cases, row.lesson));
    for (const Curve& c : curves(lesson)) {
      const std::string& axis = c.first().sweep;
      out += fmt::format("\n### {} by {}\n\n", anchor(row.lesson), axis) +
             sweep_report(lesson, row.lesson, axis, machine, "");
    }
  }
  return out;
}

}  // namespace wb
