#include "tunable.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "build.h"
#include "device/backends.h"
#include "winners.h"

namespace tune {
namespace {

std::optional<Forced>& forced() {
  static std::optional<Forced> choice;
  return choice;
}

// Asked once: a backend is not opened for nothing.
const wb::DeviceId& device_of(const std::string& backend) {
  static std::map<std::string, wb::DeviceId> known;
  auto found = known.find(backend);
  if (found == known.end())
    found = known.emplace(backend, wb::open_backend(backend)->device()).first;
  return found->second;
}

// The winner, if it is one of this space.
std::optional<Winner> winner_of(const Tunable& t, const wb::Case& c, const Space& space) {
  const wb::DeviceId& device = device_of(t.backend);
  auto winner = find_winner({.lesson = t.lesson,
                             .backend = t.backend,
                             .device = device.id,
                             .driver = device.driver,
                             .axes = label(c)});
  try {
    if (winner && space.legal(space.parse(winner->configuration))) return winner;
  } catch (const std::invalid_argument&) {  // of an older version of the lesson
  }
  return std::nullopt;
}

}  // namespace

std::vector<Tunable>& tunables() {
  static std::vector<Tunable> all;
  return all;
}

bool add_tunable(Tunable tunable) {
  tunables().push_back(std::move(tunable));
  return true;
}

const Tunable& tunable(std::string_view lesson, std::string_view backend) {
  for (const Tunable& t : tunables())
    if (t.lesson == lesson && t.backend == backend) return t;
  throw std::invalid_argument(fmt::format("{} has nothing to tune on {}", lesson, backend));
}

void force(const Forced& choice) { forced() = choice; }

void tell_threads(int threads) {
  if (forced()) std::ofstream(forced()->object + ".threads") << threads;
}

Choice choose(std::string_view lesson, std::string_view backend, const wb::Case& c) {
  const Tunable& t = tunable(lesson, backend);
  const Limits limits = limits_of(t.backend);
  Space space = t.space(c, limits);
  if (forced()) {
    const Configuration configuration = space.parse(forced()->configuration);
    return {std::move(space), configuration, forced()->object};
  }
  const auto winner = winner_of(t, c, space);
  const Configuration configuration =
      winner ? space.parse(winner->configuration) : space.fallback();
  const std::string object =
      cache_folder() + "/" + object_key(t, space, configuration, limits) + ".object";
  if (!std::filesystem::exists(object)) compile(t, space, configuration, limits, object);
  return {std::move(space), configuration, object};
}

std::string chosen(std::string_view lesson, std::string_view backend, const wb::Case& c) {
  const Tunable& t = tunable(lesson, backend);
  const Space space = t.space(c, limits_of(t.backend));
  if (forced()) return forced()->configuration;
  if (const auto winner = winner_of(t, c, space))
    return fmt::format("{} (tuned {}, {} trials)", winner->configuration, winner->date,
                       winner->trials);
  return fmt::format("{} (the default: not tuned here for this case)",
                     space.words(space.fallback()));
}

}  // namespace tune
