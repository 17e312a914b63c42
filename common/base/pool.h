// Jobs that run side by side, in threads. Their results come in the order in which they end.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/output.h"
#include "base/process.h"

namespace wb {

// A job throws it when not the job has failed, but the machine that it ran on. It is given again.
struct Lost : std::runtime_error {
  std::string who;  // was lost: a lesson, "a worker"
  Lost(std::string who, const std::string& why) : std::runtime_error(why), who(std::move(who)) {}
};

constexpr int kTries = 3;  // of a job that is lost each time

template <class Job, class Result> class Pool {
 public:
  using Worker = std::function<Result(const Job&)>;
  struct Ended {
    Job job;
    std::optional<Result> result{};  // none: it was lost each time,
    std::string lost{};              // and why
  };

  Pool(std::size_t at_once, Worker worker)
      : Pool(at_once, std::function<Worker()>([worker] { return worker; })) {}
  // Each thread hires a worker before it takes a job, and another when that one was lost. Where
  // hire() throws, the thread is at its end.
  Pool(std::size_t at_once, std::function<Worker()> hire)
      : at_once_(at_once), hire_(std::move(hire)), alive_(at_once) {
    for (std::size_t i = 0; i < at_once; ++i) threads_.emplace_back([this] { run(); });
  }
  // Jobs that still run end as they do after Ctrl-C.
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void add(Job job) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(job)});
  }
  // Jobs that have not begun are not done any more.
  void withdraw() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  // Nothing when all were handed on. The job that follows one begins only when somebody asks again:
  // until then whoever uses the result has the machine for it. Throws what a job has thrown, and
  // Failure: 130 after Ctrl-C, 4 where no thread has a worker.
  std::optional<Ended> next() {
    std::unique_lock lock(mutex_);
    const auto stop_before_a_job = [&] {
      if (ended_.empty() && begun_ == handed_on_ && !waiting_.empty()) throw_if_interrupted();
    };
    stop_before_a_job();
    limit_ = handed_on_ + at_once_;
    changed_.notify_all();
    while (ended_.empty() && !thrown_ && alive_ > 0 && (begun_ > handed_on_ || !waiting_.empty())) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
      stop_before_a_job();
    }
    if (thrown_) std::rethrow_exception(thrown_);
    if (!ended_.empty()) {
      Ended ended = std::move(ended_.front());
      ended_.pop_front();
      ++handed_on_;
      return ended;
    }
    if (waiting_.empty()) return std::nullopt;
    throw_if_interrupted();
    throw Failure(4, "no worker is left (" + retired_ + ")");
  }

 private:
  struct Given {
    Job job;
    int lost = 0;
  };

  std::optional<Given> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return closing_ || (!waiting_.empty() && begun_ < limit_ && !thrown_); });
    if (closing_) return std::nullopt;
    Given given = std::move(waiting_.front());
    waiting_.pop_front();
    ++begun_;
    return given;
  }

  // False: its worker was lost.
  bool work(const Worker& worker, Given& given) {
    Ended ended{given.job};
    bool again = false;
    std::exception_ptr thrown;
    try {
      ended.result = worker(given.job);
    } catch (const Lost& lost) {
      again = ++given.lost < kTries;
      ended.lost = fmt::format("lost {} times: {}", kTries, lost.what());
      if (again) tell("{} was lost: {}: started again", lost.who, lost.what());
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (thrown)
      thrown_ = thrown;
    else if (again)
      waiting_.push_front(given), --begun_;
    else
      ended_.push_back(ended);
    changed_.notify_all();
    return ended.lost.empty();
  }

  void run() {
    end_programs_with(&closing_);
    std::string why;
    try {
      for (bool lost = true; lost;) {
        lost = false;
        const Worker worker = hire_();
        for (std::optional<Given> given; !lost && (given = take());) lost = !work(worker, *given);
        if (!lost) end_programs_with(nullptr);  // a worker may say good-bye to its program
      }
    } catch (const std::exception& e) {
      why = one_line(e);
    }
    const std::lock_guard lock(mutex_);
    --alive_;
    if (!why.empty()) retired_ = why;
    changed_.notify_all();
  }

  const std::size_t at_once_;
  const std::function<Worker()> hire_;
  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<Given> waiting_;
  std::deque<Ended> ended_;
  std::size_t alive_, begun_ = 0, handed_on_ = 0;
  std::size_t limit_ = 0;  // so many may have begun
  std::exception_ptr thrown_;
  std::string retired_;  // why the last thread did that has no worker
  std::atomic<bool> closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wb
