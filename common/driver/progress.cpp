#include "driver/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

fs::path file() { return state_folder() / "progress.json"; }

std::map<std::string, Progress> parsed(const std::string& text) {
  std::map<std::string, Progress> all;
  const nlohmann::json root = parse_json(text);
  for (const auto& [key, entry] : root.at("exercises").items()) {
    Progress& p = all[key];
    p.best = number(entry.at("best"), "best");
    p.met = entry.at("met").get<bool>();
    p.date = wb::text(entry.at("date"), "date");
    p.hints = static_cast<int>(std::min(number(entry.at("hints"), "hints"), 1e6));
    for (const auto& said : entry.at("predictions"))
      p.predictions.push_back(wb::text(said, "predictions"));
  }
  return all;
}

}  // namespace

fs::path free_name(const fs::path& path) {
  fs::path free = path;
  for (int number = 1; fs::exists(free); ++number)
    free = fmt::format("{}.{}", path.string(), number);
  return free;
}

fs::path state_folder() {
  const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
  if (state && *state == '/') return fs::path(state) / "gpu-performance-workbook";
  if (!home || *home != '/') throw Failure(5, "no place for your progress: HOME is not set");
  return fs::path(home) / ".local/state/gpu-performance-workbook";
}

std::map<std::string, Progress> read_progress() {
  if (!fs::exists(file())) return {};
  const std::string text = read_file(file());
  try {
    return parsed(text);
  } catch (const std::exception&) {
    const fs::path aside = free_name(file().string() + ".damaged");
    fs::rename(file(), aside);
    tell("workbook: {} is damaged: it is {} now, and progress begins anew", file().string(),
         aside.filename().string());
    return {};
  }
}

void change_progress(const std::string& key, const std::function<void(Progress&)>& change) {
  std::map<std::string, Progress> all = read_progress();
  change(all[key]);
  nlohmann::json exercises = nlohmann::json::object();
  for (const auto& [name, p] : all)
    exercises[name] = {{"best", p.best},
                       {"met", p.met},
                       {"date", p.date},
                       {"hints", p.hints},
                       {"predictions", p.predictions}};
  std::error_code error;
  fs::create_directories(state_folder(), error);
  if (error)
    throw Failure(5, fmt::format("progress cannot be kept in {}: {}", state_folder().string(),
                                 error.message()));
  write_atomically(file(), dump_json({{"exercises", exercises}}) + "\n");
}

}  // namespace wb
