// Counts in files, and between programs: an object for each line, or for what the hardware counted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "model/counts.h"
#include "model/hardware.h"

namespace wb {

nlohmann::json json_of(const std::vector<LineCounts>& lines);
std::vector<LineCounts> lines_from(const nlohmann::json& lines);  // or std::runtime_error

nlohmann::json json_of(const HardwareCounts& counts);
HardwareCounts hardware_from(const nlohmann::json& object);  // or std::runtime_error

}  // namespace wb
