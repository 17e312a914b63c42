#include "measure/with_profile.h"

#include <vector>

#include "measure/answers.h"
#include "wb/profiles.h"

namespace wb {

WithProfile::WithProfile(const Problem& problem, const Case& c, std::uint64_t seed) : case_(c) {
  if (!c.find("profile")) return;
  std::vector<std::size_t> takes;
  std::size_t index = 0;
  bind(problem, c, [&](const ArraySpec& spec) {
    const bool floating = spec.type == Type::f32 || spec.type == Type::f64 ||
                          spec.type == Type::f16 || spec.type == Type::bf16;
    if (floating && !spec.fill && spec.role != Role::out && spec.count > 0) takes.push_back(index);
    ++index;
    return nullptr;
  });
  if (!takes.empty()) array_ = takes[seed % takes.size()];
}

ArraySpec WithProfile::operator()(ArraySpec spec, std::size_t index) const {
  if (array_ != index) return spec;
  std::vector<i64> rows{16};  // some axis is the length of a row
  for (const Axis& axis : case_)
    if (!axis.word && axis.number > 1 && axis.number <= spec.count) rows.push_back(axis.number);
  const i64 row = rows[(index + static_cast<std::size_t>(spec.count)) % rows.size()];
  spec.fill = profiled(case_.word("profile"), spec.type, {.row = row}, index);
  return spec;
}

}  // namespace wb
