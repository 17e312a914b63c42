#include "report/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/build_info.h"
#include "base/files.h"
#include "model/results.h"
#include "report/grid.h"
#include "report/quantity.h"
#include "report/standing.h"

namespace wb {

namespace {

// What a curve shows of a row, and what the roof would allow; 0 when unknown.
struct Value {
  double got = 0, ceiling = 0;
};

Value value(const Row& row, const Results& results) {
  const Standing s = standing(row, results.ceilings_of(row.backend));
  if (s.seconds == 0) return {};
  const Quantity quantity = shown(row);
  return {quantity.of(row, s), row.show == Show::error ? 0 : quantity.of(row, s, s.floor)};
}

// Axes of bytes and of powers of two read best in binary units: 64 Ki, 1 Mi.
std::string format_point(double at) {
  const char* units[] = {"", " Ki", " Mi", " Gi"};
  int unit = 0;
  while (unit < 3 && at >= 1024 && std::fmod(at, 1024) == 0) at /= 1024, ++unit;
  return fmt::format("{:.10g}{}", at, units[unit]);
}

}  // namespace

const Row* Curve::find(const std::string& variant, double point) const {
  for (const Row* row : rows)
    if (row->variant == variant && point_of(*row) == point) return row;
  return nullptr;
}

Results part(const Results& results, const Curve& curve) {
  Results part = results;
  part.rows.clear();
  for (const Row* row : curve.rows) part.rows.push_back(*row);
  return part;
}

std::vector<Curve> curves(const Results& results) {
  std::vector<Curve> all;
  for (const Row& row : results.rows) {
    if (row.sweep.empty()) continue;
    const auto same = [&](const Curve& c) {
      const Row& first = c.first();
      return first.lesson == row.lesson && first.backend == row.backend &&
             first.sweep == row.sweep && first.cache == row.cache;
    };
    auto curve = std::find_if(all.begin(), all.end(), same);
    if (curve == all.end()) curve = all.insert(all.end(), Curve{});
    curve->rows.push_back(&row);
    if (std::find(curve->at.begin(), curve->at.end(), point_of(row)) == curve->at.end())
      curve->at.push_back(point_of(row));
    const auto& names = curve->variants;
    if (std::find(names.begin(), names.end(), row.variant) == names.end())
      curve->variants.push_back(row.variant);
  }
  for (Curve& curve : all) {
    std::sort(curve.at.begin(), curve.at.end());
    // A variant that was skipped at every point (the case is not its own) is no curve.
    std::erase_if(curve.variants, [&](const std::string& variant) {
      return std::all_of(curve.rows.begin(), curve.rows.end(), [&](const Row* row) {
        return row->variant != variant || row->status == Status::skipped;
      });
    });
  }
  return all;
}

std::string curve_table(const Curve& curve, const Results& results, Style style) {
  Grid grid{{curve.first().sweep}, {}};
  for (const std::string& variant : curve.variants) {
    grid.head.push_back(variant);
    grid.head.push_back("% of roof");
  }
  std::string notes;
  for (const double at : curve.at) {
    std::vector<std::string> cells = {format_point(at)};
    for (const std::string& variant : curve.variants) {
      const Row* row = curve.find(variant, at);
      if (!row || !has_speed(*row)) {
        if (row) notes += fmt::format("note: {} at {}: {}\n", variant, cells[0], trouble(*row));
        cells.insert(
            cells.end(),
            {row && row->status != Status::ok && row->status != Status::skipped ? "WRONG" : "-",
             "-"});
        continue;
      }
      const Standing s = standing(*row, results.ceilings_of(row->backend));
      cells.push_back(shown(*row).text(value(*row, results).got));
      cells.push_back(s.floor > 0 ? format_percent(s.roof) + (s.suspect ? " suspect" : "") : "-");
    }
    grid.body.push_back(cells);
  }
  return grid.print(style) + (style == Style::markdown && !notes.empty() ? "\n" : "") + notes;
}

std::string curve_summary(const Curve& curve, const Results& results) {
  std::string text;
  for (const std::string& variant : curve.variants) {
    const Row* best = nullptr;
    double top = 0;
    const auto better = [&](const Row& row, double a, double b) {
      return shown(row).more_is_better() ? a > b : a < b;
    };
    for (const double at : curve.at)
      if (const Row* row = curve.find(variant, at); row && has_speed(*row)) {
        const double got = value(*row, results).got;
        if (!best || better(*row, got, top)) best = row, top = got;
      }
    if (!best || best->show == Show::time) continue;
    for (const double at : curve.at) {
      const Row* row = curve.find(variant, at);
      if (!row || !has_speed(*row)) continue;
      const double got = value(*row, results).got;
      if (shown(*row).more_is_better() ? got < 0.95 * top : got > 1.05 * top) continue;
      text += fmt::format(
          "{}: best {} at {} {}; the smallest {} within 5 % of that is {}, {} ({})\n", variant,
          shown(*best).text(top), best->sweep, format_point(point_of(*best)), best->sweep,
          format_point(at), shown(*row).text(got), format_time(standing(*row, nullptr).seconds));
      break;
    }
  }
  return text;
}

std::string curve_plot(const Curve& curve, const Results& results, Picture picture, int width) {
  const Ceilings* ceilings = results.ceilings_of(curve.first().backend);
  std::string data, titles;
  double low = 1e300, high = 0, roof_low = 1e300;
  for (const std::string& variant : curve.variants) {
    std::string points;
    for (const double at : curve.at) {
      const Row* row = curve.find(variant, at);
      if (!row || !has_speed(*row)) continue;
      const double got = value(*row, results).got;
      points += fmt::format("{:.9g} {:.9g}\n", at, got);
      low = std::min(low, got), high = std::max(high, got);
    }
    if (points.empty()) continue;
    data += points + "\n\n";
    titles += (titles.empty() ? "" : " ") + variant;
  }
  if (titles.empty()) return "";
  require_gnuplot();

  std::string roof, marks;
  const std::pair<const char*, const char*> caches[] = {{"l2_bytes", "L2"},
                                                        {"llc_bytes", "last-level cache"}};
  double before_at = 0, before_bytes = 0;
  for (const double at : curve.at) {
    const Row* any = nullptr;
    for (const std::string& variant : curve.variants)
      if (const Row* row = curve.find(variant, at); row && has_speed(*row)) any = row;
    if (!any) continue;
    if (const double ceiling = value(*any, results).ceiling; ceiling > 0) {
      roof += fmt::format("{:.9g} {:.9g}\n", at, ceiling);
      roof_low = std::min(roof_low, ceiling);
      if (shown(*any).more_is_better()) high = std::max(high, ceiling);
    }
    // Where the arrays outgrow a cache, between two points of a log axis.
    const double bytes = std::max(any->cost.bytes(), any->cost.to_device);
    for (const auto& [key, name] : caches)
      if (const double size = ceilings ? ceilings->get(key) : 0;
          size > 0 && before_bytes > 0 && before_bytes <= size && bytes > size) {
        const double part = std::log(size / before_bytes) / std::log(bytes / before_bytes);
        const double x = before_at * std::pow(at / before_at, part);
        marks += fmt::format(
            "set arrow from first {0:.9g}, graph 0 to first {0:.9g}, graph 1 "
            "nohead dt 3 lc rgb '#808080'\nset label {1} at first {0:.9g}, graph "
            "0.04 offset MARK, 0 tc rgb '#555555'\n",
            x, gnuplot_text(fmt::format("{} {}", name, format_bytes(size))));
      }
    before_at = at, before_bytes = bytes;
  }
  const bool rising = shown(curve.first()).more_is_better();
  if (!rising) low = std::min(low, std::max(roof_low, low / 20));

  const std::string units = shown(curve.first()).unit();
  std::string script;
  const auto set = [&](const char* variable, double v) {
    script += fmt::format("{} = {:.9g}\n", variable, v);
  };
  set("TERMINAL", static_cast<int>(picture));
  set("WIDTH", picture == Picture::terminal ? std::clamp(width, 60, 160) : 900);
  set("XMIN", std::max(curve.at.front(), 1e-9));
  set("XMAX", std::max(curve.at.back(), 2 * std::max(curve.at.front(), 1e-9)));
  set("YMIN", low / 1.5);
  set("YMAX", high * 1.6);
  set("MARK", picture == Picture::terminal ? 2 : 0.5);
  script +=
      "XLABEL = " + gnuplot_text(curve.first().sweep) + "\nYLABEL = " + gnuplot_text(units) + "\n";
  script += "TITLE = " +
            gnuplot_text(fmt::format(
                "{}, {}, {}", curve.first().lesson.substr(curve.first().lesson.find('/') + 1),
                ceilings ? ceilings->device.name : results.machine, days(part(results, curve)))) +
            "\n";
  script += "NAMES = " + gnuplot_text(titles) + "\n";
  std::string tics;
  for (std::size_t i = 0; i < curve.at.size(); i += (curve.at.size() + 11) / 12)
    tics += fmt::format("{}{} {:.9g}", i ? ", " : "", gnuplot_text(format_point(curve.at[i])),
                        curve.at[i]);
  script += "set xtics (" + tics + ")\n";
  set("ROOF", !roof.empty());
  script += "$curves << EOD\n" + data + "EOD\n$roof << EOD\n" + (roof.empty() ? "1 1\n" : roof) +
            "EOD\n" + marks;
  script += read_file(std::string(source_folder()) + "/common/report/sweep.gp");
  return tidy_picture(run_gnuplot(script), picture);
}

}  // namespace wb
