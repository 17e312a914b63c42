// What the hardware counted of a launch (`--counters`), next to the least work that it is about.
#pragma once

#include <optional>
#include <string>

#include "model/row.h"
#include "report/table.h"

namespace wb::report {

// Bytes that went through the memory of the device, over those that the problem has to move: above
// 1 some were fetched twice, or fetched and not used; below 1 a cache had them.
std::optional<double> of_least_bytes(const Row& row);

// FLOP per byte that went through the device's memory, and through its L2: where the row is on a
// roofline with levels (Yang, Kurth, Williams, "Hierarchical Roofline analysis for GPUs",
// Concurrency and Computation 32(20), 2020). Nothing without floating-point work or counters.
std::optional<double> dram_intensity(const Row& row);
std::optional<double> l2_intensity(const Row& row);

// "long scoreboard 62.0%, wait 20.0%": the two reasons for which warps waited longest, of all their
// cycles. Empty: none was counted.
std::string top_stalls(const HardwareCounts& counts);

// A row for each variant, and the columns that one of them has. Empty where nothing was counted.
Table hardware_table(const SideBySide& c);

// "optimized moves 1.27 times the bytes that it needs: its loads touch 16 sectors per request
// (baseline: 4.01 times and 32)." Empty where nothing was counted.
std::string hardware_sentence(const SideBySide& c);

}  // namespace wb::report
