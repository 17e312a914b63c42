#include "report/quantity.h"

#include <fmt/format.h>

namespace wb::report {

namespace {

std::string scaled(double value, std::initializer_list<std::pair<double, const char*>> units) {
  auto unit = units.begin();
  while (unit + 1 < units.end() && value < unit->first * 0.9995) ++unit;
  return format_digits(value / unit->first) + " " + unit->second;
}

std::string format_factor(double x) { return x > 0 ? format_digits(x) + "x" : "-"; }

struct ShowStyle {
  const char *name, *unit;
  bool more_is_better;
  std::string (*text)(double);
};
// In the order of Show. An item has names of its own, and is shown as a rate or a time.
constexpr ShowStyle kShowStyles[] = {
    {"time", "s", false, format_time},
    {"bandwidth", "B/s", true, format_bytes_per_second},
    {"FLOP/s", "FLOP/s", true, format_flops},
    {"", "", false, format_time},
    {"worst error", "relative error", false, format_error},
    {"gain", "times as fast as the baseline", true, format_factor}};

const ShowStyle& style_of(Show show) { return kShowStyles[static_cast<int>(show)]; }

}  // namespace

std::string format_digits(double value) {
  if (value < 0.995) return fmt::format("{:.3g}", value);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_time(double s) { return scaled(s, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}); }
std::string format_bytes_per_second(double r) { return scaled(r, {{1e12, "TB/s"}, {1e9, "GB/s"}}); }
std::string format_bytes(double n) {
  return scaled(n, {{0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1, "B"}});
}
std::string format_flops(double r) { return scaled(r, {{1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}}); }
std::string format_count(double n) {
  return scaled(n, {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}});
}
std::string format_error(double relative) { return fmt::format("{:.1e}", relative); }
std::string format_percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string format_ratio(const Comparison& c) {
  if (c.ratio <= 0) return "-";
  if (c.verdict == kTwoDays) return fmt::format("{}x ({})", format_digits(c.ratio), c.verdict);
  return fmt::format("{}x [{}, {}] {}", format_digits(c.ratio), format_digits(c.low),
                     format_digits(c.high), c.verdict);
}

std::string short_ratio(const std::string& ratio) {
  return ratio.ends_with("ambiguous") ? ratio : ratio.substr(0, ratio.find(' '));
}

std::string format_peer(const Comparison& c) {
  if (c.ratio <= 0) return "-";
  return format_digits(c.ratio) + (c.verdict == "faster" ? "x *** ahead"
                                   : c.ratio >= 0.8      ? "x ++ excellent"
                                   : c.ratio >= 0.5      ? "x + good"
                                   : c.ratio >= 0.2      ? "x ~ fair"
                                                         : "x - needs work");
}

std::string format_roof(const Standing& s) {
  return s.floor == 0 ? "-" : format_percent(s.roof) + (s.suspect ? " suspect" : "");
}

std::string format_ceiling(const std::string& key, double value) {
  const auto text = key == "launch" || key.ends_with("_floor")         ? format_time
                    : key.ends_with("_bytes")                          ? format_bytes
                    : key == "fp32" || key.find("_tensor") != key.npos ? format_flops
                                                                       : format_bytes_per_second;
  return text(value);
}

const CounterLook kCounterLooks[std::size(kCounters)] = {
    {"host", false, true, format_time},
    {"switches", true, false, format_digits},
    {"requests", false, false, format_count},
    {"sectors/request", false, false, format_digits},
    {"used of moved", false, false, format_percent},
    {"cycles/least", false, false, format_digits},
    {"lanes", false, false, format_digits},
    {"on one address", false, false, format_count},
    {"barriers", false, false, format_digits},
    {"calls", false, false, format_count}};

const char* name(Bound bound) {
  constexpr const char* kNames[] = {"-", "memory", "compute", "link", "launch"};
  return kNames[static_cast<int>(bound)];
}

std::string Quantity::name() const {
  if (show != Show::item) return style_of(show).name;
  return rate ? item + "s/s" : "per " + item;
}

std::string Quantity::unit() const {
  if (show != Show::item) return style_of(show).unit;
  return rate ? item + "s/s" : "s per " + item;
}

bool Quantity::more_is_better() const {
  return style_of(show).more_is_better || (show == Show::item && rate);
}

std::string Quantity::text(double value) const {
  if (show != Show::item) return style_of(show).text(value);
  return rate ? format_count(value) + " " + item + "s/s" : format_time(value) + "/" + item;
}

double Quantity::of(const Row& row, const Standing& s, double seconds) const {
  if (seconds <= 0) return 0;
  switch (show) {
    case Show::time: return seconds;
    case Show::bandwidth: return s.gbps * 1e9 * s.seconds / seconds;
    case Show::flops: return row.cost.flops / seconds;
    case Show::item: return rate ? row.items / seconds : seconds / row.items;
    case Show::error: return row.error ? row.error->relative : 0;
    case Show::gain: return 0;  // it takes the baseline: report/sweep.cpp
  }
  return 0;
}

Quantity shown(const Row& row) {
  if (row.show == Show::item && row.items == 0) return {Show::time, "", false};
  return {row.show, row.item, row.rate};
}

std::optional<Quantity> counted(const Row& row) {
  if (row.items == 0) return std::nullopt;
  return Quantity{Show::item, row.item, row.rate};
}

}  // namespace wb::report
