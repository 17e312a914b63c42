#include "../journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/files.h"

namespace {

using namespace tune;

class JournalTest : public testing::Test {
 protected:
  JournalTest() { space_.add("A", {1, 2, 4}, 1); }
  static Record record(int place, Status status = Status::ok) {
    return {.configuration = {place}, .status = status, .seconds = status == Status::ok ? 1e-3 : 0};
  }

  const wb::Scratch scratch_;
  const std::string path_ = scratch_.file("journal.jsonl");
  const Subject subject_{"ch/lesson", "cpu", "device", "id", "driver", "n=1", "A=1,2,4"};
  Space space_;
};

TEST_F(JournalTest, WhatWasWrittenIsRead) {
  JournalWriter writer(path_, space_, {subject_});
  writer.add(record(2));
  writer.add(record(0, Status::crashed));
  const Journal journal = load_journal(path_, space_);
  EXPECT_EQ(journal.subject, subject_);
  ASSERT_EQ(journal.history.size(), 2u);
  EXPECT_EQ(journal.history[0].configuration, (Configuration{2}));
  EXPECT_EQ(journal.history[0].seconds, 1e-3);
  EXPECT_EQ(journal.history[1].status, Status::crashed);
}

TEST_F(JournalTest, ALineCutShortByACrashIsNoDamage) {
  { JournalWriter(path_, space_, {subject_}).add(record(2)); }
  std::ofstream(path_, std::ios::app) << "{\"configuration\":\"A=";
  testing::internal::CaptureStderr();
  EXPECT_EQ(load_journal(path_, space_).history.size(), 1u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  std::ofstream(path_, std::ios::app) << "\n";  // not the last one any more
  testing::internal::CaptureStderr();
  EXPECT_EQ(load_journal(path_, space_).history.size(), 1u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("1 of the lines of"), std::string::npos);
}

// A file that may not grow any further stands for a full disk.
TEST_F(JournalTest, AFullDiskLosesNothing) {
  JournalWriter writer(path_, space_, {subject_});
  writer.add(record(1));
  const std::string before = wb::read_file(path_);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{before.size(), limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(writer.add(record(2)), std::runtime_error);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(wb::read_file(path_), before);
  writer.add(record(2));  // there is room again
  EXPECT_EQ(load_journal(path_, space_).history.size(), 2u);
}

TEST_F(JournalTest, WhatSomebodyElseWroteIsTakenBack) {
  JournalWriter writer(path_, space_, {subject_});
  writer.add(record(1));
  std::ofstream(path_, std::ios::app) << "{}\n";
  writer.add(record(2));
  std::filesystem::remove(path_);
  writer.add(record(0));
  writer.add(record(0));
  const History history = load_journal(path_, space_).history;
  ASSERT_EQ(history.size(), 4u);
  for (const std::size_t i : {1, 2}) {
    EXPECT_EQ(history[i].status, Status::dishonest);
    EXPECT_EQ(history[i].seconds, 0);
  }
  EXPECT_EQ(history[0].status, Status::ok);
  EXPECT_EQ(history[3].status, Status::ok);
}

TEST_F(JournalTest, NothingThatIsNoFileIsRenamed) {
  EXPECT_ANY_THROW(JournalWriter("/dev/full", space_, {subject_}));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
