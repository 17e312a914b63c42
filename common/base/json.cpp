#include "base/json.h"

#include <stdexcept>

#include "base/output.h"

namespace wb {

using nlohmann::json;

json parse_json(const std::string& text) {
  if (text.size() > std::size_t{64} << 20) throw std::runtime_error("larger than 64 MiB");
  int values = 0;
  return json::parse(text, [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > 16) throw std::runtime_error("deeper than 16 levels");
    if (++values > 20'000'000) throw std::runtime_error("more than ten million values");
    if (!parsed.is_string()) return true;
    std::string cleaned = clean(parsed.get<std::string>());
    if (event == json::parse_event_t::key &&
        cleaned != parsed.get_ref<const std::string&>())  // which can't be changed here
      throw std::runtime_error("a control character in the name of a field");
    parsed = std::move(cleaned);
    return true;
  });
}

std::string dump_json(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

double number(const json& value, const std::string& field) {
  if (!value.is_number()) throw std::runtime_error(field + " must be a number");
  const double d = value.get<double>();
  if (!(d >= 0 && d <= kLargestNumber))
    throw std::runtime_error(field + " must be finite, not negative and at most 1e30");
  return d < 1e-30 ? 0 : d;
}

std::string text(const json& value, const std::string& field) {
  if (!value.is_string()) throw std::runtime_error(field + " must be a text");
  return value.get<std::string>();
}

}  // namespace wb
