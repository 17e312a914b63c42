// Curves: the rows of a sweep along one axis, as a table, in words and as a picture.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "report/gnuplot.h"
#include "report/table.h"

namespace wb {

// The points of one sweep of one lesson on one backend.
struct Curve {
  std::vector<const Row*> rows;       // every variant at every point, in order of appearance
  std::vector<double> at;             // the points, ascending
  std::vector<std::string> variants;  // in order of appearance
  const Row& first() const { return *rows.front(); }
  const Row* find(const std::string& variant, double at) const;  // null when absent
  bool has(const Row& row) const { return std::find(rows.begin(), rows.end(), &row) != rows.end(); }
};
std::vector<Curve> curves(const Results& results);  // points into `results`

// A line per point, a column per variant: what the axis shows, and % of roof (of errors: the
// bound; of gains: the most that they can be).
Table curve_table(const Curve& curve, const Results& results);

// For each variant the best point, and the smallest one within 5 % of it: the knee. Of errors the
// largest, with its bound.
std::string curve_summary(const Curve& curve, const Results& results);

// Drawn by gnuplot from sweep.gp: a line per variant, what the roof allows (of errors: what each
// variant's bound does), and where the arrays of the problem outgrow a cache. As roofline() in
// report/plot.h.
std::string curve_plot(const Curve& curve, const Results& results, Picture picture,
                       int width = 100);

}  // namespace wb
