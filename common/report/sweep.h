// Curves: the rows of a sweep along one axis, as a table, in words and as a picture.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/gnuplot.h"
#include "report/table.h"

namespace wb::report {

// The points of one sweep of one lesson on one backend.
struct Curve {
  std::vector<const Row*> rows;       // every variant at every point, in order of appearance
  std::vector<double> at;             // the points, ascending
  std::vector<std::string> variants;  // in order of appearance
  std::map<std::pair<std::string, double>, const Row*> row_at;  // by variant and point
  const Row& first() const { return *rows.front(); }
  const Row* find(const std::string& variant, double at) const;  // null when absent
  bool has(const Row& row) const { return find(row.variant, point_of(row)) == &row; }
};
std::vector<Curve> curves(const Results& results);  // points into `results`

// A line per point, a column per variant: what is shown, and % of roof (or bound, or most gain).
Table curve_table(const Curve& curve, const Results& results);

// For each variant the best point, and those within 5 % of it; of errors the largest and its bound.
std::string curve_summary(const Curve& curve, const Results& results);

// Drawn by gnuplot from sweep.gp, as roofline() in report/plot.h is: a line per variant, what the
// roof allows (of errors: each one's bound), and where the problem's arrays outgrow a cache.
std::string curve_plot(const Curve& curve, const Results& results, Picture picture,
                       int width = 100);

}  // namespace wb::report
