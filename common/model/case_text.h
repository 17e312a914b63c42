// A case as programs write and read it: on a command line, in the name of a row, in a goal and in
// a request to another program. For people there are label() (wb/axes.h) and model/case_name.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "wb/axes.h"

namespace wb {

std::string value_of(const Axis& axis);  // "8192", "fp32"
// Of an axis of a case; empty when it has no such axis.
std::string value_of(const Case& c, const std::string& axis);

// "rows=8192" and "rows=8192,axes=0,2,dtype=fp32".
std::string text_of(const Axis& axis);
std::string text_of(const Case& c);

// The axes of such a text, "rows=8192", "axes=0,2", "dtype=fp32": a comma that no NAME= follows
// belongs to a word.
std::vector<std::string> axes_in(const std::string& text);

// Read them again. A word of digits alone comes back as a number, unless it is known to be a
// `word`. Throw std::runtime_error for another form.
Axis read_axis(const std::string& text, bool word = false);
Case read_case(const std::string& text);

// {"rows": 8192, "dtype": "fp32"}. Reading throws what nlohmann::json throws for other values.
nlohmann::json as_json(const Case& c);
Case case_from(const nlohmann::json& axes);

}  // namespace wb
