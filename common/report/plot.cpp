#include "report/plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/build_info.h"
#include "base/failure.h"
#include "base/files.h"
#include "model/results.h"
#include "report/standing.h"
#include "report/table.h"

namespace wb {

namespace {

struct Point {
  std::string title;
  double intensity;          // FLOP per byte of what bounds it; 0: no floating-point work
  double flops[2], roof[2];  // baseline, optimized
  Bound bound;
  Math math;
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
    const Row* rows[] = {c.find("baseline"), c.find("optimized")};
    if (!rows[0]) rows[0] = rows[1];
    if (!rows[1]) rows[1] = rows[0];
    if (!rows[0]) continue;
    const Standing s[] = {standing(*rows[0], &ceilings), standing(*rows[1], &ceilings)};
    if (s[0].floor == 0 || s[1].floor == 0) continue;
    // Without the chapter, which all share; with the case, where that is what differs.
    std::string title = first.lesson.substr(first.lesson.find('/') + 1);
    if (lessons.size() == 1) title = label(first.axes);
    const bool link = s[0].bound == Bound::link || s[1].bound == Bound::link;
    points.push_back({title,
                      s[1].intensity,
                      {s[0].gflops, s[1].gflops},
                      {100 * s[0].roof, 100 * s[1].roof},
                      link ? Bound::link : s[1].bound,
                      first.cost.math});
  }
  return points;
}

}  // namespace

std::string gnuplot_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c < ' ' ? ' ' : c);
  return out + "'";
}

std::string run_gnuplot(const std::string& script) {
  const Scratch scratch;
  write_atomically(scratch.file("script.gp"), script);
  const std::string command =
      "cd '" + scratch.file("") + "' && GNUTERM=dumb gnuplot script.gp >picture 2>errors";
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("gnuplot failed: " + read_file(scratch.file("errors")).substr(0, 300));
  return read_file(scratch.file("picture"));
}

std::string tidy_picture(const std::string& drawn, Picture picture) {
  if (picture != Picture::terminal) return drawn;
  std::string lines;
  for (const char c : drawn) {
    if (c == '\n') lines.erase(lines.find_last_not_of(' ') + 1);
    if (c != '\f' && !(c == '\n' && lines.empty())) lines += c;
  }
  return lines;
}

void require_gnuplot() {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0)
    throw Failure(2,
                  "gnuplot draws the roofline and is not installed: apt-get install gnuplot-nox");
}

