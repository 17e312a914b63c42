// What a verdict is worth, and what is seen of a source before anybody compiles it.
#include "classroom/rubric.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/failure.h"
#include "classroom/submission.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

TEST(Rubric, PaysForTheWayThatWasGone) {
  EXPECT_EQ(stand(0.9, 0.8, 0.1, true).share, 1);
  EXPECT_DOUBLE_EQ(stand(0.5, 0.9, 0.1, false).share, 0.5);
  EXPECT_EQ(stand(0.09, 0.9, 0.1, false).share, 0);  // slower than as shipped
  EXPECT_EQ(stand(0.95, 0.9, 1.0, false).share, 0);  // that was beyond the goal already
  EXPECT_DOUBLE_EQ(stand(0.45, 0.9, 0, false).share, 0.5);
}

TEST(Rubric, PaysNothingForWrongAnswers) {
  const std::vector<Stand> met = {{true, 1}, {true, 1}}, half = {{true, 1}, {false, 0.5}};
  EXPECT_DOUBLE_EQ(points(Verdict::met, met, false), 20);
  EXPECT_DOUBLE_EQ(points(Verdict::met, met, true), 20);
  EXPECT_DOUBLE_EQ(points(Verdict::slow, half, false), 14);
  EXPECT_EQ(points(Verdict::slow, half, true), 0);  // a bug hunt: all or nothing
  for (const Verdict v : {Verdict::wrong, Verdict::cheats, Verdict::crashes, Verdict::hangs,
                          Verdict::no_build, Verdict::not_tried, Verdict::not_here})
    EXPECT_EQ(points(v, met, false), 0) << name(v);
}

TEST(Submission, IsRefusedForWhatHasNoHonestPurpose) {
  EXPECT_EQ(refusal("#include \"add.h\"\n// 2^28 numbers: \xe2\x80\x93\n"), "");
  EXPECT_NE(refusal(std::string("a\0b", 3)), "");
  EXPECT_NE(refusal("// \xe2\x80\xae"), "");
  EXPECT_NE(refusal("// \xe2\x81\xa6"), "");
  EXPECT_NE(refusal("#  include <../01_add/optimized.cu>"), "");
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
  const Lesson lesson{"ch1_x/01_y", "y", {}};
  const BuiltBackend cpu{"cpu", ".cpp", "CPU"};
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
  const std::vector<Exercise> all = {{&lesson, &cpu, "cpu", official}};
  const auto taken = collect({(root / "class").string(), (root / "official/").string()}, all);
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
  const auto encoded = collect({(root / "class").string()}, all);
  ASSERT_EQ(encoded.size(), 5u);
  EXPECT_FALSE(encoded[3].tried) << "a mark in front is no work";
  EXPECT_EQ(encoded[4].text + encoded[4].refused, "mine\n");
  EXPECT_THROW(collect({(root / "class/ch_notes").string()}, all), Failure);
  EXPECT_THROW(collect({(root / "class").string(), (root / "class/ada").string()}, all), Failure);
  fs::remove_all(root);
}

}  // namespace
}  // namespace wb
