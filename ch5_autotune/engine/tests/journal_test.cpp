#include "../journal.h"

#include <gtest/gtest.h>

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
  JournalWriter writer(path_, space_, subject_);
  writer.add(record(2));
  writer.add(record(0, Status::crashed));
  const Journal journal = load_journal(path_, space_);
  EXPECT_EQ(journal.subject, subject_);
  ASSERT_EQ(journal.history.size(), 2u);
  EXPECT_EQ(journal.history[0].configuration, (Configuration{2}));
  EXPECT_EQ(journal.history[0].seconds, 1e-3);
  EXPECT_EQ(journal.history[1].status, Status::crashed);
}

TEST_F(JournalTest, WhatSomebodyElseWroteIsTakenBack) {
  JournalWriter writer(path_, space_, subject_);
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

TEST_F(JournalTest, AnotherProgramsJournalIsNoneOfASearch) {
  wb::write_atomically(path_, "{\"command\":\"compare\"}\n");
  EXPECT_THROW(load_subject(path_), wb::Failure);
  EXPECT_THROW(load_journal(path_, space_), wb::Failure);
}

}  // namespace
