#include "proposer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/failure.h"
#include "strategies/strategies.h"

namespace tune {
namespace {

constexpr const char* kStatus[] = {"ok",      "incorrect", "compile-failed", "spills",
                                   "refused", "timeout",   "crashed",        "dishonest"};

}  // namespace

const char* name(Status status) { return kStatus[static_cast<int>(status)]; }

Status status_of(const std::string& name) {
  for (int i = 0; i < static_cast<int>(std::size(kStatus)); ++i)
    if (name == kStatus[i]) return static_cast<Status>(i);
  throw std::invalid_argument("no status is called " + name);
}

const Record* best(const History& history) {
  const Record* found = nullptr;
  for (const Record& r : history)
    if (r.status == Status::ok && (!found || r.seconds < found->seconds)) found = &r;
  return found;
}

const std::vector<std::string>& strategies() {
  static const std::vector<std::string> names = {"exhaustive", "random", "evolutionary"};
  return names;
}

std::unique_ptr<Proposer> make_proposer(const std::string& strategy, const Setting& setting) {
  if (strategy == "exhaustive") return make_exhaustive(setting);
  if (strategy == "random" || strategy == "evolutionary") return make_random(setting);
  throw wb::Failure(
      2, fmt::format("no strategy '{}': take {}", strategy, fmt::join(strategies(), ", ")));
}

}  // namespace tune
