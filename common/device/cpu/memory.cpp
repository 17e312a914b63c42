#include "device/cpu/memory.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace wb {
namespace {

constexpr std::size_t kFence = std::size_t{64} << 20;  // of addresses; they take no memory

std::mutex mutex;
auto& mappings() {  // of what fenced_memory() returned: begin and length
  static std::map<void*, std::pair<void*, std::size_t>> all;
  return all;
}

}  // namespace

void* fenced_memory(std::size_t bytes) {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t used = (bytes + 255) / 256 * 256, pages = (used + page - 1) / page * page;
  const std::size_t length = pages + 2 * kFence;
  void* all =
      ::mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  char* const end = static_cast<char*>(all) + kFence + pages;
  if (::mprotect(end - pages, pages, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(all, length);
    throw std::bad_alloc();
  }
  const std::lock_guard lock(mutex);
  mappings()[end - used] = {all, length};
  return end - used;
}

void release_fenced_memory(void* data) noexcept {
  const std::lock_guard lock(mutex);
  const auto found = mappings().find(data);
  if (found == mappings().end()) return;
  ::munmap(found->second.first, found->second.second);
  mappings().erase(found);
}

namespace {

struct sigaction before_us;

// The fault is that of a variant, so no lock of this thread is held, and nothing here allocates.
void explain_fault(int, siginfo_t* info, void*) {
  ::sigaction(SIGSEGV, &before_us, nullptr);  // which the same access, tried again, meets
  if (info->si_code <= 0) ::raise(SIGSEGV);   // no access: somebody sent it
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) return;
  const char* const at = static_cast<char*>(info->si_addr);
  for (const auto& [data, mapping] : mappings()) {
    const char* const begin = static_cast<char*>(data);
    const char* const all = static_cast<char*>(mapping.first);
    const char* const end = all + mapping.second - kFence;
    if (at < all || at >= end + kFence || (at >= begin && at < end)) continue;
    char text[128];
    const auto line = fmt::format_to_n(
        text, sizeof text, "a variant touched memory {} bytes {} of an array or its guard band\n",
        at < begin ? begin - at : at - end, at < begin ? "before the begin" : "behind the end");
    [[maybe_unused]] const auto written = ::write(2, text, line.size);
  }
}

}  // namespace

void explain_faults() {
  struct sigaction action = {};
  action.sa_sigaction = explain_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, &before_us);
}

void read_without_faults(std::span<const Place> places, std::byte* to, std::size_t stride) {
  std::vector<iovec> here, there;
  std::size_t all = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    here.push_back({to + i * stride, places[i].bytes});
    there.push_back({const_cast<void*>(places[i].data), places[i].bytes});
    all += places[i].bytes;
  }
  const ssize_t got =
      ::process_vm_readv(::getpid(), here.data(), here.size(), there.data(), there.size(), 0);
  if (got == static_cast<ssize_t>(all)) return;
  if (got >= 0 || errno == EFAULT)
    throw std::runtime_error("an output can't be read after the launch: its pages are closed");
  for (std::size_t i = 0; i < places.size(); ++i)  // a container that does not let us
    std::memcpy(to + i * stride, places[i].data, places[i].bytes);
}

int other_running_threads() {
  int running = 0;
  const std::string own = std::to_string(::gettid());
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    if (task.path().filename() == own) continue;
    std::ifstream file(task.path() / "stat");  // "17 (name) S ..."
    std::string line;
    std::getline(file, line);
    const auto name = line.rfind(')');
    running += name != std::string::npos && line.size() > name + 2 && line[name + 2] == 'R';
  }
  return running;
}

}  // namespace wb
