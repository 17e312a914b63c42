#include "report/quantity.h"

#include "report/table.h"

namespace wb {

std::string Quantity::name() const {
  switch (show) {
    case Show::time: return "time";
    case Show::bandwidth: return "bandwidth";
    case Show::flops: return "FLOP/s";
    case Show::item: return rate ? item + "s/s" : "per " + item;
    case Show::error: return "worst error";
  }
  return "";
}

std::string Quantity::unit() const {
  switch (show) {
    case Show::time: return "s";
    case Show::bandwidth: return "B/s";
    case Show::flops: return "FLOP/s";
    case Show::item: return rate ? item + "s/s" : "s per " + item;
    case Show::error: return "relative error";
  }
  return "";
}

bool Quantity::more_is_better() const {
  return show == Show::bandwidth || show == Show::flops || (show == Show::item && rate);
}

std::string Quantity::text(double value) const {
  switch (show) {
    case Show::time: return format_time(value);
    case Show::bandwidth: return format_bytes_per_second(value);
    case Show::flops: return format_flops(value);
    case Show::item:
      return rate ? format_count(value) + " " + item + "s/s" : format_time(value) + "/" + item;
    case Show::error: return format_error(value);
  }
  return "";
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
