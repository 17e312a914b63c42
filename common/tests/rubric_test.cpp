// What a verdict is worth, and what is seen of a source before anybody compiles it.
#include "classroom/rubric.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/build_info.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/process.h"
#include "classroom/official.h"
#include "classroom/submission.h"
#include "failure_of.h"
#include "has.h"

namespace wb::classroom {
namespace {

namespace fs = std::filesystem;

TEST(Rubric, PaysForTheWayThatWasGone) {
  EXPECT_EQ(share_of_way(0.9, 0.8, 0.1, true).share, 1);
  EXPECT_DOUBLE_EQ(share_of_way(0.5, 0.9, 0.1, false).share, 0.5);
  EXPECT_EQ(share_of_way(0.09, 0.9, 0.1, false).share, 0);  // slower than as shipped
  EXPECT_EQ(share_of_way(0.95, 0.9, 1.0, false).share, 0);  // that was beyond the goal already
  EXPECT_DOUBLE_EQ(share_of_way(0.45, 0.9, 0, false).share, 0.5);
  EXPECT_EQ(share_of_way(2.1, 0.9, 1.0, true).share, 1);
  EXPECT_TRUE(share_of_way(2.1, 0.9, 1.0, true).given);  // which the teacher is told
  EXPECT_FALSE(share_of_way(2.1, 0.9, 0.8, true).given);
  EXPECT_FALSE(share_of_way(0, 0, 0, true).given);  // a goal that is no speed
}

TEST(Rubric, MeasuresAgainWhereOnlyTheLowerEndMisses) {
  EXPECT_TRUE(measured_again(1, 0.5, 0.8));
  EXPECT_FALSE(measured_again(2, 0.79, 0.8));
  EXPECT_TRUE(measured_again(2, 0.87, 0.8));
  EXPECT_TRUE(measured_again(4, 0.87, 0.8));
  EXPECT_FALSE(measured_again(5, 0.87, 0.8));
}

TEST(Rubric, TheBestMeasurementCountsUnlessOneCrashes) {
  using driver::Verdict;
  const auto slow = [](double low) {
    return driver::Reached{.verdict = Verdict::slow, .ratio = 0.9, .low = low};
  };
  const driver::Reached met{.met = true, .verdict = Verdict::met, .low = 0.85};
  const driver::Reached crashed{.verdict = Verdict::crashes, .low = 0};
  int times = 0;
  const auto counts = [&](const std::vector<driver::Reached>& all) {
    auto next = all.begin();
    return best(0.8, times,
                [&] { return next == all.end() ? throw Failure(5, "no more") : *next++; });
  };
  EXPECT_TRUE(counts({met}).met);
  EXPECT_EQ(times, 1);
  EXPECT_TRUE(counts({slow(0.5), slow(0.6), met}).met);
  EXPECT_EQ(times, 3);
  EXPECT_EQ(counts({slow(0.5), slow(0.7), slow(0.6), slow(0.4), slow(0.3)}).low, 0.7);
  EXPECT_EQ(times, 5);
  EXPECT_EQ(counts({slow(0.5), slow(0.7), crashed}).verdict, Verdict::crashes);
  EXPECT_EQ(times, 3);
}

TEST(Rubric, PaysNothingForALyingClock) {
  EXPECT_EQ(believed(1.2, 1.3), 1.2);  // a busy machine
  EXPECT_EQ(believed(1.2, 4), 0);
}

TEST(Rubric, PaysNothingForWrongAnswers) {
  const std::vector<GoalShare> met = {{true, 1}, {true, 1}}, half = {{true, 1}, {false, 0.5}};
  EXPECT_DOUBLE_EQ(points(driver::Verdict::met, met, false), 20);
  EXPECT_DOUBLE_EQ(points(driver::Verdict::met, met, true), 20);
  EXPECT_DOUBLE_EQ(points(driver::Verdict::slow, half, false), 14);
  EXPECT_EQ(points(driver::Verdict::slow, half, true), 0);  // a bug hunt: all or nothing
  for (const driver::Verdict v :
       {driver::Verdict::wrong, driver::Verdict::cheats, driver::Verdict::crashes,
        driver::Verdict::hangs, driver::Verdict::no_build, driver::Verdict::not_tried,
        driver::Verdict::not_here})
    EXPECT_EQ(points(v, met, false), 0) << name(v);
}

// A class cannot be graded where one exercise does not compile as `shipped`.
TEST(Official, EachExerciseHasAVariantShipped) {
  int exercises = 0;
  for (const auto& chapter : fs::directory_iterator(source_folder())) {
    if (!chapter.path().filename().string().starts_with("ch")) continue;
    for (const auto& file : fs::recursive_directory_iterator(chapter)) {
      const std::string name = file.path().filename().string();
      if (name != "exercise.cpp" && name != "exercise.cu") continue;
      const std::string text = as_shipped(read_file(file.path().string()));
      EXPECT_NE(text.find(", shipped,"), std::string::npos) << file.path();
      EXPECT_EQ(text.find(", exercise,"), std::string::npos) << file.path();
      ++exercises;
    }
  }
  EXPECT_GT(exercises, 0);
}

TEST(Submission, IsRefusedForWhatHasNoHonestPurpose) {
  EXPECT_EQ(refusal("#include \"add.h\"\n// 2^28 numbers: \xe2\x80\x93\n"), "");
  EXPECT_NE(refusal("// \xe2\x80\xae"), "");
  EXPECT_NE(refusal("// \xe2\x81\xa6"), "");
}

TEST(Submission, IsFlagged) {
  const std::string shipped = "// Goal: 2 times baseline at n=1\nstd::map<int, int> m;\n";
  EXPECT_TRUE(flags_of(shipped + "// faster", shipped).empty());
  EXPECT_EQ(flags_of("// Goal: 1 times baseline at n=1\n", shipped),
            std::vector<std::string>{"its Goal is not the exercise's"});
  EXPECT_EQ(flags_of("ptrace", shipped), std::vector<std::string>{"mentions ptrace"});
}

TEST(Submission, IsTakenFromTreesAndFoldersOfThem) {
  const fs::path root = fs::temp_directory_path() / ("wb_rubric_" + std::to_string(::getpid()));
  const driver::Lesson lesson{"ch1_x/01_y", "y", {}};
  const driver::BuiltBackend cpu{"cpu", ".cpp", "CPU"};
  const auto write = [&](const std::string& tree, const std::string& text) {
    const fs::path folder = root / tree / lesson.path;
    fs::create_directories(folder);
    std::ofstream(folder / "exercise.cpp") << text;
    return folder / "exercise.cpp";
  };
  const fs::path official = write("official", "as shipped");
  write("class/ada", "mine"), write("class/charlie", "as shipped");
  fs::remove(write("class/bob", ""));
  fs::create_symlink("/etc/passwd", root / "class/bob" / lesson.path / "exercise.cpp");
  fs::create_directories(root / "class/ch_notes");
  const std::vector<driver::Exercise> all = {{&lesson, &cpu, "cpu", official}};
  const auto taken = collect({(root / "class").string(), (root / "official/").string()}, all).in;
  ASSERT_EQ(taken.size(), 4u);
  EXPECT_EQ(taken[0].text, "mine");
  EXPECT_TRUE(taken[0].tried);
  EXPECT_EQ(taken[1].refused, "is a link, not a file");
  EXPECT_EQ(taken[2].student, "charlie");
  EXPECT_FALSE(taken[2].tried);
  EXPECT_EQ(taken[3].student, "official");
  write("class/dora",
        "\xef\xbb\xbf"
        "as shipped");
  write("class/eve", std::string("\xff\xfem\0i\0n\0e\0\r\0\n\0", 14));
  const auto encoded = collect({(root / "class").string()}, all).in;
  ASSERT_EQ(encoded.size(), 5u);
  EXPECT_FALSE(encoded[3].tried) << "a mark in front is no work";
  EXPECT_EQ(encoded[4].text + encoded[4].refused, "mine\n");
  EXPECT_THROW(collect({(root / "class/ch_notes").string()}, all), Failure);
  EXPECT_THROW(collect({(root / "class").string(), (root / "class/ada").string()}, all), Failure);
  fs::remove_all(root);
}

// A class of hand-ins; `find` says what became of one.
class HandIns : public ::testing::Test {
 protected:
  HandIns() { fs::create_directories(root_); }
  fs::path add(const std::string& file, const std::string& text = "mine") const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
    return root_ / file;
  }
  // Packs a folder of the class, which is gone then.
  void pack(const std::string& archive, const std::string& folder,
            const std::string& more = "") const {
    ASSERT_EQ(
        run_process({"sh", "-c",
                     "cd \"$0\" && bsdtar -a -cf \"$1\" " + more + " -C \"$2\" . && rm -r \"$2\"",
                     root_.string(), archive, folder},
                    60)
            .errors,
        "");
  }
  std::string find(const std::string& student) const {
    for (const HandIn& h : hand_ins(root_.string(), exercises_))
      if (h.student == student && !h.skipped.empty()) return h.skipped;
    for (const Submission& s : collect({root_.string()}, exercises_).in)
      if (s.student == student) return s.refused.empty() ? s.text : s.refused;
    return "not there";
  }
  void expect(const std::string& student, const std::string& part) const {
    EXPECT_TRUE(has(find(student), part)) << student;
  }

