// JSON that may be anything. Reading and writing it, which takes a compiler long, is in json.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace wb {

// Texts without control characters, see clean(). Throws std::exception: no JSON, deeper than 16
// levels, larger than 64 MiB, ten million values, a control character in the name of a field.
nlohmann::json parse_json(const std::string& text);

// On one line; bytes that are no UTF-8 are replaced.
std::string dump_json(const nlohmann::json& value);

// A value that must be a number, finite, not negative and of a size that figures have (what is
// below 1e-30 is 0), or a text. Throws std::runtime_error that names the field.
inline constexpr double kLargestNumber = 1e30;
double number(const nlohmann::json& value, const std::string& field);
std::string text(const nlohmann::json& value, const std::string& field);

}  // namespace wb
