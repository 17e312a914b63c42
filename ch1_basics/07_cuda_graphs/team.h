// Threads that stay, and a list of tasks that they replay: to a CPU what a graph is to a GPU.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

// Where all members of a team wait for the last one. A thread that has to wait looks again and
// again for a while before it sleeps: the others are usually done within a microsecond, and waking
// a thread takes many. It soon yields the core while it looks, as there may be fewer cores than
// threads.
class Meeting {
 public:
  explicit Meeting(int members) : members_(members) {}
  void arrive_and_wait() {
    const int meeting = finished_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      finished_.fetch_add(1, std::memory_order_release);
      finished_.notify_all();
      return;
    }
    for (int looks = 0; finished_.load(std::memory_order_acquire) == meeting; ++looks) {
      if (looks < 1000) continue;
      if (looks < 2000)
        std::this_thread::yield();
      else
        finished_.wait(meeting);
    }
  }

 private:
  const int members_;
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<int> finished_ = 0;  // barriers
};

// Each member does its share of a task.
using Task = std::function<void(int member, int members)>;

class Team {
 public:
  explicit Team(int members) : members_(members), meeting_(members) {
    for (int member = 1; member < members; ++member)
      threads_.emplace_back([this, member] {
        for (meeting_.arrive_and_wait(); tasks_; meeting_.arrive_and_wait()) work(member);
      });
  }
  ~Team() {
    tasks_ = nullptr;
    meeting_.arrive_and_wait();
  }

  // Does all tasks, one after the other. The caller is a member too.
  void replay(const std::vector<Task>& tasks) {
    tasks_ = &tasks;
    meeting_.arrive_and_wait();
    work(0);
  }

 private:
  void work(int member) {
    for (const Task& task : *tasks_) {
      task(member, members_);
      meeting_.arrive_and_wait();
    }
  }

  const int members_;
  Meeting meeting_;
  const std::vector<Task>* tasks_ = nullptr;  // null: the threads end
  std::vector<std::jthread> threads_;         // the first to be destroyed, so the last to be made
};

}  // namespace