  const Scratch scratch_;
  const fs::path root_ = scratch_.file("class");
  const driver::Lesson lesson_{"ch1_x/01_y", "y", {}};
  const driver::BuiltBackend cpu_{"cpu", ".cpp", "CPU"};
  const std::string place_ = "/ch1_x/01_y/exercise.cpp";
  const std::vector<driver::Exercise> exercises_ = {
      {&lesson_, &cpu_, "cpu", add("../official" + place_, "as shipped")}};
};

TEST_F(HandIns, AreFoundOneLevelDeeperAndWithoutTheirChapter) {
  add("ada" + place_);
  add("Bob B_12_assignsubmission_file_/work" + place_);
  add("Bob B_12_assignsubmission_onlinetext_/text.html");
  add("cy/01_y/exercise.cpp");
  add("dan/mine/01_y/exercise.cpp");
  for (const char* student : {"ada", "cy", "dan"}) EXPECT_EQ(find(student), "mine") << student;
  const Collected all = collect({root_.string()}, exercises_);
  ASSERT_EQ(all.in.size(), 4u);
  EXPECT_EQ(all.in[0].student + all.in[0].text, "Bob B_12mine");
}

// Many students hand in the file alone.
TEST_F(HandIns, MayBeTheFileAloneIfOneLessonIsGraded) {
  add("ada/exercise.cpp");
  add("Bob B_12_assignsubmission_file_/exercise.cpp");
  add("Cy C_13_assignsubmission_file_exercise.cpp");
  add("J\xf6rg_14_assignsubmission_file_exercise.cpp");
  for (const char* student : {"ada", "Bob B_12", "Cy C_13", "J%F6rg_14"})
    EXPECT_EQ(find(student), "mine") << student;
  if (in_path("bsdtar")) {
    add("d/exercise.cpp"), pack("dan.zip", "d");
    EXPECT_EQ(find("dan"), "mine");
  }
  const driver::Lesson other{"ch1_x/02_z", "z", {}};
  const std::vector<driver::Exercise> two = {exercises_[0],
                                             {&other, &cpu_, "cpu", exercises_[0].file}};
  for (const HandIn& h : hand_ins(root_.string(), two))
    EXPECT_TRUE(h.skipped.ends_with("with --lesson") || h.skipped == "is in no student's folder")
        << h.student << ": " << h.skipped;
}

TEST_F(HandIns, OfWhoIsGradedNameTheFolderThatIsSkipped) {
  add("Bob B_12_assignsubmission_file_" + place_);
  add("Bob B_12_assignsubmission_onlinetext_/text.html");
  const Collected all = collect({root_.string()}, exercises_);
  ASSERT_EQ(all.skipped.size(), 1u);
  EXPECT_EQ(all.skipped[0].student, "Bob B_12_assignsubmission_onlinetext_");
}

TEST_F(HandIns, WithAnotherNameAreNamed) {
  add("ada/ch1_x/01_y/exercise (1).cpp");
  add("bob" + place_), add("bob/ch1_x/01_y/exercise old.cpp");
  const Collected all = collect({root_.string()}, exercises_);
  ASSERT_EQ(all.skipped.size(), 1u);
  EXPECT_EQ(all.skipped[0].student + " " + all.skipped[0].skipped,
            "ada has ch1_x/01_y/exercise (1).cpp: rename it to exercise.cpp and grade again");
}

TEST_F(HandIns, OfALessonAreNotOneStudents) {
  add("01_y/ada/exercise.cpp"), add("01_y/bob/exercise.cpp");
  EXPECT_NE(hand_ins(root_.string(), exercises_).at(0).skipped, "");
  EXPECT_THROW(collect({root_.string()}, exercises_), Failure);
}

TEST_F(HandIns, OfOneStudentTheNewerCountsAndBothAreNamed) {
  const fs::path old = add("Bob_1_assignsubmission_file_2" + place_, "old");
  add("Bob_1_assignsubmission_file_" + place_, "new");
  add("ada" + place_);
  fs::last_write_time(old, fs::last_write_time(old) - std::chrono::hours(1));
  EXPECT_EQ(find("Bob_1"), "new");
  const Collected all = collect({root_.string()}, exercises_);
  EXPECT_EQ(all.in.size(), 2u);
  ASSERT_EQ(all.skipped.size(), 1u);
  EXPECT_EQ(all.skipped[0].student, "Bob_1_assignsubmission_file_2");
  EXPECT_EQ(all.skipped[0].skipped,
            "is an older hand-in of Bob_1: Bob_1_assignsubmission_file_ is newer, and counts");
  fs::last_write_time(old, fs::last_write_time(old) + std::chrono::hours(2));
  EXPECT_EQ(find("Bob_1"), "old");
}

TEST_F(HandIns, BelowLessonsAreRefusedWithTheFormThatIsExpected) {
  add("ch1_x/01_y/ada/exercise.cpp"), add("ch1_x/01_y/bob/exercise.cpp");
  const auto [code, line] = failure_of([&] { collect({root_.string()}, exercises_); });
  EXPECT_EQ(code, 2);
  EXPECT_TRUE(has(line, "as STUDENT/ch1_x/01_y/exercise.cpp"));
}

TEST_F(HandIns, ThatAreSkippedAreNamed) {
  add("ada" + place_), add("ada.zip");
  add("__MACOSX/ada/ch1_x/01_y/._exercise.cpp");
  add(".cache" + place_);
  add("loose.cpp");
  add("notes/read_me.txt");
  add("group/bob" + place_), add("group/cy" + place_);
  fs::create_directories(root_ / "linked");
  fs::create_directory_symlink(root_ / "ada", root_ / "linked/work");
  expect("ada.zip", "folder of the same name");
  expect("__MACOSX", "macOS");
  expect(".cache", "dot");
  expect("loose.cpp", "in no student's folder");
  expect("notes", "no exercise in its place, as in ch1_x/01_y/exercise.cpp");
  expect("group", "2 trees (bob, cy)");
  expect("linked", "no exercise in its place");
  EXPECT_EQ(collect({root_.string()}, exercises_).in.size(), 1u);
}

TEST_F(HandIns, ThatCannotBeReadAreTriedAgain) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  add("ada" + place_), add("bob.zip"), add("cy" + place_);
  for (const std::string& name : {std::string("ada"), std::string("bob.zip"), "cy" + place_})
    fs::permissions(root_ / name, {});
  const Collected all = collect({root_.string()}, exercises_);
  fs::permissions(root_ / "ada", fs::perms::owner_all);
  ASSERT_EQ(all.skipped.size(), 2u);
  for (const HandIn& h : all.skipped) EXPECT_TRUE(h.lacking) << h.skipped;
  ASSERT_EQ(all.in.size(), 1u);
  EXPECT_EQ(all.in[0].unread, "cannot be read: Permission denied");
  EXPECT_EQ(all.in[0].refused, "") << "that is no cheat";
}

