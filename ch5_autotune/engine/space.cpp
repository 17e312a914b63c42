#include "space.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tune {

int Values::operator[](std::string_view name) const {
  for (std::size_t i = 0; i < space_->parameters().size(); ++i)
    if (const Parameter& p = space_->parameters()[i]; p.name == name)
      return p.values[(*configuration_)[i]];
  throw std::out_of_range(fmt::format("no parameter {}", name));
}

Space& Space::add(std::string name, std::vector<int> values, int fallback, bool at_launch) {
  if (std::find(values.begin(), values.end(), fallback) == values.end())
    throw std::invalid_argument(fmt::format("{}={} is none of its values", name, fallback));
  for (const Parameter& p : parameters_)
    if (p.name == name) throw std::invalid_argument("two parameters " + name);
  parameters_.push_back({std::move(name), std::move(values), fallback, at_launch});
  return *this;
}

Space& Space::require(std::string reason, std::function<bool(const Values&)> holds) {
  constraints_.push_back({std::move(reason), std::move(holds)});
  return *this;
}

Configuration Space::fallback() const {
  Configuration c;
  for (const Parameter& p : parameters_)
    c.push_back(static_cast<int>(std::find(p.values.begin(), p.values.end(), p.fallback) -
                                 p.values.begin()));
  return c;
}

std::string Space::why_illegal(const Configuration& c) const {
  if (c.size() != parameters_.size())
    return fmt::format("{} values for {} parameters", c.size(), parameters_.size());
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c[i] < 0 || c[i] >= static_cast<int>(parameters_[i].values.size()))
      return parameters_[i].name + " has no such value";
  for (const Constraint& constraint : constraints_)
    if (!constraint.holds(Values(*this, c))) return constraint.reason;
  return "";
}

std::vector<Configuration> Space::all() const {
  std::vector<Configuration> found;
  Configuration c(parameters_.size(), 0);
  for (;;) {
    if (legal(c)) found.push_back(c);
    std::size_t i = c.size();
    while (i > 0 && ++c[i - 1] == static_cast<int>(parameters_[i - 1].values.size())) c[--i] = 0;
    if (i == 0) return found;
  }
}

std::vector<Configuration> Space::neighbours(const Configuration& c, bool near) const {
  std::vector<Configuration> found;
  for (std::size_t i = 0; i < c.size(); ++i)
    for (int place = 0; place < static_cast<int>(parameters_[i].values.size()); ++place) {
      if (place == c[i] || (near && std::abs(place - c[i]) > 1)) continue;
      Configuration other = c;
      other[i] = place;
      if (legal(other)) found.push_back(std::move(other));
    }
  return found;
}

std::string Space::words(const Configuration& c) const {
  std::string text;
  for (std::size_t i = 0; i < c.size(); ++i)
    text += fmt::format("{}{}={}", i ? " " : "", parameters_[i].name, parameters_[i].values[c[i]]);
  return text;
}

Configuration Space::parse(const std::string& words) const {
  Configuration c(parameters_.size(), -1);
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const std::size_t equals = word.find('=');
    const auto p = std::find_if(parameters_.begin(), parameters_.end(), [&](const Parameter& q) {
      return q.name == word.substr(0, equals);
    });
    if (equals == std::string::npos || p == parameters_.end())
      throw std::invalid_argument("'" + word + "' names no parameter");
    const auto same = [&](int v) { return std::to_string(v) == word.substr(equals + 1); };
    const auto value = std::find_if(p->values.begin(), p->values.end(), same);
    if (value == p->values.end()) throw std::invalid_argument("'" + word + "' is no value of it");
    c[p - parameters_.begin()] = static_cast<int>(value - p->values.begin());
  }
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c[i] < 0) throw std::invalid_argument(parameters_[i].name + " is missing");
  return c;
}

std::string Space::identity() const {
  std::string text;
  for (const Parameter& p : parameters_)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", p.name, fmt::join(p.values, ","));
  return text;
}

}  // namespace tune
