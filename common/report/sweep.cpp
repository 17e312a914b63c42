#include "report/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/process.h"
#include "model/case_name.h"
#include "report/quantity.h"
#include "report/standing.h"

namespace wb::report {

namespace {

// What a curve shows of a row, and what the roof would allow; 0 when unknown.
double reached(const Curve& curve, const Row& row, const Results& results) {
  if (row.show == Show::gain) {
    const Row* baseline = curve.find("baseline", point_of(row));
    return baseline ? compare(*baseline, row).ratio : 0;
  }
  return shown(row).of(row, standing(row, results.ceilings_of(row.backend)));
}

double allowed(const Row& row, const Results& results) {
  const Ceilings* ceilings = results.ceilings_of(row.backend);
  const Standing s = standing(row, ceilings);
  if (row.show == Show::gain) {  // what one more pass over the outputs takes, of the rest
    const double out = row.cost.write;
    const double copy = ceilings ? memory_ceiling({.read = out, .write = out}, *ceilings) : 0;
    return s.floor > 0 && copy > 0 ? 1 + 2 * out / copy / s.floor : 0;
  }
  return row.show == Show::error ? 0 : shown(row).of(row, s, s.floor);
}

std::string format_point(double at) { return format_number(std::llround(at), 1024); }

// The rows of a variant that have a speed, by ascending points.
std::vector<const Row*> line_of(const Curve& curve, const std::string& variant) {
  std::vector<const Row*> line;
  for (const double at : curve.at)
    if (const Row* row = curve.find(variant, at); row && has_speed(*row)) line.push_back(row);
  return line;
}

// At most twelve along the axis.
std::string tics(const std::vector<double>& at) {
  std::string tics;
  for (std::size_t i = 0; i < at.size(); i += (at.size() + 11) / 12)
    tics += fmt::format("{}{} {:.9g}", i ? ", " : "", gnuplot_text(format_point(at[i])), at[i]);
  return "set xtics (" + tics + ")\n";
}

// Where the arrays outgrow a cache, between two points of a log axis.
std::string cache_marks(const std::map<double, const Row*>& rows, const Ceilings& ceilings) {
  std::string marks;
  double before = 0, before_at = 0;
  for (const auto& [at, row] : rows) {
    const double bytes = std::max(row->cost.bytes(), row->cost.to_device);
    for (const auto& [key, name] :
         {std::pair{"l2_bytes", "L2"}, {"llc_bytes", "last-level cache"}}) {
      const double size = ceilings.get(key);
      if (before <= 0 || before > size || bytes <= size) continue;
      const double part = std::log(size / before) / std::log(bytes / before);
      marks += fmt::format(
          "set arrow from first {0:.9g}, graph 0 to first {0:.9g}, graph 1 "
          "nohead dt 3 lc rgb '#808080'\nset label {1} at first {0:.9g}, graph "
          "0.04 offset MARK, 0 tc rgb '#555555'\n",
          before_at * std::pow(at / before_at, part),
          gnuplot_text(fmt::format("{} {}", name, format_bytes(size))));
    }
    before = bytes, before_at = at;
  }
  return marks;
}

// For each variant the largest error, and how near it came to its bound.
std::string error_summary(const Curve& curve) {
  std::string text;
  for (const std::string& variant : curve.variants) {
    const Row* worst = nullptr;
    for (const Row* row : line_of(curve, variant))
      if (row->error && (!worst || row->error->relative > worst->error->relative)) worst = row;
    if (!worst) continue;
    text += fmt::format("{}: at worst {} at {} {}", variant, format_error(worst->error->relative),
                        worst->sweep, format_point(point_of(*worst)));
    if (worst->bound > 0) text += fmt::format(", bound {}", format_error(worst->bound));
    text += "\n";
  }
  return text;
}

}  // namespace

const Row* Curve::find(const std::string& variant, double point) const {
  const auto found = row_at.find({variant, point});
  return found == row_at.end() ? nullptr : found->second;
}

std::vector<Curve> curves(const Results& results) {
  std::vector<Curve> all;
  for (const Row& row : results.rows) {
    if (row.sweep.empty()) continue;
    auto curve = std::ranges::find_if(all, [&](const Curve& c) {
      CaseKey key = row;
      key.axes = c.first().axes;  // which are its points
      return static_cast<const CaseKey&>(c.first()) == key;
    });
    if (curve == all.end()) curve = all.insert(all.end(), Curve{});
    curve->rows.push_back(&row);
    curve->at.push_back(point_of(row));
    curve->row_at.try_emplace({row.variant, point_of(row)}, &row);
    if (std::ranges::find(curve->variants, row.variant) == curve->variants.end())
      curve->variants.push_back(row.variant);
  }
  for (Curve& curve : all) {
    std::ranges::sort(curve.at);
    curve.at.erase(std::unique(curve.at.begin(), curve.at.end()), curve.at.end());
    // What was skipped at every point is no curve, nor what gains are over.
    std::erase_if(curve.variants, [&](const std::string& variant) {
      return std::ranges::all_of(curve.rows, [&](const Row* row) {
        return row->variant != variant || row->status == Status::skipped ||
               (row->show == Show::gain && variant == "baseline");
      });
    });
  }
  return all;
}

Table curve_table(const Curve& curve, const Results& results) {
  const bool errors = curve.first().show == Show::error, gain = curve.first().show == Show::gain;
  Table table{{{.head = curve.first().sweep, .left = true}}};
  for (const std::string& variant : curve.variants) {
    table.columns.push_back({.head = variant});
    table.columns.push_back({.head = errors ? "bound"
                                     : gain ? "at most"
                                            : "% of roof",
                             .leaves = static_cast<int>(table.columns.size() / 2)});
  }
  for (const double at : curve.at) {
    throw_if_interrupted();
    auto& cells = table.rows.emplace_back(1, format_point(at));
    for (const std::string& variant : curve.variants) {
      const Row* row = curve.find(variant, at);
      std::string got = "-", roof = "-";
      if (row && has_speed(*row)) {
        got = shown(*row).text(reached(curve, *row, results));
        roof = errors ? format_error(row->bound)
               : gain ? shown(*row).text(allowed(*row, results))
                      : format_roof(standing(*row, results.ceilings_of(row->backend)));
      } else if (row) {
        table.notes += fmt::format("note: {} at {}: {}\n", variant, cells[0], trouble(*row));
        if (row->status != Status::ok && row->status != Status::skipped) got = "WRONG";
      }
      cells.insert(cells.end(), {got, roof});
    }
  }
  return table;
}

std::string curve_summary(const Curve& curve, const Results& results) {
  std::string text;
  if (curve.first().show == Show::time) return text;
  if (curve.first().show == Show::error) return error_summary(curve);
  const bool rising = shown(curve.first()).more_is_better();
  for (const std::string& variant : curve.variants) {
    const std::vector<const Row*> line = line_of(curve, variant);
    if (line.empty()) continue;
    const auto got = [&](const Row* row) { return reached(curve, *row, results); };
    const auto best = std::min_element(line.begin(), line.end(), [&](auto a, auto b) {
      return rising ? got(a) > got(b) : got(a) < got(b);
    });
    const auto apart = [&](const Row* row) {
      return rising ? got(row) < 0.95 * got(*best) : got(row) > 1.05 * got(*best);
    };
    const auto point = [](const Row* row) { return format_point(point_of(*row)); };
    text +=
        fmt::format("{}: best {} at {} {} ({})", variant, shown(**best).text(got(*best)),
                    (*best)->sweep, point(*best), format_time(standing(**best, nullptr).seconds));
    // The points around it where little changes: the first one is the knee of a speed.
    const Row* from = *std::find_if(std::reverse_iterator(best), line.rend(), apart).base();
    const Row* to = *std::prev(std::find_if(best, line.end(), apart));
    if (from != to)
      text += fmt::format("; within 5 % of that from {} to {}", point(from), point(to));
    text += "\n";
  }
  return text;
}

namespace {

// What gnuplot draws of a curve: blocks of lines "point value", a block a variant.
struct Drawn {
  std::string names{}, lines{}, bounds{}, roof{};
  bool bounded = false;
  std::map<double, const Row*> rows{};  // one with a speed at each point
  double low = 1e300, high = 0;