TEST_F(HandIns, MayBeArchives) {
  if (!in_path("bsdtar")) {
    add("ada.zip");
    expect("ada", "apt-get install libarchive-tools");
    EXPECT_TRUE(hand_ins(root_.string(), exercises_)[0].lacking);
    GTEST_SKIP() << "bsdtar is not installed";
  }
  add("a" + place_), pack("ada.zip", "a");
  fs::rename(root_ / "ada.zip", root_ / "ada.ZIP");
  add("b/w\xc3\xb6rk [1]" + place_), pack("bob.tar.gz", "b");
  add("c/01_y/exercise.cpp"), pack("cy.tgz", "c");
  add("d/__MACOSX" + place_, "not this"), add("d/work" + place_), pack("dan.zip", "d");
  add("e" + place_), pack("work.zip", "e");
  fs::create_directories(root_ / "eve_7_assignsubmission_file_");
  fs::rename(root_ / "work.zip", root_ / "eve_7_assignsubmission_file_/work.zip");
  for (const char* student : {"ada", "bob", "cy", "dan", "eve_7"}) EXPECT_EQ(find(student), "mine");

  add("f/one" + place_), add("f/two" + place_), pack("fay.zip", "f");
  expect("fay", "2 trees");
  add("g/read_me"), pack("gus.tar", "g");
  expect("gus", "no exercise in its place");
  add("hal.zip", "no archive");
  expect("hal", "cannot be unpacked: ");
  fs::create_directories((root_ / ("i" + place_)).parent_path());
  fs::create_symlink("/etc/passwd", root_ / ("i" + place_)), pack("ian.tar", "i");
  EXPECT_EQ(find("ian"), "") << "what a link names is not read";
  add("j" + place_, std::string(1 << 20, ' ')), pack("jim.zip", "j");
  expect("jim", "at most 256 KiB");
  add("k" + place_), pack("kim.tar", "k", "-P -s ',^,../,'");
  EXPECT_FALSE(fs::exists(root_ / "../ch1_x"));
  expect("kim", "no exercise in its place");
}

TEST_F(HandIns, HaveNamesOfAnyBytes) {
  EXPECT_EQ(as_utf8("J\xc3\xb6rg \xf0\x9f\x98\x80"), "J\xc3\xb6rg \xf0\x9f\x98\x80");
  EXPECT_EQ(as_utf8("J\xf6rg \xc3"), "J%F6rg %C3");
  add("J\xf6rg" + place_), add("J\xe4rg" + place_), add("a\nb" + place_);
  for (const char* student : {"J%F6rg", "J%E4rg", "a b"}) EXPECT_EQ(find(student), "mine");
}

}  // namespace
}  // namespace wb::classroom
