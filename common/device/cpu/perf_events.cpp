#include "device/cpu/perf_events.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <set>
#include <vector>

namespace wb {

namespace {

constexpr std::pair<Hardware, std::uint64_t> kCounted[] = {
    {Hardware::cycles, PERF_COUNT_HW_CPU_CYCLES},
    {Hardware::instructions, PERF_COUNT_HW_INSTRUCTIONS},
    {Hardware::cache_misses, PERF_COUNT_HW_CACHE_MISSES}};

// One event of one thread and of those that it starts, until it is closed.
struct OpenCounter {
  Hardware event;
  int file;
  OpenCounter(Hardware counted, int opened) : event(counted), file(opened) {}
  OpenCounter(const OpenCounter&) = delete;
  ~OpenCounter() { close(file); }
};

int open_counter(std::uint64_t event, pid_t thread) {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event;
  attributes.disabled = attributes.inherit = 1;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, thread, /*cpu=*/-1,
                                  /*group=*/-1, PERF_FLAG_FD_CLOEXEC));
}

std::vector<pid_t> threads() {
  std::vector<pid_t> all;
  std::error_code gone;  // a thread may end meanwhile
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", gone))
    all.push_back(std::stoi(entry.path().filename()));
  return all;
}

}  // namespace

std::string perf_refusal(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "the kernel lets only administrators count: have one set "
             "kernel.perf_event_paranoid to 2 or less (sysctl), and in a container allow "
             "perf_event_open";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "this machine shows no counters of its CPU, as most virtual machines: run it on the "
             "host";
    default: return std::string("perf_event_open: ") + std::strerror(error);
  }
}

HardwareCounts count_on_cpu(const std::function<void()>& before,
                            const std::function<void()>& launch) {
  before();
  std::deque<OpenCounter> counters;
  std::set<Hardware> lacking;
  int refused = 0;
  for (const pid_t thread : threads())
    for (const auto& [event, config] : kCounted) {
      const int file = open_counter(config, thread);
      if (file >= 0)
        counters.emplace_back(event, file);
      else if (errno != ESRCH)  // a thread that has ended
        refused = errno, lacking.insert(event);
    }
  for (const OpenCounter& counter : counters) ioctl(counter.file, PERF_EVENT_IOC_ENABLE, 0);
  launch();
  for (const OpenCounter& counter : counters) ioctl(counter.file, PERF_EVENT_IOC_DISABLE, 0);
  HardwareCounts counts;
  for (const OpenCounter& counter : counters) {
    std::uint64_t value[3] = {};  // the count; how long it was enabled, and how long it counted
    const bool whole = read(counter.file, value, sizeof value) == sizeof value;
    // Others had the counter for a while: what they missed nobody knows.
    if (!whole || value[2] < value[1]) lacking.insert(counter.event);
    counts.events[counter.event] += static_cast<double>(value[0]);
  }
  for (const Hardware event : lacking) counts.events.erase(event);
  if (!counts.any())
    counts.missing = refused ? perf_refusal(refused) : "other programs use this CPU's counters";
  return counts;
}

}  // namespace wb
