#include "judged/strays.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/clock.h"
#include "base/process.h"

namespace wb::judged {

namespace {

struct Known {
  pid_t parent = 0, group = 0;
  bool exits = false;  // it runs no more, and is still there
};

// What runs, by its number.
std::map<pid_t, Known> all_processes() {
  constexpr unsigned kExits = 4;  // the kernel's PF_EXITING
  std::map<pid_t, Known> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream file(entry.path() / "stat");
    std::string text, state, other;
    if (!std::getline(file, text)) continue;
    std::istringstream rest(text.substr(text.rfind(')') + 1));  // a name may hold anything
    Known known;
    unsigned flags = 0;
    rest >> state >> known.parent >> known.group >> other >> other >> other >> flags;
    known.exits = flags & kExits;
    if (rest && state != "Z") all[std::atoi(text.c_str())] = known;
  }
  return all;
}

}  // namespace

int end_strays(pid_t from, const std::set<pid_t>& groups) {
  std::set<pid_t> ended;
  bool more = true;
  for (int attempt = 0; more && attempt < 1000; ++attempt) {
    if (attempt > 0) ::usleep(1000);
    const auto all = all_processes();
    more = false;
    for (const auto& [id, known] : all) {
      auto top = all.find(id);  // the one that is a child of this program, if any
      while (top != all.end() && top->second.parent != ::getpid())
        top = all.find(top->second.parent);
      if (top == all.end() || known.exits) continue;
      const bool started = is_started(top->first);
      if (started && (top->first != from || groups.contains(known.group))) continue;
      ended.insert(id);
      more = true;
      ::kill(id, SIGKILL);
      if (!started) ::waitpid(id, nullptr, WNOHANG);
    }
  }
  return static_cast<int>(ended.size());
}

std::map<pid_t, std::string> thread_settings(pid_t id) {
  std::map<pid_t, std::string> all;
  std::error_code ignored;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(id) + "/task", ignored)) {
    const pid_t thread = std::atoi(task.path().filename().c_str());
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (::sched_getaffinity(thread, sizeof cores, &cores)) continue;  // it has ended
    all[thread] = std::string(reinterpret_cast<const char*>(&cores), sizeof cores) +
                  std::to_string(::sched_getscheduler(thread)) + " " +
                  std::to_string(::getpriority(PRIO_PROCESS, static_cast<id_t>(thread)));
  }
  return all;
}

std::map<pid_t, pid_t> family_of(pid_t ancestor) {
  const auto all = all_processes();
  std::map<pid_t, pid_t> family;
  for (const auto& [id, known] : all) {
    auto above = all.find(id);
    while (above != all.end() && above->first != ancestor) above = all.find(above->second.parent);
    if (above != all.end()) family[id] = known.group;
  }
  return family;
}

bool leads_sandbox(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("NSpid:")) return line.ends_with("\t1") && line != "NSpid:\t1";
  return false;
}

std::map<pid_t, double> thread_seconds(const std::vector<pid_t>& processes) {
  std::map<pid_t, double> all;
  std::error_code ignored;
  for (const pid_t id : processes) {
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(id) + "/task", ignored)) {
      double worked = 0;  // nanoseconds
      if (std::ifstream(task.path() / "schedstat") >> worked)
        all[std::atoi(task.path().filename().c_str())] = 1e-9 * worked;
    }
    if (clockid_t clock = 0; ::clock_getcpuclockid(id, &clock) == 0)
      all[0] += worked_seconds(clock);  // 0 where it has ended meanwhile
  }
  return all;
}

void wake_promptly() {
  struct {  // the kernel's sched_attr, whose header does not go with the C library's
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } settings = {};
  if (::syscall(SYS_sched_getattr, 0, &settings, sizeof settings, 0)) return;
  settings.flags |= 1;         // SCHED_FLAG_RESET_ON_FORK
  settings.runtime = 100'000;  // nanoseconds, the least
  ::syscall(SYS_sched_setattr, 0, &settings, 0);
}

}  // namespace wb::judged
