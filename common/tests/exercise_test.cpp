// Exercises of the book: the goal in the file is what the page says, and stored results show that
// the lesson's solution reaches it.
#include "driver/exercise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "base/files.h"
#include "base/process.h"
#include "driver/judge.h"
#include "driver/page.h"
#include "driver/sanitizer.h"
#include "failure_of.h"
#include "has.h"
#include "model/case_text.h"
#include "pages/pages.h"
#include "report/about.h"
#include "report/table.h"

namespace wb::driver {
namespace {

namespace fs = std::filesystem;

// The folders with an exercise for a backend.
std::vector<fs::path> folders(const char* file) {
  std::vector<fs::path> found;
  for (const auto& chapter : fs::directory_iterator(WB_SOURCE_DIR))
    if (chapter.path().filename().string().starts_with("ch"))
      for (const auto& lesson : fs::directory_iterator(chapter.path()))
        if (fs::exists(lesson.path() / file)) found.push_back(lesson.path());
  return found;
}

// The cell under Goal of the page's row of a file.
std::string goal_cell(const std::string& page, const std::string& file) {
  const std::size_t row = page.find("\n| `" + file + "` |");
  if (row == std::string::npos) return "no row of " + file;
  std::string line = page.substr(row + 1, page.find('\n', row + 1) - row - 1);
  line.erase(line.size() - 2);
  return line.substr(line.rfind("| ") + 2);
}

TEST(Hints, AreStaged) {
  for (const auto& [file, device] : {std::pair{"exercise.cu", "GPU"}, {"exercise.cpp", "CPU"}})
    for (const fs::path& folder : folders(file))
      EXPECT_GE(hints(read_file((folder / "README.md").string()), device).size(), 2u)
          << folder << "/README.md: give two hints at least, '" << device << ", hint 1' ...";
}

// A question names a report that is there, and its explanation has the right answer.
TEST(ReportQuestions, AreAnsweredByReports) {
  int seen = 0;
  for (const char* file : {"exercise.cu", "exercise.cpp"})
    for (const fs::path& folder : folders(file))
      for (const ReportQuestion& q : report_questions({nullptr, nullptr, "", folder / file})) {
        EXPECT_TRUE(is_right(q, q.because)) << folder << ": " << q.question;
        EXPECT_FALSE(is_right(q, "no idea")) << folder << ": " << q.question;
        const std::string report = q.question.substr(0, q.question.find_first_of(":,"));
        EXPECT_TRUE(fs::is_regular_file(folder / report)) << folder / report;
        ++seen;
      }
  EXPECT_GT(seen, 5);
}

// A class is handed lessons without solutions, so what the exercise computes stands in a baseline.
TEST(Problems, OfExercisesAreKnownWithoutASolution) {
  const auto word = [](const std::string& source, const std::string& before) {
    const std::size_t at = source.find("\n" + before + "(");
    if (at == std::string::npos) return std::string();
    const std::size_t from = at + before.size() + 2;
    return source.substr(from, source.find_first_of(",)", from) - from);
  };
  for (const auto& [ending, macro] : {std::pair{".cu", "WB_CUDA"}, {".cpp", "WB_CPU"}})
    for (const fs::path& folder : folders((std::string("exercise") + ending).c_str())) {
      const std::string baseline =
          read_file((folder / (std::string("baseline") + ending)).string());
      const std::string exercise =
          read_file((folder / (std::string("exercise") + ending)).string());
      const std::string own = word(baseline, "WB_EXERCISE");
      EXPECT_EQ(word(exercise, macro), own.empty() ? word(baseline, macro) : own)
          << folder << "/baseline" << ending << ": WB_EXERCISE names the exercise's problem";
    }
}

TEST(Goals, OfPageAndFileAreOne) {
  for (const char* file : {"exercise.cu", "exercise.cpp"}) {
    const std::vector<fs::path> all = folders(file);
    EXPECT_GE(all.size(), 19u);
    for (const fs::path& folder : all) {
      const std::string lesson = folder.lexically_relative(WB_SOURCE_DIR).string();
      std::string said;
      for (const Goal& goal : goals_of(folder / file))
        said += (said.empty() ? "" : "; ") +
                goal.text(report::about_lesson(WB_SOURCE_DIR, lesson).case_names);
      const std::string page = read_file((folder / "README.md").string());
      EXPECT_TRUE(has(page, "\n./workbook check " + folder.filename().string() + "\n"))
          << lesson << ": the page's exercise does not say how it is checked";
      const std::string cell = goal_cell(page, file);
      const std::string more = cell.substr(std::min(said.size(), cell.size()));
      EXPECT_TRUE(cell.starts_with(said) && (more.empty() || more.starts_with(", ")))
          << lesson << "/" << file << "\n  goal: " << said << "\n  page: " << cell;
    }
  }
}

// On each machine that has the rows, and on one of them at least.
TEST(Goals, AreReachedByStoredSolutions) {
  const auto machines = pages::stored_results(WB_SOURCE_DIR);
  const std::vector names{"h200", "h100"};
  for (const fs::path& folder : folders("exercise.cu")) {
    const std::string lesson = folder.lexically_relative(WB_SOURCE_DIR).string();
    bool solved = false;  // and measured since
    for (const char* machine : names)
      for (const Row& row : machines.at(machine).rows)
        solved |= row.lesson == lesson && row.variant == "solution" && row.backend == "cuda";
    if (!solved) continue;
    for (const Goal& goal : goals_of(folder / "exercise.cu")) {
      if (goal.variant.empty()) continue;
      bool found = false;
      for (const char* machine : names)
        for (const report::SideBySide& c : report::side_by_side(machines.at(machine))) {
          const Row &first = c.first(), *yardstick = c.find(goal.variant),
                    *solution = c.find("solution");
          if (first.lesson != lesson || first.backend != "cuda" || first.cache != "cold" ||
              !goal.at(first.axes) || !yardstick || !solution)
            continue;
          found = true;
          EXPECT_GE(report::compare(*yardstick, *solution).low, goal.factor)
              << lesson << " on " << machine;
        }
      EXPECT_TRUE(found) << lesson << " on " << names[0] << ": " << goal.text({});
    }
  }
}

// Of common/results/goals.csv, which grading measured.
struct Tried {
  std::string machine, date, lesson, variant;
  double shipped, solution;  // times as fast as the variant
  std::string axes;
};

std::vector<Tried> tried() {
  std::vector<Tried> all;
  std::istringstream lines(read_file(std::string(WB_SOURCE_DIR) + "/common/results/goals.csv"));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string cell[6], axes;
    for (std::string& c : cell) std::getline(cells, c, ',');
    std::getline(cells, axes);
    all.push_back({cell[0], cell[1], cell[2], cell[3], std::stod(cell[4]), std::stod(cell[5]),
                   axes.substr(1, axes.size() - 2)});
  }
  return all;
}

// A CPU's goal lies between what is shipped and what solves it, on every machine that was tried.
// But where a cache holds all matrices, as that Xeon's does, the order of their tiles hardly
// matters.
TEST(Goals, FitEveryMachine) {
  const std::vector<Tried> all = tried();
  for (const fs::path& folder : folders("exercise.cpp")) {
    const std::string lesson = folder.lexically_relative(WB_SOURCE_DIR).string();
    std::map<std::string, std::size_t> met;  // goals by machine
    std::size_t goals = 0;
    for (const Goal& goal : goals_of(folder / "exercise.cpp")) {
      if (goal.variant.empty()) continue;
      ++goals;
      bool found = false;
      for (const Tried& t : all) {
        if (t.lesson != lesson || t.variant != goal.variant || !goal.at(read_case(t.axes)))
          continue;
        found = true;
        EXPECT_GE(t.solution, goal.factor)
            << lesson << ": the solution misses " << goal.text({}) << " on " << t.machine;
        if (t.shipped >= goal.factor) ++met[t.machine];
      }
      EXPECT_TRUE(found) << lesson << ": goals.csv has no line for " << goal.text({})
                         << "; grade the solution, then .ci/grade/goals.py";
    }
    if (lesson.ends_with("08_l2_order")) met.erase("Xeon with 16 cores");
    for (const auto& [machine, count] : met)
      EXPECT_LT(count, goals) << lesson << ": the exercise as shipped meets its goals on "
                              << machine;
  }
}

// The problem that a variant's file registers: Sum, of "WB_CPU(Sum, optimized, run);".
std::string problem_of(const fs::path& variant) {
  const std::string text = read_file(variant.string());
  const std::size_t end = text.rfind(", " + variant.stem().string() + ",");
  const std::size_t begin = text.rfind('(', end) + 1;
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

// Nor by the exercise as shipped.
TEST(Goals, AreMetByNoStep) {
  const auto machines = pages::stored_results(WB_SOURCE_DIR);
  for (const auto& [machine, backend] :
       {std::pair("h200", "cuda"), {"h100", "cuda"}, {"cpu2", "cpu"}, {"zen5", "cpu"}}) {
    const std::string extension = std::string(backend) == "cuda" ? ".cu" : ".cpp";
    for (const fs::path& folder : folders(("exercise" + extension).c_str())) {
      const std::string lesson = folder.lexically_relative(WB_SOURCE_DIR).string();
      std::map<std::string, std::size_t> met;  // goals by step
      const std::vector<Goal> goals = goals_of(folder / ("exercise" + extension));
      for (const Goal& goal : goals)
        for (const report::SideBySide& c : report::side_by_side(machines.at(machine)))
          if (const Row& first = c.first(); first.lesson == lesson && first.backend == backend &&
                                            first.cache == "cold" && goal.at(first.axes))
            for (const Row* row : c.rows)
              if (c.find(goal.variant) && row->peer.empty() &&
                  report::compare(*c.find(goal.variant), *row).ratio >= goal.factor)
                ++met[row->variant];
      for (const auto& [variant, count] : met) {
        const bool step =
            variant.starts_with("step") || variant == "baseline" || variant == "exercise";
        EXPECT_FALSE(count == goals.size() && step &&
                     problem_of(folder / (variant + extension)) ==
                         problem_of(folder / ("solution" + extension)))
            << lesson << ": " << variant << extension << " meets the exercise's goal on " << machine
            << ": set one that it misses, or a task of the exercise's own";
      }
    }
  }
}

TEST(Copies, AreNamed) {
  const Scratch scratch;
  const fs::path folder = scratch.file("lesson");
  fs::create_directories(folder);
  const auto write = [&](const char* file, const std::string& text) {
    std::ofstream(folder / file) << text;
  };
  const std::string code = "#include \"sum.h\"\nfloat a = 1;\nWB_CPU(Sum, ";
  write("step1_two.cpp", "// Against the baseline.\n" + code + "step1_two, run);\n");
  write("step1_two.cu", code + "exercise, run);\n");
  write("solution.cpp", "// Solved.\nfloat b = 2;\nWB_CPU(Sum, solution, run);\n");
  for (const char* copy : {"// Goal: 2 times baseline at n=1\n", "\n  \t// mine\n"}) {
    write("exercise.cpp", copy + code + "exercise,\n       run);");
    EXPECT_EQ(copied_from(folder / "exercise.cpp", folder), folder / "step1_two.cpp") << copy;
  }
  for (const char* own : {"float a = 2; WB_CPU(Sum, exercise, run);", "",
                          "float b = 2; WB_CPU(Sum, exercise, run);", "// unended"}) {
    write("exercise.cpp", own);
    EXPECT_EQ(copied_from(folder / "exercise.cpp", folder), fs::path()) << own;
  }
  for (const std::string extension : {".cu", ".cpp"})
    for (const fs::path& lesson : folders(("exercise" + extension).c_str())) {
      const fs::path solution = lesson / ("solution" + extension);
      EXPECT_EQ(copied_from(solution, lesson), fs::path()) << solution;
      EXPECT_EQ(problem_of(solution), problem_of(lesson / ("exercise" + extension))) << solution;
      EXPECT_NE(problem_of(solution), "") << solution;
    }
}

// Written as a compiler takes them, and as text does not show.
TEST(Includes, AreWhatTheCompilerRead) {
  const Scratch scratch;
  const fs::path folder = scratch.file("a lesson"), own = folder / "exercise.cpp";
  fs::create_directories(folder / "next");
  const auto write = [&](const fs::path& file, const std::string& text) {
    std::ofstream(folder / file) << text;
  };
  write("optimized.cpp", "// empty\n"),
      write("next/optimized.cpp", "#include_next <optimized.cpp>");
  write("sum.h", "#include <cstddef>\n");
  const auto other = [&](const std::string& text) {
    write("exercise.cpp", "#include \"sum.h\"\n" + text + "\n");
    const std::string object = scratch.file("exercise.o"), read = object + ".d";
    run_process({"c++", "-I" + (folder / "next").string(), "-I" + folder.string(), "-MD", "-MF",
                 read, "-o", object, "-c", own.string()},
                60);
    return other_source(read_file(read), {own}, folder).filename().string();
  };
  for (const char* include :
       {"#include \"optimized.cpp\"", "%:include \"optimized.cpp\"",
        "#/**/include /* a step */ \"optimized.cpp\"", "#inc\\\nlude \"opti\\\nmized.cpp\"",
        "#define FILE <optimized.cpp>\n#include FILE", "#include_next <optimized.cpp>",
        "#include \"optimized.cpp\"\nno C++", "#include <next/../optimized.cpp>"})
    EXPECT_EQ(other(include), "optimized.cpp") << include;
  for (const char* honest : {"// not #include \"optimized.cpp\"", "int a;", "no C++",
                             "const char* s = \"#include <optimized.cpp>\";",
                             "#if 0\n#include \"optimized.cpp\"\n#endif"})
    EXPECT_EQ(other(honest), "") << honest;
  const std::string kept = "x.o: #deps 2, deps mtime 1 (VALID)\n    /a lesson/exercise.cpp\n";
  EXPECT_EQ(other_source(kept + "    /a lesson/sum.h\n", {"/a lesson/exercise.cpp"}, "/b"), "");
  const std::string relative = "x.o: #deps 1, deps mtime 1 (VALID)\n    ../a lesson/exercise.cpp\n";
  EXPECT_EQ(other_source(relative, {"/a lesson/exercise.cpp"}, "/b"), "");
  EXPECT_EQ(other_source(kept + "    /a lesson/b.cu\n", {"/a lesson/exercise.cpp"}, "/b"),
            "/a lesson/b.cu");
  // As nvcc 13.0 writes it, and g++; what is made is no source.
  for (const std::string made : {"place/exercise.o : ", "place/exercise.o: "}) {
    const std::string alone = made + "/a/exercise.cu \\\n    /usr/include/stdc-predef.h\n";
    EXPECT_EQ(other_source(alone, {"/a/exercise.cu"}, "/b"), "") << made;
    EXPECT_EQ(other_source(made + "/a/exercise.cu \\\n ../c/d.o\n", {"/a/exercise.cu"}, "/b"),
              "/c/d.o");
  }
}

// What a lesson's library.cpp computes with is not there for an exercise, but where it is told to.
TEST(Libraries, AreNotLinkedToExercises) {
  const std::string build = fs::path(WB_BUILD_FOLDER).string();
  int seen = 0;
  for (const fs::path& lesson : folders("exercise.cpp")) {
    const std::string folder = lesson.filename().string();
    if (folder == "12_goodput" || folder == "13_several_gpus") continue;
    const Outcome commands = run_process(
        {"ninja", "-C", build, "-t", "commands", "-s", "bin/exercise_" + folder.substr(3)}, 60);
    ASSERT_TRUE(commands.fine()) << commands.errors;
    for (const char* library : {"openblas", "blas.so", "dnnl", "libmpi"})
      EXPECT_FALSE(has(commands.output, library)) << folder;
    ++seen;
  }
  EXPECT_GT(seen, 30);
}

TEST(Goals, OfAnotherFormAreNamed) {
  const Scratch scratch;
  const std::string file = scratch.file("exercise.cpp");
  const auto why = [&](const std::string& text) {
    std::ofstream(file) << text;
    return failure_of([&] { goals_of(file); }).second;
  };
  EXPECT_EQ(why("// Slow.\n// Goal: 2 times baseline at n=8,op=add\n// Hints.\n"), "");
  EXPECT_EQ(why("// Goal: right at every size\n"), "");
  for (const char* goal :
       {"right", "2 times baseline", "0 times baseline at n=8", "fast times baseline at n=8",
        "2 times baseline at n", "2 times baseline at n=8 m=9", "at most 2 times baseline at n=8",
        "at most 0 times as long as baseline at n=8", "2 times as long as baseline at n=8",
        "at least twice as fast"})
    EXPECT_TRUE(has(why("// Goal: " + std::string(goal) + "\n"), "FACTOR times VARIANT")) << goal;
  EXPECT_TRUE(has(why("// Slow.\n\n// Goal: 2 times baseline at n=8\n"), "no line"));
  EXPECT_TRUE(has(why(""), file));
  std::ofstream(file) << "// Goal: 0.95 times optimized at rows=8192,columns=64,dtype=fp32\n"
                         "// Goal: 3 times baseline at n=4096\n"
                         "// Goal: at most 2.5 times as long as optimized at n=31\n";
  const std::vector<Goal> goals = goals_of(file);
  ASSERT_EQ(goals.size(), 3u);
  EXPECT_EQ(goals[2].factor, 0.4);
  EXPECT_EQ(goals[2].text({}), "n=31: at most 2.5 times as long as `optimized`");
  EXPECT_EQ(goals[2].stand(0.5, 0.4, 0.8), "at 2 [1.25, 2.5] times as long as optimized, goal 2.5");
  EXPECT_EQ(goals[0].text({"{rows} x {columns}"}),
            "8192 x 64, fp32: at least 0.95 times as fast as `optimized`");
  EXPECT_EQ(goals[1].variant, "baseline");
  EXPECT_TRUE(goals[1].at({{"size", "small"}, {"n", 4096}}));
  EXPECT_FALSE(goals[1].at({{"n", 4096}, {"threads", 1}}));

  for (const char* goal :
       {"at most 4 sectors at n=8", "at most four sectors_per_request at n=8",
        "at best 4 sectors_per_request at n=8", "at most 4 sectors_per_request n=8",
        "at most 4 sectors_per_request at n", "at most 4 sectors_per_request at n=8 m=9",
        "at most 4 sectors_per_request", "4 sectors_per_request at n=8"})
    EXPECT_TRUE(has(why("// Goal: 2 times baseline at n=8\n// Goal: " + std::string(goal) + "\n"),
                    "NUMBER COUNTER"))
        << goal;
  EXPECT_TRUE(has(why("// Goal: at most 4 sectors_per_request at n=8\n"), "no line"));
}

TEST(Goals, InCountsStandBesideThoseOfSpeed) {
  const Scratch scratch;
  const std::string file = scratch.file("exercise.cu");
  std::ofstream(file) << "// Goal: 3 times baseline at n=4096\n"
                         "// Goal: at most 4.1 sectors_per_request at n=64,m=65\n"
                         "// Goal: at least 0.9 used_of_moved_bytes at n=64,m=65\n"
                         "// Goal: at most 0 barriers_per_block at n=31,m=1\n";
  ASSERT_EQ(goals_of(file).size(), 1u);
  EXPECT_EQ(goals_of(file)[0].variant, "baseline");
  const std::vector<Goal> goals = goals_of(file, /*counts=*/true);
  ASSERT_EQ(goals.size(), 3u);
  EXPECT_EQ(goals[0].text({"{n} x {m}"}), "64 x 65: at most 4.1 sectors per request");
  EXPECT_EQ(goals[0].stand(18), "at 18 sectors per request, goal at most 4.1");
  EXPECT_EQ(goals[0].stand(74040), "at 74040 sectors per request, goal at most 4.1")
      << "7.404e+04 is no count";
  EXPECT_EQ(goals[1].stand(1), "at 1 used of moved bytes, goal at least 0.9");
  EXPECT_EQ(goals[2].counter, Counter::barriers);
  EXPECT_EQ(goals[2].factor, 0);
  EXPECT_TRUE(goals[0].at({{"n", 64}, {"m", 65}}));
  // Whoever is to be right alone is that on every device.
  std::ofstream(file) << "// Goal: right at every size\n";
  EXPECT_EQ(goals_of(file, true).size(), 1u);
  EXPECT_EQ(goals_of(file, false).size(), 1u);
}

// What an editor on another system makes of `text`.
std::string utf_16(const std::string& text, bool big_endian, bool mark) {
  std::string bytes = !mark ? "" : big_endian ? "\xfe\xff" : "\xff\xfe";
  for (const char c : text) bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return bytes;
}

TEST(Encodings, AreNormalized) {
  const std::string text = "// A\n\nint b;\n";
  std::string crlf = text, mac = text;
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2)
    crlf.insert(at, "\r");
  std::replace(mac.begin(), mac.end(), '\n', '\r');
  for (const std::string& lines : {text, crlf, mac}) {
    EXPECT_EQ(as_utf8_lines(lines), text);
    EXPECT_EQ(as_utf8_lines("\xef\xbb\xbf" + lines), text);
    for (const bool big_endian : {false, true})
      for (const bool mark : {false, true})
        EXPECT_EQ(as_utf8_lines(utf_16(lines, big_endian, mark)), text);
  }
  EXPECT_EQ(as_utf8_lines(std::string("\xff\xfe\x3d\xd8\x00\xde", 6)), "\xf0\x9f\x98\x80");
  const std::string half("\xff\xfe\x3d\xd8", 4);  // of a pair
  EXPECT_EQ(as_utf8_lines(half), half);
  for (const std::string& as_it_is : {std::string(), std::string("\xe4\xf6"), std::string(3, '\0')})
    EXPECT_EQ(as_utf8_lines(as_it_is), as_it_is);
}

TEST(Encodings, ChangeNeitherGoalNorCode) {
  const Scratch scratch;
  const std::string file = scratch.file("exercise.cpp"), other = scratch.file("other.cpp");
  const std::string goal = "// Goal: right at every size", own = "\nint a;\nWB_CPU(A, ";
  std::ofstream(other) << own << "other, run);\n";
  std::ofstream(file) << "\xef\xbb\xbf" << goal << "\r\nint a;\r\nWB_CPU(A, exercise, run);\r\n";
  EXPECT_EQ(goals_of(file).size(), 1u);
  EXPECT_TRUE(same_code(file, other));
  std::ofstream(file) << utf_16(goal + own + "exercise, run);\n", false, true);
  EXPECT_TRUE(same_code(file, other));
  const auto [code, line] = failure_of([&] { goals_of(file); });
  EXPECT_EQ(code, 2);
  EXPECT_TRUE(has(line, "save it as UTF-8"));
}

// What a lesson's test says as it ends, in the place of that test; `ended`: of the one test in its
// report, else there is none.
Tested where_it_ends(const std::string& words, int code, const std::string& ended = "") {
  const Scratch scratch;
  const std::string test = scratch.file("fake_test");
  for (const std::string& program : {test, scratch.file("exercise_fake")}) {
    std::ofstream script(program);
    script << "#!/bin/sh\necho \"" << words << "\" >&2\n";
    if (!ended.empty())
      script
          << "for flag; do case $flag in --gtest_output=json:*) cat > \"${flag#*json:}\" ;; esac\n"
             "done << END\n"
          << R"({"testsuites":[{"name":"a","testsuite":[{"name":"b","status":"RUN",)"
          << R"("result":"COMPLETED","failures":[{"failure":"c"}],"ended":")" << ended
          << "\"}]}]}\nEND\n";
    script << "exit " << code << '\n';
    fs::permissions(program, fs::perms::owner_all);
  }
  Catalogue catalogue;
  catalogue.bin = fs::path(test).parent_path();
  Lesson lesson;
  lesson.program = "fake";
  const std::string file = scratch.file("exercise.cpp");
  std::ofstream(file) << "// Goal: right at every size\n";
  const BuiltBackend cpu{.name = "cpu", .extension = ".cpp", .device = "CPU"};
  return test_exercise(catalogue, {&lesson, &cpu, "cpu", file}, {});
}
Verdict verdict_where_it_ends(const std::string& words, int code, const std::string& ended = "") {
  return where_it_ends(words, code, ended).verdict;
}

