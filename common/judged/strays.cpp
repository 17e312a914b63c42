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

// What runs: its parent and its group.
std::map<pid_t, std::pair<pid_t, pid_t>> all_processes() {
  std::map<pid_t, std::pair<pid_t, pid_t>> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream file(entry.path() / "stat");
    std::string text, state;
    if (!std::getline(file, text)) continue;
    std::istringstream rest(text.substr(text.rfind(')') + 1));  // a name may hold anything
    pid_t parent = 0, group = 0;
    if (rest >> state >> parent >> group && state != "Z")
      all[std::atoi(text.c_str())] = {parent, group};
  }
  return all;
}

}  // namespace

int end_strays(pid_t from) {
  std::set<pid_t> ended;
  bool more = true;
  for (int attempt = 0; more && attempt < 1000; ++attempt) {
    if (attempt > 0) ::usleep(1000);
    const auto all = all_processes();
    more = false;
    for (const auto& [id, known] : all) {
      auto top = all.find(id);  // the one that is a child of this program, if any
      while (top != all.end() && top->second.first != ::getpid()) top = all.find(top->second.first);
      if (top == all.end()) continue;
      const bool started = is_started(top->first);
      if (started && (top->first != from || known.second == from)) continue;
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

std::vector<pid_t> members_of(pid_t group) {
  std::vector<pid_t> found;
  for (const auto& [id, parent_and_group] : all_processes())
    if (parent_and_group.second == group) found.push_back(id);
  return found;
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
