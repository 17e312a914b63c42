// JSON that may be anything. Reading and writing it are compiled once, in json.cpp: they are what
// takes a compiler long.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>

namespace wb {

// Throws std::exception: no JSON, deeper than 16 levels, larger than 64 MiB.
nlohmann::json parse_json(const std::string& text);

// On one line; bytes that are no UTF-8 are replaced.
std::string dump_json(const nlohmann::json& value);

// A value that must be a number, finite and not negative, or a text. Throws std::runtime_error that
// names the field.
double number(const nlohmann::json& value, const std::string& field);
std::string text(const nlohmann::json& value, const std::string& field);

// The message without line breaks or control characters, and not longer than a line or two.
std::string one_line(const std::exception& error);

}  // namespace wb
