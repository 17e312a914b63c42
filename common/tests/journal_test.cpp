// Journals: what is left of them by a crash, a full disk or another program.
#include "base/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"

namespace wb {
namespace {

using nlohmann::json;

class JournalTest : public testing::Test {
 protected:
  static json line(int n) { return {{"n", n}}; }
  // The numbers that a run that goes on finds, and what it says on stderr.
  std::vector<int> resumed(const json& header) {
    std::vector<int> all;
    testing::internal::CaptureStderr();
    try {
      Journal(path_).resume(header, [&](const json& l) { all.push_back(l.at("n")); });
    } catch (const std::exception& e) {
      code_ = exit_code(e, -1), said_ = e.what();
    }
    said_ += testing::internal::GetCapturedStderr();
    return all;
  }
  void append(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }

  const Scratch scratch_;
  const std::string path_ = scratch_.file("journal");
  const json header_ = {{"of", "a"}, {"by", 1}};
  std::string said_;
  int code_ = 0;
};

TEST_F(JournalTest, GoesOnWithWhatWasWritten) {
  EXPECT_EQ(resumed(header_), std::vector<int>{});  // there is nothing, so it begins
  {
    Journal journal(path_);
    journal.resume(header_, [](const json&) {});
    journal.add(line(1)), journal.add(line(2));
    EXPECT_EQ(read_file(path_), "{\"by\":1,\"of\":\"a\"}\n{\"n\":1}\n{\"n\":2}\n");
  }
  EXPECT_EQ(resumed(header_), (std::vector<int>{1, 2}));
  EXPECT_EQ(said_, "");
}

TEST_F(JournalTest, BeginsAnewAndKeepsTheOlderOne) {
  for (const int n : {1, 2}) {
    Journal journal(path_);
    journal.begin(header_);
    journal.add(line(n));
  }
  EXPECT_EQ(resumed(header_), std::vector<int>{2});
  EXPECT_TRUE(read_file(path_ + ".old").ends_with("{\"n\":1}\n"));
}

TEST_F(JournalTest, AnotherHeaderOrNoneIsRefusedAndTheFileStays) {
  { Journal(path_).begin(header_); }
  const std::string before = read_file(path_);
  resumed({{"of", "b"}, {"by", 1}});
  EXPECT_EQ(code_, 2);
  EXPECT_EQ(said_, path_ +
                       " belongs to something else, its of is \"a\", not \"b\": begin anew "
                       "without --resume");
  EXPECT_EQ(read_file(path_), before);
  for (const char* text : {"\n{\"n\":1}\n", "[1]\n", "{\"of\":", "no journal"}) {  // older forms
    said_ = "";
    write_atomically(path_, text);
    resumed(header_);
    EXPECT_EQ(code_, 5) << text;
    EXPECT_TRUE(said_.starts_with(path_ + ": its first line is not that of a journal")) << said_;
    EXPECT_EQ(read_file(path_), text);
  }
}

TEST_F(JournalTest, ALineThatACrashCutShortIsNoDamage) {
  {
    Journal journal(path_);
    journal.begin(header_);
    journal.add(line(1));
  }
  append("{\"n\":");
  int read = 0;
  EXPECT_EQ(read_journal(path_, [&](const json& l) { read += l.at("n").get<int>(); }), header_);
  EXPECT_EQ(read, 1);
  EXPECT_EQ(resumed(header_), std::vector<int>{1});
  EXPECT_EQ(said_, "");
  {
    Journal journal(path_);
    journal.resume(header_, [](const json&) {});
    journal.add(line(2));
  }
  EXPECT_EQ(resumed(header_), (std::vector<int>{1, 2}));  // the new line stands alone
  append("{\"n\":\n{\"m\":3}\n");
  append("{\"n\":4}\n");
  EXPECT_EQ(resumed(header_), (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(said_, "2 of the lines of " + path_ + " can't be read and are left out\n");
}

TEST_F(JournalTest, AKillLosesNoLineThatWasAdded) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Journal journal(path_);
    journal.begin(header_);
    for (char n = 0;; n = static_cast<char>((n + 1) % 100)) {
      journal.add(line(n));
      if (::write(ends[1], &n, 1) != 1) ::_exit(1);
    }
  }
  ::close(ends[1]);
  char n = 0;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(::read(ends[0], &n, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  int added = 20;
  while (::read(ends[0], &n, 1) == 1) ++added;
  ::close(ends[0]);
  const std::size_t found = resumed(header_).size();
  EXPECT_GE(found, static_cast<std::size_t>(added));
  EXPECT_LE(found, static_cast<std::size_t>(added) + 1);
  EXPECT_EQ(code_, 0) << said_;  // nor does the dead one hold the file
}

// A file that may not grow any further stands for a full disk.
TEST_F(JournalTest, AFullDiskLosesOneLineAndLeavesNoPartOfIt) {
  Journal journal(path_);
  journal.begin(header_);
  const std::string before = read_file(path_);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{before.size() + 3, limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  try {
    journal.add(line(1));
    ADD_FAILURE() << "it was written";
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(std::string(e.what()), "cannot write " + path_ + ": File too large");
  }
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(path_), before);
  journal.add(line(2));  // there is room again
  EXPECT_TRUE(read_file(path_).ends_with("}\n{\"n\":2}\n"));
  EXPECT_ANY_THROW(Journal("/dev/full").begin(header_));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(JournalTest, WhatSomebodyElseWroteIsTakenBack) {
  Journal journal(path_);
  journal.begin(header_);
  journal.add(line(1));
  const std::string before = read_file(path_);
  EXPECT_FALSE(journal.mend());
  append("{}\n");
  EXPECT_TRUE(journal.mend());
  EXPECT_EQ(read_file(path_), before);
  std::filesystem::remove(path_);
  journal.add(line(2));
  EXPECT_EQ(read_file(path_), before + "{\"n\":2}\n");
  EXPECT_FALSE(journal.mend());
}

TEST_F(JournalTest, TwoProgramsDoNotShareOne) {
  Journal journal(path_);
  journal.begin(header_);  // the file is another now, and still held
  for (int time = 0; time < 2; ++time) {
    resumed(header_);
    EXPECT_EQ(code_, 2);
    EXPECT_TRUE(said_.starts_with("another program is writing to " + path_)) << said_;
    std::filesystem::remove(path_);
    journal.mend();
    said_ = "";
  }
}

TEST_F(JournalTest, AFolderThatIsNotThereIsOneLine) {
  EXPECT_THROW(Journal(scratch_.file("none/journal")), std::runtime_error);
}

}  // namespace
}  // namespace wb