// Students print to find a mistake.
TEST(Judge, WhatAnExercisePrintsIsShownAndBounded) {
  EXPECT_EQ(where_it_ends("exercise_fake: rows 3\nnot its own", 1, "failed").printed, "  rows 3\n");
  EXPECT_EQ(where_it_ends("exercise_fake: rows 3", 1).printed, "  rows 3\n");  // it crashed
  std::string many;
  for (int i = 0; i < 23; ++i) many += "exercise_fake: x\n";
  many.pop_back();
  const std::string shown = where_it_ends(many, 1, "failed").printed;
  EXPECT_EQ(std::ranges::count(shown, '\n'), 21);
  EXPECT_TRUE(shown.ends_with("  and 3 lines more\n")) << shown;
}

TEST(Judge, ABusyMachineIsNamedBesideAMissedGoal) {
  report::Standing own;
  const report::Comparison steady = {.ratio = 1, .low = 0.9, .high = 1.1};
  EXPECT_EQ(busy(0.2, 2, own, steady), "");
  EXPECT_EQ(used_by(0.2, 2), "");
  EXPECT_EQ(used_by(1.4, 2), "other programs used 1.4 of its 2 cores");
  EXPECT_EQ(busy(1.4, 2, own, steady),
            "The machine was busy: other programs used 1.4 of its 2 cores. Check again when it is "
            "quiet: that decides.");
  EXPECT_EQ(busy(4, 128, own, steady), "");
  // Threads that wait for each other are all held up by one core that another machine uses.
  EXPECT_TRUE(has(busy(0, 16, own, {.ratio = 4.2, .low = 1.8, .high = 10.6}),
                  "busy: its speed varied by a factor of 5.9"));
  own.delivered = 0.5;
  EXPECT_EQ(busy(0, 2, own, steady), "");  // arithmetic does not wait for memory
  own.bound = report::Bound::memory;
  EXPECT_TRUE(has(busy(0, 2, own, steady), "its memory gave 50 % of what it can"));
}

