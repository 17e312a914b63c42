#include "report/measured.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "report/explain.h"
#include "report/hardware.h"
#include "report/plot.h"
#include "report/quantity.h"

namespace wb::report {

namespace {

// Of the run that a row is of.
std::string flags(const Row& row) {
  return " --backend=" + row.backend + (row.cache == "hot" ? " --cache=hot" : "");
}

// Whether one table can stand for two cases: each row says the same, within 2 %.
bool agree(const SideBySide& a, const SideBySide& b, const Results& results) {
  return std::equal(
      a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [&](const Row* x, const Row* y) {
        const Standing s = standing(*x, results.ceilings_of(x->backend)),
                       t = standing(*y, results.ceilings_of(y->backend));
        const auto words = [](const Row& r, const Standing& s) {
          return std::tie(r.lesson, r.backend, r.cache, r.variant, r.status, r.reason, r.note,
                          s.bound, s.suspect);
        };
        const auto figures = [](const Row& r, const Standing& s) {
          const auto quantity = counted(r);
          std::vector<double> all = {s.seconds,
                                     s.gbps,
                                     s.gflops,
                                     s.roof,
                                     quantity ? quantity->of(r, s) : 0,
                                     r.split ? r.split->compute : 0};
          all.insert(all.end(), r.counters.begin(), r.counters.end());
          for (std::size_t i = 0; i < std::size(kHardware); ++i)
            all.push_back(std::max(0.0, r.hardware.get(static_cast<Hardware>(i))));
          return all;
        };
        const auto of_x = figures(*x, s), of_y = figures(*y, t);
        return words(*x, s) == words(*y, t) && x->split.has_value() == y->split.has_value() &&
               std::equal(of_x.begin(), of_x.end(), of_y.begin(), [](double p, double q) {
                 return std::abs(p - q) <= 0.02 * std::max(p, q);
               });
      });
}

// The cases of a lesson; where `agreeing`, together with the first whose table agrees with theirs.
std::vector<std::vector<SideBySide>> grouped(const Results& results, const std::string& lesson,
                                             bool agreeing) {
  std::vector<std::vector<SideBySide>> groups;
  for (const SideBySide& c : side_by_side(results)) {
    if (c.first().lesson != lesson) continue;
    const auto same = std::ranges::find_if(
        groups, [&](auto& group) { return agreeing && agree(group[0], c, results); });
    if (same == groups.end())
      groups.push_back({c});
    else
      same->push_back(c);
  }
  return groups;
}

// The roofline of a lesson's cases whose memory was counted, for a stored page.
std::optional<Figure> levels(const Results& results, const std::string& lesson,
                             const std::string& machine) {
  std::set<const Row*> rows;
  for (const SideBySide& c : side_by_side(results))
    if (c.first().lesson == lesson && c.first().sweep.empty() &&
        std::ranges::any_of(c.rows,
                            [](auto* row) { return dram_intensity(*row) || l2_intensity(*row); }))
      rows.insert(c.rows.begin(), c.rows.end());
  if (rows.empty() || machine.empty()) return std::nullopt;
  return Figure{"roofline of " + lesson + " with the levels of memory",
                fmt::format("{}_{}_levels.svg", machine, anchor(lesson)),
                [&results, rows](Picture picture, int width) {
                  return roofline(only(results, [&](auto& row) { return rows.contains(&row); }),
                                  (*rows.begin())->backend, picture, width);
                }};
}

}  // namespace

std::string anchor(const std::string& lesson) {
  std::string name = lesson.substr(lesson.find('/') + 1);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

Figure figure(const Curve& curve, const Results& results, const std::string& machine,
              const std::string& folder) {
  const Row& first = curve.first();
  return {first.lesson + " by " + first.sweep,
          fmt::format("{}{}_{}_{}.svg", folder, machine, anchor(first.lesson), first.sweep),
          [&results, curve](Picture picture, int width) {
            return curve_plot(curve, results, picture, width);
          }};
}

std::string compare_command(const Results& part, const std::string& path) {
  const auto peer =
      std::ranges::find_if(part.rows, [](const Row& row) { return !row.peer.empty(); });
  return "`./workbook compare" + (path == "all" ? "" : " " + path) + flags(part.rows.front()) +
         (peer == part.rows.end() ? ""
                                  : " --peer " + peer->variant.substr(0, peer->variant.find('_'))) +
         "`";
}

Document sweep_report(const Curve& curve, const Results& results, const Page& page) {
  const Row& first = curve.first();
  const Results rows = only(results, [&](const Row& row) { return curve.has(row); });
  Document d;
  if (!page.machine.empty()) d.push_back(figure(curve, results, page.machine, page.folder));
  d.insert(d.end(),
           {curve_table(curve, results), Sentences{curve_summary(curve, results), /*list=*/true}});
  const std::string own =
      fmt::format("`./workbook run {} --sweep {}{}`", first.lesson, first.sweep, flags(first));
  if (!page.screen)
    d.push_back(Sentences{provenance(rows, page.command.empty() ? own : page.command)});
  return d;
}

Document measured(const Results& results, const Page& page) {
  Document d;
  std::set<std::string> seen, missing;
  for (const Row& row : results.rows) {
    const std::string& lesson = row.lesson;
    if (!lesson.starts_with(page.below) || !seen.insert(lesson).second) continue;
    const About about = results.about_lesson(lesson);
    const std::string question = (about.question.empty() ? "" : ": ") + about.question;
    const bool stored = !page.machine.empty();
    if (!page.screen) d.push_back(Heading{2, stored ? anchor(lesson) : lesson});
    if (page.screen && !about.title.empty()) d.push_back(Heading{2, about.title + question});
    if (stored && !about.page.empty())
      d.push_back(Sentences{fmt::format("[{}](../../{}){}\n", about.title, about.page, question)});
    const auto on_screen = [&](const Row& first, const std::string& what) {
      return Heading{4, fmt::format("{}, {}, {}", lesson, first.backend, what)};
    };
    for (const std::vector<SideBySide>& group : grouped(results, lesson, !page.screen)) {
      const SideBySide& c = group[0];
      std::vector<std::string> names;
      for (const SideBySide& one : group) names.push_back(results.name_of(one.first()));
      const std::string name = fmt::format("{}", fmt::join(names, "; "));
      d.push_back(page.screen ? on_screen(c.first(), name) : Heading{4, name});
      if (group.size() > 1)
        d.push_back(
            Sentences{"The rows of these cases agree within 2 %; the figures are those of "
                      "the first.\n"});
      const bool counts = std::ranges::any_of(c.rows, [](auto* r) { return only_counts(*r); });
      d.push_back(case_table(c, results));
      if (!counts) d.push_back(Sentences{explain(c, results)});
      const Table hardware = hardware_table(c);
      if (!hardware.rows.empty()) d.push_back(hardware);
      d.push_back(Sentences{hardware_sentence(c)});
      for (const Row* r : c.rows)  // each reason once, for it is the machine's
        if (const std::string& why = r->hardware.missing;
            hardware.rows.empty() && !why.empty() && missing.insert(why).second)
          d.push_back(Sentences{"No counters: " + why + ".\n"});
      if (counts && c.rows.size() <= 2) d.push_back(lines_table(c));
      if (page.screen) d.push_back(Sentences{goodput_lines(c), /*list=*/true});
    }
    const Results cases =
        only(results, [&](const Row& r) { return r.lesson == lesson && r.sweep.empty(); });
    if (const auto figure = levels(results, lesson, page.machine)) d.push_back(*figure);
    d.push_back(Sentences{beside_peers(cases)});
    if (!page.screen && !cases.rows.empty())
      d.push_back(Sentences{
          provenance(cases, page.command.empty() ? compare_command(cases, lesson) : page.command)});
    for (const Curve& curve : curves(results)) {
      if (curve.first().lesson != lesson) continue;
      const std::string by = "by " + curve.first().sweep;
      d.push_back(page.screen ? on_screen(curve.first(), by)
                              : Heading{3, anchor(lesson) + " " + by});
      const Document blocks = sweep_report(curve, results, page);
      d.insert(d.end(), blocks.begin(), blocks.end());
    }
  }
  return d;
}

std::vector<Figure> figures(const Results& results, const std::string& machine) {
  std::vector<Figure> all;
  for (const Ceilings& c : results.ceilings)
    all.push_back({"roofline",
                   machine.empty() ? c.device.backend + ".svg" : machine + "_roofline.svg",
                   [&results, backend = c.device.backend](Picture picture, int width) {
                     return roofline(results, backend, picture, width);
                   }});
  std::set<std::string> lessons;
  for (const Row& row : results.rows)
    if (!row.hardware.events.empty() && lessons.insert(row.lesson).second)
      if (const auto figure = levels(results, row.lesson, machine)) all.push_back(*figure);
  for (const Curve& curve : curves(results))
    all.push_back(figure(curve, results, machine.empty() ? curve.first().backend : machine, ""));
  return all;
}

}  // namespace wb::report
