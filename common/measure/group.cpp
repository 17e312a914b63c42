#include "measure/group.h"

#include <algorithm>
#include <sstream>

#include "base/failure.h"
#include "device/backends.h"

namespace wb {
namespace {

// Those for this backend that --variant names.
std::vector<const Variant*> chosen_variants(const Options& options, BackendKind kind) {
  std::vector<std::string> wanted;
  std::stringstream names(options.variant);
  for (std::string name; std::getline(names, name, ',');) wanted.push_back(name);
  std::vector<const Variant*> named, chosen;
  for (const Variant& v : variants())
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), v.name) != wanted.end())
      named.push_back(&v);
  for (const std::string& name : wanted)
    if (std::none_of(named.begin(), named.end(), [&](auto* v) { return v->name == name; }))
      throw Failure(2, "no variant " + name + " in this program (--variant)");
  std::copy_if(named.begin(), named.end(), std::back_inserter(chosen),
               [&](auto* v) { return v->backend == kind; });
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](auto* a, auto* b) { return lesson_order(a->name, b->name); });
  return chosen;
}

Row empty_row(const Variant& v, const Shape& shape, const Sweep* sweep, const Options& options) {
  Row row;
  row.lesson = v.problem->lesson;
  row.variant = v.name;
  row.backend = name(v.backend);
  row.label = label(shape);
  row.clock = v.problem->clock == Clock::wall ? "wall" : "device";
  row.cache = options.cache;
  row.note = v.note;
  row.timer = v.backend == BackendKind::cpu || v.problem->clock == Clock::wall ? "host" : "events";
  if (sweep) {
    const char* shows[] = {"time", "bandwidth", "flops", "item"};
    row.sweep = sweep->name;
    row.at = static_cast<double>(shape.*sweep->extent);
    row.show = shows[static_cast<int>(sweep->show)];
  }
  return row;
}

}  // namespace

std::string benchmark_name(const Entry& e) {
  return e.row.lesson + "/" + e.row.variant + "/" + e.row.backend + "/" + e.row.label;
}

bool runs(const Entry& e) { return e.row.error.empty() && e.row.skipped.empty(); }

std::unique_ptr<Backend> open_backend(const std::string& wanted) {
  if (wanted != "cpu" && (wanted == "cuda" || built_with_cuda())) {
    try {
      return make_cuda_backend();
    } catch (const std::exception& e) {
      if (wanted == "cuda") throw Failure(3, e.what());
    }
  }
  return make_cpu_backend();
}

std::vector<Group> make_groups(const Options& options, const Backend& backend, Peer* peer) {
  const BackendKind kind = backend.kind();
  std::vector<Group> groups;
  if (const auto chosen = chosen_variants(options, kind); !chosen.empty()) {
    const Problem& problem = *chosen.front()->problem;
    const Sweep* sweep = chosen_sweep(problem, kind, options);
    for (const Shape& shape : chosen_shapes(problem, kind, options)) {
      Group group{.shape = shape, .entries = {}};
      for (const Variant* v : chosen) {
        Entry e{.variant = v, .row = empty_row(*v, shape, sweep, options)};
        if (passes(options, benchmark_name(e))) group.entries.push_back(std::move(e));
      }
      if (group.entries.empty()) continue;
      if (peer && problem.clock == Clock::device && peer->knows(problem.lesson, shape.op)) {
        Row row = group.entries.front().row;
        row.variant = options.peer;
        row.note = peer->version();
        group.entries.push_back(
            {.variant = group.entries.front().variant, .row = row, .peer = peer});
      }
      groups.push_back(std::move(group));
    }
  }
  if (groups.empty())
    throw Failure(options.filter.empty() ? 3 : 2,
                  "nothing to run: no variant matches this backend and filter");
  return groups;
}

}  // namespace wb
