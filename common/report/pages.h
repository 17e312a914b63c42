// Tables in README files, generated from stored results:
//
//   <!-- results ch1_basics/01_coalescing h200 -->      a lesson's tables
//   <!-- results ch1_basics h200 -->                         a summary of what lies below it
//   <!-- sweep ch1_basics/09_batch_size batch h200 -->       a sweep's picture, table and knee
//   <!-- end results -->
//
// The machine is the stem of a file of results: h200 is common/results/h200.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/row.h"
#include "report/table.h"

namespace wb {

// All tables of one lesson with what they mean, then machine, date and command. As text also the
// goodput lines.
std::string lesson_report(const Results& results, Style style, const std::string& command);

// "h200_09_batch_size_batch.svg", in common/results.
std::string curve_file(const std::string& lesson, const std::string& axis,
                       const std::string& machine);

// The README (`file` is its path below the top) with its blocks written anew. Throws Failure with
// code 5 for a block without an end, an end without a block, and a block that would be empty: of a
// machine without results, or of a lesson or sweep without rows.
std::string with_tables(const std::string& readme, const std::string& file,
                        const std::map<std::string, Results>& machines);

// README.md of the top, the chapters and the lessons.
std::vector<std::filesystem::path> readmes(const std::filesystem::path& source);

}  // namespace wb
