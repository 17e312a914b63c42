// What a lesson's folder says of it: title and question in its page, case names in its header.
#pragma once

#include <filesystem>
#include <string>

#include "model/row.h"

namespace wb::report {

// Title and question from the first heading of its page, "# 01 Add: how close?", without number;
// and what it takes, from "**Takes:** 60 min, easy." before the next heading. A lesson without a
// page of its own has that of the folder above it. What is missing stays empty.
About about_lesson(const std::filesystem::path& source, const std::string& lesson);

// Looks up the lessons that have rows.
void look_up(Results& results, const std::filesystem::path& source);

}  // namespace wb::report
