// A figure of a row: what it is called, in what unit, and which way is better. How figures read.
#pragma once

#include <optional>
#include <string>

#include "model/row.h"
#include "report/standing.h"

namespace wb::report {

// "12.3 us", "4.31 ms", "1.20 s"; "3.94 TB/s"; "51.2 TFLOP/s". Three digits.
std::string format_time(double seconds);
std::string format_bytes_per_second(double rate);
std::string format_bytes(double count);  // "50.0 MiB"
std::string format_flops(double rate);
std::string format_count(double n);                 // "12.3 k"
std::string format_error(double relative);          // "1.2e-07"
std::string format_percent(double share);           // 0.918 -> "91.8%"
std::string format_ratio(const Comparison& c);      // "9.13x [9.02, 9.24] faster"
std::string short_ratio(const std::string& ratio);  // "9.13x", but all of it where it is ambiguous
// Against a peer: "1.02x ++ excellent", and "*** ahead" (beyond noise), "++ excellent" (>= 0.8 of
// its speed), "+ good" (>= 0.5), "~ fair" (>= 0.2), "- needs work".
std::string format_peer(const Comparison& c);
std::string format_roof(const Standing& s);  // "91.8%", "104.0% suspect"
std::string format_ceiling(const std::string& key, double value);
std::string format_digits(double value);  // 0.0123, 1.23, 12.3, 123, 1234
const char* name(Bound bound);

// How a counter is shown.
struct CounterLook {
  const char* head;
  bool only_page;  // see Column
  bool in_time;    // seconds of the launch's own, of which there are no more than that has
  std::string (*text)(double);
};
extern const CounterLook kCounterLooks[std::size(kCounters)];

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

}  // namespace wb::report
