#include "report/quantity.h"

#include "report/table.h"

namespace wb {

namespace {

struct Look {
  const char *name, *unit;
  bool more_is_better;
  std::string (*text)(double);
};
// In the order of Show. An item has names of its own, and is shown as a rate or a time.
constexpr Look kLooks[] = {{"time", "s", false, format_time},
                           {"bandwidth", "B/s", true, format_bytes_per_second},
                           {"FLOP/s", "FLOP/s", true, format_flops},
                           {"", "", false, format_time},
                           {"worst error", "relative error", false, format_error}};

const Look& look(Show show) { return kLooks[static_cast<int>(show)]; }

}  // namespace

std::string Quantity::name() const {
  if (show != Show::item) return look(show).name;
  return rate ? item + "s/s" : "per " + item;
}

std::string Quantity::unit() const {
  if (show != Show::item) return look(show).unit;
  return rate ? item + "s/s" : "s per " + item;
}

bool Quantity::more_is_better() const {
  return look(show).more_is_better || (show == Show::item && rate);
}

std::string Quantity::text(double value) const {
  if (show != Show::item) return look(show).text(value);
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

}  // namespace wb
