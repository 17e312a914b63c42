#include "model/hardware.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "base/json.h"
#include "model/counts_json.h"

namespace wb {

using nlohmann::json;

namespace {

// Counts are whole; shares have four digits.
json rounded(double value) {
  if (value < 1) return std::round(value * 1e4) / 1e4;
  return static_cast<std::int64_t>(std::llround(std::min(value, 0x1p62)));
}

}  // namespace

json json_of(const HardwareCounts& counts) {
  json object = json::object();
  for (const auto& [event, value] : counts.events)
    object[kHardware[static_cast<int>(event)]] = rounded(value);
  for (const auto& [reason, share] : counts.stalls)
    if (share >= 0.0005) object["stalls"][reason] = rounded(share);
  if (!counts.missing.empty()) object["missing"] = counts.missing;
  return object;
}

HardwareCounts hardware_from(const json& object) {
  HardwareCounts counts;
  for (std::size_t i = 0; i < std::size(kHardware); ++i)
    if (object.contains(kHardware[i]))
      counts.events[static_cast<Hardware>(i)] = number(object[kHardware[i]], kHardware[i]);
  if (object.contains("stalls"))
    for (const auto& [reason, share] : object["stalls"].items())
      counts.stalls[reason] = number(share, "a stall");
  if (object.contains("missing")) counts.missing = text(object["missing"], "missing");
  return counts;
}

}  // namespace wb
