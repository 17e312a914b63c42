#include "space.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tune {

int Values::operator[](std::string_view name) const {
  for (std::size_t i = 0; i < configuration.size(); ++i)
    if (const Parameter& p = space.parameters()[i]; p.name == name)
      return p.values[configuration[i]];
  throw std::out_of_range(fmt::format("no parameter {}", name));
}

Space& Space::add(std::string name, std::vector<int> values, int fallback, bool at_launch) {
  const auto at = std::find(values.begin(), values.end(), fallback);
  if (at == values.end())
    throw std::invalid_argument(fmt::format("{}={} is none of its values", name, fallback));
  for (const Parameter& p : parameters_)
    if (p.name == name) throw std::invalid_argument("two parameters " + name);
  fallback_.push_back(static_cast<int>(at - values.begin()));
  parameters_.push_back({std::move(name), std::move(values), at_launch});
  return *this;
}

Space& Space::means(std::string words) {
  parameters_.back().meaning = std::move(words);
  return *this;
}

Space& Space::require(std::string reason, std::function<bool(const Values&)> holds) {
  constraints_.push_back({std::move(reason), std::move(holds)});
  return *this;
}

std::string Space::why_illegal(const Configuration& c) const {
  if (c.size() != parameters_.size())
    return fmt::format("{} values for {} parameters", c.size(), parameters_.size());
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c[i] < 0 || c[i] >= static_cast<int>(parameters_[i].values.size()))
      return parameters_[i].name + " has no such value";
  for (const Constraint& constraint : constraints_)
    if (!constraint.holds({*this, c})) return constraint.reason;
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

std::string Space::words(const Configuration& c, bool launch) const {
  std::string text;
  for (std::size_t i = 0; i < c.size(); ++i)
    if (const Parameter& p = parameters_[i]; launch || !p.at_launch)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", p.name, p.values[c[i]]);
  return text;
}

Configuration Space::parse(const std::string& words) const {
  Configuration c(parameters_.size(), -1);
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    bool known = false;
    for (std::size_t i = 0; i < c.size(); ++i)
      for (std::size_t place = 0; place < parameters_[i].values.size(); ++place)
        if (word == fmt::format("{}={}", parameters_[i].name, parameters_[i].values[place]))
          c[i] = static_cast<int>(place), known = true;
    if (!known) throw std::invalid_argument("'" + word + "' is no parameter with a value of it");
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
