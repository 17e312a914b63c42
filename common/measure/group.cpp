#include "measure/group.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/failure.h"
#include "device/backends.h"

namespace wb {
namespace {

// Those for this backend that --variant names; without names all but the solution, which gives the
// exercise away.
std::vector<const Variant*> chosen_variants(const Registry& registry, const Options& options,
                                            const std::string& backend) {
  std::set<std::string> wanted;
  std::stringstream names(options.variant);
  for (std::string name; std::getline(names, name, ',');) wanted.insert(name);
  std::set<std::string> missing = wanted;
  std::vector<const Variant*> chosen;
  for (const Variant& v : registry) {
    missing.erase(v.name);
    if (v.backend == backend &&
        (wanted.empty() ? role_of(v.name) != VariantRole::solution : wanted.contains(v.name)))
      chosen.push_back(&v);
  }
  if (!missing.empty())
    throw Failure(2,
                  "no variant " + *missing.begin() +
                      " in this program (--variant); a solution is in the program solution_NAME");
  std::ranges::stable_sort(chosen, lesson_order, &Variant::name);
  return chosen;
}

Row empty_row(const Variant& v, const Case& c, const Sweep* sweep, const Options& options,
              const Traits& traits) {
  Row row;
  row.lesson = v.problem->lesson;
  row.variant = v.name;
  row.backend = v.backend;
  row.axes = c;
  row.clock = v.problem->clock == Clock::wall ? "wall" : "device";
  row.cache = options.cache;
  row.note = v.note;
  row.timer = traits.accelerator && v.problem->clock == Clock::device ? "events" : "host";
  if (sweep) row.sweep = sweep->axis, row.show = sweep->show;
  return row;
}

}  // namespace

void check_names(const Registry& registry) {
  std::set<std::pair<std::string, std::string>> names;
  for (const Variant& v : registry)
    if (!names.emplace(v.name, v.backend).second)
      throw Failure(2, "two variants " + v.name + " for " + v.backend + " in this program");
}

std::vector<Group> make_groups(const Registry& registry, const Options& options,
                               const Backend& backend, Peer* peer) {
  const Traits& traits = traits_of(backend);
  check_names(registry);
  std::vector<Group> groups;
  if (const auto chosen = chosen_variants(registry, options, backend.name()); !chosen.empty()) {
    const Problem& problem = *chosen.front()->problem;
    const Sweep* sweep = chosen_sweep(problem, traits, options);
    for (const Case& c : chosen_cases(problem, traits, options)) {
      Group group{.axes = c, .entries = {}};
      for (const Variant* v : chosen) {
        Entry e{.variant = v, .row = empty_row(*v, c, sweep, options, traits)};
        if (passes(options, benchmark_name(e.row))) group.entries.push_back(std::move(e));
      }
      if (group.entries.empty()) continue;
      if (peer && problem.clock == Clock::device)
        for (const Row& row : peer->beside(group.entries.front().row))
          group.entries.push_back(
              {.variant = group.entries.front().variant, .row = row, .peer = peer});
      groups.push_back(std::move(group));
    }
  }
  if (groups.empty())
    throw Failure(options.filter.empty() ? 3 : 2,
                  "nothing to run: no variant matches this backend and filter");
  return groups;
}

}  // namespace wb
