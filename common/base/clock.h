// What time it is.
#pragma once

#include <chrono>
#include <ctime>
#include <string>

namespace wb {

// Of a clock that only goes forward; differences are seconds.
inline double seconds() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_start).count();
}

// For which the processor has worked: CLOCK_THREAD_CPUTIME_ID for this thread,
// CLOCK_PROCESS_CPUTIME_ID for this process.
inline double worked_seconds(clockid_t clock) {
  timespec worked = {};
  ::clock_gettime(clock, &worked);
  return static_cast<double>(worked.tv_sec) + 1e-9 * static_cast<double>(worked.tv_nsec);
}

inline std::string today() {  // UTC, 2026-11-20
  char text[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace wb
