// Programs that this one starts: what they say, and that nothing of them is left.
#include "base/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "base/clock.h"
#include "base/files.h"

namespace wb {
namespace {

Outcome shell(const std::string& script, double limit = 60) {
  return run_process({"sh", "-c", script}, limit);
}

TEST(Process, SaysHowItEndedAndWhatItWrote) {
  const Outcome outcome = shell("printf 'a\\n\\000b'; printf 'why' >&2; exit 3");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_FALSE(outcome.fine());
  EXPECT_EQ(outcome.output, std::string("a\n\0b", 4));
  EXPECT_EQ(outcome.errors, "why");
  EXPECT_EQ(shell("kill -9 $$").signal, SIGKILL);
  EXPECT_EQ(run_process({"no such program"}, 60).code, 127);
  EXPECT_EQ(run_process({"pwd"}, 60, {}, {}, "/").output, "/\n");
  EXPECT_EQ(run_process({"pwd"}, 60, {}, {}, "/no such folder").code, 127);
  EXPECT_EQ(shell("head -c 1000000 /dev/zero").output.size(), 1000000u);
  EXPECT_EQ(shell("cat").output, "");  // it has no input to wait for
}

TEST(Process, HandsOnLines) {
  std::vector<std::string> lines;
  const auto keep = [&](const std::string& line) { lines.push_back(line); };
  EXPECT_EQ(run_process({"printf", "a\\n\\nb"}, 60, keep).output, "");
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "", "b"}));
  lines.clear();
  run_process({"printf", "a\\033[2Jb\\r\\n"}, 60, keep);
  EXPECT_EQ(lines, std::vector<std::string>{"a [2Jb "});  // nothing that a terminal obeys
  lines.clear();
  run_process({"sh", "-c", "head -c 1000000 /dev/zero >&2"}, 60, {}, keep);
  EXPECT_GT(lines.size(), 2u);  // a line without an end does not fill the memory
}

TEST(Process, EndsAtItsLimitWithAllItStarted) {
  const double start = seconds();
  // The shell and its child are deaf to what asks them to end, and hold the pipes.
  const Outcome outcome = shell("trap '' TERM; echo begun; sleep 100 & sleep 100", 0.2);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_FALSE(outcome.fine());
  EXPECT_EQ(outcome.output, "begun\n");
  EXPECT_LT(seconds() - start, 30);
  EXPECT_TRUE(shell("sleep 100 & exit 0").fine());  // nor does it wait for what is left behind
  EXPECT_LT(seconds() - start, 60);
}

TEST(Process, TalksLineByLine) {
  Process cat({"cat"});
  for (const std::string line : {"one", "", "three"}) {
    EXPECT_TRUE(cat.write_line(line));
    EXPECT_EQ(cat.read_line(60), line);
  }
  EXPECT_EQ(cat.read_line(0.1), std::nullopt);
  EXPECT_TRUE(cat.timed_out());
  EXPECT_FALSE(cat.write_line("four"));  // and no SIGPIPE ends this program
  EXPECT_EQ(cat.read_line(60), std::nullopt);

  Process deaf({"sleep", "100"});
  EXPECT_FALSE(deaf.write_line(std::string(10 << 20, 'x')));

  Process ends({"sh", "-c", "read line; printf \"$line and\""});
  EXPECT_TRUE(ends.write_line("a"));
  EXPECT_EQ(ends.read_line(60), "a and");
  EXPECT_EQ(ends.read_line(60), std::nullopt);
  EXPECT_FALSE(ends.timed_out());
}

TEST(Process, OneThatIsNotTrustedIsHeardByItsInputAlone) {
  Process shy({"sh", "-c", "echo shown; echo also >&2; read line; cat /proc/self/fd/3 >&0; exit 3"},
              ::open("/proc/sys/kernel/ostype", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(shy.write_line("go"));
  EXPECT_EQ(shy.read_line(60), "Linux");
  EXPECT_EQ(shy.finish().code, 3);
  EXPECT_EQ(shy.said(), "shown");
  EXPECT_EQ(shy.said(), "also");
}

TEST(Process, StandsStillWhileItIsStopped) {
  Process counts({"sh", "-c", "while read line; do echo $line; done"});
  const auto state = [&] {
    const std::string stat = read_file("/proc/" + std::to_string(counts.id()) + "/stat");
    return stat[stat.rfind(')') + 2];
  };
  counts.stop();
  EXPECT_EQ(state(), 'T');
  EXPECT_TRUE(counts.write_line("one"));
  EXPECT_EQ(state(), 'T');
  counts.resume();
  EXPECT_EQ(counts.read_line(60), "one");
  counts.stop();  // and ends with this test all the same
}

// A driver that is killed can end nothing itself, and what leaders have started outlives them.
TEST(Process, KilledItTakesAllGroupsThatRanWithIt) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t driver = ::fork();
  if (driver == 0) {
    catch_interrupts();
    const auto start = [] {
      return std::make_unique<Process>(
          std::vector<std::string>{"sh", "-c", "sleep 1000 & echo $!; read line"});
    };
    const auto report = [&](const std::string& line) { ::dprintf(ends[1], "%s\n", line.c_str()); };
    const auto first = start(), second = start(), third = start();
    for (const auto* process : {&first, &second, &third}) report(*(*process)->read_line(60));
    {
      const auto ended = start();  // as one program of several ends
      report(*ended->read_line(60));
      ended->write_line("end");
      ended->finish();
    }
    report("all");
    ::pause();
    ::_exit(1);
  }
  ASSERT_GT(driver, 0);
  ::close(ends[1]);
  std::FILE* said = ::fdopen(ends[0], "r");
  std::vector<pid_t> sleepers;
  for (char line[64]; std::fgets(line, sizeof line, said) && std::atoi(line) > 0;)
    sleepers.push_back(std::atoi(line));
  EXPECT_EQ(sleepers.size(), 4u);
  const auto left = [&] {
    return std::ranges::count_if(sleepers, [](pid_t id) {
      std::ifstream file("/proc/" + std::to_string(id) + "/stat");
      std::string stat;
      return std::getline(file, stat) && stat[stat.rfind(')') + 2] != 'Z';
    });
  };
  const auto becomes = [&](int number) {  // what is killed ends a little later
    for (const double end = seconds() + 30; left() > number && seconds() < end;) ::usleep(1000);
    return left() == number;
  };
  EXPECT_TRUE(becomes(3));
  ::kill(driver, SIGKILL);
  ::waitpid(driver, nullptr, 0);
  std::fclose(said);
  EXPECT_TRUE(becomes(0));
  for (const pid_t id : sleepers) ::kill(id, SIGKILL);
}

TEST(Process, InPathMeansThatAShellWouldFindIt) {
  EXPECT_TRUE(in_path("sh"));
  EXPECT_FALSE(in_path("no such program"));
  EXPECT_FALSE(in_path(""));  // a folder of the path is no program
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere:/etc", 1);
  EXPECT_FALSE(in_path("sh"));
  EXPECT_FALSE(in_path("passwd"));  // there, but no program
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace wb
