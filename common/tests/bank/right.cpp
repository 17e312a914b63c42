// CPU variants that look suspicious and are right: none may be called wrong.
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bank/wrong.h"

namespace {

using namespace std::chrono_literals;
using Args = Wrong::Args;
using wb::i64;

void compute(const Args& p, i64 begin, i64 end) {
  for (i64 i = begin; i < end; ++i) Wrong::element(p, i);
}

void right(const Args& p) { compute(p, 0, p.n); }
WB_BANK(Wrong, right, right);

void right_slow(const Args& p) {
  std::this_thread::sleep_for(2ms);
  right(p);
}
WB_BANK(Wrong, right_slow, right);

void right_with_threads(const Args& p) {
  const std::jthread half([&] { compute(p, 0, p.n / 2); });
  compute(p, p.n / 2, p.n);
}
WB_BANK(Wrong, right_with_threads, right);

void right_openmp(const Args& p) {
#pragma omp parallel for
  for (i64 i = 0; i < p.n; ++i) Wrong::element(p, i);
}
WB_BANK(Wrong, right_openmp, right);

// Two threads that live as long as the variant, and sleep between launches.
class Pool {
 public:
  explicit Pool(const Args& p) : p_(p) {
    for (const i64 half : {0, 1})
      threads_.emplace_back([this, half](const std::stop_token& stop) { work(stop, half); });
  }
  void launch() {
    std::unique_lock lock(mutex_);
    ++turn_, running_ = 2;
    start_.notify_all();
    done_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void work(const std::stop_token& stop, i64 half) {
    std::unique_lock lock(mutex_);
    for (int turn = 0; start_.wait(lock, stop, [&] { return turn_ != turn; });) {
      turn = turn_;
      lock.unlock();
      compute(p_, p_.n * half / 2, p_.n * (half + 1) / 2);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  const Args p_;
  std::mutex mutex_;
  std::condition_variable_any start_;
  std::condition_variable done_;
  int turn_ = 0, running_ = 0;
  std::vector<std::jthread> threads_;
};
auto right_pool(const Args& p) {
  return [pool = std::make_unique<Pool>(p)] { pool->launch(); };
}
WB_BANK(Wrong, right_pool, right);

}  // namespace
