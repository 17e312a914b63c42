#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/output.h"
#include "report/hardware.h"
#include "report/standing.h"
#include "report/table.h"

namespace wb::report {

namespace {

struct Point {
  std::string title;
  double intensity;          // FLOP per byte of what bounds it; 0: no floating-point work
  double flops[2], roof[2];  // baseline, optimized; FLOP/s and %
  Bound bound;
  Math math;
  double dram[2], l2[2];  // FLOP per byte that went through these; 0: not counted
  bool one;               // variant alone: no arrow
};

std::vector<Point> points(const Results& results, const std::string& backend,
                          const Ceilings& ceilings) {
  std::set<std::string> lessons, seen;
  for (const Row& row : results.rows) lessons.insert(row.lesson);
  std::vector<Point> points;
  for (const SideBySide& c : side_by_side(results)) {
    const Row& first = c.first();
    if (first.backend != backend) continue;
    if (lessons.size() > 1 && !seen.insert(first.lesson).second) continue;
    // An arrow leads to `optimized`, also from an exercise.
    const Row *from = c.reference(), *to = c.best();
    if (from->variant == "optimized") std::swap(from, to);
    // Nor does an arrow lead to a library, where a lesson has nothing else yet.
    if (lessons.size() > 1 && role_of(to->variant) == VariantRole::library) continue;
    const Standing s[] = {standing(*from, &ceilings), standing(*to, &ceilings)};
    if (s[0].floor == 0 || s[1].floor == 0) continue;
    // Without the chapter, which all share; with the case, where that is what differs.
    std::string title = first.lesson.substr(first.lesson.find('/') + 1);
    if (lessons.size() == 1) title = results.name_of(first);
    const bool link = s[0].bound == Bound::link || s[1].bound == Bound::link;
    points.push_back(
        {title,
         s[1].intensity,
         {s[0].gflops * 1e9, s[1].gflops * 1e9},
         {100 * s[0].roof, 100 * s[1].roof},
         link ? Bound::link : s[1].bound,
         first.cost.math,
         // Among many lessons only the heads have levels, or they hide each other.
         {lessons.size() > 1 ? 0 : dram_intensity(*from).value_or(0),
          dram_intensity(*to).value_or(0)},
         {lessons.size() > 1 ? 0 : l2_intensity(*from).value_or(0), l2_intensity(*to).value_or(0)},
         from == to});
  }
  return points;
}

// What is drawn above the points, in FLOP/s and bytes/s; 0 where there is none.
struct Roofs {
  Math math;  // whose peak it is: the fastest that a point uses
  std::string name;
  double peak, fp32, memory_low = 0, memory = 0, cache, link = 0;
  double ridge() const { return peak / memory; }
  double unit() const { return peak >= 1e13 ? 1e12 : 1e9; }  // of the vertical axis
};

Roofs roofs(const Ceilings& ceilings, const std::vector<Point>& points) {
  Roofs r{};
  for (const Point& p : points) {
    if (ceilings.peak(p.math) > ceilings.peak(r.math)) r.math = p.math;
    if (p.bound == Bound::link)
      r.link = std::max(ceilings.get("to_device"), ceilings.get("to_host"));
  }
  r.name = words(r.math, ceilings.device.accelerator);
  r.fp32 = ceilings.get("fp32");
  r.peak = ceilings.peak(r.math);
  r.cache = ceilings.get("cache");
  // The band spans the measured mixes of reads and writes, each at its best.
  for (const char* key : {"read", "copy", "triad", "copy_nt", "triad_nt"})
    r.memory = std::max(r.memory, ceilings.get(key));
  r.memory_low = r.memory;
  for (const double write_share : {0.0, 1.0 / 3, 0.5})
    r.memory_low = std::min(
        r.memory_low, memory_ceiling({.read = 1 - write_share, .write = write_share}, ceilings));
  return r;
}

// The logarithmic axes: FLOP per byte, and FLOP/s.
struct Frame {
  double left, right, bottom, top;
};

Frame frame(const Roofs& roofs, const std::vector<Point>& points) {
  Frame f{roofs.ridge() / 30, roofs.ridge() * 20, roofs.peak / 30, roofs.peak * 3};
  for (const Point& p : points) {
    if (p.intensity <= 0) continue;
    for (const double intensity : {p.intensity, p.dram[0], p.dram[1], p.l2[0], p.l2[1]}) {
      if (intensity <= 0) continue;
      f.left = std::min(f.left, intensity / 3);
      f.right = std::max(f.right, intensity * 3);
    }
    f.bottom = std::min(f.bottom, std::min(p.flops[0], p.flops[1]) / 2.5);
  }
  return f;
}

// "1-3,7" of 1, 2, 3, 7: ascending numbers of lessons.
std::string ranges(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0, last; i < numbers.size(); i = last + 1) {
    for (last = i; last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (last > i) text += fmt::format("{}{}", last == i + 1 ? "," : "-", numbers[last]);
  }
  return text;
}

// A number stands at each arrow's head, and the list beside the plot says what it means. Where
// heads are so close that numbers would hide each other, the first head has all of them.
std::string point_lines(const std::vector<Point>& points, const Frame& frame, double unit) {
  const auto close = [](double a, double b, double factor) {
    return a < b * factor && b < a * factor;
  };
  std::vector<std::vector<std::size_t>> shared(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j <= i && points[i].intensity > 0; ++j)
      if (j == i || (!shared[j].empty() && close(points[i].intensity, points[j].intensity, 1.7) &&
                     close(points[i].flops[1], points[j].flops[1], 1.25))) {
        shared[j].push_back(i + 1);
        break;
      }
  std::string lines;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const Point& p = points[i]; p.intensity > 0)
      lines += fmt::format("{:.9g} {:.9g} {:.9g} \"{}\"\n", p.intensity, p.flops[0] / unit,
                           p.flops[1] / unit, ranges(shared[i]));
  if (lines.empty())  // gnuplot wants a row; this one lies outside of the plot
    lines = fmt::format("{0} {1} {1} \"\"\n", frame.right * 1e3, frame.bottom / unit * 1e-3);
  return lines;
}

// Where a point would be by the bytes that its counters saw at a level: 1 is DRAM, 2 is L2. Among
// many points these would hide the points themselves.
std::string level_lines(const std::vector<Point>& points, double unit) {
  constexpr std::size_t kMost = 12;
  if (points.size() > kMost) return {};
  std::string lines;
  for (const Point& p : points)
    for (const int end : {0, 1})
      for (const auto& [level, intensity] : {std::pair{1, p.dram[end]}, {2, p.l2[end]}})
        if (p.intensity > 0 && intensity > 0)
          lines += fmt::format("{:.9g} {:.9g} {:.9g} {}\n", p.intensity, p.flops[end] / unit,
                               intensity, level);
  return lines;
}

std::string standing_lines(const std::vector<Point>& points) {
  std::string lines;
  for (std::size_t i = 0; i < points.size(); ++i)
    lines += fmt::format("{} {:.9g} {:.9g} \"{}  {}\"\n", points.size() - i, points[i].roof[0],
                         points[i].roof[1], i + 1, points[i].title);
  return lines;
}

void set_roofs(GnuplotScript& script, const Roofs& r) {
  const auto line = [&](const std::string& variable, double rate, const std::string& text) {
    script.set(variable.c_str(), rate / r.unit());
    script.set((variable + "_TEXT").c_str(), text);
  };
  script.set("MEMORY_LOW", r.memory_low / r.unit());
  line("MEMORY", r.memory, "memory " + format_bytes_per_second(r.memory));
  line("CACHE", r.cache > r.memory ? r.cache : 0, "cache " + format_bytes_per_second(r.cache));
  line("LINK", r.link, "host link " + format_bytes_per_second(r.link));
  line("PEAK", r.peak, r.name + " " + format_flops(r.peak));
  line("SECOND", r.math == Math::fp32 ? 0 : r.fp32, "fp32 " + format_flops(r.fp32));
  script.set("RIDGE_TEXT", fmt::format("ridge {:.3g} FLOP/B", r.ridge()));
}

}  // namespace

