// Pages with figures from stored results: tables in README.md and NOTES.md, between markers,
//
//   <!-- results ch1_x/02_gemm h200 -->     a lesson's table: its first case
//   <!-- results ch1_x/02_gemm h200 size=xlarge dtype=fp32,bf16 columns=time,roof -->
//   <!-- results ch1_x/02_gemm h200 without=step3 -->     but for these variants
//   <!-- results ch1_x h200 -->             a summary of what lies below it
//   <!-- results all h200 lessons=gemm,sort -->    these lessons, with their questions
//   <!-- sweep ch1_x/02_gemm n h200 -->     a sweep's picture, table and knee
//   <!-- sweep ch1_x/02_gemm n h200 table=no -->    the picture
//   <!-- end results -->
//
// and results pages, one for each machine and chapter: h200_ch1.md. The machine is the stem of a
// file of results: h200 is common/results/h200.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "model/row.h"
#include "report/document.h"

namespace wb::pages {

// The README (`file` is its path below the top) with its blocks written anew. Throws Failure with
// code 5 for a block without an end, an end without a block, one that chooses what does not exist,
// and a block that would be empty: of a machine without results, or of a lesson or sweep without
// rows.
std::string with_tables(const std::string& readme, const std::string& file,
                        const std::map<std::string, Results>& machines);

// Every case and sweep of a chapter, each lesson under a heading that links lead to.
report::Document results_page(const Results& results, const std::string& chapter,
                              const std::string& machine);
// Where that is, in common/results: "h200_ch1.md#02_gemm".
std::string page_link(const std::string& lesson, const std::string& machine);

// common/results/*.json, by stem, with what the lessons' folders say.
std::map<std::string, Results> stored_results(const std::filesystem::path& source);

// What the pages of the top, the chapters and the lessons and all results pages have to hold, by
// path below the top. Throws Failure with code 5 also for a results page whose results are
// gone.
std::map<std::string, std::string> all_pages(const std::filesystem::path& source,
                                             const std::map<std::string, Results>& machines);

}  // namespace wb::pages
