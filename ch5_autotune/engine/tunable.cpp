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

std::map<std::string, Tunable>& tunables() {
  static std::map<std::string, Tunable> all;
  return all;
}

const Tunable& tunable(const std::string& backend) {
  if (!tunables().contains(backend))
    throw wb::Failure(3, "this lesson has nothing to tune on " + backend);
  return tunables()[backend];
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

Choice choose(const std::string& backend, const wb::Case& c) {
  const Tunable& t = tunable(backend);
  const Limits limits = limits_of(t.backend);
  const Space space = t.space(c, limits);
  const Configuration configuration = take(t, space, c).first;
  if (!forced().object.empty()) return {space, configuration, forced().object, nullptr};
  // Compiled once in a process, for all cases that take the same values; and no file outlives the
  // choice, for a process that serves is killed at its end.
  static std::map<std::string, std::string> objects;
  const auto folder = std::make_shared<const wb::Scratch>();
  const std::string file = folder->file("object"), values = macros(space, configuration);
  std::string& object = objects[t.backend + values];
  if (object.empty()) {
    compile(t, values, limits, file);
    object = wb::read_file(file);
  } else {
    wb::write_atomically(file, object);
  }
  return {space, configuration, file, folder};
}

std::string chosen(const std::string& backend, const wb::Case& c) {
  const Tunable& t = tunable(backend);
  return take(t, t.space(c, limits_of(t.backend)), c).second;
}

}  // namespace tune
