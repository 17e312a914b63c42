#include "proposer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/failure.h"
#include "strategies/strategies.h"

namespace tune {
namespace {

template <Strategy* strategy> Proposer make(const Setting& setting) {
  return {[=, generation = Generation(setting)](const History& history) mutable {
    generation.begin(history);
    strategy(setting, history, generation);
    return generation.members();
  }};
}

constexpr std::pair<const char*, Proposer (*)(const Setting&)> kStrategies[] = {
    {"exhaustive", make<exhaustive>},
    {"random", make<random>},
    {"hill", make<hill>},
    {"annealing", make<annealing>},
    {"evolutionary", make<evolutionary>},
    {"model", make_model},
    {"llm", make_llm}};

}  // namespace

std::vector<std::string> strategies() {
  std::vector<std::string> all;
  for (const auto& [name, factory] : kStrategies) all.push_back(name);
  return all;
}

Proposer make_proposer(const std::string& strategy, const Setting& setting) {
  for (const auto& [name, factory] : kStrategies)
    if (strategy == name) return factory(setting);
  throw wb::Failure(
      2, fmt::format("no strategy '{}': take {}", strategy, fmt::join(strategies(), ", ")));
}

}  // namespace tune
