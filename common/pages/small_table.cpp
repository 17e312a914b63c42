#include "pages/small_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "model/case_text.h"
#include "report/table.h"

namespace wb::pages {

namespace {

bool is(const report::SideBySide& c, const std::string& axis, const std::string& wanted) {
  return value_of(c.first().axes, axis) == wanted;
}

// Whether two cases are the same but for the values of an axis.
bool alike(const report::SideBySide& a, const report::SideBySide& b, const std::string& axis) {
  Case one = a.first().axes, other = b.first().axes;
  one.drop(axis), other.drop(axis);
  return one == other;
}

// One case, or one for each of the values of an axis: the first that differ in it alone, if any.
std::vector<report::SideBySide> chosen(std::vector<report::SideBySide> cases,
                                       const Wanted& wanted) {
  const std::pair<std::string, std::vector<std::string>>* several = nullptr;
  for (const auto& axis : wanted.axes) {
    if (axis.second.size() > 1 && std::exchange(several, &axis))
      throw std::runtime_error("one axis at most can have several values");
    std::erase_if(cases, [&](const report::SideBySide& c) {
      return std::ranges::none_of(axis.second, [&](auto& v) { return is(c, axis.first, v); });
    });
  }
  if (cases.empty()) throw std::runtime_error("no case has these values");
  if (!several) return {cases[0]};
  const std::string& name = several->first;
  const std::vector<std::string>& values = several->second;
  const auto group = [&](const report::SideBySide* like) {
    std::vector<report::SideBySide> result;
    for (const std::string& v : values) {
      const auto found = std::ranges::find_if(cases, [&](const report::SideBySide& c) {
        return is(c, name, v) && (!like || alike(c, *like, name));
      });
      if (found != cases.end()) result.push_back(*found);
    }
    return result;
  };
  for (const report::SideBySide& c : cases)
    if (std::vector<report::SideBySide> result = group(&c); result.size() == values.size())
      return result;
  std::vector<report::SideBySide> result = group(nullptr);
  if (result.size() < values.size())
    throw std::runtime_error("not every value of " + name + " has a case");
  return result;
}

// Of what people call a case what is common to these, "fp32", or what is not, "8192 x 8192".
std::string part_of_name(const report::SideBySide& c, const std::vector<report::SideBySide>& cases,
                         const Results& results, bool common) {
  std::string text;
  const std::string name = results.name_of(c.first());
  for (std::size_t at = 0, end; at < name.size(); at = end + 2) {
    end = std::min(name.find(", ", at), name.size());
    const std::string part = name.substr(at, end - at);
    const bool of_all =
        std::all_of(cases.begin(), cases.end(), [&](const report::SideBySide& other) {
          return (", " + results.name_of(other.first()) + ", ").find(", " + part + ", ") !=
                 part.npos;
        });
    if (of_all == common) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

bool shown(const Row& row, const Wanted& wanted) {
  const auto& without = wanted.without;
  return !is_extra(row.variant) && row.status != Status::skipped &&
         std::ranges::find(without, row.variant) == without.end();
}

const std::string& called(const Row& row) { return row.peer.empty() ? row.variant : row.peer; }

}  // namespace

report::Table small_table(const Results& results, const std::string& lesson, const Wanted& wanted) {
  const Results part = report::only(
      results, [&](const Row& row) { return row.sweep.empty() && row.lesson == lesson; });
  const std::vector<report::SideBySide> cases = chosen(report::side_by_side(part), wanted);
  for (const std::string& variant : wanted.without)
    if (!cases[0].find(variant)) throw std::runtime_error("no variant is called " + variant);
  report::Table table{.columns = {{.head = "version", .left = true}}, .folds = cases.size() == 1};
  for (const Row* row : cases[0].rows)
    if (shown(*row, wanted)) table.rows.push_back({called(*row)});
  for (const report::SideBySide& c : cases) {
    const std::string of_it = part_of_name(c, cases, part, /*common=*/false);
    for (const std::string& name : wanted.columns) {
      const std::string own = report::cell(report::cells(c, c.first(), part), name).column.head;
      if (own.empty()) throw std::runtime_error("nothing of the case has a " + name);
      const std::string head = name == "speedup" ? name
                               : name == "peer"  ? "vs " + called(*c.peer())
                                                 : own;
      // The first column of several cases says which one it is of.
      const bool first = &name == &wanted.columns[0] && cases.size() > 1;
      table.columns.push_back({.head = !first           ? head
                                       : name == "time" ? of_it
                                                        : of_it + ", " + head});
      for (auto& texts : table.rows) {
        const auto row = std::ranges::find(c.rows, texts[0], [](auto* r) { return called(*r); });
        std::string text = "-";
        if (row != c.rows.end() && has_speed(**row))
          text = report::cell(report::cells(c, **row, part), name).text;
        else if (row != c.rows.end() && (*row)->status != Status::skipped)
          text = report::trouble(**row).substr(0, report::trouble(**row).find(':'));
        texts.push_back(name == "speedup" ? report::short_ratio(text) : text);
      }
    }
  }
  const Results measured = report::only(part, [&](const Row& row) {
    return std::ranges::any_of(
        cases, [&](auto& c) { return static_cast<const CaseKey&>(c.first()) == row; });
  });
  const std::string of_all = part_of_name(cases[0], cases, part, /*common=*/true);
  table.notes = of_all + (of_all.empty() ? "" : ". ") + "Measured " + report::days(measured) + ".";
  return table;
}

}  // namespace wb::pages
