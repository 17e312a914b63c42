// Pictures of requests: what they say and draw, and how requests are read from a file.
#include "report/access.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/json.h"
#include "base/process.h"
#include "has.h"

namespace wb {
namespace {

// Lane l begins at f(l) bytes.
template <class F> Access request(F f, int bytes = 4, bool shared = false) {
  Access a{.shared = shared, .bytes = bytes};
  for (int lane = 0; lane < 32; ++lane) a.at[lane] = f(lane);
  return a;
}
template <class F> Access shared(F f, int bytes = 4) { return request(f, bytes, true); }

TEST(Access, SaysWhatOneSees) {
  const auto strided = [](int by) { return request([by](int lane) { return long{by} * lane; }); };
  EXPECT_EQ(report::sentence(strided(4)), "32 lanes read 4 sectors: all of their bytes are used");
  EXPECT_EQ(report::sentence(strided(64)), "32 lanes read 32 sectors: 4 of each 32 bytes are used");
  EXPECT_EQ(report::sentence(strided(0)), "32 lanes read 1 sector: 4 of its 32 bytes are used");
  EXPECT_EQ(report::sentence(request([](int lane) { return 4 + 4 * lane; })),
            "32 lanes read 5 sectors: 128 of 160 bytes are used");
  Access one = request([](int lane) { return lane == 7 ? 0 : Access::kIdle; }, 16);
  one.verb = Access::writes;
  EXPECT_EQ(report::sentence(one), "1 lane writes 1 sector: 16 of its 32 bytes are used");
  EXPECT_EQ(report::sentence(request([](int lane) { return lane; }, 1)),
            "32 lanes read 1 sector: all of its bytes are used");
}

TEST(Access, SaysWhichBanksAreInConflict) {
  EXPECT_EQ(report::sentence(shared([](int lane) { return 132 * lane; })),
            "32 lanes read shared memory in 1 cycle: no bank conflict");
  EXPECT_EQ(report::sentence(shared([](int lane) { return 128 * lane; })),
            "32 lanes read shared memory in 32 cycles, where 1 would do: a 32-way bank conflict");
  EXPECT_EQ(report::sentence(shared([](int) { return 4; })),
            "32 lanes read shared memory in 1 cycle: no bank conflict");
  EXPECT_EQ(report::sentence(shared([](int lane) { return 16 * lane; }, 16)),
            "32 lanes read shared memory in 4 cycles: no bank conflict");
  EXPECT_EQ(report::sentence(shared([](int lane) { return 16 * lane; }, 8)),
            "32 lanes read shared memory in 4 cycles, where 2 would do: a 2-way bank conflict");
  EXPECT_EQ(report::sentence(shared([](int lane) { return lane; }, 1)),
            "32 lanes read shared memory in 1 cycle: no bank conflict");
}

TEST(Access, SaysHowManyLanesWaitForAnAtomicOperation) {
  Access a = request([](int lane) { return lane % 4 * 4; });
  a.verb = Access::changes;
  EXPECT_EQ(report::sentence(a),
            "32 lanes change 1 sector atomically: up to 8 the same word, one after the other");
  EXPECT_EQ(report::excess(a), 8);
  for (int lane = 0; lane < 32; ++lane) a.at[lane] = 4 * lane;
  EXPECT_EQ(report::sentence(a), "32 lanes change 4 sectors atomically: no two the same word");
}

TEST(Access, ExcessIsOverWhatItsBytesNeed) {
  EXPECT_EQ(report::excess(request([](int lane) { return 16 * lane; }, 16)), 1)
      << "16 sectors, all used";
  EXPECT_EQ(report::excess(request([](int lane) { return 64 * lane; })), 8);
  EXPECT_EQ(report::excess(request([](int) { return 0; })), 1);
  EXPECT_EQ(report::excess(shared([](int lane) { return 8 * lane; })), 2);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Access, DrawsLanesInSectors) {
  const std::string drawn = report::draw_access(request([](int lane) { return 64 * lane; }), false);
  const auto lines = lines_of(drawn);
  ASSERT_EQ(lines.size(), 17u) << drawn;
  EXPECT_EQ(lines[5],
            "       640 [a . . . . . . .][               ][b . . . . . . .][               ]");
  EXPECT_TRUE(has(lines[16], "; a to v are lanes 10 to 31; . not used")) << drawn;
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80u) << line;
  const std::string same = report::draw_access(request([](int) { return 0; }), false);
  EXPECT_TRUE(has(same, "[* . ."));
  EXPECT_TRUE(has(same, "; * several lanes"));
  EXPECT_FALSE(has(same, "a to v")) << "no lane is named";
}

TEST(Access, LeavesOutRowsOfMany) {
  const std::string drawn =
      report::draw_access(request([](int lane) { return 4096 * lane; }), false);
  EXPECT_TRUE(has(drawn, "\n     20480 [5 "));
  EXPECT_TRUE(has(drawn, "\n       ... 24 more like these\n    122880 [u"));
}

TEST(Access, CountsTheLanesOfABank) {
  const auto lines =
      lines_of(report::draw_access(shared([](int lane) { return 128 * lane + 4; }), false));
  EXPECT_EQ(lines[0], "      bank 0       4       8       12      16      20      24      28");
  EXPECT_EQ(lines[1], "         0   0");
  EXPECT_EQ(lines[10].substr(0, 14), "             3") << "32, from top to bottom";
  EXPECT_EQ(lines[11].substr(0, 16), "     lanes . 2 .");
  const auto padded =
      lines_of(report::draw_access(shared([](int lane) { return 132 * lane; }), false));
  EXPECT_EQ(padded[10].substr(0, 16), "     lanes 1 1 1");
}

TEST(Access, HasColoursWhereTheyAreWanted) {
  const Access a = request([](int lane) { return 64 * lane; });
  EXPECT_FALSE(has(report::draw_access(a, false), "\033"));
  std::string drawn = report::draw_access(a, true);
  EXPECT_TRUE(has(drawn, "\033"));
  for (std::size_t at; (at = drawn.find('\033')) != std::string::npos;)
    drawn.erase(at, drawn.find('m', at) - at + 1);
  EXPECT_EQ(drawn, report::draw_access(a, false));
}

TEST(Access, IsReadAsItIsWritten) {
  Access a = shared([](int lane) { return lane < 3 ? 8 * lane : Access::kIdle; }, 8);
  a.verb = Access::writes;
  EXPECT_EQ(accesses_from(parse_json(dump_json(json_of({a, {}})))), (std::vector<Access>{a, {}}));
  for (const char* wrong :
       {R"([{"verb":"reads"}])", "[3]", R"([{"verb":"eats","shared":true,"bytes":4,"at":[]}])",
        R"([{"verb":"reads","shared":true,"bytes":4,"at":[0]}])"})
    EXPECT_THROW(accesses_from(parse_json(wrong)), std::exception) << wrong;
  const std::string right = dump_json(json_of({a}));
  for (const auto& [what, instead] :
       std::vector<std::pair<std::string, std::string>>{{"\"bytes\":8", "\"bytes\":0"},
                                                        {"\"bytes\":8", "\"bytes\":64"},
                                                        {"\"bytes\":8", "\"bytes\":12"},
                                                        {"[0,8,16,", "[null,null,null,"},
                                                        {"\"shared\":true", "\"shared\":3"},
                                                        {"[0,", "[-4,"},
                                                        {"[0,", "[1e29,"},
                                                        {"[0,", "["}}) {
    std::string wrong = right;
    ASSERT_TRUE(has(wrong, what));
    wrong.replace(wrong.find(what), what.size(), instead);
    EXPECT_THROW(accesses_from(parse_json(wrong)), std::exception) << wrong;
  }
}

TEST(Access, IsDrawnForLightAndDarkPagesAndSaysSoToThoseWhoCannotSeeIt) {
  if (!in_path("python3")) GTEST_SKIP() << "no python3 here";
  const std::string svg =
      report::access_svg({{"a < b.cu", "y[i] = x[i];", request([](int lane) { return 64 * lane; })},
                          {"c.cu", "", shared([](int lane) { return 128 * lane; })}},
                         "./workbook access a --line 3");
  for (const char* part :
       {"prefers-color-scheme:dark", "<title id=\"title\">a &lt; b.cu; c.cu</title>",
        "32-way bank conflict.</desc>", "<metadata>./workbook access a --line 3</metadata>",
        ">y[i] = x[i];</text>", ">31</text>", "24 more rows", "role=\"img\""})
    EXPECT_TRUE(has(svg, part));
}

}  // namespace
}  // namespace wb
