#include "model/case_name.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

namespace wb {

namespace {

constexpr std::pair<i64, const char*> kUnits[] = {
    {i64{1} << 30, " Gi"}, {i64{1} << 20, " Mi"}, {i64{1} << 10, " Ki"}};

// An axis called bytes has its unit with it.
std::string figure(std::string_view axis, i64 number) {
  if (axis != "bytes") return format_number(number);
  const std::string text = format_number(number, 1024);
  return text + (text.back() == 'i' ? "B" : " B");
}

// "8192" for rows, "fp32" for dtype, "64" for samples/chunk; nothing without these, or a remainder.
std::optional<std::string> value(const Case& c, const std::string& what,
                                 std::set<std::string>& said) {
  const std::size_t slash = what.find('/');
  const std::string name = what.substr(0, slash);
  const Axis* axis = c.find(name);
  if (!axis) return std::nullopt;
  said.insert(name);
  if (slash == std::string::npos) return axis->word ? axis->word : figure(name, axis->number);
  const i64 by = c.get(what.substr(slash + 1), 0);
  if (axis->word || by <= 0 || axis->number % by != 0) return std::nullopt;
  return format_number(axis->number / by);
}

std::optional<std::string> filled(const Case& c, const std::string& pattern,
                                  std::set<std::string>& said) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = std::min(pattern.find('{', at), pattern.size());
    text += pattern.substr(at, open - at);
    const std::size_t close = pattern.find('}', open);
    if (close == std::string::npos) return text + pattern.substr(open);
    const auto inside = value(c, pattern.substr(open + 1, close - open - 1), said);
    if (!inside) return std::nullopt;
    text += *inside;
    at = close + 1;
  }
  return text;
}

// "200 steps", "batch 32", "n=7", "fp32", "axes 0,2".
std::string from_axis(const Axis& axis) {
  const std::string_view name = axis.name;
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  if (axis.word) return std::isdigit(*axis.word) ? words + " " + axis.word : axis.word;
  std::string number = figure(name, axis.number);
  if (name == "bytes") return number;
  if (words.size() == 1) return words + "=" + number;
  return words.ends_with('s') ? number + " " + words : words + " " + number;
}

// "1 steps" is one step.
std::string singular(std::string text) {
  const auto letter = [&](std::size_t at) { return at < text.size() && std::isalpha(text[at]); };
  for (std::size_t at = 0; (at = text.find("1 ", at)) != std::string::npos; ++at) {
    if (at > 0 && text[at - 1] != ' ') continue;
    std::size_t end = at + 2;
    while (letter(end)) ++end;
    if (end > at + 3 && text[end - 1] == 's') text.erase(end - 1, 1);
  }
  return text;
}

}  // namespace

std::string format_number(i64 number, i64 least) {
  for (const auto& [size, unit] : kUnits)
    if (number >= least && number % size == 0 && number / size < 2048)
      return std::to_string(number / size) + unit;
  std::string digits = std::to_string(number);
  if (number >= 1 << 16)
    for (std::size_t at = digits.size() - 3; at > 0 && at < digits.size(); at -= 3)
      digits.insert(at, ",");
  return digits;
}

std::string case_name(const Case& c, const std::vector<std::string>& patterns) {
  std::string text;
  std::set<std::string> said;
  for (const std::string& pattern : patterns) {
    said.clear();
    if (const auto name = filled(c, pattern, said)) {
      text = *name;
      break;
    }
    said.clear();
  }
  for (const Axis& axis : c)
    if (!said.contains(axis.name) && std::string_view(axis.name) != "size")
      text += (text.empty() ? "" : ", ") + from_axis(axis);
  return text.empty() ? label(c) : singular(text);
}

}  // namespace wb
