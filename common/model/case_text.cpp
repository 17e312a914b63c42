#include "model/case_text.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace wb {

namespace {

// What it says from begin to end, if that is a number.
std::optional<i64> integer(const std::string& text) {
  i64 number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string value_of(const Axis& axis) {
  return axis.word ? axis.word : std::to_string(axis.number);
}

std::string value_of(const Case& c, const std::string& axis) {
  const Axis* found = c.find(axis);
  return found ? value_of(*found) : "";
}

std::string text_of(const Axis& axis) { return std::string(axis.name) + "=" + value_of(axis); }

std::string text_of(const Case& c) {
  std::string text;
  for (const Axis& axis : c) text += (text.empty() ? "" : ",") + text_of(axis);
  return text;
}

std::vector<std::string> axes_in(const std::string& text) {
  std::vector<std::string> axes;
  std::istringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, ',');)
    if (piece.find('=') != std::string::npos || axes.empty())
      axes.push_back(piece);
    else
      axes.back() += "," + piece;
  return axes;
}

Axis read_axis(const std::string& text, bool word) {
  const auto equal = text.find('=');
  if (equal == 0 || equal == std::string::npos)
    throw std::runtime_error("'" + text + "' is not AXIS=VALUE");
  const std::string value = text.substr(equal + 1);
  const char* const name = keep(text.substr(0, equal));
  const auto number = word ? std::nullopt : integer(value);
  return number ? Axis(name, *number) : Axis(name, keep(value));
}

Case read_case(const std::string& text) {
  Case c;
  for (const std::string& axis : axes_in(text)) c.set(read_axis(axis));
  return c;
}

nlohmann::json as_json(const Case& c) {
  nlohmann::json axes = nlohmann::json::object();
  for (const Axis& axis : c)
    axes[axis.name] = axis.word ? nlohmann::json(axis.word) : nlohmann::json(axis.number);
  return axes;
}

Case case_from(const nlohmann::json& axes) {
  Case c;
  for (const auto& [name, value] : axes.items())
    c.set(value.is_string() ? Axis(keep(name), keep(value.get<std::string>()))
                            : Axis(keep(name), value.get<i64>()));
  return c;
}

}  // namespace wb