std::string roofline(const Results& results, const std::string& backend, Picture picture,
                     int width) {
  const Ceilings* ceilings = results.ceilings_of(backend);
  if (!ceilings) return "";
  const std::vector<Point> all = points(results, backend, *ceilings);
  if (all.empty()) return "";
  require_gnuplot();

  const Math math = std::any_of(all.begin(), all.end(),
                                [](const Point& p) { return p.math == Math::bf16_tensor; })
                        ? Math::bf16_tensor
                        : Math::fp32;
  const double fp32 = ceilings->get("fp32"), tensor = ceilings->get("bf16_tensor");
  const double peak = math == Math::fp32 ? fp32 : tensor;
  const bool tera = peak >= 1e13;
  const double unit = tera ? 1e12 : 1e9;

  std::vector<double> streams;
  for (const char* key : {"read", "copy", "triad", "copy_nt", "triad_nt"})
    if (ceilings->get(key) > 0) streams.push_back(ceilings->get(key));
  if (streams.empty() || peak <= 0) return "";
  // The band spans the measured mixes of reads and writes, each at its best.
  double lowest = *std::max_element(streams.begin(), streams.end()), highest = lowest;
  for (const double write_share : {0.0, 1.0 / 3, 0.5}) {
    const double b = memory_ceiling({.read = 1 - write_share, .write = write_share}, *ceilings);
    lowest = std::min(lowest, b);
  }
  const bool link =
      std::any_of(all.begin(), all.end(), [](const Point& p) { return p.bound == Bound::link; });
  const double link_rate = std::max(ceilings->get("to_device"), ceilings->get("to_host"));

  const double ridge = peak / highest;
  double left = ridge / 30, right = ridge * 20, bottom = peak / 30;
  for (const Point& p : all) {
    if (p.intensity <= 0) continue;
    left = std::min(left, p.intensity / 6);  // room for numbers
    right = std::max(right, p.intensity * 3);
    bottom = std::min(bottom, *std::min_element(p.flops, p.flops + 2) * 1e9 / 2.5);
  }

  std::string script;
  const auto set = [&](const char* variable, double value) {
    script += fmt::format("{} = {:.9g}\n", variable, value);
  };
  set("TERMINAL", static_cast<int>(picture));
  set("WIDTH", picture == Picture::terminal ? std::clamp(width, 60, 160) : 1200);
  // The right-hand panel takes a line a row.
  set("HEIGHT", std::max(500.0, 130.0 + 26.0 * static_cast<double>(all.size())));
  script += "TITLE = " + gnuplot_text(ceilings->device.name + ", " + days(results)) + "\n";
  script += fmt::format("UNIT = '{}'\n", tera ? "TFLOP/s" : "GFLOP/s");
  set("XMIN", left);
  set("XMAX", right);
  set("YMIN", bottom / unit);
  set("YMAX", peak / unit * 3);
  set("MEMORY_LOW", lowest / unit);
  set("MEMORY", highest / unit);
  script += "MEMORY_TEXT = " + gnuplot_text("memory " + format_bytes_per_second(highest)) + "\n";
  const double cache = ceilings->get("cache");
  set("CACHE", cache > highest ? cache / unit : 0);
  script += "CACHE_TEXT = " + gnuplot_text("cache " + format_bytes_per_second(cache)) + "\n";
  set("LINK", link ? link_rate / unit : 0);
  script += "LINK_TEXT = " + gnuplot_text("host link " + format_bytes_per_second(link_rate)) + "\n";
  set("PEAK", peak / unit);
  script += "PEAK_TEXT = " +
            gnuplot_text((math == Math::fp32 ? "fp32 " : "bf16 tensor ") + format_flops(peak)) +
            "\n";
  set("SECOND", math == Math::bf16_tensor ? fp32 / unit : 0);
  script += "SECOND_TEXT = " + gnuplot_text("fp32 " + format_flops(fp32)) + "\n";
  script += fmt::format("RIDGE_TEXT = 'ridge {:.3g} FLOP/B'\n", ridge);

  // Numbers stand beside the arrow's head, on the side where no other number is. Arrows that end in
  // the same place share a text, "13,14,17". Places are in shares of the axes.
  struct Label {
    double x, y;
    std::string text;
    std::size_t owner;  // the point whose line of data carries it
  };
  const double decades_x = std::log10(right / left), decades_y = std::log10(peak * 3 / bottom);
  std::vector<Label> labels;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].intensity <= 0) continue;
    const double x = std::log10(all[i].intensity / left) / decades_x;
    const double y = std::log10(all[i].flops[1] * 1e9 / bottom) / decades_y;
    const auto same = std::find_if(labels.begin(), labels.end(), [&](const Label& l) {
      return std::abs(l.x - x) < 0.02 && std::abs(l.y - y) < 0.03;
    });
    if (same == labels.end())
      labels.push_back({x, y, fmt::format("{}", i + 1), i});
    else
      same->text += fmt::format(",{}", i + 1);
  }
  struct Box {
    double x, y, half;
  };
  std::vector<Box> taken;
  for (Label& l : labels) {
    const double half = 0.008 * static_cast<double>(l.text.size()), aside = 0.015 + half;
    std::vector<Box> sides;
    for (const double up : {0.0, -0.06, 0.06})
      for (const double side : {aside, -aside}) sides.push_back({l.x + side, l.y + up, half});
    const auto free = std::find_if(sides.begin(), sides.end(), [&](const Box& box) {
      return std::none_of(taken.begin(), taken.end(), [&](const Box& t) {
        return std::abs(t.x - box.x) < t.half + half && std::abs(t.y - box.y) < 0.05;
      });
    });
    taken.push_back(free == sides.end() ? sides.front() : *free);
    l.x = taken.back().x, l.y = taken.back().y;
  }
  script += "$points << EOD\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Point& p = all[i];
    if (p.intensity <= 0) continue;
    const auto label =
        std::find_if(labels.begin(), labels.end(), [&](const Label& l) { return l.owner == i; });
    const bool own = label != labels.end();
    script += fmt::format("{:.9g} {:.9g} {:.9g} \"{}\" {:.9g} {:.9g}\n", p.intensity,
                          p.flops[0] * 1e9 / unit, p.flops[1] * 1e9 / unit, own ? label->text : "",
                          left * std::pow(10, (own ? label->x : 0) * decades_x),
                          bottom / unit * std::pow(10, (own ? label->y : 0) * decades_y));
  }
  if (taken.empty())  // gnuplot wants a row; this one lies outside of the plot
    script += fmt::format("{0} {1} {1} \"\" {0} {1}\n", right * 1e3, bottom / unit * 1e-3);
  script += "EOD\n$standings << EOD\n";
  for (std::size_t i = 0; i < all.size(); ++i)
    script += fmt::format("{} {:.9g} {:.9g} \"{}  {}\"\n", all.size() - i, all[i].roof[0],
                          all[i].roof[1], i + 1, all[i].title);
  script += "EOD\n";
  set("ROWS", static_cast<double>(all.size()));
  script += read_file(std::string(source_folder()) + "/common/report/roofline.gp");

  std::string drawn = tidy_picture(run_gnuplot(script), picture);
  if (picture == Picture::terminal) {
    for (std::size_t i = 0; i < all.size(); ++i)
      drawn += fmt::format("  {}  {}: {:.1f}% -> {:.1f}% of roof{}\n", i + 1, all[i].title,
                           all[i].roof[0], all[i].roof[1],
                           all[i].intensity > 0 ? "" : " (no floating-point work: not drawn)");
  }
  return drawn;
}

}  // namespace wb