std::string roofline(const Results& results, const std::string& backend, Picture picture,
                     int width) {
  const Ceilings* ceilings = results.ceilings_of(backend);
  if (!ceilings) return "";
  const std::vector<Point> all = points(results, backend, *ceilings);
  const Roofs above = roofs(*ceilings, all);
  if (all.empty() || above.memory <= 0 || above.peak <= 0) return "";

  const Frame axes = frame(above, all);
  const double unit = above.unit(), rows = static_cast<double>(all.size());
  GnuplotScript script(picture, width, 1200);
  script.set("HEIGHT", std::max(500.0, 130 + 26 * rows));  // the right-hand panel: a line per row
  std::string levels = level_lines(all, unit);
  script.set("TITLE", ceilings->device.name + ", " + days(results));
  script.set("LEVELS", levels.empty() ? 0.0 : 1.0);
  // gnuplot wants a row of each level; these lie outside of the plot.
  for (const int level : {1, 2})
    levels += fmt::format("{0} {1} {0} {2}\n", axes.right * 1e3, axes.bottom / unit * 1e-3, level);
  script.data("levels", levels);
  script.set("UNIT", unit == 1e12 ? "TFLOP/s" : "GFLOP/s");
  script.set("XMIN", axes.left);
  script.set("XMAX", axes.right);
  script.set("YMIN", axes.bottom / unit);
  script.set("YMAX", axes.top / unit);
  set_roofs(script, above);
  script.data("points", point_lines(all, axes, unit));
  script.data("standings", standing_lines(all));
  script.set("ROWS", rows);
  std::string drawn = script.draw("roofline.gp");
  if (picture == Picture::terminal)
    for (std::size_t i = 0; i < all.size(); ++i)
      drawn += wrapped(
          fmt::format("  {}  {}: {}{:.1f}% of roof{}\n", i + 1, all[i].title,
                      all[i].one ? "" : fmt::format("{:.1f}% -> ", all[i].roof[0]), all[i].roof[1],
                      all[i].intensity > 0 ? "" : " (no floating-point work: not drawn)"),
          width, 3);
  return drawn;
}

}  // namespace wb::report
