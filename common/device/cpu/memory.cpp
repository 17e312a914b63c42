#include "device/cpu/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>

namespace wb {
namespace {

constexpr std::size_t kFence = std::size_t{64} << 20;  // of addresses; they take no memory
constexpr int kInherited = 3;                          // the file of the program that started us

struct Mapping {
  void* begin;
  std::size_t length;
  off_t place = -1;  // in shared_file(), if it lies there
  std::size_t pages = 0;
  std::string name = "an array";
};

std::mutex mutex;
std::map<void*, Mapping>& mappings() {  // of what was returned
  static std::map<void*, Mapping> all;
  return all;
}

std::size_t pages_of(std::size_t bytes) {
  return rounded_up(bytes, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

// `file`: -1 for memory of this program alone.
void* map_fenced(std::size_t bytes, int file, off_t place, bool own) {
  const std::size_t pages = pages_of(bytes), length = pages + 2 * kFence;
  const int reserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* all = ::mmap(nullptr, length, PROT_NONE, reserved, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  char* const end = static_cast<char*>(all) + kFence + pages;
  const int kind = MAP_FIXED | (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE);
  if (::mmap(end - pages, pages, PROT_READ | PROT_WRITE, kind, file, place) == MAP_FAILED) {
    ::munmap(all, length);
    throw std::bad_alloc();
  }
  void* const data = end - rounded_up(bytes, 256);
  const std::lock_guard lock(mutex);
  mappings()[data] = {all, length, own ? place : -1, pages};
  return data;
}

}  // namespace

void* fenced_memory(std::size_t bytes) { return map_fenced(bytes, -1, 0, false); }

int shared_file() {
  static const int file = [] {
    const int made = ::memfd_create("workbook", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made < 0 || ::fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL)) throw std::bad_alloc();
    return made;
  }();
  return file;
}

void* shared_fenced_memory(std::size_t bytes) {
  static off_t size = 0;  // what was released takes no memory, so its place is not used again
  const int file = shared_file();
  const off_t place = size;
  size += static_cast<off_t>(pages_of(bytes));
  if (::ftruncate(file, size)) throw std::bad_alloc();
  return map_fenced(bytes, file, place, true);
}

std::string place_of(void* shared) {
  const std::lock_guard lock(mutex);
  return std::to_string(mappings().at(shared).place);
}

void* attach_fenced_memory(const std::string& place, std::size_t bytes) {
  return map_fenced(bytes, kInherited, std::stoll(place), false);
}

void release_fenced_memory(void* data) noexcept {
  const std::lock_guard lock(mutex);
  const auto found = mappings().find(data);
  if (found == mappings().end()) return;
  const Mapping& m = found->second;
  ::munmap(m.begin, m.length);
  if (m.place >= 0)
    ::fallocate(shared_file(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, m.place,
                static_cast<off_t>(m.pages));
  mappings().erase(found);
}

void name_memory(void* data, const std::string& name) {
  const std::lock_guard lock(mutex);
  if (const auto found = mappings().find(data); found != mappings().end())
    found->second.name = name;
}

namespace {

struct sigaction before_us;

template <class... Args> void say(const char* format, const Args&... args) {
  char text[256];
  const auto line = fmt::format_to_n(text, sizeof text, fmt::runtime(format), args...);
  [[maybe_unused]] const auto written = ::write(2, text, std::min(line.size, sizeof text));
}

constexpr std::ptrdiff_t kFar = 1 << 20;  // bytes: no tile or vector goes so far beyond an end

// The fault is that of a variant, so no lock of this thread is held, and nothing here allocates.
void explain_fault(int, siginfo_t* info, void*) {
  ::sigaction(SIGSEGV, &before_us, nullptr);  // which the same access, tried again, meets
  if (info->si_code <= 0) ::raise(SIGSEGV);   // no access: somebody sent it
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) return;
  const char* const at = static_cast<char*>(info->si_addr);
  for (const auto& [data, mapping] : mappings()) {
    const char* const begin = static_cast<char*>(data);
    const char* const all = static_cast<char*>(mapping.begin);
    const char* const end = all + mapping.length - kFence;
    if (at < all || at >= end + kFence || (at >= begin && at < end)) continue;
    const auto away = at < begin ? begin - at : at - end;
    const bool far = away > kFar;
    say(far ? "a variant touched memory {} bytes {} of {}, or far outside of another array: often "
              "an index that does not fit into an int\n"
            : "a variant touched memory {} bytes {} of {} or its guard band\n",
        away, at < begin ? "before the begin" : "behind the end", mapping.name);
    return;
  }
  if (reinterpret_cast<std::uintptr_t>(at) > kFar)
    say("a variant touched memory far outside of every array: often an index that does not fit "
        "into "
        "an int\n");
}

}  // namespace

void explain_faults() {
  struct sigaction action = {};
  action.sa_sigaction = explain_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, &before_us);
}

namespace {

// The number behind `key` in a file, or the first one. Nothing where there is none ("max").
std::optional<std::uint64_t> number_in(const std::string& file, const std::string& key = "") {
  std::ifstream text(file);
  for (std::string word; !key.empty() && text >> word && word != key;) continue;
  std::uint64_t number = 0;
  return text >> number ? std::optional(number) : std::nullopt;
}

}  // namespace

std::size_t free_memory(const std::string& root) {
  std::uint64_t free = 1024 * number_in(root + "/proc/meminfo", "MemAvailable:").value_or(0);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/a/b", or "0::/a/b"
    const std::size_t kind = line.find(':') + 1, path = line.find(':', kind) + 1;
    const bool one = path == kind + 1;  // hierarchy for all that is limited: cgroup v2
    if (!one && line.substr(kind, path - 1 - kind) != "memory") continue;
    const std::string top = root + "/sys/fs/cgroup" + (one ? "" : "/memory");
    for (std::string group = line.substr(path);; group.erase(group.rfind('/'))) {
      const std::string in = top + group + "/memory.";
      const auto limit = number_in(in + (one ? "max" : "limit_in_bytes"));
      const auto used = number_in(in + (one ? "current" : "usage_in_bytes"));
      // Files that nobody has read of late make room.
      const auto files = number_in(in + "stat", one ? "inactive_file" : "total_inactive_file");
      if (limit && used) {
        const std::uint64_t held = *used - std::min(*used, files.value_or(0));
        free = std::min(free, *limit - std::min(*limit, held));
      }
      if (group.rfind('/') == std::string::npos) break;
    }
  }
  return free;
}

}  // namespace wb
