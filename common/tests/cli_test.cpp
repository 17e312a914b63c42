// The real driver on made-up lessons: shell scripts that answer, crash, hang or write nonsense.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/build_info.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/process.h"
#include "driver/catalogue.h"
#include "driver/commands.h"
#include "failure_of.h"
#include "has.h"
#include "model/results.h"
#include "report_rows.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

struct Answer {
  int code;
  std::string out, err;
};

// Both ends of one. Some containers have none: then `why` says so.
struct PseudoTerminal {
  int terminal = ::posix_openpt(O_RDWR | O_NOCTTY), other = -1;
  std::string name, why;
  PseudoTerminal() {
    if (terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0) {
      name = ::ptsname(terminal);
      other = ::open(name.c_str(), O_RDWR | O_NOCTTY);
    }
    if (other < 0)
      why = std::string("this machine gives no pseudo-terminal: ") + std::strerror(errno);
  }
  ~PseudoTerminal() { ::close(other), ::close(terminal); }
};

class Driver : public ::testing::Test {
 protected:
  Driver() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "build/bin");
    fs::create_directories(root_ / "tmp");
    fs::create_directories(root_ / "common/results");
    for (const char* program : {"workbook_driver", "workbook_classroom", "workbook_pages"})
      fs::copy_file(fs::path(WB_DRIVER).replace_filename(program), root_ / "build/bin" / program);
    Results results = make_results();
    results.rows.resize(2);
    for (Row& row : results.rows) row.lesson = "ch1_x/01_good";
    write("good.json", to_json(results));
    for (Row& row : results.rows) row.lesson = "ch1_x/02_wrong";
    results.rows[1].status = Status::wrong;
    results.rows[1].reason = "y: wrong";
    write("wrong.json", to_json(results));

    const std::string told = "echo \"$@\" >>" + quoted("arguments") + "\n";
    lesson("ch1_x/01_good", "good",
           told + "echo '@progress 1 2 baseline' >&2\necho 'seed 1' >&2\n" + gives("good.json"));
    lesson("ch1_x/02_wrong", "wrong", told + gives("wrong.json") + "exit 1\n");
    lesson("ch1_x/03_crash", "crash", "echo 'crash: last words' >&2\nkill -SEGV $$\n");
    lesson("ch1_x/04_hang", "hang",
           "sleep 1000 & echo $! >" + quoted("sleeper") + "\necho $$ >" + quoted("hanging") +
               "\ntrap '' TERM INT\nwait\nsleep 1000\n");
    lesson("ch1_x/05_corrupt", "corrupt", kOut + "echo '{\"context\":' >\"$out\"\n");
    lesson("ch1_x/06_silent", "silent", "exit 0\n");
    const auto gives_up = [&](int code, const std::string& why) {
      Results none;
      none.failure = code, none.failure_reason = why;
      write(std::to_string(code) + ".json", to_json(none));
      const std::string file = quoted(std::to_string(code) + ".json");
      return kOut + "[ -z \"$out\" ] || { cp " + file + " \"$out\"; exit " + std::to_string(code) +
             "; }\necho '" + why + "' >&2\nexit " + std::to_string(code) + "\n";
    };
    lesson("ch2_y/07_nogpu/part", "nogpu", gives_up(3, "no GPU answers"));
    lesson("ch2_y/08_usage", "usage", gives_up(2, "no such size"));
    write_catalogue(false);
  }
  ~Driver() override { fs::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  // For a shell: the folder has a quote in its name.
  std::string quoted(const std::string& name) const {
    return "'" + replace_pattern(path(name), "'", "'\\''") + "'";
  }
  std::string read(const std::string& name) const { return read_file(path(name)); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  void program(const std::string& name, const std::string& script) const {
    write(name, "#!/bin/sh\n" + script);
    ::chmod(path(name).c_str(), 0755);
  }
  // What a lesson does that leaves a copy of these results.
  std::string gives(const std::string& results) const {
    return kOut + "cp " + quoted(results) + " \"$out\"\n";
  }
  void lesson(const std::string& folder, const std::string& program, const std::string& script,
              const std::vector<std::string>& names = {"baseline", "optimized"},
              const std::string& backend = "cpu") {
    std::string variants;
    for (const std::string& name : names)
      variants += (variants.empty() ? "" : ",") +
                  ("{\"variant\":\"" + name + "\",\"backend\":\"" + backend + "\"}");

    for (const char* prefix : {"", "solution_"})
      this->program("build/bin/" + (prefix + program), "ulimit -S -f unlimited\n" + script);
    lessons_ += std::string(lessons_.empty() ? "" : ",") + "{\"lesson\":\"" + folder +
                "\",\"program\":\"" + program + "\",\"variants\":[" + variants + "]}";
  }
  void write_catalogue(bool cuda) const {
    write("build/lessons.json",
          "{\"source\":\"" + root_.string() +
              "\",\"backends\":[{\"name\":\"cpu\",\"extension\":\".cpp\","
              "\"device\":\"CPU\",\"accelerator\":false,\"sanitizer\":false}" +
              (cuda ? ",{\"name\":\"cuda\",\"extension\":\".cu\",\"device\":"
                      "\"GPU\",\"accelerator\":true,\"sanitizer\":true}"
                    : "") +
              "],\"lessons\":[" + lessons_ + "]}");
  }

  // Puts more into the catalogue, behind each of these marks.
  void add_to_catalogue(const std::map<std::string, std::string>& added) const {
    std::string text = read("build/lessons.json");
    for (const auto& [mark, more] : added) {
      ASSERT_TRUE(has(text, mark));
      text.insert(text.find(mark) + mark.size(), more);
    }
    write("build/lessons.json", text);
  }
  // The backend of a CPU becomes one without times.
  void without_times() const { add_to_catalogue({{"\"sanitizer\":false", ",\"untimed\":true"}}); }

  std::string command(const std::string& arguments, const char* to = ">out 2>err") const {
    return "cd " + quoted("") + " && TMPDIR=" + quoted("tmp") +
           " XDG_STATE_HOME=" + quoted("state") + " exec build/bin/workbook_driver " + arguments +
           " " + to;
  }
  Answer run(const std::string& arguments, const char* to = ">out 2>err") const {
    write("out", ""), write("err", "");
    const int status = std::system(command(arguments, to).c_str());
    EXPECT_TRUE(WIFEXITED(status)) << arguments;
    EXPECT_TRUE(fs::is_empty(root_ / "tmp")) << "files left behind by " << arguments;
    return {WEXITSTATUS(status), read("out"), read("err")};
  }
  void expect_one_line(const std::string& arguments, int code, const std::string& part) const {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.code, code) << arguments << "\n" << answer.err;
    EXPECT_TRUE(has(answer.err, part));
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_EQ(answer.out, "") << arguments;
  }
  pid_t start(const std::string& arguments, const char* to = ">out 2>err") const {
    const pid_t driver = ::fork();
    if (driver > 0) return driver;
    ::execl("/bin/sh", "sh", "-c", command(arguments, to).c_str(), nullptr);
    ::_exit(1);
  }
  static int end(pid_t driver, int signal) {  // returns what waitpid() does
    int status = 0;
    ::kill(driver, signal);
    ::waitpid(driver, &status, 0);
    return status;
  }
  // Ends the driver once a lesson has told its number in "hanging".
  int stopped(int signal, const std::string& arguments) const {
    const pid_t driver = start(arguments);
    for (int i = 0; i < 200 && (!fs::exists(path("hanging")) || read("hanging").empty()); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(fs::exists(path("hanging")));
    return end(driver, signal);
  }
  bool ends(const std::string& pid_file) const {  // within five seconds
    const pid_t pid = std::stoi(read(pid_file));
    for (int i = 0; i < 100; ++i) {
      // A zombie whose parent is gone has ended, too.
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      std::string text;
      if (!std::getline(stat, text) || has(text, ") Z ")) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  // `out` is the file that is asked for.
  static inline const std::string kOut =
      "for a; do case $a in --benchmark_out=*) out=${a#*=};; esac; done\n";
  fs::path root_ = fs::temp_directory_path() / ("wb's cli test " + std::to_string(::getpid()));
  std::string lessons_;
};

TEST_F(Driver, ComparesAndWritesFiles) {
  WB_SKIP_WITHOUT_GNUPLOT();
  fs::create_directories(root_ / "ch1_x/01_good");
  write("ch1_x/01_good/good.h", "{{\"op\", \"add\"}}");
  const Answer answer = run(
      "compare good --fast --axis n=7 --seed 3 --op add --json r.json --csv r.csv --markdown r.md "
      "--svg r.svg --png r.png");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(has(answer.out, "10.0x [9.90, 10.1] faster"));
  EXPECT_TRUE(has(answer.out, "goodput=50.0% (useful=1.00 ms total=2.00 ms)"));
  EXPECT_TRUE(has(answer.out, "% -> 50.0% of roof"));
  EXPECT_TRUE(has(answer.err, "seed 1"));
  EXPECT_FALSE(has(answer.err, "@progress"));
  EXPECT_TRUE(
      has(read("arguments"), "--backend=auto --axis=n=7 --axis=op=add --seed=3 --fast --quiet"));
  EXPECT_EQ(load_results(path("r.json")).rows.size(), 2u);
  EXPECT_TRUE(has(read("r.csv"), "ch1_x/01_good,optimized,cuda"));
  EXPECT_TRUE(has(read("r.md"), "| optimized | 100 us |"));
  EXPECT_TRUE(has(read("r.svg"), "</svg>"));
  EXPECT_TRUE(read("r.png").starts_with("\x89PNG"));
  EXPECT_EQ(run("compare r.json").code, 0);  // and reads them again
  EXPECT_TRUE(has(run("roofline r.json").out, "of roof"));
}

TEST_F(Driver, MeasuresTheFirstCaseAloneWhereAllAreAskedForOrTheFlagSaysSo) {
  run("compare good");
  EXPECT_FALSE(has(read("arguments"), "--first"));
  run("compare good --first");
  EXPECT_TRUE(has(read("arguments"), "--first"));
}

// ./workbook builds the first lesson alone; the others are built when the run comes to them.
TEST_F(Driver, HasLessonsBuiltAsItComesToThem) {
  lesson("ch2_y/09_last", "last", "echo 'last: no results' >&2\nexit 1\n");
  lesson("ch2_y/10_unbuilt", "unbuilt", "");
  write_catalogue(false);
  program("workbook",
          "echo \"$@\" >>" + quoted("built") +
              "\necho '@progress 1 2 building' >&2\n"
              "case $* in *unbuilt*) rm -f " +
              quoted("build/bin/unbuilt") +
              "; for i in 1 2; do echo 'the same words of a compiler' >&2; done ;; esac\n");
  ::setenv("WB_BUILD_WITH", path("workbook").c_str(), 1);
  const std::string lessons = "good wrong last unbuilt --backend=cpu";
  EXPECT_EQ(run("targets compare " + lessons).out, "good\npeaks\n");
  EXPECT_EQ(run("targets compare " + lessons + " --launcher env").out,
            "good\nwrong\nlast\nunbuilt\npeaks\n");
  EXPECT_EQ(run("targets test " + lessons).out, "good_test\nwrong_test\nlast_test\nunbuilt_test\n");
  const Answer answer = run("compare " + lessons);
  EXPECT_EQ(read("built"), "build cpu good\nbuild cpu wrong\nbuild cpu last unbuilt\n");
  EXPECT_FALSE(has(answer.err, "@progress"));
  EXPECT_TRUE(has(answer.err, "words of a compiler\nthe same words"));
  EXPECT_TRUE(has(answer.err, "10_unbuilt"));
  fs::remove(path("built"));
  run("compare " + lessons + " --launcher env");
  EXPECT_FALSE(fs::exists(path("built")));
  ::unsetenv("WB_BUILD_WITH");
  run("compare " + lessons);
  EXPECT_FALSE(fs::exists(path("built")));
}

TEST_F(Driver, ShowsTheFirstCaseInFullAndALineForEachOther) {
  Results results = load_results(path("good.json"));
  const std::vector<Row> first = results.rows;
  const auto add = [&](const char* dtype, Status status) {
    for (Row row : first) {
      row.axes.set({"dtype", dtype});
      row.cost.read /= 4;  // so that it is not suspect
      if (row.variant == "optimized" && status != Status::ok)
        row.samples.clear(), row.status = status, row.reason = "y: 1 of 2 wrong";
      results.rows.push_back(row);
    }
  };
  add("bf16", Status::ok), add("fp16", Status::skipped), add("fp8", Status::wrong);
  write("good.json", to_json(results));
  const auto tables = [](const std::string& text) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find("\nvariant ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const Answer answer = run("compare good --json r.json");
  EXPECT_EQ(tables(answer.out), 2) << answer.out;  // the first, and the wrong one
  EXPECT_TRUE(has(answer.out, "WRONG: y: 1 of 2 wrong"));
  EXPECT_TRUE(has(answer.out, "further case"));
  EXPECT_TRUE(has(answer.out, "bf16") && has(answer.out, "--all-cases")) << answer.out;
  EXPECT_EQ(load_results(path("r.json")).rows.size(), 8u);
  for (const char* full : {"compare good --all-cases", "run good", "compare good.json"})
    EXPECT_EQ(tables(run(full).out), 4) << full << read("out");
  for (Row& row : results.rows)
    if (row.variant == "baseline") row.variant = "exercise";
  write("good.json", to_json(results));
  EXPECT_EQ(tables(run("compare good").out), 4) << read("out");  // one's own is seen everywhere
  EXPECT_TRUE(has(read("out"), "optimized is 10x faster than exercise"));
}

TEST_F(Driver, PutsNewResultsIntoStoredOnes) {
  Results results = make_results();
  write("stored.json", to_json(results));
  results.rows.resize(2);
  for (Row& row : results.rows) row.samples.assign(9, 5e-4);
  write("new.json", to_json(results));
  EXPECT_EQ(run("compare stored.json new.json --json stored.json").code, 0);
  results = load_results(path("stored.json"));
  ASSERT_EQ(results.rows.size(), 4u);
  EXPECT_EQ(results.rows[1].samples[0], 5e-4);
  EXPECT_EQ(results.rows[2].samples[0], 2e-3);
  results.ceilings[0].device.name = "Another GPU";
  write("new.json", to_json(results));
  const std::string before = read("stored.json");
  const Answer both = run("compare stored.json new.json stored.json");  // a report for each
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_LT(both.out.find("Measured on Test GPU"), both.out.find("Measured on Another GPU"));
  EXPECT_EQ(both.out.find("Measured on Another GPU"), both.out.rfind("Measured on "));
  expect_one_line("compare stored.json new.json --json stored.json", 2, "different machines");
  expect_one_line("compare stored.json good --json stored.json", 2, "not both");
  EXPECT_EQ(read("stored.json"), before);
}

TEST_F(Driver, ARunThatIsKeptShowsWhatIsSlowerLater) {
  const auto now = [&](double times, const char* machine = "Test GPU") {
    Results results = load_results(path("wrong.json"));
    results.machine = machine;
    for (Row& row : results.rows) row.lesson = "ch1_x/01_good", row.status = Status::ok;
    results.rows[1].samples.assign(9, 1e-4 * times);
    write("good.json", to_json(results));
  };
  expect_one_line("compare good --against monday", 2, "nothing was kept as monday");
  now(1);
  EXPECT_EQ(run("compare good --save monday").code, 0);
  EXPECT_EQ(run("compare good --against monday").code, 0);
  // Other lessons' rows are added to it.
  lesson("ch1_x/10_more", "more", gives("wrong.json"));
  write_catalogue(false);
  EXPECT_TRUE(has(run("compare more --save monday").err,
                  "monday had 2 rows; with the 2 of this run it has 4"));
  EXPECT_EQ(run("compare good --against monday").code, 0);
  EXPECT_TRUE(has(run("compare good --save monday").err, "it has 4\n"));
  now(1, "Another GPU");
  const Answer elsewhere = run("compare good --save monday");
  EXPECT_EQ(elsewhere.code, 2);
  EXPECT_TRUE(has(elsewhere.err, "monday was kept on Test GPU, this is Another GPU"));
  now(1.04);
  EXPECT_EQ(run("compare good --against monday --threshold 5").code, 0) << "less than it";
  const Answer slower = run("compare good --against monday");
  EXPECT_EQ(slower.code, 6);
  EXPECT_TRUE(has(slower.out, "0.962 [0.952, 0.971]"));
  EXPECT_TRUE(has(slower.out, "Of 2 rows 1 slower, 0 faster, 1 the same"));
  if (in_path("gnuplot")) {
    run("compare good --against monday --html r.html");
    const std::string page = read("r.html");
    EXPECT_TRUE(has(page, "<h1>Speed now, over that of monday") && has(page, ">slower</td>"))
        << page;
  }
  now(0.5);
  EXPECT_TRUE(has(run("compare good --against monday").out, "0 slower, 1 faster"));
  now(2);
  write("busy.json", read("good.json"));
  now(1);
  write("calm.json", read("good.json"));
  // Slower once, and not when it is measured again.
  lesson("ch1_x/09_busy", "busy",
         "if [ -e " + quoted("twice") + " ]; then\n" + gives("calm.json") + "else\n" +
             gives("busy.json") + "fi; touch " + quoted("twice") + "\n");
  write_catalogue(false);
  const Answer again = run("compare busy --against monday");
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_TRUE(has(again.err, "measuring again"));
  now(1, "Other GPU");
  EXPECT_EQ(run("compare good --against monday").code, 2);
  EXPECT_TRUE(has(read("err"), "measured on Test GPU, this is Other GPU: --any-machine"));
  EXPECT_EQ(run("compare good --against monday --any-machine").code, 0);
  EXPECT_EQ(run("compare good.json --against calm.json --any-machine").code, 0) << "files do";
  expect_one_line("compare good --against tuesday", 2, "there is monday");
  expect_one_line("compare good --threshold 2", 2, "requires --against");
  expect_one_line("compare good --save a/b", 2, "no name to keep results under");
  write("state/gpu-performance-workbook/kept/monday.json", "{");
  expect_one_line("compare good --against monday", 5, "monday.json");
}

TEST_F(Driver, WrongAnswerExitsWithOne) {
  const Answer answer = run("run wrong");
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(has(answer.out, "WRONG: y: wrong"));
}

TEST_F(Driver, RowsThatAreAllSkippedForOneReasonAreNoTable) {
  const auto skipped = [&](const std::string& name, const std::string& other) {
    Results results = load_results(path("good.json"));
    for (Row& row : results.rows)
      row.lesson = "ch2_y/" + name, row.samples.clear(), row.status = Status::skipped,
      row.reason = "no such shape";
    results.rows[1].reason = other;
    results.failure = 3, results.failure_reason = "no such shape";
    write(name + ".json", to_json(results));
    lesson("ch2_y/" + name, name, gives(name + ".json") + "exit 3\n");
  };
  skipped("09_shape", "no such shape"), skipped("10_several", "too little memory");
  write_catalogue(false);
  expect_one_line("run 09_shape", 3, "ch2_y/09_shape: no such shape");
  EXPECT_EQ(run("run 10_several").code, 3);
  EXPECT_TRUE(has(read("out"), "too little memory"));
}

TEST_F(Driver, TroubleCostsItsOwnRowsOnly) {
  const Answer answer =
      run("compare crash hang corrupt silent wrong good part --time-limit 1 --json all.json");
  EXPECT_EQ(answer.code, 4) << answer.err;
  EXPECT_TRUE(has(answer.out, "CRASHED: signal 11"));
  EXPECT_TRUE(has(answer.out, ": last words"));
  EXPECT_TRUE(has(answer.out, "HUNG: stopped after the time limit of 1 s"));
  EXPECT_TRUE(has(answer.out, "FAILED: "));
  EXPECT_TRUE(has(answer.out, "CRASHED: exit code 0 and no results"));
  EXPECT_TRUE(has(answer.out, "10.0x [9.90, 10.1] faster"));
  EXPECT_TRUE(has(answer.err, "skipped ch2_y/07_nogpu/part: no GPU answers"));
  EXPECT_TRUE(ends("hanging"));
  EXPECT_TRUE(ends("sleeper")) << "a child of the lesson program runs on";
  const Results results = load_results(path("all.json"));
  ASSERT_EQ(results.rows.size(), 8u);  // four programs without an answer, two lessons of two rows
  EXPECT_EQ(run("compare corrupt").code, 5);
  EXPECT_EQ(run("compare silent good").code, 4);
}

TEST_F(Driver, OneThatHangsLosesOnlyWhatItHadNotMeasured) {
  Results results = load_results(path("good.json"));
  for (Row& row : results.rows) row.lesson = "ch2_y/09_late", row.cache = "hot";
  write("late.json", to_json(results));
  const std::string begin = gives("late.json");
  lesson("ch2_y/09_late", "late",
         begin + "echo '@progress 3 4 ch2_y/09_late/optimized/cuda/n=2' >&2\nexec sleep 1000\n");
  lesson("ch2_y/10_later", "later", begin + "echo '@progress 4 4 ' >&2\nkill -SEGV $$\n");
  write_catalogue(false);
  const Answer answer = run("compare late --cache hot --time-limit 1 --json r.json");
  EXPECT_EQ(answer.code, 4) << answer.err;
  EXPECT_TRUE(has(answer.out, "10.0x [9.90, 10.1] faster"));
  EXPECT_TRUE(has(answer.out, "n=2, hot cache\n"));
  EXPECT_TRUE(has(answer.out, "optimized  HUNG: stopped after"));
  results = load_results(path("r.json"));
  ASSERT_EQ(results.rows.size(), 3u);
  EXPECT_EQ(results.rows[2].status, Status::hung);
  EXPECT_EQ(benchmark_name(results.rows[2]), "ch2_y/09_late/optimized/cuda/n=2");
  EXPECT_EQ(run("compare later --json r.json").code, 4);
  results = load_results(path("r.json"));
  ASSERT_EQ(results.rows.size(), 3u);  // all that there is, and what became of the program
  EXPECT_EQ(results.rows[2].variant, "program");
}

TEST_F(Driver, ALessonThatWasNotBuiltCostsItsOwnRowsOnly) {
  lesson("ch2_y/09_broken", "broken", "exit 0\n", {"baseline", "exercise"});
  fs::remove(path("build/bin/broken"));
  write_catalogue(false);
  expect_one_line("list broken/exercise", 3, "not built");
  const Answer answer = run("run broken/exercise good");
  EXPECT_EQ(answer.code, 1) << answer.err;
  EXPECT_TRUE(has(answer.out, "NOT BUILT"));
  EXPECT_TRUE(has(answer.out, "10.0x [9.90, 10.1] faster"));
}

TEST_F(Driver, ADrawingThatFailsCostsNoResults) {
  fs::create_directories(root_ / "tools");
  program("tools/gnuplot", "echo 'no font' >&2\nexit 1\n");
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (path("tools") + ":" + before).c_str(), 1);
  const Answer answer = run("compare good --json r.json --csv r.csv");
  const Answer picture = run("compare good --json s.json --svg s.svg");
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(has(answer.err, "gnuplot failed: no font"));
  EXPECT_TRUE(has(answer.out, "Measured on Test GPU, 2026-01-02, with"));
  EXPECT_EQ(load_results(path("r.json")).rows.size(), 2u);
  EXPECT_TRUE(has(read("r.csv"), "optimized"));
  EXPECT_EQ(picture.code, 5) << picture.err;
  EXPECT_EQ(load_results(path("s.json")).rows.size(), 2u);
  EXPECT_FALSE(fs::exists(path("s.json.partial")));
}

TEST_F(Driver, EveryCurveHasAFileOfItsOwn) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_results();
  results.rows.resize(3);
  for (Row& row : results.rows) row.sweep = "n";
  write("curves.json", to_json(results));
  const Answer answer = run("compare curves.json --svg c.svg --csv c.csv --markdown c.md");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(has(read("c.svg"), "01_sum"));
  EXPECT_TRUE(has(read("c-cuda_02_gemm_small_n.svg"), "02_gemm"));
  const std::string csv = read("c.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4) << csv;
  EXPECT_FALSE(has(read("c.md"), "| lesson |")) << "a summary of no case";
}

TEST_F(Driver, RooflineSaysWhyARowHasNoPoint) {
  WB_SKIP_WITHOUT_GNUPLOT();
  const Answer answer = run("roofline wrong good");
  EXPECT_EQ(answer.code, 1) << answer.err;
  EXPECT_TRUE(has(answer.err, "ch1_x/02_wrong/optimized n=1: WRONG: y: wrong"));
}

TEST_F(Driver, CtrlCKeepsTheCasesThatALessonHasDone) {
  lesson("ch1_x/09_begun", "begun",
         gives("good.json") + "echo $$ >" + quoted("hanging") + "\nsleep 1000\n");
  write_catalogue(false);
  const int status = stopped(SIGINT, "compare begun --json r.json");
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_TRUE(has(read("err"), "workbook: interrupted: what was measured is in r.json.partial\n"));
  const Results kept = load_results(path("r.json.partial"));
  ASSERT_EQ(kept.rows.size(), 3u);
  EXPECT_EQ(kept.rows[2].reason, "interrupted: not all was measured");
  // Of a lesson that was not done nothing is taken over.
  lesson("ch1_x/01_good", "good", gives("good.json"));
  const Answer resumed = run("compare begun wrong --json r.json --resume --time-limit 2");
  EXPECT_EQ(resumed.code, 4) << resumed.err;
  EXPECT_FALSE(has(resumed.err, "were measured before"));
}

TEST_F(Driver, AFullFolderForTemporaryFilesIsNamed) {
  if (std::system("unshare -rm mount -t tmpfs none /mnt 2>/dev/null") != 0)
    GTEST_SKIP() << "nothing can be mounted here";
  for (const char* arguments : {"compare good", "test good", "run good", "timeline good"}) {
    write("err", "");
    const std::string full =
        "mount -t tmpfs -o size=4k none tmp && head -c 9999 /dev/zero >tmp/full";
    write("start", full + " 2>/dev/null\n" + command(arguments) + "\n");
    const int status = std::system(("cd " + quoted("") + " && unshare -rm sh ./start").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 5) << arguments << read("err");
    EXPECT_TRUE(has(read("err"), "tmp is full: make room, or set TMPDIR to another folder\n"))
        << arguments;
  }
}

TEST_F(Driver, AKillKeepsTheCasesThatALessonHasDone) {
  lesson("ch1_x/09_begun", "begun",
         gives("good.json") +
             "echo '@progress 1 2 next' >&2\n"
             "until [ -e " +
             quoted("r.json.partial") + " ]; do sleep 0.05; done\necho $$ >" + quoted("hanging") +
             "\nsleep 1000\n");
  write_catalogue(false);
  const int status = stopped(SIGKILL, "compare begun --json r.json");
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 137);
  EXPECT_TRUE(ends("hanging"));
  const Results kept = load_results(path("r.json.partial"));
  ASSERT_EQ(kept.rows.size(), 3u);
  EXPECT_TRUE(has_speed(kept.rows[0]) && has_speed(kept.rows[1]));
  EXPECT_EQ(kept.rows[2].reason, "the run ended before all was measured");
  for (const auto& left : fs::directory_iterator(root_ / "tmp")) fs::remove_all(left);
  // The next call keeps it, and says so.
  EXPECT_TRUE(has(run("compare good --json r.json").err,
                  "r.json.partial is of an interrupted run: it was renamed to r.json.partial.1"));
  fs::rename(path("r.json.partial.1"), path("r.json.partial"));
  // The lesson that was not done is measured again as a whole, and then all is in r.json alone.
  lesson("ch1_x/09_begun", "begun", gives("good.json") + "echo '@progress 1 2 next' >&2\n");
  const Answer resumed = run("compare begun --json r.json --resume");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(has(resumed.err, "were measured before"));
  EXPECT_EQ(load_results(path("r.json")).rows.size(), 2u);
  EXPECT_FALSE(fs::exists(path("r.json.partial")));
}

// Nor do rows of lessons that crashed, or did not compile, make such a file.
TEST_F(Driver, CtrlCBeforeTheFirstCaseSaysThatThereIsNoFile) {
  for (const char* call : {"compare hang --json r.json", "compare crash hang --json r.json"}) {
    EXPECT_EQ(WEXITSTATUS(stopped(SIGINT, call)), 130);
    EXPECT_TRUE(
        has(read("err"), "interrupted: no case was complete, so there is no r.json.partial\n"));
    EXPECT_FALSE(fs::exists(path("r.json.partial"))) << call;
    fs::remove(path("hanging"));
  }
}

TEST_F(Driver, CtrlCEndsWhatShowsManyRowsBeforeItHasShownThem) {
  Results results = make_results();
  results.rows.resize(1);
  for (int i = 1; i < 20000; ++i) {
    results.rows.push_back(results.rows[0]);
    results.rows.back().variant = "v" + std::to_string(i);
  }
  write("big.json", to_json(results));
  write("common/results/big.json", to_json(results));
  for (const std::string& arguments :
       {std::string("compare big.json"), std::string("compare big.json --html big.html"),
        std::string("report --check")})
    for (const int milliseconds : {100, 700, 1500}) {
      write("out", ""), write("err", "");
      const pid_t driver = start(arguments);
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      const int status = end(driver, SIGINT);
      // On a busy machine it may not have begun to catch signals.
      EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 130)
          << arguments << " after " << milliseconds << "\n"
          << read("err");
      EXPECT_FALSE(has(read("out"), "v19999")) << arguments << " after " << milliseconds;
      EXPECT_TRUE(fs::is_empty(root_ / "tmp")) << arguments << " after " << milliseconds;
      EXPECT_FALSE(fs::exists(path("big.html")));
    }
}

// A launcher that has `does` happen to the first so many programs that it starts.
std::string launcher(const std::string& counter, int so_many, const std::string& does) {
  return " --launcher \"sh -c 'echo >>" + counter + "; [ \\$(wc -l <" + counter + ") -gt " +
         std::to_string(so_many) + " ] || { " + does + "; }; exec \\\"\\$@\\\"' sh\"";
}

TEST_F(Driver, WhatALauncherLosesIsStartedAgain) {
  const std::string node = "echo srun: error: Node failure on n1 >&2; exit 0";
  for (const std::string& does : {std::string("kill -9 \\$\\$"), node, std::string("exit 143")}) {
    write("count", "");
    const Answer answer = run("compare good --json r.json" + launcher("count", 2, does));
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_TRUE(has(answer.err, "ch1_x/01_good was lost: "));
    EXPECT_EQ(read("count"), "\n\n\n");
    EXPECT_EQ(load_results(path("r.json")).rows.size(), 2u);
  }
  write("count", "");
  const Answer answer = run("compare good wrong --json r.json" + launcher("count", 3, node));
  EXPECT_EQ(answer.code, 4) << answer.err;
  const std::string lost = " s: lost 3 times: srun: error: Node failure on n1\n";
  std::string line = answer.err.substr(0, answer.err.find(lost));  // the seconds vary
  line.erase(0, line.rfind('\n') + 1);
  EXPECT_TRUE(has(line, "01_good ")) << answer.err;
  // The same command measures what is missing.
  const Answer again = run("compare good wrong --json r.json --resume");
  EXPECT_EQ(again.code, 0) << again.err;  // the wrong one was judged before
  EXPECT_TRUE(has(again.err, "1 lessons were measured before, 1 are left\n"));
  EXPECT_EQ(load_results(path("r.json")).rows.size(), 4u);
}

TEST_F(Driver, WhatEndsByItselfOrByATimeLimitIsNotStartedAgain) {
  write("count", "");
  const Answer answer =
      run("compare good --json r.json" +
          launcher("count", 9, "echo STEP 5.0 ON n1 CANCELLED DUE TO TIME LIMIT >&2; exit 0"));
  EXPECT_EQ(answer.code, 4) << answer.err;
  EXPECT_EQ(load_results(path("r.json")).rows.at(0).status, Status::hung);
  EXPECT_EQ(read("count"), "\n");
  EXPECT_EQ(run("compare crash" + launcher("count", 0, ":")).code, 4);
  EXPECT_EQ(read("count"), "\n\n");
}

TEST_F(Driver, WhatWasLostHalfWayIsNotTakenForAll) {
  Results half = load_results(path("good.json"));
  half.failure = 4, half.failure_reason = "not all was measured";
  write("half.json", to_json(half));
  lesson("ch1_x/10_half", "half", gives("half.json"));
  write_catalogue(false);
  const Answer answer = run("compare half --launcher env");
  EXPECT_EQ(answer.code, 4) << answer.err;
  EXPECT_TRUE(has(answer.err, "lost 3 times: exit code 0, and not all was measured"));
}

TEST_F(Driver, SeveralAtOnceStandInTheirOrder) {
  fs::rename(path("build/bin/good"), path("build/bin/quick"));
  program("build/bin/good", "sleep 1\nexec " + quoted("build/bin/quick") + " \"$@\"\n");
  const Answer answer = run("compare good wrong crash --json r.json --launcher env --jobs 3");
  EXPECT_EQ(answer.code, 4) << answer.err;
  EXPECT_TRUE(has(answer.err, "[3/3] ch1_x/01_good"));  // it ended last
  std::string order;
  for (const Row& row : load_results(path("r.json")).rows) order += row.lesson.substr(6) + " ";
  EXPECT_EQ(order, "01_good 01_good 02_wrong 02_wrong 03_crash ");
  EXPECT_EQ(run("compare good --jobs 2").code, 2);  // without a launcher one disturbs the other
}

TEST_F(Driver, CtrlCEndsEverythingAndKeepsEarlierResultsAndThoseOfLessonsThatWereDone) {
  write("r.json", "earlier");
  const int status = stopped(SIGINT, "compare good hang --json r.json");
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_TRUE(has(read("err"), "workbook: interrupted: what was measured is in r.json.partial\n"));
  EXPECT_TRUE(ends("hanging"));
  EXPECT_TRUE(ends("sleeper"));
  EXPECT_EQ(read("r.json"), "earlier");
  EXPECT_EQ(load_results(path("r.json.partial")).rows.size(), 2u);
  EXPECT_EQ(run("compare good --json r.json").code, 0);
  EXPECT_EQ(load_results(path("r.json")).rows.size(), 2u);
  EXPECT_FALSE(fs::exists(path("r.json.partial")));
  EXPECT_TRUE(has(read("err"),
                  "r.json.partial is of an interrupted run: it was renamed to r.json.partial.1"));
  EXPECT_EQ(load_results(path("r.json.partial.1")).rows.size(), 2u);
  EXPECT_EQ(run("compare good --json /dev/null").code, 0);
  EXPECT_FALSE(fs::exists("/dev/null.partial"));
  EXPECT_TRUE(fs::is_empty(root_ / "tmp"));
}

TEST_F(Driver, KilledItLeavesNothingRunning) {
  stopped(SIGKILL, "run hang");
  EXPECT_TRUE(ends("hanging"));
  EXPECT_TRUE(ends("sleeper")) << "what the lesson program had started runs on";
}

TEST_F(Driver, ListsVariantsInTheirOrderAndTheCasesOfALesson) {
  expect_one_line("list crash", 4, "crash could not list its cases");
  expect_one_line("list nogpu", 3, "nogpu could not list its cases: no GPU answers");
  lesson("ch3_z/09_listed", "listed",
         "case \"$*\" in *--list*) echo 'case n=7'; echo '--sweep n: 1 to 8';; *) exit 1;; esac\n",
         {"exercise", "optimized", "solution", "baseline", "step1_a"});
  write_catalogue(false);
  fs::create_directories(root_ / "ch3_z/09_listed");
  write("ch3_z/README.md", "# Chapter 3: what for?\n");
  write("ch3_z/09_listed/README.md", "# 09 Listed: what is there?\n\n**Takes:** 60 min, easy.\n");
  write("ch3_z/09_listed/exercise.cpp",
        "// Slow.\n//\n// Goal: 2 times baseline at n=7\n// Hints are in README.md.\n");
  EXPECT_EQ(run("list listed").out,
            "ch3_z/09_listed\n  Listed: what is there?\n  takes 60 min, easy\n"
            "  cpu: baseline step1_a optimized exercise solution\n"
            "  exercise.cpp: n=7: at least 2 times as fast as `baseline`\n"
            "  case n=7\n  --sweep n: 1 to 8\n");
  // All lessons are listed by the start script, from the pages.
  fs::copy_file(fs::path(source_folder()) / "workbook", root_ / "workbook");
  write("ch3_z/CMakeLists.txt", "wb_add_lesson(09_listed CPU)\n");
  for (const char* call : {"list", "list --backend=cpu"})
    EXPECT_EQ(run(call).out,
              "ch3_z: what for?\n  09_listed  what is there? (60 min, easy)\n\n"
              "1 lessons; ./workbook list LESSON shows its cases, axes and goal\n");
}

TEST_F(Driver, ListsAndRunsAnOperationOfAllLessons) {
  lesson("ch3_z/09_listed", "listed",
         "case \"$*\" in *op=gelu*--list*) echo 'case gelu: gelu,n=7'; echo '--sweep n: 1 to 8';; "
         "*) echo 'listed has no such case' >&2; exit 2;; esac\n",
         {"baseline"});
  write_catalogue(false);
  fs::create_directories(root_ / "ch3_z/09_listed");
  write("ch3_z/09_listed/listed.h", "bench[] = {{{\"op\", \"gelu\"}, {\"dtype\", \"fp32\"}}}");
  for (const char* call : {"list --op gelu", "list listed --op gelu"})
    EXPECT_TRUE(has(run(call).out, "ch3_z/09_listed\n  case gelu: gelu,n=7\n\n")) << call;
  expect_one_line("list --op relu", 2, "no lesson has the operation 'relu'");
  expect_one_line("list --op fp32", 2, "listed has no such case");
  write("ch3_z/09_listed/prefetch.h", "wb::Span span(wb::Work::copy, \"gather\");");
  expect_one_line("list --op gather", 2, "no lesson has the operation 'gather'");
  expect_one_line("list good --op gelu", 2, "no lesson of these has the operation 'gelu'");
  expect_one_line("run --op relu", 2, "no lesson has the operation 'relu'");
  EXPECT_FALSE(has(run("run --op gelu").err, "good")) << "it has no such operation";
}

TEST_F(Driver, WrongCallsGetOneLine) {
  expect_one_line("compare goood", 2, "did you mean good?");
  expect_one_line("run 01_good/optimised", 2, "did you mean 01_good/optimized?");
  expect_one_line("run xyzzyxyzzy", 2, "unknown lesson 'xyzzyxyzzy'; ./workbook list");
  expect_one_line("comprae", 2, "did you mean compare?");
  expect_one_line("run", 2, "name a lesson, or an operation");
  expect_one_line("compare --frobnicate", 2, "--frobnicate");
  expect_one_line("compare --backend=gpu", 2, "gpu");
  expect_one_line("compare good --sise small", 2,
                  "compare has no flag --sise: did you mean --size?");
  expect_one_line("compare --seed=-1", 2, "--seed");
  for (const char* time : {"0", "nan", "inf", "1e999", "-1", "1e-999", "soon", "''"})
    expect_one_line(std::string("compare --time-limit=") + time, 2, "--time-limit");
  expect_one_line("compare --seed=99999999999999999999", 2, "--seed");
  expect_one_line("compare usage", 2, "no such size");
  expect_one_line("report", 2, "--markdown");
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_TRUE(has(run("").out, "compare"));
  EXPECT_TRUE(has(run("compare --help").out, "--time-limit"));
}

TEST_F(Driver, AWordThatIsNoCommandIsSaidToBeNone) {
  expect_one_line("nonsense", 2, "workbook: 'nonsense' is no command; see ./workbook --help");
  // As an unset variable of a script leaves them.
  for (const std::string flag : {"--against", "--save", "--json", "--svg", "--launcher"})
    expect_one_line("compare good " + flag + " ''", 2, flag + ": its value is empty");
  expect_one_line("compar", 2, "'compar' is no command: did you mean compare?");
}

TEST_F(Driver, HandsTuningOverToTheProgramOfTheLesson) {
  expect_one_line(
      "tune", 2,
      "tune needs a lesson (tune --help LESSON shows its options); this build has no lesson");
  expect_one_line("tune good", 2, "good has nothing to tune; this build has no lesson");
  lesson("ch2_y/09_tuned", "open", "exit 0\n", {"baseline", "tuned"});
  write_catalogue(false);
  EXPECT_EQ(run("targets tune --help").out, "") << "it needs nothing built";
  const Answer help = run("tune --help");
  EXPECT_EQ(help.code, 0) << help.err;
  EXPECT_TRUE(has(help.out, "tune LESSON [OPTIONS]") && has(help.out, "  ch2_y/09_tuned\n"))
      << help.out;
  EXPECT_EQ(run("targets tune --help open").out, "tune_open\npeaks\n") << "its own help";
  expect_one_line("tune good --budget 3", 2, "tune can search ch2_y/09_tuned");
  expect_one_line("tune tund", 2, "unknown lesson 'tund'");
  EXPECT_EQ(run("targets tune open --strategy random").out, "tune_open\npeaks\n");
  expect_one_line("tune open", 3, "its compiler's message is above");  // it is not there
  lesson("ch2_y/10_other", "tune_open", "echo \"$@\"\nexit 130\n");
  const Answer answer = run("tune --backend=cpu open --strategy random --budget 3 --axis n=7");
  EXPECT_EQ(answer.code, 130);
  EXPECT_EQ(answer.out, "--backend=cpu --strategy random --budget 3 --axis n=7\n") << answer.err;
  for (const char* backend : {"--backend=cpu", "--backend cpu"})  // behind another flag: once, too
    EXPECT_EQ(run(std::string("tune open --budget 3 ") + backend).out,
              std::string("--budget 3 ") + backend + "\n");
}

TEST_F(Driver, SaysBackNoMoreThanALineOrTwo) {
  const std::string x(100'000, 'x');
  for (const std::string& words : {"run " + x, "compare --backend=" + x, "list --" + x, x}) {
    const Answer answer = run(words);
    EXPECT_EQ(answer.code, 2);
    EXPECT_LT(answer.err.size(), 1000u);
    EXPECT_TRUE(has(answer.err, "xxx ... ") && has(answer.err, "./workbook")) << answer.err;
  }
}

TEST_F(Driver, AProgramForAnotherCpuSaysSo) {
  lesson("ch2_y/11_foreign", "foreign", "kill -ILL $$\n");
  write_catalogue(false);
  const Answer answer = run("compare foreign");
  EXPECT_EQ(answer.code, 4);
  EXPECT_TRUE(has(answer.err, "built for another CPU (signal 4): remove the build folder"));
}

TEST_F(Driver, APathOfTheFileSystemIsAName) {
  const std::string top = "\"" + root_.string() + "/";
  EXPECT_EQ(run("targets run " + top + "ch1_x/01_good\"").out, "good\npeaks\n");
  EXPECT_EQ(run("targets run " + top + "ch1_x/01_good/baseline.cpp\"").out, "good\npeaks\n");
  EXPECT_EQ(run("targets run " + top + "ch2_y/\"").out, "nogpu\nusage\npeaks\n");
  expect_one_line("list " + top + "nothing\"", 2, "unknown lesson");
  expect_one_line("list /ch9/nothing", 2, "unknown lesson");
}

TEST_F(Driver, ADumbTerminalGetsNoEscapes) {
  const PseudoTerminal pseudo;
  if (!pseudo.why.empty()) GTEST_SKIP() << pseudo.why;
  const auto& [terminal, other, name, why] = pseudo;
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(has_cursor(other) && has_colours(other));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_TRUE(has_cursor(other) && !has_colours(other));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(has_cursor(other) || has_colours(other));
  EXPECT_EQ(run("doctor", (">" + name + " 2>&1").c_str()).code, 0);
  char text[4096] = {};
  EXPECT_GT(::read(terminal, text, sizeof text - 1), 0);
  EXPECT_TRUE(has(text, "compiler") && !has(text, "\033")) << text;
}

TEST_F(Driver, HelpIsBrokenAtBlanks) {
  for (const char* command :
       {"--help", "compare --help", "check --help", "timeline --help", "access --help"}) {
    const int status = std::system(("export COLUMNS=80; " + this->command(command)).c_str());
    EXPECT_EQ(status, 0) << command;
    std::istringstream lines(read("out"));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST_F(Driver, ATerminalIsToldThatAProgramIsAlive) {
  const PseudoTerminal pseudo;
  if (!pseudo.why.empty()) GTEST_SKIP() << pseudo.why;
  const auto& [terminal, other, name, why] = pseudo;
  ::setenv("TERM", "xterm", 1);
  const auto seen = [&, terminal = terminal, &name = name](const std::string& arguments,
                                                           int code = 0) {
    EXPECT_EQ(run(arguments, (">out 2>" + name).c_str()).code, code) << arguments;
    // A terminal hands over what was written a little later, so all of it is waited for.
    std::string all;
    for (pollfd waiting{terminal, POLLIN, 0}; ::poll(&waiting, 1, all.empty() ? 10000 : 500) > 0;) {
      char text[4096] = {};
      const auto size = ::read(terminal, text, sizeof text);
      if (size <= 0) break;
      all.append(text, static_cast<std::size_t>(size));
    }
    EXPECT_FALSE(all.empty());
    return all;
  };
  program("build/bin/peaks", "sleep 1.5\necho measured\n");
  const std::string peaks = seen("peaks");
  EXPECT_TRUE(has(peaks, "measuring, 1 s"));
  EXPECT_TRUE(peaks.ends_with("\r\033[K")) << "the line stays: " << peaks;
  // What comes before the first sample is no part of the estimate.
  program("build/bin/good",
          "sleep 2\necho '@progress 0 2 a' >&2\necho '@progress 1 2 ch1_x/01_good/b' >&2\n" +
              gives("good.json"));
  const std::string progress = seen("run good");
  EXPECT_TRUE(has(progress, "50%, about 0 s left b"));
  program("build/bin/good", "echo '@progress 1 2 b' >&2\nkill -INT $PPID\nsleep 60\n");
  const std::string ended = seen("run good", 130);
  EXPECT_TRUE(has(ended, "\033[Kworkbook: ")) << "what ends it has a line of its own";
}

TEST_F(Driver, AnApostropheInAPathIsALetter) {
  WB_SKIP_WITHOUT_GNUPLOT();
  fs::create_directories(root_ / "it's" / "tmp");
  fs::rename(root_ / "build", root_ / "it's" / "build");
  const std::string all = "cd \"" + root_.string() +
                          "/it's\" && TMPDIR=\"$PWD/tmp\" build/bin/workbook_driver compare good "
                          "--json 'it'\\''s.json' --svg r.svg >out 2>err";
  EXPECT_EQ(std::system(all.c_str()), 0) << read("it's/err");
  EXPECT_EQ(load_results(path("it's/it's.json")).rows.size(), 2u);
  EXPECT_TRUE(has(read("it's/r.svg"), "</svg>"));
}

TEST_F(Driver, WhatCannotRunHereGetsOneLine) {
  expect_one_line("compare --backend=cuda", 3, "no cuda variants");
  expect_one_line("compare part", 3, "no GPU answers");
  expect_one_line("compare good --launcher 'no-such-launcher -n 1'", 3, "no-such-launcher");
  write_catalogue(true);
  expect_one_line("run good --backend=cuda", 2, "none of these lessons has cuda variants");
}

TEST_F(Driver, OutputsAreCheckedBeforeTheRun) {
  expect_one_line("compare good --json none/r.json", 5, "none/r.json");
  expect_one_line("compare good --csv build", 5, "build");
  EXPECT_FALSE(fs::exists(path("arguments"))) << "a lesson ran";
  const Answer full = run("compare good.json --json /dev/full");
  EXPECT_EQ(full.code, 5);
  EXPECT_TRUE(has(full.err, "workbook: cannot write /dev/full: No space left"));
}

TEST_F(Driver, WhatNobodyCanReadCostsNoResults) {
  for (const char* to : {">out 2>/dev/full", ">out 2>&-", "2>err >/dev/full", "2>err >&-"}) {
    fs::remove(root_ / "r.json");
    const bool printed = has(to, ">out");
    EXPECT_EQ(run("compare good wrong --json r.json", to).code, 1) << to;
    EXPECT_EQ(run("compare good --json r.json", to).code, printed ? 0 : 5) << to;
    EXPECT_EQ(load_results(path("r.json")).rows.size(), 2u) << to;
    EXPECT_EQ(has(read("err"), "cannot write to the standard output: "), !printed) << read("err");
    EXPECT_EQ(run("comprae", to).code, 2) << to;
    EXPECT_EQ(run("progress", to).code, printed ? 0 : 5) << to;
    EXPECT_EQ(run("--help", to).code, printed ? 0 : 5) << to;
  }
}

TEST_F(Driver, AReaderWhoHadEnoughCostsNoResultsThatAFileIsFor) {
  lesson("ch2_y/09_slow", "slow", "sleep 0.3\nexit 3\n");
  lesson("ch2_y/10_last", "last", "echo begun >" + quoted("begun") + "\nexit 3\n");
  write_catalogue(false);
  const char* to = "3>code 2>err | head -n 1 >out";
  const auto piped = [&](const std::string& arguments) {
    const std::string all = "cd " + quoted("") + " && { TMPDIR=tmp build/bin/workbook_driver " +
                            arguments + "; echo $? >&3; } " + to;
    EXPECT_EQ(std::system(all.c_str()), 0);
    EXPECT_TRUE(fs::is_empty(root_ / "tmp"));
    return std::stoi(read("code"));
  };
  EXPECT_EQ(piped("compare good slow wrong last --json r.json"), 1) << read("err");
  EXPECT_EQ(load_results(path("r.json")).rows.size(), 4u);
  EXPECT_TRUE(fs::remove(root_ / "begun"));
  EXPECT_EQ(piped("compare good slow wrong last"), 141) << read("err");
  EXPECT_TRUE(has(read("err"), "workbook: the program that read the output has ended: stopped\n"));
  EXPECT_FALSE(fs::exists(root_ / "begun")) << "a lesson ran for nobody";
}

TEST_F(Driver, AFullDiskCostsNoLesson) {
  // The driver can't write what is larger than a block, as on a disk that is full; lessons can.
  const std::string all = "cd " + quoted("") +
                          " && (ulimit -S -f 1; TMPDIR=tmp exec build/bin/workbook_driver compare "
                          "good wrong --json r.json --csv r.csv) 2>&1 | cat >out; ls >listed";
  write("r.json", "earlier");
  EXPECT_EQ(std::system(all.c_str()), 0);
  const std::string out = read("out");
  EXPECT_TRUE(has(out, "WRONG: y: wrong"));
  EXPECT_TRUE(has(out, "Each lesson") || has(out, "\nlesson  ")) << "no summary: " << out;
  const std::string warning = "cannot write r.json.partial: File too large: the run goes on";
  EXPECT_EQ(out.find(warning), out.rfind(warning)) << out;
  EXPECT_TRUE(has(out, warning));
  EXPECT_TRUE(has(out, "workbook: cannot write r.json: File too large\n"));
  EXPECT_EQ(read("r.json"), "earlier");
  EXPECT_FALSE(has(read("listed"), "partial"));
}

TEST_F(Driver, OutputsAreFilesOfTheirOwn) {
  expect_one_line("compare good --json r --csv r", 2, "r is named for two outputs");
  expect_one_line("compare good --svg r --png build/../r", 2, "is named for two outputs");
  expect_one_line("timeline good --svg r --trace ./r", 2, "is named for two outputs");
  expect_one_line("compare good --json ''", 2, "--json");
  expect_one_line("compare good --csv=", 2, "--csv");
  write("r.json", "earlier");
  ::chmod(path("r.json").c_str(), 0444);
  expect_one_line("compare good --json r.json", 5, "cannot write r.json: it is read-only");
  EXPECT_EQ(read("r.json"), "earlier");
  EXPECT_FALSE(fs::exists(path("arguments"))) << "a lesson ran";
  ::chmod(path("r.json").c_str(), 0600);
  EXPECT_EQ(run("compare good --json r.json").code, 0);
  EXPECT_EQ(fs::status(path("r.json")).permissions(), fs::perms(0600));
}

TEST_F(Driver, BadFilesGetOneLine) {
  write("bad.json", "{\"context\": 1}");
  expect_one_line("compare bad.json", 5, "bad.json: not a result");
  expect_one_line("compare none.json", 5, "none.json");
  write("build/lessons.json", "{");
  expect_one_line("list", 5, "lessons.json is unusable");
  expect_one_line("list", 5, "build, then start ./workbook again");
}

TEST_F(Driver, FoldersThatAreGoneGetOneLine) {
  fs::create_directories(path("gone"));
  const auto said = [&](const std::string& folder, const std::string& words) {
    const std::string all =
        "cd " + quoted(folder) + " && " + words + " >/dev/null 2>" + quoted("err");
    EXPECT_EQ(WEXITSTATUS(std::system(all.c_str())), 5);
    return read("err");
  };
  const std::string compare = quoted("build/bin/workbook_driver") + " compare good";
  EXPECT_EQ(said("", "TMPDIR=/nowhere " + compare),
            "workbook: /nowhere is no folder for temporary files: make it, or set TMPDIR\n");
  EXPECT_EQ(said("gone", "rmdir " + quoted("gone") + " && " + compare + " --json r.json"),
            "workbook: the folder that this was started in is gone: cd to another one\n");
}

TEST_F(Driver, ADamagedCatalogueIsWrittenAnew) {
  fs::copy_file(path("build/lessons.json"), path("good"));
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.25)\nproject(test NONE)\n"
        "configure_file(good lessons.json COPYONLY)\n");
  // Ninja by name: a machine that ./workbook has set up has no make.
  const std::string configure = "cd " + quoted("") + " && cmake -G Ninja -S . -B build >log 2>&1";
  ASSERT_EQ(std::system(configure.c_str()), 0) << read("log");
  const std::string listed = run("targets compare good").out;
  for (const char* damaged : {"{", "[]", "{\"source\": 7}", ""}) {
    write("build/lessons.json", damaged);
    EXPECT_EQ(run("targets compare good").out, listed) << damaged;
  }
  fs::remove(path("build/lessons.json"));
  EXPECT_EQ(run("targets compare good").out, "good\npeaks\n");
}

TEST_F(Driver, LauncherStandsInFront) {
  EXPECT_EQ(run("run good --launcher 'env \"FROM=a b\"'").code, 0);
  EXPECT_TRUE(has(read("arguments"), "--benchmark_out=" + path("build")))
      << "the node may not see /tmp";
  EXPECT_TRUE(
      has(run("run good --launcher 'env \"FROM=a b\"'").out, "--launcher 'env \"FROM=a b\"'"));
  EXPECT_EQ(run("run good --launcher false").code, 4);
}

TEST_F(Driver, ReportWritesAndChecksReadmes) {
  WB_SKIP_WITHOUT_GNUPLOT();
  const std::string empty = "<!-- results ch1_x gpu -->\n<!-- end results -->\n";
  write("README.md", empty);
  fs::copy_file(path("good.json"), path("common/results/gpu.json"));
  fs::create_directories(root_ / "ch2");
  write("ch2/README.md", "<!-- results ch9_none gpu -->\n<!-- end results -->\n");
  for (const char* how : {"--check", "--markdown"})
    expect_one_line(std::string("report ") + how, 5,
                    "ch2/README.md:1: common/results/gpu.json has no");
  EXPECT_EQ(read("README.md"), empty);
  fs::remove_all(root_ / "ch2");
  EXPECT_EQ(run("report --check").code, 1);
  EXPECT_EQ(run("report --markdown").code, 0);
  EXPECT_TRUE(has(read("README.md"), "| ch1_x/01_good | n=1 | 1.00 ms | 100 us |"));
  EXPECT_EQ(run("report --check").code, 0);
  fs::remove(root_ / "common/results/gpu_ch1.md");
  EXPECT_TRUE(has(run("report --check").out, "common/results/gpu_ch1.md: is missing"));
  EXPECT_EQ(run("report --check").code, 1);
  EXPECT_EQ(run("report --markdown").code, 0);
  EXPECT_TRUE(has(read("common/results/gpu_ch1.md"), "\n## 01_good\n"));
  write("common/results/cpu_ch1.md", "of results that are gone");
  for (const char* how : {"--check", "--markdown"})
    expect_one_line(std::string("report ") + how, 5,
                    "common/results/cpu_ch1.md: its results are not stored");
  fs::remove(root_ / "common/results/cpu_ch1.md");
  EXPECT_EQ(run("report --pictures").code, 0);
  EXPECT_TRUE(has(read("common/results/gpu_roofline.svg"), "</svg>"));
  const std::string before = read("README.md");
  fs::remove(root_ / "common/results/gpu.json");
  for (const char* how : {"--check", "--markdown"})
    expect_one_line(std::string("report ") + how, 5,
                    "README.md:1: there is no common/results/gpu.json");
  EXPECT_EQ(read("README.md"), before);
}

TEST_F(Driver, TestFailsWhenNothingWasSelected) {
  EXPECT_EQ(run("test good").code, 1);  // this build tree has no tests
  write("build/CTestTestfile.cmake",
        "add_test(ch1_x/01_good /bin/true)\nadd_test(other /bin/false)\n");
  const Answer one = run("test good");
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  EXPECT_TRUE(one.out.ends_with("\n1 passed, 0 failed, 0 skipped\n")) << one.out;
  const Answer all = run("test");
  EXPECT_EQ(all.code, 1);
  EXPECT_TRUE(all.out.ends_with("\n1 passed, 1 failed, 0 skipped\n")) << all.out;
  EXPECT_EQ(run("test nothing_like_it").code, 2);
}

// Programs for ./workbook test to run: this one, with one of these selected.
TEST(ForTheDriver, DISABLED_Mixed1) {}
TEST(ForTheDriver, DISABLED_Mixed2) {
  std::printf("[  FAILED  ] 7 tests, listed below:\n[  PASSED  ] 99 tests.\n");
}
TEST(ForTheDriver, DISABLED_Mixed3) { GTEST_SKIP(); }
TEST(ForTheDriver, DISABLED_Mixed4) { FAIL() << "\xff\"</testcase>"; }
TEST(ForTheDriver, DISABLED_EndsEarly) {
  std::printf("[  PASSED  ] 12 tests.\n");
  std::fflush(stdout);
  ::_exit(0);
}
TEST(ForTheDriver, DISABLED_Hangs) {
  std::ofstream(std::getenv("WB_TEST_PIDS") + std::string("/hanging")) << ::getpid();
  EXPECT_EQ(std::system("sleep 1000 & echo $! >\"$WB_TEST_PIDS/sleeper\"; wait"), 0);
}

class TestCommand : public Driver {
 protected:
  // For add_to_catalogue().
  static inline const std::pair<std::string, std::string>
      kEmulated = {"\"backends\":[", R"({"name":"simt","extension":".cu","device":"emulated GPU",)"
                                     R"("accelerator":false,"sanitizer":false,"untimed":true},)"},
      kLeftOut = {R"("lesson":"ch1_x/01_good",)",
                  R"("left_out":[{"variant":"library.cu","needs":"cuBLAS"}],)"};
  static constexpr const char* kVariants = R"("program":"good","variants":[)";

  TestCommand() { ::setenv("WB_TEST_PIDS", root_.c_str(), 1); }
  // The tests `filter` of this program as those of a lesson.
  void tests(const std::string& lesson, const std::string& filter) {
    const std::string self = fs::read_symlink("/proc/self/exe");
    tests_ += "add_test(" + lesson + " [==[" + self +
              "]==] --gtest_also_run_disabled_tests --gtest_filter=ForTheDriver.DISABLED_" +
              filter + " [==[--gtest_output=json:" + path(filter.substr(0, 5) + ".json") +
              "]==])\nset_tests_properties(" + lesson + " PROPERTIES TIMEOUT 2)\n";
    write("build/CTestTestfile.cmake", tests_);
  }
  std::string tests_;
};

TEST_F(TestCommand, CountsWhatGoogleTestReports) {
  tests("ch1_x/01_good", "Mixed*");
  const Answer mixed = run("test good");
  EXPECT_EQ(mixed.code, 1);
  EXPECT_TRUE(mixed.out.ends_with("\n2 passed, 1 failed, 1 skipped\n")) << mixed.out;

  // Not what a program prints, nor what was reported before.
  write("EndsE.json", read("Mixed.json"));
  tests("ch1_x/02_wrong", "EndsEarly");
  const Answer early = run("test wrong");
  EXPECT_EQ(early.code, 1);
  EXPECT_TRUE(has(early.out, "ch1_x/02_wrong FAILED: it ended before GoogleTest"));
  EXPECT_TRUE(early.out.ends_with("\n0 passed, 1 failed, 0 skipped\n")) << early.out;
}

TEST_F(TestCommand, WithoutTimesRunsNoGoalAndNoLessonThatItHasNothingOf) {
  add_to_catalogue({kEmulated});
  tests("ch1_x/01_good", "Mixed*");
  const Answer none = run("test good --backend=simt");
  EXPECT_EQ(none.code, 3);
  EXPECT_TRUE(has(none.err, "the emulated GPU runs no variant of ch1_x/01_good"));
  const Answer goals = run("test good --goals --backend=simt");
  EXPECT_EQ(goals.code, 2);
  EXPECT_TRUE(has(goals.err, "has no times: leave out --goals"));
}

TEST_F(TestCommand, WithoutTimesRunsItsOwnVariantsAndSaysWhatOthersNeed) {
  add_to_catalogue(
      {kEmulated, kLeftOut, {kVariants, R"({"variant":"baseline","backend":"simt"},)"}});
  tests("ch1_x/01_good", "Mixed2");
  tests("ch1_x/02_wrong", "Mixed1");
  for (const char* names : {"test good --backend=simt", "test --backend=simt"}) {
    const Answer answer = run(names);
    EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
    EXPECT_TRUE(has(answer.out, "  library.cu is left out: it needs cuBLAS\n"));
    EXPECT_FALSE(has(answer.out, "02_wrong"));
  }
  EXPECT_EQ(run("targets test --backend=simt").out, "good_test\nsimt_test\n");
}

TEST_F(TestCommand, DrawsRequestsOfTheBackendThatCounts) {
  expect_one_line("access good/baseline", 3, "no emulated GPU");
  Results results = load_results(path("good.json"));
  Access strided;
  for (int lane = 0; lane < 32; ++lane) strided.at[lane] = 64 * lane;
  for (Row& row : results.rows) {
    row.backend = "simt", row.samples.clear();
    row.lines = {{"baseline.cu:2", {}, {{}}}, {"baseline.cu:3", {}, {strided}}, {"a.cu:9"}};
  }
  results.rows.resize(1);
  write("good.json", to_json(results));
  fs::create_directories(root_ / "ch1_x/01_good");
  write("ch1_x/01_good/baseline.cu", "// a\n\n  y[i] = x[16 * i];\n");
  add_to_catalogue(
      {kEmulated,
       kLeftOut,
       {kVariants,
        R"({"variant":"baseline","backend":"simt"},{"variant":"library","backend":"cpu"},)"}});

  EXPECT_EQ(run("targets access good/baseline").out, "good\n");
  const Answer worst = run("access good/baseline --axis n=7");
  EXPECT_EQ(worst.code, 0) << worst.err;
  EXPECT_TRUE(has(worst.out,
                  "baseline.cu:3: y[i] = x[16 * i];\n"
                  "32 lanes read 32 sectors: 4 of each 32 bytes are used\n\n"
                  "         0 [0 . ."));
  EXPECT_TRUE(has(worst.out, "  baseline.cu:2            32 lanes read 1 sector"));
  EXPECT_TRUE(has(read("arguments"), "--backend=simt --axis=n=7"));
  EXPECT_TRUE(has(read("arguments"), "--fast --first"));
  for (const char* line : {"2", "baseline.cu:2"})
    EXPECT_TRUE(has(run(std::string("access good/baseline --line ") + line).out,
                    "\nbaseline.cu:2: \n32 lanes read 1 sector"));

  const Answer none = run("access good/baseline --line 9");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(
      has(none.err, "makes no request at line 9; these do: baseline.cu:2, baseline.cu:3\n"));
  expect_one_line("access good", 2, "access draws a variant: ./workbook access 01_good/baseline");
  expect_one_line("access good/baselin", 2, "did you mean");
  expect_one_line("access nothing/baseline", 2, "unknown lesson 'nothing/baseline'");
  expect_one_line("access good/library", 3, "library.cu needs cuBLAS, which the emulated GPU");
  expect_one_line("access good/optimized", 3, "ch1_x/01_good has no optimized.cu");
  expect_one_line("access good/baseline --svg none/a.svg", 5, "cannot write none/a.svg");
  expect_one_line("access good/baseline --backend=cpu", 2, "access has no flag --backend; see");
  expect_one_line("access", 2, "access needs a lesson");

  results.rows[0].status = Status::wrong, results.rows[0].reason = "y: wrong";
  write("good.json", to_json(results));
  const Answer wrong = run("access good/baseline --svg a.svg");
  EXPECT_TRUE(has(wrong.out, "WRONG: y: wrong"));
  EXPECT_FALSE(fs::exists(path("a.svg"))) << "there is nothing to draw";
}

TEST_F(TestCommand, EndsAProgramAtItsLimitWithAllItStarted) {
  tests("ch1_x/01_good", "Hangs");
  tests("ch1_x/02_wrong", "Mixed1");
  const Answer answer = run("test good wrong");
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(has(answer.out, "ch1_x/01_good FAILED: it ran past its time limit: it ended"));
  EXPECT_TRUE(answer.out.ends_with("\n1 passed, 1 failed, 0 skipped\n")) << answer.out;
  EXPECT_TRUE(ends("hanging"));
  EXPECT_TRUE(ends("sleeper"));
}

TEST_F(TestCommand, LeavesNoTestWhenItIsKilled) {
  tests("ch1_x/01_good", "Hangs");
  const pid_t driver = start("test good");
  for (int i = 0; i < 200 && !fs::exists(path("sleeper")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(fs::exists(path("hanging")));
  end(driver, SIGKILL);
  EXPECT_TRUE(ends("hanging"));
  ::kill(std::stoi(read("sleeper")), SIGKILL);  // std::system's, which nothing watches over
}

TEST_F(TestCommand, AddsUpReportsAndProgramsThatAreOneTest) {
  const std::string one =
      R"({"testsuites": [{"testsuite": [{"status": "RUN", "result": "COMPLETED"}]}]})";
  const auto program = [&](const std::string& name, const std::string& report, int code) {
    write(name + ".sh", (report.empty() ? "" : "echo '" + report + "' >" + quoted(name)) +
                            "\necho said by " + name + "\nexit " + std::to_string(code) + "\n");
    tests_ +=
        "add_test(" + name + " sh [==[" + path(name + ".sh") + "]==]" +
        (name == "script" || name == "skip" ? ""
                                            : " [==[--gtest_output=json:" + path(name) + "]==]") +
        ")\n";
  };
  program("script", "", 0);
  program("fine", one, 0);
  program("crash_at_the_end", one, 1);
  program("cut", one.substr(0, 40), 0);
  program("none_selected", R"({"testsuites": []})", 0);
  program("no_report", "", 1);
  program("skip", "", 3);
  tests_ +=
      "add_test(gone no_such_program)\n"
      "set_tests_properties(skip PROPERTIES SKIP_RETURN_CODE 3)\n"
      "set_tests_properties(script fine PROPERTIES RUN_SERIAL ON COST 7)\n";
  write("build/CTestTestfile.cmake", tests_);
  write("no_report", one);  // of an earlier run
  const Answer answer = run("test");
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(answer.out.ends_with("\n3 passed, 5 failed, 1 skipped\n")) << answer.out;
  for (const char* line :
       {"said by cut\n[", "] cut FAILED: it ended before GoogleTest reported what it found, ",
        "crash_at_the_end FAILED: exit code 1, ", "none_selected FAILED, ",
        "no_report FAILED: exit code 1: it ended before GoogleTest", "/8] script passed, ",
        "/8] skip skipped, ", "gone FAILED: it does not compile\n", "\nFAILED: gone\n"})
    EXPECT_TRUE(has(answer.out, line));
  EXPECT_FALSE(has(answer.out, "said by fine"));
}

TEST(RealLessons, AreListedWithoutABuild) {
  const Scratch scratch;
  const std::string nothing = "WB_BUILD_DIR=" + scratch.file("build");
  const Outcome pages =
      run_process({"env", nothing, std::string(source_folder()) + "/workbook", "list"}, 60);
  EXPECT_TRUE(pages.fine()) << pages.errors;
  EXPECT_TRUE(has(pages.output, " lessons; ./workbook list LESSON shows"));
  EXPECT_FALSE(fs::exists(scratch.file("build")));
}

TEST(RealTests, HaveATimeLimit) {
  const std::string build = fs::path(WB_DRIVER).parent_path().parent_path();
  const Outcome listed = run_process({"ctest", "--test-dir", build, "--show-only=json-v1"}, 60);
  const nlohmann::json tests = parse_json(listed.output.substr(listed.output.find('{')))["tests"];
  EXPECT_GT(tests.size(), 20u);
  for (const auto& test : tests) EXPECT_TRUE(has(dump_json(test), "\"TIMEOUT\"")) << test["name"];
}

TEST_F(Driver, SaysWhatACommandNeedsBuilt) {
  lesson("ch2_y/09_more", "more", "exit 0\n", {"baseline", "exercise"});
  write_catalogue(false);
  fs::create_directories(path("ch2_y/09_more"));
  write("ch2_y/09_more/exercise.cpp", "// Goal: right at every size\n");
  const std::pair<const char*, const char*> needs[] = {
      {"compare good", "good\npeaks\n"},
      {"run more/baseline part --fast --seed 3", "nogpu\nmore\npeaks\n"},
      {"timeline more/exercise", "more\nexercise_more\n"},  // which has no roof
      {"roofline good.json", ""},
      {"compare --backend=cpu ch2", "nogpu\nusage\nmore\npeaks\n"},
      {"list", ""},
      {"list good", "good\n"},
      {"run --op more", "more\npeaks\n"},  // whose lesson is called so
      {"list --op more", "more\n"},
      {"test", "tests\n"},
      {"test good more", "good_test\nmore_test\n"},
      {"test more/exercise", "more_test\nexercise_more\n"},
      {"test more more/exercise", "more_test\nexercise_more\n"},
      {"peaks", "peaks\n"},
      {"doctor", ""},
      {"check more", "more\nmore_test\nexercise_more\npeaks\n"},
      {"watch more --fast", ""},
      {"hint more", ""},
      {"next", ""},
      {"progress", ""},
      {"reset more", ""},
      {"predict more/exercise", ""},
      {"report --check", "workbook_pages\n"},
      {"", ""},
      {"compare --help", ""}};
  for (const auto& [arguments, wanted] : needs) {
    const Answer answer = run(std::string("targets ") + arguments);
    EXPECT_EQ(answer.code, 0) << arguments;
    EXPECT_EQ(answer.out, wanted) << arguments;
    EXPECT_EQ(answer.err, "") << arguments;
  }
  // What is wrong with the command line is said before anything is built for it.
  expect_one_line("targets compare --nonsense", 2, "--nonsense");
  expect_one_line("targets compare goood", 2, "did you mean good?");
  expect_one_line("targets compare --backend=gpu", 2, "gpu");
  expect_one_line("targets compare --backend=cuda", 3, "no cuda variants");
  expect_one_line("targets comprae", 2, "did you mean compare?");
  expect_one_line("targets run", 2, "name a lesson, or an operation");
  fs::remove(path("ch2_y/09_more/exercise.cpp"));
  expect_one_line("targets check more", 2, "exercise.cpp is missing (./workbook reset 09_more");
  const std::string all = run("targets compare").out;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 10) << all;  // nine lessons and peaks
}

// A lesson whose exercise is as fast as a test says, between baseline (1 ms) and optimized (0.1
// ms).
class Student : public Driver {
 protected:
  Student() {
    fs::create_directories(root_ / "ch4_l/01_loop");
    write("ch4_l/01_loop/exercise.cpp", "// Goal: 0.9 times optimized at n=1\n");
    write("ch4_l/01_loop/README.md",
          "# 01 Loop: how fast?\n\n## Predict\n\n1. Which?\n2. Why?\n\n## Answers\n\n"
          "<details><summary>1. It</summary>\nThis.\n</details>\n"
          "<details><summary>2. Why</summary>\nSo.\n</details>\n\n## Exercise\n\n"
          "<details><summary>CPU, hint 1</summary>\nLook.\n</details>\n"
          "<details><summary>GPU, hint</summary>\nNever.\n</details>\n"
          "<details><summary>CPU, hint 2</summary>\n<code>a &lt; b</code>\n</details>\n");
    lesson("ch4_l/01_loop", "loop",
           "echo \"$@\" >>" + quoted("arguments") + "\n" + gives("loop.json") + "[ ! -e " +
               quoted("again.json") + " ] || cp " + quoted("again.json") + " " +
               quoted("loop.json") + "\n",
           {"baseline", "optimized", "exercise", "solution"});
    lesson("ch4_l/02_last", "last", "exit 1\n", {"exercise"});
    fs::create_directories(root_ / "ch4_l/02_last");
    write("ch4_l/02_last/exercise.cpp", "// Goal: twice as fast\n");
    write_catalogue(false);
    program("build/bin/loop_test",
            "ulimit -S -f unlimited\n"
            "for a in \"$@\"; do case $a in --gtest_output=json:*) out=${a#*:};; esac; done\n"
            "echo $WB_SEED >" +
                quoted("seed") + "\ncp " + quoted("tests.json") + " \"$out\"\n");
    write("build/bin/exercise_loop", "");
    tested("{}");
    measured("loop.json", {0.2e-3});
  }
  void tested(const std::string& failures) const {  // a test that failed has them
    const std::string more = failures == "{}" ? "" : ",\"failures\":[" + failures + "]";
    write("tests.json",
          "{\"testsuites\":[{\"testsuite\":[{\"status\":\"RUN\",\"result\":"
          "\"COMPLETED\"" +
              more + "}]}]}");
  }
  void measured(const char* file, std::vector<double> exercise) const {
    Results results;
    results.ceilings = {make_ceilings("cpu")};
    const Cost read{.flops = 0, .read = 2e8};
    for (const auto& [name, samples] :
         std::map<std::string, std::vector<double>>{{"baseline", {1e-3}},
                                                    {"exercise", exercise},
                                                    {"optimized", {1e-4}},
                                                    {"solution", exercise}}) {
      Row& row =
          results.rows.emplace_back(make_row("ch4_l/01_loop", name, samples[0], read, "cpu"));
      for (std::size_t i = 0; i < 9; ++i) row.samples[i] = samples[i % samples.size()];
    }
    write(file, to_json(results));
  }
  // The lessons are those of an emulator.
  void emulated() const {
    write("build/lessons.json", replace_pattern(read("build/lessons.json"), "\"cpu\"", "\"simt\""));
    without_times();
  }
  // What CMake writes when the file is gone.
  void without_exercise() {
    const std::string entry = ",{\"variant\":\"exercise\",\"backend\":\"cpu\"}";
    lessons_.erase(lessons_.find(entry), entry.size());
    write_catalogue(false);
  }
  std::string progress() const { return run("progress").out; }
  std::string state(const std::string& name) const {
    return "state/gpu-performance-workbook/" + name;
  }
};

TEST_F(Student, IsNotBlamedForAProgramThatWasBuiltForAnotherCpu) {
  program("build/bin/loop_test", "kill -ILL $$\n");
  const Answer answer = run("check loop");
  EXPECT_EQ(answer.code, 3) << answer.out;
  EXPECT_TRUE(has(answer.out + answer.err, "loop_test: this program was built for another CPU"))
      << answer.err;
  EXPECT_FALSE(has(answer.out + answer.err, "exercise.cpp: its tests")) << answer.err;
}

TEST_F(Student, IsToldHowFarTheGoalIs) {
  const Answer far = run("check loop --seed 7");
  EXPECT_EQ(far.code, 1) << far.err;
  EXPECT_EQ(read("seed"), "7\n");
  for (const char* part : {"exercise.cpp is right: 1 tests", "n=1:\n",
                           "  exercise                  200 us     25.0% of roof\n",
                           "You are at 0.5 [0.495, 0.505] of optimized, goal 0.9: not met\n",
                           "./workbook hint 01_loop\n"})
    EXPECT_TRUE(has(far.out, part));
  EXPECT_TRUE(has(read("arguments"), "--axis=n=1 "));
  EXPECT_TRUE(has(read("arguments"), "--variant=optimized,exercise"));
  EXPECT_TRUE(has(progress(), "[ ] 01_loop                 cpu  not met, 56% of the goal"));
  measured("loop.json", {1e-4});
  const Answer there = run("check loop");
  EXPECT_EQ(there.code, 0) << there.out << there.err;
  EXPECT_TRUE(has(there.out, "goal 0.9: met\nNext: ./workbook next\n"));
  EXPECT_EQ(std::count(there.out.begin(), there.out.end(), '\n'), 6) << there.out;
  EXPECT_TRUE(has(progress(), "met, 111% of the goal"));
  measured("loop.json",
           {2e-3});  // slower than the baseline: no gap closes, and what was reached stays
  const Answer slower = run("check loop");
  EXPECT_EQ(slower.code, 1);
  EXPECT_FALSE(has(slower.out, "of the gap"));
  EXPECT_TRUE(has(progress(), "[x] 01_loop                 cpu  met, 111% of the goal"));
  EXPECT_TRUE(has(progress(), "1 of 2 goals met; kept in "));
  measured("loop.json", {1e-6});  // a fiftieth of what the ceiling allows
  const Answer missing = run("check loop");
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(has(missing.out, "work is missing: not met"));
}

TEST_F(Student, IsToldWhatJudgesTheGpusHalfWithoutAGpu) {
  measured("loop.json", {1e-4});
  EXPECT_FALSE(has(run("check loop").out, "Without a GPU"));
  write("ch4_l/01_loop/exercise.cu", "// Goal: 0.9 times optimized at n=1\n");
  const Answer answer = run("check loop");
  EXPECT_TRUE(has(answer.out,
                  "Without a GPU, ./workbook check 01_loop --backend=simt judges exercise.cu\n"));
}

TEST_F(Student, GoesOnWithoutTimes) {
  emulated();
  const std::string git = "cd " + quoted("") + " && git ";
  ASSERT_EQ(std::system((git + "init -q && " + git + "add ch4_l && " + git +
                         "-c user.name=a -c user.email=a@b commit -qm a")
                            .c_str()),
            0);
  const Answer shipped = run("check loop --backend=simt");
  EXPECT_EQ(shipped.code, 0) << shipped.err;
  EXPECT_TRUE(has(shipped.out, "it does not count yet: ./workbook next 01_loop --backend=simt"));
  EXPECT_TRUE(has(run("next --backend=simt").out, "01_loop\n"));

  write("ch4_l/01_loop/exercise.cpp", "// Goal: 0.9 times optimized at n=1\nint faster;\n");
  const Answer right = run("check loop --backend=simt");
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_TRUE(has(right.out, "takes a GPU"));
  EXPECT_TRUE(has(right.out, "Next: ./workbook next --backend=simt\n"));
  EXPECT_TRUE(has(run("next --backend=simt").out, "02_last\n"));
}

// What a device hides, only an emulator judges, and nobody measures.
TEST_F(Student, HuntsWhatADeviceHides) {
  lesson("ch4_l/hunts/late", "hunts_late", "echo run >>" + quoted("ran") + "\nexit 1\n",
         {"baseline", "exercise", "solution"});
  fs::create_directories(root_ / "ch4_l/hunts/late");
  write("ch4_l/hunts/late/exercise.cpp", "// Bug hunt: late.\n// Goal: right at every size\n");
  write_catalogue(false);
  for (const char* file : {"hunts_late_test", "exercise_hunts_late"})
    fs::copy_file(path("build/bin/loop_test"), path("build/bin/") + file);
  write("ch4_l/02_last/exercise.cpp", "// Goal: 0.9 times optimized at n=1\n");
  expect_one_line("check late", 2, "hides the fault of ch4_l/hunts/late: --backend=simt judges it");
  EXPECT_FALSE(has(run("progress").out, "late"));
  run("compare ch4_l"), run("run loop hunts"), run("compare late");
  EXPECT_FALSE(fs::exists(path("ran"))) << "there is nothing to measure";
  EXPECT_EQ(run("compare late").code, 2);

  without_times();
  EXPECT_TRUE(run("next last").out.starts_with("late\n")) << read("out") << read("err");
  tested("{\"failure\":\"exercise.cu:7: a race\"}");
  const Answer wrong = run("check late");
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_TRUE(has(wrong.out, "exercise.cu:7: a race"));
  tested("{}");
  EXPECT_EQ(run("check late").code, 0) << read("err");
  EXPECT_TRUE(has(run("progress").out, "[x] late"));
}

// A laptop says whether a goal in counts is met, and with which number.
TEST_F(Student, IsJudgedByCountsWithoutTimes) {
  emulated();
  write("ch4_l/01_loop/exercise.cpp",
        "// Goal: 0.9 times optimized at n=1\n// Goal: at most 4.1 sectors_per_request at n=1\n");
  const auto counted = [&](double sectors) {
    Results results;
    Row row;
    row.lesson = "ch4_l/01_loop", row.backend = "simt", row.variant = "exercise";
    row.axes = {{"n", 1}};
    row.counters[Counter::sectors] = sectors;
    row.lines = {{"exercise.cu:7"}};
    results.rows = {row};
    write("loop.json", to_json(results));
  };
  EXPECT_TRUE(has(run("next --backend=simt").out, "at most 4.1 sectors per request\n"));
  counted(18);
  const Answer missed = run("check loop --backend=simt");
  EXPECT_EQ(missed.code, 1) << missed.err;
  EXPECT_TRUE(has(missed.out, "at 18 sectors per request, goal at most 4.1: not met\n"));
  EXPECT_TRUE(has(missed.out, "./workbook hint 01_loop"));
  EXPECT_FALSE(has(read("arguments"), "optimized"));
  counted(4);
  const Answer met = run("check loop --backend=simt");
  EXPECT_EQ(met.code, 0) << met.err;
  EXPECT_TRUE(has(met.out, "at 4 sectors per request, goal at most 4.1: met\n"));
  EXPECT_TRUE(has(run("progress --backend=simt").out, "1 of 2 goals met"));
}

TEST_F(Student, GainsNothingByACopy) {
  const std::string code = "int a;\nWB_CPU(Loop, ";
  write("ch4_l/01_loop/optimized.cpp", "// Against the baseline.\n" + code + "optimized, run);\n");
  write("ch4_l/01_loop/exercise.cpp",
        "// Goal: 0.9 times optimized at n=1\n" + code + "exercise, run);\n");
  EXPECT_TRUE(has(run("check loop").out, "./workbook hint 01_loop\n"));  // as shipped
  measured("loop.json", {1e-4});
  const Answer copy = run("check loop");
  EXPECT_EQ(copy.code, 1) << copy.err;
  EXPECT_TRUE(has(copy.out,
                  "met\nexercise.cpp is optimized.cpp, which counts for nothing: write "
                  "your own\n"));
  EXPECT_TRUE(has(progress(), "0 of 2 goals met"));
  write("ch4_l/01_loop/exercise.cpp",
        "// Goal: 0.9 times optimized at n=1\nint b;\nWB_CPU(Loop, exercise, run);\n");
  EXPECT_EQ(run("check loop").code, 0);
}

TEST_F(Student, HasFewerSamplesWhereNoLessonIsNamed) {
  lessons_.clear();  // among them one that hangs
  lesson("ch4_l/01_loop", "loop", "echo \"$@\" >>" + quoted("arguments") + "\nexit 1\n");
  write_catalogue(false);
  run("compare");
  EXPECT_TRUE(has(read("arguments"), "--survey --first"));
  fs::remove(path("arguments"));
  run("compare loop --first");
  EXPECT_TRUE(has(read("arguments"), "--first") && !has(read("arguments"), "--survey"));
}

TEST_F(Student, WaitsForNoSolutionUnlessItIsNamed) {
  EXPECT_EQ(run("targets compare loop").out, "loop\npeaks\n");
  EXPECT_EQ(run("targets compare loop/exercise").out, "loop\nexercise_loop\npeaks\n");
  EXPECT_EQ(run("targets compare loop loop/solution").out, "solution_loop\npeaks\n");
  EXPECT_EQ(run("targets test --goals loop").out, "solution_loop\npeaks\n");
}

TEST_F(Student, HasAGoalThatTheSolutionIsHeldTo) {
  const Answer far = run("test --goals loop");
  EXPECT_EQ(far.code, 1) << far.err;
  for (const char* part : {"It is at 0.5 [0.495, 0.505] of optimized, goal 0.9: not met\n",
                           "not met: ch4_l/01_loop", "0 goals met by their solutions, 1 not met\n"})
    EXPECT_TRUE(has(far.out, part));
  EXPECT_TRUE(has(read("arguments"), "--variant=optimized,solution"));
  measured("loop.json", {1e-4});
  const Answer met = run("test --goals loop");
  EXPECT_EQ(met.code, 0) << met.out << met.err;
  EXPECT_TRUE(has(met.out, "1 goal met by its solution, 0 not met\n"));
  write("ch4_l/01_loop/exercise.cpp", "// Goal: right at every size\n");
  const Answer none = run("test --goals loop");
  EXPECT_EQ(none.code, 0) << none.out << none.err;
  EXPECT_EQ(none.out,
            "no goal here is a speed: ./workbook test holds the solutions to the others\n");
}

TEST_F(Student, IsMeasuredOnceMoreWhenItIsClose) {
  measured("loop.json", {0.90e-4, 1.3e-4});
  measured("again.json", {0.90e-4});
  const Answer answer = run("check loop");
  EXPECT_TRUE(has(answer.out, "n=1: too close to tell, measured once more\n"));
  const std::string ran = read("arguments");
  EXPECT_EQ(std::count(ran.begin(), ran.end(), '\n'), 2);
  EXPECT_TRUE(has(answer.out, "[0.769, 1.11] of optimized, goal 0.9: not met") || answer.code == 0)
      << answer.out;
}

TEST_F(Student, IsToldWhatIsWrongAndNoSpeed) {
  tested(
      "{\"failure\":\"f.cpp:7\\nFailed\"}],\"problem\":\"rows=31,columns=3: y: 3 of 96 wrong "
      "(the last 3), first y[93]\",\"more\":[{}");
  const Answer wrong = run("check loop --seed 5");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.out,
            "exercise.cpp is wrong in 1 of 1 tests (--seed=5)\n"
            "  rows=31,columns=3: y: 3 of 96 wrong (the last 3), first y[93]\n");
  EXPECT_FALSE(fs::exists(path("arguments"))) << "measured all the same";
  EXPECT_FALSE(fs::exists(path("state")));
  tested(
      "{\"failure\":\"f.cpp:7\\nFailed\"}],\"problem\":\"rows=31: signal 11\",\"ended\":"
      "\"crashed\",\"more\":[{}");
  expect_one_line("check loop", 4, "exercise.cpp crashed, rows=31: signal 11 (--seed=");
  write("tests.json", "{\"testsuites\":[]}");
  expect_one_line("check loop", 3, "exercise.cpp cannot run here: all of its tests were skipped");
  write("build/bin/loop_test", "#!/bin/sh\nkill -SEGV $$\n");
  expect_one_line("check loop", 4, "exercise.cpp: its tests were ended by signal 11");
  fs::remove(path("build/bin/loop_test"));
  expect_one_line("check loop", 1, "ch4_l/01_loop does not compile");
  fs::remove(path("build/bin/exercise_loop"));
  expect_one_line("check loop", 1, "exercise.cpp does not compile");
  write("build/bin/exercise_loop", "");
  // Wrong in a timed run alone.
  Results results = load_results(path("loop.json"));
  results.rows[1].samples.clear();
  results.rows[1].status = Status::wrong, results.rows[1].reason = "y: stale";
  write("loop.json", to_json(results));
  tested("{}");
  program("build/bin/loop_test",
          "for last; do :; done\ncp " + quoted("tests.json") + " \"${last#*:}\"\n");
  const Answer stale = run("check loop");
  EXPECT_EQ(stale.code, 1);
  EXPECT_TRUE(has(stale.out, "  exercise: WRONG: y: stale\n")) << stale.err;
}

// A stand-in for compute-sanitizer writes down how it is called, and answers as a test says.
class StudentWithAGpu : public Student {
 protected:
  StudentWithAGpu() {
    lesson("ch4_l/03_gpu", "gpu", "exit 1\n", {"exercise"}, "cuda");
    write_catalogue(true);
    fs::create_directories(root_ / "ch4_l/03_gpu");
    write("ch4_l/03_gpu/exercise.cu", "// Goal: right at every size\n__shared__ float tile[32];\n");
    fs::copy_file(path("build/bin/loop_test"), path("build/bin/gpu_test"));
    write("build/bin/exercise_gpu", "");
    write("tests.json",
          "{\"testsuites\":[{\"name\":\"ch4_l/03_gpu\",\"testsuite\":["
          "{\"name\":\"exercise/cuda/n=1\",\"status\":\"RUN\",\"result\":\"COMPLETED\"},"
          "{\"name\":\"exercise/cuda/n=-2\",\"status\":\"RUN\",\"result\":\"COMPLETED\","
          "\"failures\":[{\"failure\":\"y: wrong\"}]},"
          "{\"name\":\"exercise/cuda/n=3\",\"status\":\"RUN\",\"result\":\"COMPLETED\","
          "\"failures\":[{\"failure\":\"y: wrong, too\"}]}]}]}");
    fs::create_directories(root_ / "tools");
    ::setenv("PATH", (path("tools") + ":" + before_).c_str(), 1);
  }
  ~StudentWithAGpu() override { ::setenv("PATH", before_.c_str(), 1); }
  void sanitizer(const std::string& script) const {
    program("tools/compute-sanitizer", "[ \"$1\" != --version ] || exit 0\necho $WB_SEED " +
                                           std::string("\"$@\" >>") + quoted("calls") + "\n" +
                                           script);
  }
  const std::string before_ = std::getenv("PATH");
  const std::string wrong_ =
      "exercise.cu is wrong in 2 of 3 tests (--seed=5)\n  y: wrong\n  y: wrong, too\n";
};

TEST_F(StudentWithAGpu, IsToldTheLine) {
  const std::string report =
      "echo '========= Error: Race reported between Write access at k()+0x9 in /x/exercise.cu:13'\n"
      "echo '=========     and Read access at k()+0xa in /x/exercise.cu:14 [8 hazards]'\nexit 1\n";
  sanitizer("[ $2 = racecheck ] || exit 0\n" + report);
  const Answer race = run("check gpu --backend=cuda --seed 5");
  EXPECT_EQ(race.code, 1) << race.err;
  EXPECT_EQ(race.out, wrong_ +
                          "compute-sanitizer: Error: Race reported between Write access at k()+0x9 "
                          "in /x/exercise.cu:13\n"
                          "  and Read access at k()+0xa in /x/exercise.cu:14 [8 hazards]\n");
  const std::string rest = " --show-backtrace no --target-processes all " +
                           path("build/bin/gpu_test") +
                           " --exercise=" + path("build/bin/exercise_gpu") +
                           " --backend=cuda --gtest_filter=ch4_l/03_gpu.exercise/cuda/n=?2\n";
  EXPECT_EQ(read("calls"), "5 --tool memcheck" + rest + "5 --tool racecheck" + rest);

  fs::remove(path("calls"));  // where memcheck finds something, that is all
  sanitizer(
      "echo '========= Invalid __global__ write of size 4 bytes'\n"
      "echo '=========     at k()+0x9 in /x/exercise.cu:31'\n");
  EXPECT_TRUE(has(run("check gpu --backend=cuda").out,
                  "\ncompute-sanitizer: Invalid __global__ write of size 4 bytes\n  at k()+0x9 in "
                  "/x/exercise.cu:31\n"));
  EXPECT_FALSE(has(read("calls"), "racecheck"));
}

TEST_F(StudentWithAGpu, IsToldNothingWithoutAFinding) {
  sanitizer("echo '========= ERROR SUMMARY: 0 errors'\n");
  EXPECT_EQ(run("check gpu --backend=cuda --seed 5").out, wrong_);
  write("ch4_l/03_gpu/exercise.cu", "// Goal: right at every size\n");
  fs::remove(path("calls"));
  EXPECT_EQ(run("check gpu --backend=cuda --seed 5").out, wrong_);
  EXPECT_FALSE(has(read("calls"), "racecheck")) << "without shared memory";
  tested("{\"failure\":\"y: wrong\"}");  // for the CPU there is no such tool
  fs::remove(path("calls"));
  EXPECT_EQ(run("check loop --backend=cpu").code, 1);
  EXPECT_FALSE(fs::exists(path("calls")));
}

TEST_F(Student, GetsOneHintMoreEachTime) {
  write("ch4_l/01_loop/solution.cpp", "");  // which a tree handed out has not
  EXPECT_EQ(run("hint loop").out, "Hint 1 of 2\n    Look.\n");
  EXPECT_EQ(run("hint 01_loop").out, "Hint 2 of 2\n    a < b\n");
  EXPECT_EQ(run("hint loop").out,
            "Hint 1 of 2\n    Look.\nHint 2 of 2\n    a < b\n"
            "These are all. One way to do it: ch4_l/01_loop/solution.cpp\n");
  EXPECT_TRUE(has(progress(), "cpu  2 hints\n"));
  expect_one_line("hint last", 2, "has no page");
  expect_one_line("hint good", 2, "ch1_x/01_good has no exercise");
  expect_one_line("hint ch4", 2, "name one lesson, not 2");
  expect_one_line("check loop/baseline", 2,
                  "name the lesson, ch4_l/01_loop: baseline is no exercise");
  expect_one_line("hint loop --backend=cuda", 3, "no cuda variants");
  for (const char* command : {"check", "watch", "hint", "reset", "predict"})
    expect_one_line(command, 2, std::string(command) + " needs a lesson: ./workbook next names");
  expect_one_line("check last", 2, "is no '// Goal: FACTOR times VARIANT");
  write("ch4_l/01_loop/exercise.cpp", "// Goal: 0.9 times optimised at n=1\n");
  expect_one_line("check loop", 2, "its Goal names 'optimised', which is no variant");
  write("ch4_l/01_loop/exercise.cpp", "// Goal: 0.9 times optimized at n=2\n");
  EXPECT_EQ(run("check loop").code, 2);
  EXPECT_TRUE(has(read("err"), "its Goal names no case of the lesson"));
}

TEST_F(Student, IsLedOn) {
  EXPECT_EQ(run("next").out,
            "01_loop\n  Loop: how fast?\n  read  ch4_l/01_loop/README.md\n"
            "  guess ./workbook predict 01_loop\n"
            "  edit  ch4_l/01_loop/exercise.cpp\n"
            "  goal  n=1: at least 0.9 times as fast as `optimized`\n"
            "  then  ./workbook check 01_loop\n");
  EXPECT_TRUE(has(run("next loop").out, "is no '// Goal"));  // the next one's
  EXPECT_EQ(run("next last").out, "That is the book's last exercise\n");
  measured("loop.json", {1e-4});
  EXPECT_EQ(run("check loop").code, 0);
  EXPECT_TRUE(run("next").out.starts_with("02_last\n")) << read("out");
  // From the one that was solved last, and round to those before it.
  const auto solved = [&](int loop, int last) {
    const auto entry = [](int when) {
      return "{\"best\":1,\"date\":\"\",\"hints\":0,\"predictions\":[],\"met\":" +
             std::string(when ? "true" : "false") + ",\"solved\":" + std::to_string(when) + "}";
    };
    write(state("progress.json"), "{\"exercises\":{\"ch4_l/01_loop/cpu\":" + entry(loop) +
                                      ",\"ch4_l/02_last/cpu\":" + entry(last) + "}}");
    return run("next").out;
  };
  EXPECT_TRUE(solved(0, 5).starts_with("01_loop\n")) << read("out");
  EXPECT_EQ(solved(6, 5), "All goals are met: you have finished the book\n");
}

TEST_F(Student, GoesOnBesideAnExerciseThatIsNone) {
  const auto costs_itself_alone = [&](const std::string& why) {
    for (const char* command : {"next", "list loop"}) {
      const Answer answer = run(command);
      EXPECT_EQ(answer.code, 0) << answer.err;
      EXPECT_TRUE(has(answer.out, "none: ") && has(answer.out, why)) << answer.out;
      EXPECT_TRUE(has(answer.out, "(./workbook reset 01_loop brings it back)"));
    }
    EXPECT_TRUE(run("next loop").out.starts_with("02_last\n"));
    expect_one_line("check loop", 2, why);
  };
  write("ch4_l/01_loop/exercise.cpp", "");
  costs_itself_alone("has no line");
  write("ch4_l/01_loop/exercise.cpp", "// Goal: soon\n");
  costs_itself_alone("has '// Goal: soon'");
  fs::remove(path("ch4_l/01_loop/exercise.cpp"));
  costs_itself_alone("is missing");
  without_exercise();
  costs_itself_alone("is missing");
}

TEST_F(Student, LosesNoProgressSilently) {
  EXPECT_EQ(run("hint loop").code, 0);
  const std::string kept = read(state("progress.json"));
  for (const char* damage : {"{", "[]", "{\"exercises\":{\"a\":{}}}",
                             "{\"exercises\":{\"a\":{\"best\":-1,\"met\":false}}}"}) {
    write(state("progress.json"), damage);
    const Answer answer = run("progress");
    EXPECT_EQ(answer.code, 0);
    EXPECT_TRUE(has(answer.err, "is damaged: it was renamed to progress.json.damaged"));
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
  }
  EXPECT_EQ(read(state("progress.json.damaged")), "{");
  EXPECT_TRUE(fs::exists(path(state("progress.json.damaged.3"))));
  write(state("progress.json"), kept);
  EXPECT_TRUE(has(progress(), "1 hint"));
  fs::remove_all(path("state"));
  write("state", "");  // a file, so no folder can be made there
  for (const char* command : {"hint loop", "next", "progress"}) {
    EXPECT_EQ(run(command).code, 0) << command;
    const bool changes = has(command, "hint");
    EXPECT_EQ(has(read("err"), "progress is not kept: "), changes) << command << read("err");
    const std::string homeless = "cd " + quoted("") +
                                 " && env -u HOME -u XDG_STATE_HOME build/bin/workbook_driver " +
                                 command + " >out 2>err";
    EXPECT_EQ(std::system(homeless.c_str()), 0) << command;
    EXPECT_EQ(read("err"), "workbook: progress is not kept: HOME is not set\n") << command;
    EXPECT_FALSE(read("out").empty()) << command;
  }
  write("said", "a\n");
  EXPECT_EQ(run("predict loop", "<said >out 2>err").code, 5);  // who answers means it to be kept
}

TEST_F(Student, WaitsForNoPipeInThePlaceOfProgress) {
  fs::create_directories(path(state("")));
  ASSERT_EQ(::mkfifo(path(state("progress.json")).c_str(), 0600), 0);
  const Answer answer = run("hint loop");
  EXPECT_EQ(answer.code, 0);
  EXPECT_TRUE(has(answer.err, "is damaged: it was renamed to progress.json.damaged"));
  EXPECT_TRUE(has(progress(), "1 hint"));
}

TEST_F(Student, LosesNothingToOthersAtTheSameTime) {
  std::string page = "# 01 Loop: how fast?\n\n## Exercise\n\n", all = "cd " + quoted("");
  for (int i = 0; i < 18; ++i) {
    page += "<details><summary>CPU, hint</summary>\nLook.\n</details>\n";
    all += "; (" + command("hint loop", ">/dev/null") + ") & true";
  }
  write("ch4_l/01_loop/README.md", page);
  EXPECT_EQ(std::system((all + "; wait").c_str()), 0);
  EXPECT_TRUE(has(progress(), "18 hints"));
}

TEST_F(Student, AClassIsHandedATreeWithoutSolutions) {
  if (!in_path("git")) GTEST_SKIP() << "git is not installed";
  expect_one_line("export handed", 3, "git: fatal: not a git repository");
  write("ch4_l/01_loop/solution.cpp", "secret");
  write("ch4_l/02_last/baseline.cpp", "");
  write("ch4_l/02_last/last.h", "");
  write("ch4_l/02_last/README.md", "# 02 Last: why?\n");
  write("ch4_l/CMakeLists.txt", "wb_add_lesson(01_loop)\nwb_add_lesson(02_last CPU BLAS::BLAS)\n");
  for (const char* folder : {"common/tests/bank", "ch1_x", "ch2_y"})
    fs::create_directories(path(folder));
  write("ch1_x/CMakeLists.txt", "wb_add_lesson(01_good)\n");
  write("ch2_y/CMakeLists.txt", "wb_add_tuned_lesson(part)\nwb_add_lesson(08_usage)\n");
  write("common/tests/bank/wrong.cpp", "");
  write("common/tests/bank/bank.h", "");
  ASSERT_EQ(
      std::system(("cd " + quoted("") +
                   " && git init -q . && git add ch1_x ch2_y ch4_l common && git -c user.name=a -c "
                   "user.email=b commit -qm c")
                      .c_str()),
      0);
  write("ch4_l/01_loop/exercise.cpp", "mine, not committed");
  // What the teacher's git is told to do with other repositories.
  write("hook", "#!/bin/sh\nexit 1\n");
  fs::create_directories(path("hooks"));
  fs::rename(path("hook"), path("hooks/pre-commit"));
  ::chmod(path("hooks/pre-commit").c_str(), 0755);
  write("attributes", "*.cpp text eol=crlf\n");
  write("settings", "[core]\nautocrlf = true\nattributesFile = " + path("attributes") +
                        "\nhooksPath = " + path("hooks") + "\nexcludesFile = " + path("ignored") +
                        "\n[commit]\ngpgSign = true\n[init]\ntemplateDir = " + path("none") + "\n");
  write("ignored", "exercise.cpp\n");
  ::setenv("GIT_CONFIG_GLOBAL", path("settings").c_str(), 1);
  ::setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  expect_one_line("export handed", 2, "git config --global --add safe.directory");
  ::unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
  const Answer handed = run("export handed loop --no-hints");
  ::unsetenv("GIT_CONFIG_GLOBAL");
  EXPECT_EQ(
      run_process({"git", "-C", path("handed"), "status", "--porcelain", "--ignored"}, 60).output,
      "");
  EXPECT_TRUE(has(handed.out, "handed: 1 lesson of commit ")) << handed.err;
  const auto there = [&](const char* file) { return fs::exists(path("handed") + "/" + file); };
  EXPECT_EQ(read("handed/ch4_l/01_loop/exercise.cpp"), "// Goal: 0.9 times optimized at n=1\n");
  const std::string page = read("handed/ch4_l/01_loop/README.md");
  EXPECT_TRUE(has(page, "1. Which?") && has(page, "This.") && !has(page, "hint")) << page;
  EXPECT_FALSE(there("ch4_l/01_loop/solution.cpp") || there("common/tests/bank/wrong.cpp"));
  EXPECT_TRUE(there("common/tests/bank/bank.h")) << "which lessons' tests include";
  EXPECT_TRUE(there("ch4_l/02_last/last.h") && there("ch4_l/02_last/README.md"));
  EXPECT_EQ(read("handed/ch4_l/CMakeLists.txt"), "wb_add_lesson(01_loop)\n");
  EXPECT_EQ(read("handed/ch1_x/CMakeLists.txt") + read("handed/ch2_y/CMakeLists.txt"), "");
  EXPECT_TRUE(there(".git")) << "so that reset works";
  expect_one_line("export handed", 2, "handed is there already");
  expect_one_line("export nowhere/handed", 5, "is no folder: make it first");
  EXPECT_TRUE(run("export whole").code == 0 &&
              fs::exists(path("whole/ch4_l/02_last/baseline.cpp")));
  EXPECT_TRUE(has(read("whole/ch4_l/01_loop/README.md"), "CPU, hint 1"));
}

TEST_F(Student, PutsAnExerciseBackAndKeepsTheirs) {
  if (!in_path("git")) GTEST_SKIP() << "git is not installed";
  expect_one_line("reset loop", 3, "git does not have ch4_l/01_loop/exercise.cpp");
  ASSERT_EQ(std::system(("cd " + quoted("") +
                         " && git init -q . && git add ch4_l && git -c user.name=a -c "
                         "user.email=b commit -qm c")
                            .c_str()),
            0);
  ::setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);  // another user's clone
  expect_one_line("reset loop", 2, "git config --global --add safe.directory");
  ::unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
  EXPECT_EQ(run("reset loop").out, "ch4_l/01_loop/exercise.cpp is as shipped again\n");
  fs::rename(path("ch4_l/01_loop/exercise.cpp"), path("kept.cpp"));
  fs::create_directories(path("ch4_l/01_loop/exercise.cpp"));
  expect_one_line("reset loop", 5, "exercise.cpp is a folder: move it away");
  fs::remove(path("ch4_l/01_loop/exercise.cpp"));
  fs::rename(path("kept.cpp"), path("ch4_l/01_loop/exercise.cpp"));
  const std::string shipped = read("ch4_l/01_loop/exercise.cpp");
  for (const char* name : {"", ".1"}) {
    write("ch4_l/01_loop/exercise.cpp", "mine");
    const Answer answer = run("reset loop");
    EXPECT_EQ(answer.code, 0) << answer.err;
    const std::string backup = state("backups/ch4_l-01_loop-exercise.cpp") + name;
    EXPECT_TRUE(has(answer.out, "your version is in " + path(backup) + "\n"));
    EXPECT_EQ(read(backup), "mine");
    EXPECT_EQ(read("ch4_l/01_loop/exercise.cpp"), shipped);
  }
  fs::remove(path("ch4_l/01_loop/exercise.cpp"));
  without_exercise();
  EXPECT_EQ(run("reset loop").out, "ch4_l/01_loop/exercise.cpp is as shipped again\n");
  EXPECT_EQ(read("ch4_l/01_loop/exercise.cpp"), shipped);
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  expect_one_line("reset loop", 2, "git, which is not installed");
  ::setenv("PATH", before.c_str(), 1);
}

TEST_F(Student, PredictsBeforeTheAnswersAreShown) {
  write("said", "the first\n");
  const Answer half = run("predict loop", "<said >out 2>err");
  EXPECT_EQ(half.code, 2);
  EXPECT_EQ(half.out, "1.\n    Which?\n> 2.\n    Why?\n> \n");
  EXPECT_TRUE(has(half.err, "1 of 2 questions answered; ./workbook predict 01_loop goes on"));
  write("said", "because\n");
  EXPECT_TRUE(run("predict loop", "<said >out 2>err").out.starts_with("2.\n    Why?\n> Kept. "));
  EXPECT_EQ(run("predict loop").out,
            "1.\n    Which?\n  you\n    the first\n  the page\n    1. It: This.\n"
            "2.\n    Why?\n  you\n    because\n  the page\n    2. Why: So.\n");
  std::string page = read("ch4_l/01_loop/README.md");  // of a page that asks less since then
  page.replace(page.find("2. Why?\n"), 8, "");
  write("ch4_l/01_loop/README.md", page);
  write("said", "neither\n");
  EXPECT_TRUE(has(run("predict loop", "<said >out 2>err").out, "> Kept. "));
  EXPECT_TRUE(has(run("predict loop").out, "  you\n    neither\n"));
}

TEST_F(Student, IsToldWhetherAReportSaysSo) {
  write("ch4_l/01_loop/report_questions.cpp.json",
        R"([{"question": "Which stage?", "pattern": "\\bsum\\b", "because": "It has 9 of 10 ms."},
            {"question": "How many?", "pattern": "^8$", "because": "Eight."}])");
  write("said", "a\nb\nsummary\nthe SUM\n\n");
  const Answer all = run("predict loop", "<said >out 2>err");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_TRUE(has(all.out,
                  "> A stored report has one right answer to each of these. Enter alone gives up.\n"
                  "3.\n    Which stage?\n>     The report says something else: look again.\n"
                  ">     Right.\n    It has 9 of 10 ms.\n"
                  "4.\n    How many?\n>     Eight.\nKept. "));
  EXPECT_TRUE(
      has(run("predict loop").out,
          "3.\n    Which stage?\n  you\n    the SUM\n  the page\n    It has 9 of 10 ms.\n"));
  for (const char* damaged :
       {"[{}]", "[", "3", R"([{"question": "Who?", "pattern": "(", "because": "So."}])"}) {
    write("ch4_l/01_loop/report_questions.cpp.json", damaged);
    expect_one_line("predict loop", 5, "01_loop/report_questions.cpp.json is damaged (");
  }
}

TEST_F(Student, IsWatched) {
  program("workbook", "exec build/bin/workbook_driver \"$@\"\n");
  const pid_t driver = start("watch loop", "</dev/null >out 2>err");
  const auto checks = [&](int wanted) {
    for (int i = 0; i < 200; ++i) {
      const std::string out = fs::exists(path("out")) ? read("out") : "";
      int found = 0;
      for (std::size_t at = 0; (at = out.find("\nwatching ", at)) != std::string::npos; ++at)
        ++found;
      if (found >= wanted) return found;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return -1;
  };
  EXPECT_EQ(checks(1), 1) << read("err");
  measured("loop.json", {1e-4});
  write("ch4_l/01_loop/exercise.cpp", "// Goal: 0.9 times optimized at n=1\n// saved\n");
  EXPECT_EQ(checks(2), 2);
  const int status = end(driver, SIGINT);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130);
  EXPECT_TRUE(has(read("out"), ": not met\n") && has(read("out"), ": met\n")) << read("out");
  EXPECT_TRUE(has(read("err"), "workbook: interrupted\n"));
}

TEST_F(Student, PressesKeysWhileWatching) {
  program("workbook", "exec build/bin/workbook_driver \"$@\"\n");
  write("ch4_l/02_last/exercise.cpp", "// Goal: 2 times baseline at n=1\n");
  const PseudoTerminal pseudo;
  if (!pseudo.why.empty()) GTEST_SKIP() << pseudo.why;
  const auto& [terminal, other, name, why] = pseudo;
  termios before = {}, after = {};
  ::tcgetattr(other, &before);
  ASSERT_EQ(::write(terminal, "hnnhq", 5), 5);
  const Answer answer = run("watch loop", ("<" + name + " >out 2>err").c_str());
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(has(answer.err, "workbook: ch4_l/02_last has no page"));
  ::tcgetattr(other, &after);
  EXPECT_EQ(before.c_lflag, after.c_lflag) << "the terminal is not as it was";
  std::size_t at = 0;  // in this order
  for (const char* part :
       {"n=1:\n", "keys: n next, h hint, q quit\n", "Hint 1 of 2\n", "02_last\n",
        "watching ch4_l/02_last/exercise.cpp\n", "That is the book's last exercise\n"}) {
    at = answer.out.find(part, at);
    EXPECT_NE(at, std::string::npos) << part << " not in\n" << answer.out;
  }
}

class Select : public ::testing::Test {
 protected:
  driver::Catalogue catalogue_{
      .source = "",
      .build = "",
      .bin = "",
      .backends = {},
      .lessons = {
          {"ch1_start/07_batched_gemm", "batched_gemm", {{"baseline", "cpu"}}},
          {"ch1_start/08_coalescing/walk",
           "coalescing_walk",
           {{"baseline", "cpu"}, {"optimized", "cuda"}, {"exercise", "cpu"}, {"solution", "cpu"}}},
          {"ch1_start/08_coalescing/transpose", "coalescing_transpose", {{"optimized", "cuda"}}},
          {"ch10_more/01_walk", "walk", {{"baseline", "cpu"}}}}};
  std::string chosen(const std::vector<std::string>& names) const {
    std::string text;
    for (const driver::Selection& s : driver::select(catalogue_, names)) {
      text += s.lesson->program;
      for (const std::string& v : s.variants) text += "/" + v;
      text += " ";
    }
    return text;
  }
  std::string why(const std::string& name) const {  // it is none
    const auto [code, line] = failure_of([&] { chosen({name}); });
    EXPECT_EQ(code, 2) << name;
    return line;
  }
};

TEST_F(Select, ByPathFolderNameChapterAndPart) {
  EXPECT_EQ(chosen({}), "batched_gemm coalescing_walk coalescing_transpose walk ");
  EXPECT_EQ(chosen({"ch1"}), "batched_gemm coalescing_walk coalescing_transpose ");
  EXPECT_EQ(chosen({"ch1_start/"}), "batched_gemm coalescing_walk coalescing_transpose ");
  EXPECT_EQ(chosen({"ch10"}), "walk ");
  EXPECT_EQ(chosen({"08_coalescing"}), "coalescing_walk coalescing_transpose ");
  EXPECT_EQ(chosen({"08"}), "coalescing_walk coalescing_transpose ");
  EXPECT_EQ(chosen({"coalescing"}), "coalescing_walk coalescing_transpose ");
  EXPECT_EQ(chosen({"./ch1_start/08_coalescing/transpose/"}), "coalescing_transpose ");
  EXPECT_EQ(chosen({"coalescing/walk"}), "coalescing_walk ");
  EXPECT_EQ(chosen({"walk"}), "coalescing_walk walk ");
  EXPECT_EQ(chosen({"coalescing_walk", "coalescing_walk"}), "coalescing_walk ");
}

TEST_F(Select, Variants) {
  EXPECT_EQ(chosen({"coalescing/optimized"}),
            "coalescing_walk/optimized coalescing_transpose/optimized ");
  EXPECT_EQ(chosen({"ch1_start/08_coalescing/walk/optimized.cu", "coalescing/walk/baseline"}),
            "coalescing_walk/optimized/baseline ");
  EXPECT_EQ(chosen({"coalescing/walk/baseline", "coalescing/walk"}), "coalescing_walk ");
  EXPECT_EQ(chosen({"coalescing/walk/exercise"}), "coalescing_walk/exercise ");
  for (const auto& names : {std::vector<std::string>{"coalescing/walk", "walk/exercise"},
                            std::vector<std::string>{"walk/exercise", "coalescing/walk"}})
    EXPECT_EQ(chosen(names), "coalescing_walk/baseline/exercise/optimized ");
  EXPECT_EQ(chosen({"coalescing/walk", "walk/solution"}),
            "coalescing_walk/baseline/optimized/solution ");
}

TEST_F(Select, SuggestsTheNearest) {
  EXPECT_TRUE(has(why("08_coalesing"), "did you mean 08_coalescing?"));
  EXPECT_TRUE(has(why("COALESCING"), "did you mean coalescing?"));
  EXPECT_TRUE(has(why("ch1_star"), "did you mean ch1_start?"));
  EXPECT_TRUE(has(why("coalescing/transpos"), "did you mean coalescing/transpose?"));
  for (const char* name : {"", "/", "..", "0", "no such thing at all"})
    EXPECT_TRUE(has(why(name), "unknown lesson")) << name;
  EXPECT_TRUE(has(why(std::string(100'000, 'x')), "unknown lesson"));
}

TEST_F(Select, NamesTheBackendsOfAFileThatThisBuildDoesNotCompile) {
  const Scratch top;
  catalogue_.source = top.file("top");
  const fs::path folder = catalogue_.source / "ch1_start/07_batched_gemm";
  fs::create_directories(folder / "all_shapes");
  std::string cpu;
  for (const KnownBackend& b : known_backends())
    if (b.name == "cpu") cpu = b.extension;
  for (const char* name : {"step9", "all_shapes/all_shapes"})
    write_atomically((folder / (name + cpu)).string(), "");
  const auto why = [&](const std::string& name) -> std::string {
    try {
      return chosen({name});
    } catch (const Failure& e) {
      return e.what();
    }
  };
  for (const std::string name : {"07/step9", "batched_gemm/step9.cpp", "07/all_shapes"})
    EXPECT_EQ(why(name),
              "'" + name + "' is a file that this build does not compile: add --backend=cpu");
  EXPECT_TRUE(has(why("07/step8"), "unknown lesson"));
  EXPECT_TRUE(has(why("walk/step9"), "unknown lesson"));
  catalogue_.backends = {{"cpu", cpu, "CPU"}};
  EXPECT_TRUE(has(why("07/step9"), "unknown lesson")) << "it is no backend that is missing";
}

TEST_F(Select, KnowsABugHuntThatThisBuildHasNot) {
  const Scratch top;
  catalogue_.source = top.file("top");
  fs::create_directories(catalogue_.source / "ch1_start/hunts/one_warp");
  write_atomically((catalogue_.source / "ch1_start/hunts/rows.h").string(), "");
  for (const char* name : {"one_warp", "one_warp/", "ch1_start/hunts/one_warp", "hunts/one_warp",
                           "one_warp/exercise.cu", "one_warp/baseline"})
    EXPECT_TRUE(has(why(name), "is a bug hunt, and an emulated GPU judges it: add --backend="))
        << name;
  EXPECT_TRUE(has(why("one_warp"), " (asm: --backend=")) << "which has machine code";
  for (const char* name : {"", ".", "..", "../hunts", "one_warp/nothing", "rows.h"})
    EXPECT_TRUE(has(why(name), "unknown lesson")) << name;
}

}  // namespace
}  // namespace wb