// As where arithmetic was measured while other programs used the cores.
TEST(Judge, ACeilingThatTheLessonExceedsAccusesNobody) {
  const report::Standing lesson = {.roof = 1.316, .suspect = true},
                         exercise = {.roof = 1.107, .suspect = true};
  EXPECT_FALSE(too_fast(exercise, lesson));
  EXPECT_TRUE(too_fast(lesson, exercise));  // further above the ceiling than the lesson
  EXPECT_TRUE(too_fast(exercise, {.roof = 0.9}));
  EXPECT_FALSE(too_fast({.roof = 0.9}, {.roof = 0.8}));
}

TEST(Judge, WhatNoHonestMistakeDoesIsCheatingWhereverItIsSeen) {
  EXPECT_EQ(verdict_where_it_ends("", 1, name(Status::cheats)), Verdict::cheats);
  // Words that others say, too, are no reason.
  EXPECT_EQ(verdict_where_it_ends("bind() asks for other arrays", 1, name(Status::failed)),
            Verdict::wrong);
  EXPECT_EQ(verdict_where_it_ends("bind() asks for other arrays", 1), Verdict::crashes);
  EXPECT_EQ(verdict_where_it_ends("terminate called", 1), Verdict::crashes);
  EXPECT_EQ(verdict_where_it_ends("no such program", 127), Verdict::not_here);
}