  bool sees(double value) {  // no logarithmic axis has a 0
    if (value > 0) low = std::min(low, value), high = std::max(high, value);
    return value > 0;
  }
  void add(const Curve& curve, const std::string& variant, const Results& results) {
    std::string line, bound;
    for (const Row* row : line_of(curve, variant)) {
      const double got = reached(curve, *row, results);
      rows[point_of(*row)] = row;
      if (sees(got)) line += fmt::format("{:.9g} {:.9g}\n", point_of(*row), got);
      if (sees(row->bound)) bound += fmt::format("{:.9g} {:.9g}\n", point_of(*row), row->bound);
    }
    if (line.empty()) return;  // a peer has no errors
    names += (names.empty() ? "" : " ") + variant;
    bounded = bounded || !bound.empty();
    lines += line + "\n\n";
    bounds += (bound.empty() ? "1e-30 1e-30\n" : bound) + "\n\n";  // no line: outside
  }
  void add_roof(const Results& results, bool rising) {
    double roof_low = 1e300;
    for (const auto& [at, row] : rows)
      if (const double ceiling = allowed(*row, results); ceiling > 0) {
        roof += fmt::format("{:.9g} {:.9g}\n", at, ceiling);
        roof_low = std::min(roof_low, ceiling);
        if (rising) high = std::max(high, ceiling);
      }
    if (!rising) low = std::min(low, std::max(roof_low, low / 20));
  }
};

}  // namespace

std::string curve_plot(const Curve& curve, const Results& results, Picture picture, int width) {
  const Row& first = curve.first();
  const Ceilings* ceilings = results.ceilings_of(first.backend);
  Drawn drawn;
  for (const std::string& variant : curve.variants) drawn.add(curve, variant, results);
  if (drawn.names.empty()) return "";
  drawn.add_roof(results, shown(first).more_is_better());

  const bool gain = first.show == Show::gain;
  const double left = std::max(curve.at.front(), 1e-9);
  GnuplotScript script(picture, width, 900);
  script.set("XMIN", left);
  script.set("XMAX", std::max(curve.at.back(), 2 * left));
  script.set("LINEAR", gain);
  script.set("YMIN", drawn.low / (gain ? 1.1 : 1.5));
  script.set("YMAX", drawn.high * (gain ? 1.1 : 1.6));
  script.set("MARK", picture == Picture::terminal ? 2 : 0.5);
  script.set("XLABEL", first.sweep);
  script.set("YLABEL", shown(first).unit());
  script.set("TITLE",
             fmt::format("{}, {}, {}", first.lesson.substr(first.lesson.find('/') + 1),
                         ceilings ? ceilings->device.name : results.machine,
                         days(only(results, [&](const Row& row) { return curve.has(row); }))));
  script.set("NAMES", drawn.names);
  script.add(tics(curve.at));
  script.set("ROOF", !drawn.roof.empty());
  script.set("ROOFNAME", gain ? "at most" : "roof");
  script.set("YFORMAT", first.show == Show::error ? "%.0e" : gain ? "%g" : "%.0s%c");
  script.set("BOUNDED", drawn.bounded);
  script.data("curves", drawn.lines);
  script.data("bounds", drawn.bounds);
  script.data("roof", drawn.roof.empty() ? "1 1\n" : drawn.roof);
  if (ceilings && first.show != Show::error) script.add(cache_marks(drawn.rows, *ceilings));
  return script.draw("sweep.gp");
}

}  // namespace wb::report
