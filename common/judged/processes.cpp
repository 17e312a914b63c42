#include "judged/processes.h"

#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "base/failure.h"
#include "judged/strays.h"

namespace wb::judged {

Processes::Processes(std::optional<Remote> own, Remote exercise)
    : own(std::move(own)), exercise(std::move(exercise)) {
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (this->own) wake_promptly();  // an answer's time ends when this thread has it
}

void add_exercise(Registry& registry, Remote& exercise, const std::string& backend) {
  if (registry.empty()) throw Failure(2, "--exercise stands beside a lesson's variants");
  Variant added{.problem = nullptr,
                .name = name(VariantRole::exercise),
                .backend = backend,
                .make = {},
                .judged = true};
  try {
    std::vector<Remote::Served> all = exercise.variants();
    std::erase_if(all, [&](const Remote::Served& s) { return s.name != added.name; });
    const auto own = std::ranges::find(all, backend, &Remote::Served::backend);
    if (const auto served = own != all.end() ? own : all.begin(); served != all.end()) {
      added.backend = served->backend;
      added.note = served->note;
    }
  } catch (const std::exception&) {  // when it is to be set up, its row says so
  }
  exercise.pause();
  // Each backend has a baseline and a problem of its own.
  const auto first = std::ranges::find(registry, added.backend, &Variant::backend);
  added.problem = (first != registry.end() ? *first : registry.front()).problem;
  for (const Variant& v : registry)
    if (v.exercise && v.backend == added.backend) added.problem = v.exercise;
  registry.push_back(added);
}

std::unique_ptr<Processes> start(Registry& registry, const std::string& exercise,
                                 const std::string& backend, const std::string& own) {
  const auto serving = [&](const std::string& program) {
    return Remote({program, "--serve", "--backend=" + backend});
  };
  auto processes = std::make_unique<Processes>(
      own.empty() ? std::nullopt : std::optional(serving(own)), serving(exercise));
  add_exercise(registry, processes->exercise, backend);
  return processes;
}

}  // namespace wb::judged
