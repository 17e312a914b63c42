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
#include <thread>
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
  struct Finished {
    Job job;
    std::optional<Result> result{};  // none: it was lost each time, and why; or what it threw
    std::string lost{};
    std::exception_ptr thrown{};
    int losses = 0;
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
    change([&] { closing_ = true; });
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void add(Job job) {
    change([&] { waiting_.push_back({std::move(job)}); });
  }
  // Jobs that have not begun are not done any more.
  void withdraw() {
    change([&] { waiting_.clear(); });
  }
  // Nothing when all were handed on. The job that follows one begins only when somebody asks again:
  // until then whoever uses the result has the machine for it. Throws what a job has thrown, and
  // Failure: 130 after Ctrl-C, 4 where no thread has a worker.
  std::optional<Finished> next() {
    std::optional<Finished> ended = next_of_all();
    if (ended && ended->thrown) std::rethrow_exception(ended->thrown);
    return ended;
  }
  // One that has thrown is handed on as others are. Those that have not begun are not done then.
  std::optional<Finished> next_of_all() {
    std::unique_lock lock(mutex_);
    while (ended_.empty()) {
      if (begun_ == handed_on_ && waiting_.empty()) return std::nullopt;
      if (begun_ == handed_on_) throw_if_interrupted();
      if (alive_ == 0) throw Failure(4, "no worker is left (" + retired_ + ")");
      limit_ = handed_on_ + at_once_;
      changed_.notify_all();
      changed_.wait_for(lock, std::chrono::milliseconds(100));
    }
    Finished ended = std::move(ended_.front());
    ended_.pop_front();
    if (ended.thrown) waiting_.clear();
    limit_ = handed_on_++ + at_once_;
    changed_.notify_all();
    return ended;
  }

 private:
  template <class Change> void change(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }

  std::optional<Finished> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closing_ || (!waiting_.empty() && begun_ < limit_); });
    if (closing_) return std::nullopt;
    Finished job = std::move(waiting_.front());
    waiting_.pop_front();
    ++begun_;
    return job;
  }

  // False: the worker was lost.
  bool work(const Worker& worker, Finished& job) {
    bool again = false;
    try {
      job.result = worker(job.job);
    } catch (const Lost& lost) {
      job.lost = fmt::format("lost {} times: {}", kTries, lost.what());
      again = ++job.losses < kTries;
      if (again) tell("{} was lost: {}: started again", lost.who, lost.what());
    } catch (...) {
      job.thrown = std::current_exception();
    }
    const bool fine = job.result || job.thrown;
    change([&] {
      again ? (--begun_, waiting_.push_front(std::move(job))) : ended_.push_back(std::move(job));
    });
    return fine;
  }

  void run() {
    end_programs_with(&closing_);
    try {
      for (bool lost = true; lost;) {
        lost = false;
        const Worker worker = hire_();
        for (std::optional<Finished> job; !lost && (job = take());) lost = !work(worker, *job);
        if (!lost) end_programs_with(nullptr);  // a worker may say good-bye to its program
      }
    } catch (const std::exception& e) {
      change([&] { retired_ = one_line(e); });
    }
    change([&] { --alive_; });
  }

  const std::size_t at_once_;
  const std::function<Worker()> hire_;
  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<Finished> waiting_, ended_;
  std::size_t alive_, begun_ = 0, handed_on_ = 0, limit_ = 0;  // so many may have begun
  std::string retired_;  // why the last thread did that has no worker
  std::atomic<bool> closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wb
