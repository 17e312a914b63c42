#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace wb {

using nlohmann::json;

json parse_json(const std::string& text) {
  if (text.size() > std::size_t{64} << 20) throw std::runtime_error("larger than 64 MiB");
  return json::parse(text, [](int depth, json::parse_event_t, auto&) {
    if (depth > 16) throw std::runtime_error("deeper than 16 levels");
    return true;
  });
}

std::string dump_json(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

double number(const json& value, const std::string& field) {
  if (!value.is_number()) throw std::runtime_error(field + " must be a number");
  const double d = value.get<double>();
  if (!std::isfinite(d) || d < 0)
    throw std::runtime_error(field + " must be finite and not negative");
  return d;
}

std::string text(const json& value, const std::string& field) {
  if (!value.is_string()) throw std::runtime_error(field + " must be a text");
  return value.get<std::string>();
}

std::string one_line(const std::exception& error) {
  std::string text = std::string(error.what()).substr(0, 200);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 32; }, ' ');
  return text;
}

}  // namespace wb
