#include "../journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/failure.h"
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
TEST_F(JournalTest, AFullDiskIsOneLineAndLosesNothing) {
  JournalWriter writer(path_, space_, {subject_});
  writer.add(record(1));
  const std::string before = wb::read_file(path_);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{before.size(), limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  try {
    writer.add(record(2));
    ADD_FAILURE() << "it was written";
  } catch (const wb::Failure& e) {
    EXPECT_EQ(e.code, 5);
    EXPECT_NE(std::string(e.what()).find("make room, then go on with --resume"), std::string::npos);
  }
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(wb::read_file(path_), before);
}

TEST_F(JournalTest, WhatSomebodyElseWroteIsTakenBack) {
  JournalWriter writer(path_, space_, {subject_});
  writer.add(record(1));
  EXPECT_FALSE(writer.meddled());
  const std::string before = wb::read_file(path_);
  std::ofstream(path_, std::ios::app) << "{}\n";
  EXPECT_TRUE(writer.meddled());
  EXPECT_EQ(wb::read_file(path_), before);
  std::filesystem::remove(path_);
  EXPECT_TRUE(writer.meddled());
  EXPECT_EQ(wb::read_file(path_), before);
}

TEST_F(JournalTest, NothingThatIsNoFileIsRenamed) {
  EXPECT_ANY_THROW(JournalWriter("/dev/full", space_, {subject_}));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