TEST(Pages, GiveQuestionsAnswersAndHints) {
  const std::string page =
      "# 01 A: b?\n\n## Predict\n\nWrite first.\n\n1. How\n   long?\n2. `x` &lt; 3?\n\n## Run\n\n"
      "## Answers\n\n<details><summary>1. Time</summary>\n<code>a[i]</code> &lt;b&gt;\n</details>\n"
      "\n## Exercise\n\n<details><summary>GPU, hint 1</summary>\ng1\n</details>\n"
      "<details><summary>CPU, hint 1</summary>\nc < 4 &amp; d\nmore\n</details>\n"
      "<details><summary>Hint 2</summary>\nboth\n</details>\n"
      "<details><summary>Open questions</summary>\nwhy?\n</details>\n";
  const std::vector<std::string> of_all = {"Write first.\n\nHow\nlong?", "`x` < 3?"};
  for (const char* device : {"GPU", "CPU"}) {
    EXPECT_EQ(questions(page, device), of_all);
    EXPECT_EQ(answers(page, device), std::vector<std::string>{"1. Time: a[i] <b>"});
  }
  const std::string cpu =
      page +
      "\n## On a CPU\n\nLines are 64 bytes. **Is that\nmore?** On one:\n\n"
      "<!-- results x cpu -->\n| 7 ms |\n<!-- end results -->\n\nNo: 7 ms.\n\nMore.\n";
  EXPECT_EQ(questions(cpu, "GPU"), of_all);
  EXPECT_EQ(questions(cpu, "CPU"), std::vector<std::string>{"Lines are 64 bytes. Is that\nmore?"});
  EXPECT_EQ(answers(cpu, "CPU"), std::vector<std::string>{"No: 7 ms."});
  const std::string folded =
      "<details><summary>CPU, first question: more</summary>\nNo.\n</details>\n"
      "<details><summary>CPU, second question: why</summary>\nLines.\n</details>\n";
  EXPECT_EQ(answers(cpu + folded, "CPU"),
            std::vector<std::string>{"CPU, first question: more: No.\n"
                                     "CPU, second question: why: Lines."});
  for (const char* gpu : {"GPU", "emulated GPU"})
    EXPECT_EQ(hints(page, gpu), (std::vector<std::string>{"g1", "both"})) << gpu;
  EXPECT_EQ(hints(page, "CPU"), (std::vector<std::string>{"c < 4 & d\nmore", "both"}));
  for (const fs::path& folder : folders("exercise.cpp")) {
    const std::string text = read_file((folder / "README.md").string());
    const bool both = fs::exists(folder / "exercise.cu");
    for (const char* device : {"CPU", "GPU"}) {
      EXPECT_FALSE(questions(text, device).empty()) << folder;
      EXPECT_EQ(questions(text, device).size(), answers(text, device).size()) << folder;
      for (const std::string& answer : answers(text, device)) EXPECT_NE(answer, "") << folder;
      EXPECT_FALSE(hints(text, device).empty()) << folder;
    }
    EXPECT_EQ(questions(text, "CPU") != questions(text, "GPU"), both) << folder;
  }
}

