// A fiber and its stack, on which a thread of a block runs, and after its end another one.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace simt {

constexpr std::size_t kStack = 256 << 10;

class Fiber {
 public:
  // One that is free, or a new one. It calls `thread` each time that it is resumed after its end.
  static Fiber& take(void (*thread)());
  static void give_back(Fiber&);  // its thread has ended
  // After a fault: threads that have not ended are forgotten, which is no harm, for kernels own
  // nothing.
  static void give_back_all();

  void resume() { fiber() = std::move(fiber()).resume(); }
  void suspend() { back_ = std::move(back_).resume(); }  // on this fiber: back to resume()
  std::uintptr_t stack() const { return reinterpret_cast<std::uintptr_t>(stack_); }
  explicit Fiber(void (*thread)());

 private:
  using Context = boost::context::fiber;
  void begin();
  // It is never destroyed: that would unwind a stack whose thread has not ended.
  Context& fiber() { return *std::launder(reinterpret_cast<Context*>(storage_)); }
  unsigned char* stack_;  // as long as the program lives
  void (*thread_)();
  alignas(Context) unsigned char storage_[sizeof(Context)];
  Context back_;
  bool free_ = false;
};

}  // namespace simt
