// Reading JSON that may be anything: depth is limited, and what is wrong is said on one line.
#pragma once

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace wb {

inline nlohmann::json parse_limited(const std::string& text) {
  return nlohmann::json::parse(text, [](int depth, nlohmann::json::parse_event_t, auto&) {
    if (depth > 16) throw std::runtime_error("deeper than 16 levels");
    return true;
  });
}

// The message without line breaks or control characters, and not longer than a line or two.
inline std::string one_line(const std::exception& error) {
  std::string text = std::string(error.what()).substr(0, 200);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 32; }, ' ');
  return text;
}

}  // namespace wb
