#include "driver/progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"

namespace wb::driver {

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
    p.solved = number(entry.value("solved", nlohmann::json(0)), "solved");  // younger than the rest
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
  if (!home || *home != '/') throw Failure(5, "HOME is not set");
  return fs::path(home) / ".local/state/gpu-performance-workbook";
}

namespace {

std::map<std::string, Progress> kept_progress() {
  if (!fs::exists(file())) return {};
  try {
    if (!fs::is_regular_file(file())) throw std::runtime_error("a pipe never ends");
    return parsed(read_file(file()));
  } catch (const std::exception&) {
    const fs::path aside = free_name(file().string() + ".damaged");
    fs::rename(file(), aside);
    tell("workbook: {} is damaged: it was renamed to {}, and progress starts again",
         file().string(), aside.filename().string());
    return {};
  }
}

// Until it ends, others wait here.
class Lock {
 public:
  Lock() {
    fs::create_directories(state_folder());
    file_ = ::open((state_folder() / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    ::flock(file_, LOCK_EX);  // without it, as on some network disks, it goes on
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

void not_kept(const std::exception& why) {
  tell("workbook: progress is not kept: {}", one_line(why));
}

}  // namespace

std::map<std::string, Progress> read_progress() try {
  return kept_progress();
} catch (const std::exception& e) {
  not_kept(e);
  return {};
}

std::string where_progress_is() try {
  return "kept in " + file().string();
} catch (const Failure&) {
  return "not kept";
}

bool change_progress(const std::string& key, const std::function<void(Progress&)>& change) try {
  const Lock lock;
  std::map<std::string, Progress> all = kept_progress();
  change(all[key]);
  nlohmann::json exercises = nlohmann::json::object();
  for (const auto& [name, p] : all)
    exercises[name] = {{"best", p.best}, {"met", p.met},     {"solved", p.solved},
                       {"date", p.date}, {"hints", p.hints}, {"predictions", p.predictions}};
  write_atomically(file(), dump_json({{"exercises", exercises}}) + "\n");
  return true;
} catch (const std::exception& e) {
  not_kept(e);
  return false;
}

}  // namespace wb::driver
