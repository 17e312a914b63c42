#include "device/simt/fibers.h"

#include <cstdlib>
#include <new>
#include <vector>

namespace simt {

namespace {

// Stacks begin at different places of a page, or all would want the same lines of a cache. The
// distance is a multiple of what Boost.Context aligns a stack to, so a depth of calls is the same.
constexpr std::size_t kPage = 4096, kSpread = 8 * kPage, kNext = 17 * 256;

std::vector<std::unique_ptr<Fiber>> fibers;
std::vector<Fiber*> free_fibers;

struct Stack {  // which outlives the fiber
  unsigned char* begin;
  boost::context::stack_context allocate() const {
    boost::context::stack_context c;
    c.size = kStack, c.sp = begin + kStack;
    return c;
  }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

Fiber::Fiber(void (*thread)())
    : stack_(static_cast<unsigned char*>(std::aligned_alloc(kPage, kStack + kSpread))),
      thread_(thread) {
  if (!stack_) throw std::bad_alloc();
  stack_ += fibers.size() * kNext % kSpread;
  begin();
}

void Fiber::begin() {
  new (storage_) Context(std::allocator_arg, Stack{stack_}, [this](Context&& from) {
    back_ = std::move(from);
    for (;;) {
      thread_();
      suspend();
    }
    return std::move(back_);
  });
}

Fiber& Fiber::take(void (*thread)()) {
  if (free_fibers.empty()) {
    fibers.push_back(std::make_unique<Fiber>(thread));
    free_fibers.push_back(fibers.back().get());
  }
  Fiber& fiber = *free_fibers.back();
  free_fibers.pop_back();
  fiber.free_ = false;
  return fiber;
}

void Fiber::give_back(Fiber& fiber) {
  fiber.free_ = true;
  free_fibers.push_back(&fiber);
}

void Fiber::give_back_all() {
  for (const auto& fiber : fibers)
    if (!fiber->free_) fiber->begin(), give_back(*fiber);
}

}  // namespace simt
