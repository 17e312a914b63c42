#include "proposer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/failure.h"
#include "strategies/strategies.h"

namespace tune {
namespace {

constexpr std::pair<const char*, std::unique_ptr<Proposer> (*)(const Setting&)> kStrategies[] = {
    {"exhaustive", make_exhaustive},
    {"random", make_random},
    {"hill", make_hill},
    {"annealing", make_annealing},
    {"evolutionary", make_evolutionary},
    {"model", make_model},
    {"llm", make_llm}};

}  // namespace

std::vector<std::string> strategies() {
  std::vector<std::string> all;
  for (const auto& [name, make] : kStrategies) all.push_back(name);
  return all;
}

std::unique_ptr<Proposer> make_proposer(const std::string& strategy, const Setting& setting) {
  for (const auto& [name, make] : kStrategies)
    if (strategy == name) return make(setting);
  throw wb::Failure(
      2, fmt::format("no strategy '{}': take {}", strategy, fmt::join(strategies(), ", ")));
}

}  // namespace tune