TEST(Sanitizer, ShowsItsFirstFindingWhole) {
  EXPECT_EQ(first_finding("========= COMPUTE-SANITIZER\n"
                          "WB_SEED=5\n"
                          "========= Invalid __global__ read of size 4 bytes\n"
                          "=========     at kernel<(int)4>(long, const float *)+0x70 in "
                          "/home/a b/ch1/exercise.cu:31\n"
                          "=========     by thread (31,0,0) in block (2,0,0)\n"
                          "=========     Access at 0x503600080 is out of bounds\n"
                          "=========     and is 1 bytes after the nearest allocation at "
                          "0x503600000 of size 128 bytes\n"
                          "=========\n"
                          "========= Invalid __global__ read of size 4 bytes\n"
                          "=========     at kernel(float *)+0x90 in /home/exercise.cu:35\n"
                          "========= ERROR SUMMARY: 2 errors\n"),
            "Invalid __global__ read of size 4 bytes\n"
            "  at kernel<(int)4>(long, const float *)+0x70 in /home/a b/ch1/exercise.cu:31\n"
            "  by thread (31,0,0) in block (2,0,0)\n"
            "  Access at 0x503600080 is out of bounds\n"
            "  and is 1 bytes after the nearest allocation at 0x503600000 of size 128 bytes\n");
  EXPECT_EQ(
      first_finding("========= COMPUTE-SANITIZER\n"
                    "========= Error: Race reported between Read access at "
                    "kernel(DataLayout::Args)+0x90 in /home/me/exercise.cu:13\n"
                    "=========     and Write access at kernel(DataLayout::Args)+0xa0 in "
                    "/home/me/exercise.cu:14 [2048 hazards]\n"
                    "=========     and Write access at kernel(DataLayout::Args)+0xc0 in "
                    "/home/me/exercise.cu:15 [32 hazards]\n"
                    "=========\n"
                    "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n"),
      "Error: Race reported between Read access at kernel(DataLayout::Args)+0x90 in "
      "/home/me/exercise.cu:13\n"
      "  and Write access at kernel(DataLayout::Args)+0xa0 in /home/me/exercise.cu:14 [2048 "
      "hazards]\n"
      "  and Write access at kernel(DataLayout::Args)+0xc0 in /home/me/exercise.cu:15 [32 "
      "hazards]\n");
}

TEST(Sanitizer, SaysNothingOfWhatIsNoKernel) {
  for (const char* report :
       {"", "=========\n", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n",
        "Invalid __global__ read of size 4 bytes\n    at kernel()+0x70 in exercise.cu:31\n",
        "========= Error: No attachable process found. compute-sanitizer timed-out.\n",
        "========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA "
        "API call to cudaMemset.\n=========     Saved host backtrace up to driver entry point at "
        "error\n=========         Host Frame: main in /home/me/exercise.cu:40 [0x8be3]\n"})
    EXPECT_EQ(first_finding(report), "") << report;
  EXPECT_EQ(first_finding("========= " + std::string(1 << 20, 'a') + "\n"), "");
}

}  // namespace
}  // namespace wb::driver
