// How the words of a command line are told apart.
#include <gtest/gtest.h>

#include "base/pattern.h"
#include "base/process.h"
#include "failure_of.h"

namespace wb {
namespace {

using Words = std::vector<std::string>;

TEST(Words, StandApartByBlanks) {
  EXPECT_EQ(split_words(""), Words{});
  EXPECT_EQ(split_words(" \t\n"), Words{});
  EXPECT_EQ(split_words("  srun --gres=gpu:1\t-n 1 "), (Words{"srun", "--gres=gpu:1", "-n", "1"}));
}

TEST(Words, QuotesKeepBlanksWhereverTheyStand) {
  EXPECT_EQ(split_words("env \"FROM=a b\""), (Words{"env", "FROM=a b"}));
  EXPECT_EQ(split_words("env FROM='a  \"b\"'c"), (Words{"env", "FROM=a  \"b\"c"}));
  EXPECT_EQ(split_words("a '' \"\""), (Words{"a", "", ""}));
}

TEST(Words, ABackslashKeepsWhatFollows) {
  EXPECT_EQ(split_words(R"(a\ b "\"" '\' \\ c\)"), (Words{"a b", "\"", "\\", "\\", "c\\"}));
}

TEST(Words, AnOpenQuoteIsBadUsage) {
  for (const char* line : {"'a", "a \"b", "'\"", "\"\\\""})
    EXPECT_EQ(failure_of([&] { split_words(line); }).first, 2) << line;
}

TEST(Pattern, FindsTheWholeAndItsGroups) {
  EXPECT_EQ(find_pattern("at a.cu:31 twice", "(\\w+)\\.cu:(\\d+)( never)?"),
            (Words{"a.cu:31", "a", "31", ""}));
  EXPECT_EQ(find_pattern("", "^$"), Words{""}) << "an empty text is found, too";
  EXPECT_EQ(find_pattern("abc", "d"), Words{});
}

TEST(Pattern, ReplacesAllOfThem) {
  EXPECT_EQ(replace_pattern("a1 b22 c", "(\\d)(\\d)?", "<$1>"), "a<1> b<2> c");
  EXPECT_EQ(replace_pattern("it's", "'", "'\\''"), "it'\\''s");
}

}  // namespace
}  // namespace wb
