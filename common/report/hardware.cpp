#include "report/hardware.h"

#include <algorithm>
#include <vector>

#include "report/quantity.h"

namespace wb::report {

namespace {

using Value = std::optional<double>;

Value value_of(const Row& row, Hardware event) {
  const double value = row.hardware.get(event);
  return value < 0 ? std::nullopt : Value(value);
}

Value over(Value part, Value whole) {
  return part && whole && *whole > 0 ? Value(*part / *whole) : std::nullopt;
}

template <Hardware event> Value plain(const Row& row) { return value_of(row, event); }
template <Hardware part, Hardware whole> Value each(const Row& row) {
  return over(value_of(row, part), value_of(row, whole));
}

Value dram_bytes(const Row& row) {
  const Value read = value_of(row, Hardware::dram_read),
              written = value_of(row, Hardware::dram_written);
  return read && written ? Value(*read + *written) : std::nullopt;
}

Value l2_of_least(const Row& row) {
  return over(value_of(row, Hardware::l2_bytes), row.cost.bytes());
}

std::string factor(double x) { return format_digits(x) + "x"; }

struct CountColumn {
  Column column;
  Value (*value)(const Row&);
  std::string (*text)(double);
};
// Last to leave a narrow table is what says where the time goes.
const std::vector<CountColumn>& columns() {
  static const std::vector<CountColumn> all = {
      {{.head = "DRAM/least"}, of_least_bytes, factor},
      {{.head = "L2/least", .leaves = 9}, l2_of_least, factor},
      {{.head = "L2 hits", .leaves = 6}, plain<Hardware::l2_hit_rate>, format_percent},
      {{.head = "sectors/load", .leaves = 11},
       each<Hardware::load_sectors, Hardware::load_requests>,
       format_digits},
      {{.head = "sectors/store", .leaves = 10},
       each<Hardware::store_sectors, Hardware::store_requests>,
       format_digits},
      {{.head = "turns/shared", .leaves = 8},
       each<Hardware::shared_wavefronts, Hardware::shared_requests>,
       format_digits},
      {{.head = "cycles", .leaves = 2}, plain<Hardware::cycles>, format_count},
      {{.head = "instructions", .leaves = 3}, plain<Hardware::instructions>, format_count},
      {{.head = "per cycle"}, each<Hardware::instructions, Hardware::cycles>, format_digits},
      {{.head = "LLC misses"}, plain<Hardware::cache_misses>, format_count},
      {{.head = "occupancy", .leaves = 7}, plain<Hardware::occupancy>, format_percent},
      {{.head = "tensor", .leaves = 5}, plain<Hardware::tensor_active>, format_percent},
      {{.head = "local", .leaves = 4}, plain<Hardware::local_bytes>, format_bytes},
      {{.head = "FLOP/B DRAM", .leaves = 1}, dram_intensity, format_digits},
      {{.head = "FLOP/B L2", .leaves = 1}, l2_intensity, format_digits}};
  return all;
}

}  // namespace

std::optional<double> of_least_bytes(const Row& row) {
  return over(dram_bytes(row), row.cost.bytes());
}

std::optional<double> dram_intensity(const Row& row) {
  return row.cost.flops > 0 ? over(row.cost.flops, dram_bytes(row)) : std::nullopt;
}

std::optional<double> l2_intensity(const Row& row) {
  return row.cost.flops > 0 ? over(row.cost.flops, value_of(row, Hardware::l2_bytes))
                            : std::nullopt;
}

std::string top_stalls(const HardwareCounts& counts) {
  std::vector<std::pair<double, std::string>> stalls;
  for (const auto& [reason, share] : counts.stalls) stalls.emplace_back(-share, reason);
  std::ranges::sort(stalls);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(stalls.size(), 2); ++i)
    text += (i ? ", " : "") + stalls[i].second + " " + format_percent(-stalls[i].first);
  return text;
}

Table hardware_table(const SideBySide& c) {
  Table table{.columns = {{.head = "variant", .left = true}}};
  std::vector<const Row*> rows;
  for (const Row* row : c.rows)
    if (row->hardware.any()) rows.push_back(row);
  if (rows.empty()) return table;
  for (const CountColumn& one : columns()) {
    table.columns.push_back(one.column);
    if (std::ranges::none_of(rows, [&](auto* row) { return one.value(*row).value_or(0) > 0; }))
      table.columns.back().head.clear();
  }
  table.columns.push_back({.head = "waits for", .left = true});
  if (std::ranges::all_of(rows, [](auto* row) { return row->hardware.stalls.empty(); }))
    table.columns.back().head.clear();
  for (const Row* row : c.rows) {
    if (!row->hardware.any() && row->hardware.missing.empty()) continue;  // its own table says why
    auto& texts = table.rows.emplace_back(std::vector{row->variant});
    if (!row->hardware.any()) {
      texts.push_back("not counted: " + row->hardware.missing);
      continue;
    }
    for (const CountColumn& one : columns()) {
      const Value value = one.value(*row);
      texts.push_back(value ? one.text(*value) : "-");
    }
    texts.push_back(top_stalls(row->hardware));
  }
  table.notes =
      "Counted by the hardware in a separate launch. Least: the bytes that the "
      "problem has to move.\n";
  return table;
}

std::string hardware_sentence(const SideBySide& c) {
  const Row *best = c.best(), *other = c.reference();
  const Value moved = of_least_bytes(*best);
  if (!moved) return "";
  const Value before = other == best ? std::nullopt : of_least_bytes(*other);
  const auto sectors = each<Hardware::load_sectors, Hardware::load_requests>;
  const Value touched = sectors(*best), touched_before = before ? sectors(*other) : std::nullopt;
  std::string text =
      best->variant + " moves " + format_digits(*moved) + " times the bytes that it needs";
  if (touched) text += ": its loads touch " + format_digits(*touched) + " sectors per request";
  if (before)
    text += " (" + other->variant + ": " + format_digits(*before) + " times" +
            (touched_before ? " and " + format_digits(*touched_before) : "") + ")";
  text += ".";
  if (const Value local = value_of(*best, Hardware::local_bytes); local.value_or(0) > 0)
    text += " It moves " + format_bytes(*local) +
            " of local memory, where registers go that do not fit.";
  if (const std::string stalls = top_stalls(best->hardware); !stalls.empty())
    text += " The longest stalls of its warps, of their cycles: " + stalls + ".";
  return text + "\n";
}

}  // namespace wb::report
