// Counts in files, and between programs: an object for each line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "model/counts.h"

namespace wb {

nlohmann::json json_of(const std::vector<LineCounts>& lines);
std::vector<LineCounts> lines_from(const nlohmann::json& lines);  // or std::runtime_error

}  // namespace wb
