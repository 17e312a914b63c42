// A figure of a row: what it is called, in what unit, and which way is better.
#pragma once

#include <optional>
#include <string>

#include "model/row.h"
#include "report/standing.h"

namespace wb {

struct Quantity {
  Show show;
  std::string item;  // what is counted, where `show` is item: "kernel"
  bool rate;         // so many a second of it

  std::string name() const;  // a column's: "time", "per kernel", "samples/s"
  std::string unit() const;  // an axis': "s", "B/s", "s per kernel"
  bool more_is_better() const;
  std::string text(double value) const;  // "3.94 TB/s", "1.20 us/kernel"

  // Of this row, or of one like it that takes `seconds`; 0 where that is 0.
  double of(const Row& row, const Standing& s, double seconds) const;
  double of(const Row& row, const Standing& s) const { return of(row, s, s.seconds); }
};

Quantity shown(const Row& row);                   // on the curve of its sweep
std::optional<Quantity> counted(const Row& row);  // what its lesson counts, if anything

}  // namespace wb
