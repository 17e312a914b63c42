#include "tunable.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>

#include "base/failure.h"
#include "base/files.h"
#include "build.h"
#include "device/backends.h"

namespace tune {
namespace {

// The configuration for a case, and the reason for it.
std::pair<std::string, std::string> take(const Tunable& t, const wb::Case& c) {
  if (const std::string& words = forced().configuration; !words.empty()) return {words, words};
  const Space space = t.space(c, limits_of(t.backend));
  if (const auto winner = find_winner(subject_of(t, c, space))) try {
      const std::string& words = winner->configuration;
      if (space.legal(space.parse(words)))
        return {words,
                fmt::format("{} (tuned {}, {} trials)", words, winner->date, winner->trials)};
    } catch (const std::invalid_argument&) {  // the file was changed by hand
    }
  const std::string words = space.words(space.fallback());
  return {words, words + " (the default: not tuned here for this case)"};
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

std::string expected(const Tunable& t, const wb::Case& c, const Limits& limits) {
  const Space space = t.space(c, limits);
  Configuration best = space.fallback();
  double least = HUGE_VAL;
  for (const Configuration& next : space.all())
    if (const double seconds = t.predict({space, next}, c, limits); seconds <= least)
      best = next, least = seconds;
  return space.words(best);
}
std::string expected(const std::string& backend, const wb::Case& c) {
  return expected(tunable(backend), c, limits_of(backend));
}

Subject subject_of(const Tunable& t, const wb::Case& c, const Space& space) {
  static std::map<std::string, wb::DeviceId> devices;  // no backend is opened for nothing
  if (!devices.contains(t.backend)) devices[t.backend] = wb::open_backend(t.backend)->device();
  const wb::DeviceId& device = devices[t.backend];
  return {t.lesson, t.backend, device.name, device.id, device.driver, label(c), space.identity()};
}

Forced& forced() {
  static Forced choice;
  return choice;
}

void tell(const Seen& seen) {
  if (!forced().object.empty())
    std::ofstream(forced().object + ".seen")
        << seen.threads << ' ' << seen.registers << ' ' << seen.spilled;
}

int Choice::operator[](std::string_view name) const {
  const std::string all = " " + words, key = fmt::format(" {}=", name);
  const std::size_t at = all.find(key);
  if (at == all.npos) throw std::out_of_range(fmt::format("no parameter {}", name));
  return std::stoi(all.substr(at + key.size()));
}

Choice compiled(const std::string& backend, const std::string& source, const std::string& words) {
  // No file outlives the choice, because a process that serves is killed at its end.
  static std::map<std::string, std::string> objects;
  const auto folder = std::make_shared<const wb::Scratch>();
  const std::string file = folder->file("object");
  std::string& object = objects[source + " " + words];
  if (object.empty()) {
    compile(source, words, limits_of(backend), file);
    object = wb::read_file(file);
  } else {
    wb::write_atomically(file, object);
  }
  return {words, file, folder};
}

Choice choose(const std::string& backend, const wb::Case& c) {
  const Tunable& t = tunable(backend);
  const std::string words = take(t, c).first;
  if (!forced().object.empty()) return {words, forced().object, nullptr};
  return compiled(backend, t.lesson + "/" + t.source, words);
}

std::string chosen(const std::string& backend, const wb::Case& c) {
  return take(tunable(backend), c).second;
}

}  // namespace tune
