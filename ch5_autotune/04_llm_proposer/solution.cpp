// The exercise, solved: half of the slots are evolution's. Each takes the one of eight children for
// which the mean of all trials promises the least time; each place apart makes one count a quarter.
#include "../03_strategies/evolution.h"
#include "conversation.h"

namespace {

double expected(const tune::History& history, const Configuration& c) {
  double sum = 0, weight = 0;
  for (const tune::Record& r : history) {
    int apart = 0;
    for (std::size_t i = 0; i < c.size(); ++i) apart += std::abs(c[i] - r.configuration[i]);
    const double alike = std::ldexp(1, -2 * apart);
    sum += alike * r.seconds, weight += alike;
  }
  return sum / weight;
}

// Of eight children the most promising one; before the first trial, any configuration.
Configuration best_child(const Population& population, const tune::History& history,
                         const Trials& trials, std::mt19937_64& random) {
  Configuration best = any(trials, random);
  double least = std::numeric_limits<double>::infinity();
  for (int brood = 0; brood < 8 && !history.empty(); ++brood) {
    Configuration child = population.child(trials, random);
    if (const double seconds = expected(history, child); seconds < least)
      least = seconds, best = std::move(child);
  }
  return best;
}

void search(Trials& trials, std::mt19937_64& random) {
  Conversation model(12);
  Population population;
  std::size_t known = 0;  // of the history, to the population
  while (!trials.over()) {
    std::vector<Configuration> slots = model.ask(model.history(), random);
    slots.resize(std::min(slots.size(), kSlots / 2));
    for (int tries = 0; tries < 64 && slots.size() < kSlots; ++tries)
      if (Configuration c = best_child(population, model.history(), trials, random);
          std::find(slots.begin(), slots.end(), c) == slots.end())
        slots.push_back(std::move(c));
    model.attempt(slots, kSlots, trials);
    for (; known < model.history().size(); ++known)
      population.add(model.history()[known].seconds, model.history()[known].configuration);
  }
}

}  // namespace

WB_CPU(Proposers, solution, searches<search>);
