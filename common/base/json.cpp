#include "base/json.h"

#include <stdexcept>

#include "base/output.h"

namespace wb {

using nlohmann::json;

namespace {

// From the marks outside of texts, and before anything is made of them. (The library's parser could
// ask a callback, but then looks through a list again for each object in it.)
void check_size(const std::string& text) {
  int depth = 0, values = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_text = !in_text;
    if (in_text) {
      i += c == '\\';
      continue;
    }
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    values += c == '[' || c == '{' || c == ',';
    if (depth > 16) throw std::runtime_error("deeper than 16 levels");
    if (values > 10'000'000) throw std::runtime_error("more than ten million values");
  }
}

void clean_texts(json& value) {
  if (value.is_string()) value = clean(value.get<std::string>());
  if (value.is_object())
    for (const auto& [key, inner] : value.items())
      if (key != clean(key)) throw std::runtime_error("a control character in the name of a field");
  if (value.is_structured())
    for (json& inner : value) clean_texts(inner);
}

}  // namespace

json parse_json(const std::string& text) {
  if (text.size() > std::size_t{64} << 20) throw std::runtime_error("larger than 64 MiB");
  check_size(text);
  json value;
  try {
    value = json::parse(text);
  } catch (const json::parse_error& e) {  // in our words, not the library's
    throw std::runtime_error(e.byte > text.find_last_not_of(" \n\r\t") + 1 || text.empty()
                                 ? "it ends in the middle: the file was cut short"
                                 : "it is no JSON from byte " + std::to_string(e.byte) + " on");
  }
  clean_texts(value);
  return value;
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
