#include "device/simt/machine.h"

#include <deque>
#include <memory>
#include <numeric>
#include <random>

#include "device/simt/block.h"
#include "device/simt/counts.h"
#include "device/simt/faults.h"

namespace simt {

std::minstd_rand draws;
Steps steps;

namespace {

// The numbers of all blocks, each once: i * factor + shift, modulo how many there are.
class Shuffled {
 public:
  explicit Shuffled(std::uint32_t total) : total_(total) {
    factor_ = total > 2 ? draws() % total : 1;
    while (factor_ == 0 || std::gcd(factor_, total) != 1) factor_ = factor_ % total + 1;
    shift_ = draws() % total;
  }
  std::uint32_t operator[](std::uint32_t i) const {
    return static_cast<std::uint32_t>((std::uint64_t{i} * factor_ + shift_) % total_);
  }

 private:
  std::uint32_t total_, factor_, shift_;
};

void run_blocks(const Grid& g) {
  const std::uint32_t total = g.blocks.x * g.blocks.y * g.blocks.z;
  if (counting) counted_blocks += total;
  const Shuffled numbers(total);
  std::deque<std::unique_ptr<Block>> aside;
  std::uint32_t started = 0;
  int idle_rounds = 0;
  const std::size_t most = g.cooperative ? total : 64;  // at the same time
  std::size_t waiting = 0;                              // of those put aside: at the grid's barrier
  while (started < total || !aside.empty()) {
    std::unique_ptr<Block> b;
    const bool new_one = started < total && aside.size() < most &&
                         (g.cooperative || idle_rounds > 0 || aside.empty());
    if (new_one) {
      b = std::make_unique<Block>();
      b->linear = numbers[started++];
    } else {
      b = std::move(aside.front());
      aside.pop_front();
    }
    swap_in(*b);
    const End end = run_block(*b);
    if (steps.too_many()) steps.done = (started - 0.5) / total;
    if (end == End::fault) return;
    if (end == End::done) {
      idle_rounds = 0;
      continue;
    }
    swap_out(*b);
    waiting = end == End::waits ? waiting + 1 : 0;
    aside.push_back(std::move(b));
    if (end == End::waits && started == total && waiting >= aside.size()) {
      order_epochs();
      for (const auto& each : aside) {
        for (Thread& t : each->threads) t.wait = Wait::none;
        new_epoch(*each);
      }
      waiting = 0;
    }
    if (end == End::spins && ++idle_rounds > 10000) {
      for (const Thread& t : block->threads)
        if (!t.done && t.wait == Wait::none)
          return report(t.place,
                        "this loop never ends: no thread writes the value that {} waits for",
                        who(t));
    }
  }
}

}  // namespace

std::string run(const Grid& g, void (*kernel)(const void*)) {
  grid = &g, body = kernel;
  fault.clear();
  draws.seed(seed++);  // each launch has an order of its own
  set_dynamic_bytes(g.shared_bytes);
  begin_epochs();
  forget_atomics();
  run_blocks(g);
  if (!fault.empty()) Fiber::give_back_all();
  block = nullptr, self = nullptr, grid = nullptr, body = nullptr;
  return fault;
}

}  // namespace simt
