// Jobs side by side: their order, what becomes of those that are lost, die or throw, and Ctrl-C.
#include "base/pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "failure_of.h"

namespace wb {
namespace {

using Numbers = Pool<int, int>;

template <class Condition> void wait_for(Condition condition) {
  for (int i = 0; i < 60000 && !condition(); ++i) ::usleep(1000);
  EXPECT_TRUE(condition());
}

Outcome shell(const std::string& script) { return run_process({"sh", "-c", script}, 600); }

// A program that says where it runs, for as long as it is let.
std::string endless(const std::string& file) {
  return "echo $$ >" + file + ".new; mv " + file + ".new " + file + "; sleep 1000";
}
bool runs(const std::string& file) {
  return std::filesystem::exists("/proc/" + std::to_string(std::stoi(read_file(file))));
}

TEST(Pool, HandsResultsOnInTheOrderInWhichTheyCome) {
  std::atomic<bool> second_is_here = false;
  Numbers pool(2, [&](int n) {
    if (n == 1) wait_for([&] { return second_is_here.load(); });
    return 10 * n;
  });
  EXPECT_FALSE(pool.next());
  pool.add(1), pool.add(2);
  auto ended = pool.next();
  ASSERT_TRUE(ended && ended->result);
  EXPECT_EQ(ended->job, 2);
  EXPECT_EQ(*ended->result, 20);
  second_is_here = true;
  ended = pool.next();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->job, 1);
  EXPECT_FALSE(pool.next());
  pool.add(3);  // it goes on
  EXPECT_EQ(pool.next()->job, 3);
}

TEST(Pool, HasNoMoreAtOnceAndWaitsUntilAResultWasUsed) {
  std::atomic<int> running = 0, most = 0, begun = 0;
  Numbers pool(3, [&](int n) {
    ++begun;
    most = std::max<int>(most, ++running);
    ::usleep(2000);
    --running;
    return n;
  });
  for (int n = 0; n < 31; ++n) pool.add(n);
  int handed_on = 0;
  for (; const auto ended = pool.next(); ++handed_on) {
    ::usleep(1000);
    EXPECT_LE(begun, handed_on + 3);
  }
  EXPECT_EQ(handed_on, 31);
  EXPECT_LE(most, 3);
}

TEST(Pool, WhatIsLostIsGivenAgainAndAtLastGivenUp) {
  std::map<int, int> tries;
  testing::internal::CaptureStderr();
  {
    Numbers pool(1, [&](int n) {
      ++tries[n];
      if (n == 1 || (n == 2 && tries[n] < kTries)) throw Lost("no " + std::to_string(n), "gone");
      return n;
    });
    for (const int n : {1, 2, 3}) pool.add(n);
    const auto one = pool.next(), two = pool.next(), three = pool.next();
    ASSERT_TRUE(one && two && three);
    EXPECT_FALSE(one->result);
    EXPECT_EQ(one->lost, "lost 3 times: gone");
    EXPECT_EQ(two->result, 2);
    EXPECT_EQ(three->result, 3);
    EXPECT_FALSE(pool.next());
  }
  EXPECT_EQ(tries, (std::map<int, int>{{1, 3}, {2, 3}, {3, 1}}));
  const std::string one = "no 1 was lost: gone: started again\n",
                    two = "no 2 was lost: gone: started again\n";
  EXPECT_EQ(testing::internal::GetCapturedStderr(), one + one + two + two);
}

TEST(Pool, AJobWhoseProgramDiesCostsNoOther) {
  Pool<std::string, Outcome> pool(2, shell);
  for (const char* script : {"kill -9 $$", "exit 7", "echo fine"}) pool.add(script);
  std::set<std::string> found;
  while (const auto ended = pool.next())
    found.insert(std::to_string(ended->result->signal) + " " + std::to_string(ended->result->code) +
                 " " + ended->result->output);
  EXPECT_EQ(found, (std::set<std::string>{"9 0 ", "0 7 ", "0 0 fine\n"}));
}

TEST(Pool, OneThatThrowsEndsAllOthersAndTheirPrograms) {
  const Scratch scratch;
  const std::string file = scratch.file("running");
  std::atomic<int> begun = 0;
  {
    Numbers pool(2, [&](int n) {
      ++begun;
      if (n == 1) shell(endless(file));
      wait_for([&] { return std::filesystem::exists(file); });
      throw Failure(3, "no launcher");
      return n;
    });
    for (const int n : {1, 2, 3, 4}) pool.add(n);
    EXPECT_EQ(failure_of([&] { pool.next(); }).first, 3);
    EXPECT_TRUE(runs(file));
  }
  EXPECT_FALSE(runs(file));
  EXPECT_EQ(begun, 2);
}

TEST(Pool, WhatIsWithdrawnDoesNotBegin) {
  std::atomic<int> begun = 0;
  Numbers pool(1, [&](int n) { return ++begun, n; });
  for (const int n : {1, 2, 3}) pool.add(n);
  EXPECT_EQ(pool.next()->job, 1);
  pool.withdraw();
  EXPECT_FALSE(pool.next());
  EXPECT_EQ(begun, 1);
}

TEST(Pool, EachThreadHiresAWorkerAndAnotherForOneThatWasLost) {
  std::atomic<int> hired = 0;
  const auto hire = [&]() -> Numbers::Worker {
    if (++hired == 1) return [](int) -> int { throw Lost("a worker", "gone"); };
    if (hired > 2) throw std::runtime_error("none is free");
    return [](int n) { return n; };
  };
  Numbers pool(1, hire);
  pool.add(5);
  testing::internal::CaptureStderr();
  EXPECT_EQ(pool.next()->result, 5);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(hired, 2);
  Numbers none(2, hire);
  EXPECT_FALSE(none.next());  // nobody is needed
  none.add(5);
  const std::pair none_is_left(4, std::string("no worker is left (none is free)"));
  EXPECT_EQ(failure_of([&] { none.next(); }), none_is_left);
}

// In a process of its own: what a signal has interrupted stays so.
TEST(Pool, CtrlCEndsWhatRunsAndBeginsNothingElse) {
  const Scratch scratch;
  const std::string file = scratch.file("running");
  const pid_t child = ::fork();
  if (child == 0) {
    catch_interrupts();
    int code = 0;
    try {
      Numbers pool(1, [&](int n) {
        try {
          shell(endless(file + std::to_string(n)));
        } catch (const Failure&) {  // what was found until then is still of use
        }
        return n;
      });
      pool.add(1), pool.add(2);
      if (pool.next()->result != 1) ::_exit(1);
      pool.next();
    } catch (const Failure& e) {
      code = e.code;
    }
    ::_exit(code);
  }
  wait_for([&] { return std::filesystem::exists(file + "1"); });
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_FALSE(runs(file + "1"));
  EXPECT_FALSE(std::filesystem::exists(file + "2"));
}

}  // namespace
}  // namespace wb
