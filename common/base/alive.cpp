#include "base/alive.h"

#include <fmt/format.h>

#include <chrono>

#include "base/clock.h"
#include "base/output.h"

namespace wb {

Alive::Alive(std::string what)
    : terminal_(has_cursor(2)),
      what_(std::move(what)),
      since_(seconds()),
      thread_([this] { tick(); }) {}

Alive::~Alive() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    clear();
  }
  over_.notify_one();
  thread_.join();
}

void Alive::now(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (what_ != what) what_ = what, since_ = seconds();
}

void Alive::aside(const std::function<void()>& print) {
  const std::lock_guard lock(mutex_);
  clear();
  print();
}

void Alive::clear() const {
  if (terminal_) put_error("\r\033[K");
}

void Alive::tick() {
  std::unique_lock lock(mutex_);
  const auto pause = terminal_ ? std::chrono::seconds(1) : std::chrono::seconds(60);
  while (!over_.wait_for(lock, pause, [this] { return ended_; })) {
    const std::string line = fmt::format("{}, {:.0f} s", what_.substr(0, 65), seconds() - since_);
    if (terminal_)
      put_error("\r\033[K" + line);
    else
      tell("{}", line);
  }
}

}  // namespace wb
