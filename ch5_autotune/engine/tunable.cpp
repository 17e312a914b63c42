#include "tunable.h"

#include <fmt/format.h>

#include <fstream>
#include <map>

#include "base/failure.h"
#include "base/files.h"
#include "build.h"
#include "device/backends.h"

namespace tune {
namespace {

std::vector<Tunable>& tunables() {
  static std::vector<Tunable> all;
  return all;
}

// Asked once: a backend is not opened for nothing.
const wb::DeviceId& device_of(const std::string& backend) {
  static std::map<std::string, wb::DeviceId> known;
  if (!known.contains(backend)) known[backend] = wb::open_backend(backend)->device();
  return known[backend];
}

// And in words which it is.
std::pair<Configuration, std::string> take(const Tunable& t, const Space& space,
                                           const wb::Case& c) {
  if (const std::string& words = forced().configuration; !words.empty())
    return {space.parse(words), words};
  if (const auto winner = find_winner(subject_of(t, c, space, device_of(t.backend)))) try {
      const Configuration found = space.parse(winner->configuration);
      if (space.legal(found))
        return {found, fmt::format("{} (tuned {}, {} trials)", winner->configuration, winner->date,
                                   winner->trials)};
    } catch (const std::invalid_argument&) {  // somebody changed the file
    }
  return {space.fallback(), fmt::format("{} (the default: not tuned here for this case)",
                                        space.words(space.fallback()))};
}

}  // namespace

bool add_tunable(Tunable tunable) {
  tunables().push_back(std::move(tunable));
  return true;
}

const Tunable& tunable(std::string_view backend) {
  for (const Tunable& t : tunables())
    if (t.backend == backend) return t;
  throw wb::Failure(3, fmt::format("this lesson has nothing to tune on {}", backend));
}

Subject subject_of(const Tunable& t, const wb::Case& c, const Space& space,
                   const wb::DeviceId& device) {
  return {t.lesson, t.backend, device.name, device.id, device.driver, label(c), space.identity()};
}

Forced& forced() {
  static Forced choice;
  return choice;
}

void tell_threads(int threads) {
  if (!forced().object.empty()) std::ofstream(forced().object + ".threads") << threads;
}

Choice choose(std::string_view backend, const wb::Case& c) {
  const Tunable& t = tunable(backend);
  const Limits limits = limits_of(t.backend);
  const Space space = t.space(c, limits);
  const Configuration configuration = take(t, space, c).first;
  if (!forced().object.empty()) return {space, configuration, forced().object};
  // Compiled once in a process, for all cases that take the same values.
  static const wb::Scratch scratch;
  static std::map<std::string, std::string> objects;
  const std::string values = macros(space, configuration), key = t.backend + values;
  if (!objects.contains(key)) {
    const std::string file = scratch.file(std::to_string(objects.size()));
    compile(t, values, limits, file);
    objects[key] = file;
  }
  return {space, configuration, objects[key]};
}

std::string chosen(std::string_view backend, const wb::Case& c) {
  const Tunable& t = tunable(backend);
  return take(t, t.space(c, limits_of(t.backend)), c).second;
}

}  // namespace tune
