#include "model/row.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <list>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/failure.h"
#include "model/case_name.h"
#include "model/case_text.h"

namespace wb {

std::size_t CaseHash::operator()(const CaseKey& key) const {
  const std::string text = key.lesson + key.backend + key.cache + key.sweep;
  return std::hash<std::string>()(text + text_of(key.axes));
}

const Ceilings* Results::ceilings_of(const std::string& backend) const {
  for (const Ceilings& c : ceilings)
    if (c.device.backend == backend) return &c;
  return nullptr;
}

void merge(Results& into, const Results& from) {
  for (const Ceilings& c : from.ceilings) {
    const auto backend = [](const Ceilings& o) { return o.device.backend; };
    const auto known = std::ranges::find(into.ceilings, backend(c), backend);
    if (known == into.ceilings.end()) {
      into.ceilings.push_back(c);
      continue;
    }
    if (known->device.name != c.device.name)
      throw Failure(2, "results of different machines do not go together: " + known->device.name +
                           " and " + c.device.name);
    known->raise(c);
  }
  if (into.machine.empty()) into.machine = from.machine;
  if (into.version.empty()) into.version = from.version;
  into.about.insert(from.about.begin(), from.about.end());

  // Cases keep their places; new ones follow the others of their lesson, or are at the end.
  std::list<Row> rows(std::make_move_iterator(into.rows.begin()),
                      std::make_move_iterator(into.rows.end()));
  using At = std::list<Row>::iterator;
  std::unordered_map<CaseKey, std::vector<At>, CaseHash> replaced;  // rows of `into`, by case
  std::unordered_map<CaseKey, At, CaseHash> done;                   // the last of `from`, by case
  std::map<std::array<std::string, 3>, At> lasts;  // the last row of a lesson, backend and sweep
  for (At at = rows.begin(); at != rows.end(); ++at) {
    replaced[*at].push_back(at);
    lasts[{at->lesson, at->backend, at->sweep}] = at;
  }
  for (const Row& row : from.rows) {
    At& last = lasts.try_emplace({row.lesson, row.backend, row.sweep}, rows.end()).first->second;
    const auto before = done.find(row);
    const auto old = replaced.find(row);
    const At behind = last == rows.end() ? last : std::next(last);
    const At at = rows.insert(before != done.end()    ? std::next(before->second)
                              : old != replaced.end() ? old->second.front()
                                                      : behind,
                              row);
    if (before != done.end() ? last == before->second : old == replaced.end()) last = at;
    if (before == done.end() && old != replaced.end())
      for (const At gone : old->second) {
        if (last == gone) last = at;
        rows.erase(gone);
      }
    done.insert_or_assign(row, at);
  }
  into.rows.assign(std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
}

std::string benchmark_name(const Row& row) {
  return row.lesson + "/" + row.variant + "/" + row.backend + "/" + text_of(row.axes);
}

void read_benchmark_name(const std::string& name, Row& row) {
  std::string parts[3], rest = name;  // the last three; the lesson is a path
  for (std::string& part : parts) {
    const auto slash = rest.rfind('/');
    if (slash == std::string::npos)
      throw std::runtime_error("name must be LESSON/VARIANT/BACKEND/AXIS=VALUE,...");
    part = rest.substr(slash + 1);
    rest.erase(slash);
  }
  row.lesson = rest;
  row.variant = parts[2];
  row.backend = parts[1];
  for (const std::string& axis : axes_in(parts[0])) row.axes.set(read_axis(axis));
}

About Results::about_lesson(const std::string& lesson) const {
  const auto known = about.find(lesson);
  return known == about.end() ? About{} : known->second;
}

std::string Results::name_of(const CaseKey& key) const {
  return case_name(key.axes, about_lesson(key.lesson).case_names) +
         (key.cache == "hot" ? ", hot cache" : "");
}

namespace {
constexpr const char* kRoles[] = {"baseline", "step",     "optimized", "all_shapes", "library",
                                  "exercise", "solution", "tuned",     "program",    ""};
}

const char* name(VariantRole role) { return kRoles[static_cast<int>(role)]; }

VariantRole role_of(std::string_view variant) {
  int role = 0;
  for (; role < static_cast<int>(VariantRole::other); ++role) {
    const bool several = role == static_cast<int>(VariantRole::step) ||
                         role == static_cast<int>(VariantRole::library);
    if (several ? variant.starts_with(kRoles[role]) : variant == kRoles[role]) break;
  }
  return static_cast<VariantRole>(role);
}

bool lesson_order(const std::string& a, const std::string& b) {
  const auto place = [](const std::string& name) {
    return std::pair(std::min(role_of(name), VariantRole::tuned), name);  // then by name alone
  };
  return place(a) < place(b);
}

}  // namespace wb
