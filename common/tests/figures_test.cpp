// A figure in a page's text can be checked by its reader: it is in a table of the page, or a link
// to what was measured is next to it, or the text shows what it is computed from.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/files.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

enum class Kind { time, bytes, rate, share };  // a share: "3.60x" or "88.6 %"

struct Figure {
  std::string text, number;
  Kind kind;
  double value;  // in seconds, bytes, or either per second

  // Of "1,070" three, of "0.0573" three: figures with fewer are estimates.
  bool exact() const {
    std::string digits = std::regex_replace(number, std::regex("^0\\.0*|[.,]"), "");
    if (number.find('.') == std::string::npos) digits.erase(digits.find_last_not_of('0') + 1);
    return digits.size() >= 3;
  }
};

std::vector<Figure> figures(const std::string& text) {
  static const std::regex pattern(
      R"((?:^|[^\w.,])((\d[\d,]*(?:\.\d+)?))"
      R"((?:(x| ?%)| ([nmu]?)s| ([KMGT]?)(i?B/s|FLOP/s|i?B))(?![\w/])))");
  static const std::map<std::string, double> factor = {{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3},
                                                       {"", 1},     {"K", 1e3},  {"M", 1e6},
                                                       {"G", 1e9},  {"T", 1e12}};
  std::vector<Figure> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    const std::smatch& m = *at;
    const std::string digits = std::regex_replace(m[2].str(), std::regex(","), "");
    const std::string of = m[6];
    const Kind kind = m[3].matched         ? Kind::share
                      : !m[6].matched      ? Kind::time
                      : of.ends_with("/s") ? Kind::rate
                                           : Kind::bytes;
    double scale = factor.at(kind == Kind::time ? m[4].str() : m[5].str());
    if (of.starts_with("i"))  // 1024 for each 1000
      scale = std::pow(1024, std::round(std::log10(scale) / 3));
    found.push_back({m[1], digits, kind, std::stod(digits) * scale});
  }
  return found;
}

// A page without code, headings, pictures and generated tables; its paragraphs end at empty lines
// and at the end of an answer.
struct Text {
  std::vector<std::string> paragraphs = {""};
  std::set<std::string> in_tables;

  explicit Text(const std::string& page) {
    std::istringstream lines(page);
    bool code = false, generated = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("```")) code = !code;
      if (line.starts_with("<!-- results ") || line.starts_with("<!-- sweep ")) generated = true;
      if (line.starts_with("<!-- end")) generated = false;
      static const std::regex number(R"(\d+(\.\d+)?)");
      if (line.starts_with("|"))
        for (std::sregex_iterator at(line.begin(), line.end(), number), end; at != end; ++at)
          in_tables.insert(at->str());
      const bool text = !code && !generated && !line.empty() &&
                        std::string("`#|!").find(line[0]) == std::string::npos;
      if (text) paragraphs.back() += line + " ";
      if (!text || line.find("</details>") != std::string::npos) paragraphs.emplace_back();
    }
  }
};

bool links_to_a_source(const std::string& paragraph) {
  static const std::regex link(
      R"-((\]\(|href=")(https://|[^)"]*(results/|NOTES\.md|\.jsonl|\.csv|\.trace)))-");
  return std::regex_search(paragraph, link);
}

// The figures of a page that its reader cannot check. `roofs`: the measured ones, "4.69 TB/s".
std::vector<std::string> unfounded(const std::string& page, const std::set<std::string>& roofs) {
  const Text text(page);
  std::vector<Figure> all;
  for (const std::string& p : text.paragraphs)
    for (const Figure& f : figures(p)) all.push_back(f);
  std::vector<std::string> found;
  for (const std::string& paragraph : text.paragraphs) {
    const std::vector<Figure> here = figures(paragraph);
    // Bytes of this paragraph at a rate of the page.
    const auto computed = [&](const Figure& f) {
      if (f.kind != Kind::time) return false;
      for (const Figure& bytes : here)
        for (const Figure& rate : all)
          if (bytes.kind == Kind::bytes && rate.kind == Kind::rate &&
              std::abs(bytes.value / rate.value / f.value - 1) < 0.006)
            return true;
      return false;
    };
    for (const Figure& f : here)
      if (f.kind != Kind::bytes && f.exact() && !text.in_tables.contains(f.number) &&
          !roofs.contains(f.text) && !links_to_a_source(paragraph) && !computed(f))
        found.push_back(fmt::format("{} in \"{}\"", f.text, paragraph));
  }
  return found;
}

// "optimized reaches 88.6% of its roof, memory bandwidth (4.15 TB/s of 4.69 TB/s)."
std::set<std::string> measured_roofs(const fs::path& results) {
  static const std::regex roof(R"( of (\d+(?:\.\d+)? [KMGT]?(?:B|FLOP)/s)\))");
  std::set<std::string> found;
  for (const auto& file : fs::directory_iterator(results)) {
    if (file.path().extension() != ".md") continue;
    const std::string page = read_file(file.path().string());
    for (std::sregex_iterator at(page.begin(), page.end(), roof), end; at != end; ++at)
      found.insert((*at)[1]);
  }
  return found;
}

TEST(Figures, OfPagesCanBeChecked) {
  const fs::path top = WB_SOURCE_DIR;
  const auto roofs = measured_roofs(top / "common/results");
  EXPECT_GT(roofs.size(), 10u);
  int pages = 0;
  for (const auto& chapter : fs::directory_iterator(top)) {
    if (!chapter.path().filename().string().starts_with("ch")) continue;
    for (const auto& lesson : fs::directory_iterator(chapter.path())) {
      const fs::path page = lesson.path() / "README.md";
      if (!fs::exists(page)) continue;
      ++pages;
      const auto wrong = unfounded(read_file(page.string()), roofs);
      EXPECT_TRUE(wrong.empty()) << page << ": in no table, next to no link, and not computed:\n"
                                 << fmt::format("{}", fmt::join(wrong, "\n"));
    }
  }
  EXPECT_GT(pages, 30);
}

// What the section of a results page says, "" where there is none.
std::string section(const std::string& page, const std::string& name) {
  const auto from = page.find("\n## " + name + "\n");
  if (from == std::string::npos) return "";
  return page.substr(from, page.find("\n## ", from + 1) - from);
}

std::vector<double> numbers(const std::string& text, const std::regex& pattern) {
  std::vector<double> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.push_back(std::stod((*at)[1]));
  return found;
}

// Figures of counters that are not in the table that their paragraph links to: "2.15 times the
// least bytes" is a "2.15x" there, "85 % of their time" a stall of "84.7%". `results` gives a page.
std::vector<std::string> miscounted(const std::string& page,
                                    const std::function<std::string(const std::string&)>& results) {
  static const std::regex link(R"(results/(\w+\.md)#([\w-]+)[")])"), tag("</?[a-z][^>]*>"),
      times(R"((\d+\.\d+)(?= times (?!as )| and \d+\.\d+ times))"),
      share(R"((\d+) % of (?=(?:its|their) time))"),
      in_table_times(R"(\| (\d+(?:\.\d+)?)x(?= \|))"),
      in_table_share(R"([|,] [a-z ]+ (\d+\.\d+)%)");
  std::vector<std::string> found;
  for (const std::string& paragraph : Text(page).paragraphs) {
    if (paragraph.find("ounters") == std::string::npos) continue;
    std::string counted;
    for (std::sregex_iterator at(paragraph.begin(), paragraph.end(), link), end; at != end; ++at)
      counted += section(results((*at)[1]), (*at)[2]);
    const std::string text = std::regex_replace(paragraph, tag, "");
    const auto hold = [&](const std::regex& said, const std::regex& shown, auto&& near) {
      const std::vector<double> right = numbers(counted, shown);
      for (const double figure : numbers(text, said))
        if (std::none_of(right.begin(), right.end(), [&](double r) { return near(figure, r); }))
          found.push_back(fmt::format("{} in \"{}\"", figure, text));
    };
    if (text.find("times the least") != std::string::npos)
      hold(times, in_table_times, [](double a, double b) { return std::abs(a - b) <= 0.01 * b; });
    hold(share, in_table_share, [](double a, double b) { return std::abs(a - b) <= 1; });
  }
  return found;
}

TEST(Figures, OfCountersAreThoseOfTheTableNextToThem) {
  const fs::path top = WB_SOURCE_DIR;
  const auto results = [&](const std::string& name) {
    return read_file((top / "common/results" / name).string());
  };
  int pages = 0;
  for (const auto& file : fs::recursive_directory_iterator(top)) {
    const std::string name = file.path().lexically_relative(top).string();
    if (!name.starts_with("ch") || !name.ends_with("/README.md")) continue;
    const auto wrong = miscounted(read_file(file.path().string()), results);
    EXPECT_TRUE(wrong.empty()) << name << ": not among the counters that the link leads to:\n"
                               << fmt::format("{}", fmt::join(wrong, "\n"));
    ++pages;
  }
  EXPECT_GT(pages, 40);
}

TEST(Figures, OfCountersThatAreWrongAreFound) {
  const auto results = [](const std::string&) {
    return std::string(
        "# Page\n\n## 01_sum\n\n| a | DRAM/least | waits for |\n|---|---|---|\n"
        "| b | 80.1% | 2.15x | long scoreboard 84.7%, wait 5.6% |\n\n## 02_x\n\n| b | 3.40x | wait "
        "61.0% "
        "|\n");
  };
  const auto page = [](const std::string& text) {
    return text + " (<a\nhref=\"../../common/results/h200_ch3.md#01_sum\">counters</a>).\n";
  };
  for (const char* right :
       {"It moves 2.15 times the least bytes", "Warps wait for loads 85 % of their time",
        "It is 7.01 times as fast and moves 2.15 times the least bytes",
        "It takes 3.40 times that"})
    EXPECT_EQ(miscounted(page(right), results), std::vector<std::string>{}) << right;
  for (const char* wrong :
       {"It moves 2.25 times the least bytes", "It moves 3.40 times the least bytes",
        "It moves 2.15 and 7.01 times the least bytes", "Warps wait for loads 61 % of their time",
        "Warps wait for loads 80 % of their time",
        "It moves 2.15 times the least bytes, and 7.01 times in step 2"})
    EXPECT_EQ(miscounted(page(wrong), results).size(), 1u) << wrong;
}

const char kPage[] = R"(# 01 Sum

An H200 reads 4.69 TB/s.

<!-- results ch1_x/01_sum h200 -->

| version | time | speedup |
|---|---:|---:|
| optimized | 63.5 us | 6.03x |

<!-- end results -->

## Answers

<details><summary>1. The least time</summary>
268 MB take at least 57.3 us, and <code>optimized</code> takes
63.5 us.
</details>
<details><summary>2. A part of it</summary>
Nsight Compute counts 24.1 us (<a href="../../common/results/h200_profile.csv">profile</a>).
</details>
)";

TEST(Figures, ThatNothingShowsAreFound) {
  const std::set<std::string> roofs = {"4.69 TB/s"};
  EXPECT_EQ(unfounded(kPage, roofs), std::vector<std::string>{});
  const auto with = [](const std::string& what, const std::string& instead) {
    std::string page = kPage;
    return page.replace(page.find(what), what.size(), instead);
  };
  for (const auto& [what, instead] : {std::pair("takes\n63.5 us", "takes\n63.4 us"),
                                      {"least 57.3 us", "least 60.4 us"},
                                      {"268 MB", "268 us"},
                                      {"at least 57.3 us,", "57.3 us at 3.05 TB/s,"},
                                      {"reads 4.69", "reads 4.13"},
                                      {"<a href=\"../../common/results/h200_profile.csv\">", "<a>"},
                                      {"takes\n63.5 us", "is 6.04x as fast"},
                                      {"takes\n63.5 us", "uses 67.1 %"},
                                      {"268 MB take", "268 MB.\n</details>\nThey take"}})
    EXPECT_NE(unfounded(with(what, instead), roofs).size(), 0u) << instead;
  for (const auto& [what, instead] :  // estimates, sizes, names, other units
       {std::pair("takes\n63.5 us", "takes\nabout 60 us"),
        {"../../common/results/h200_profile.csv", "profile/gpu_baseline.trace"},
        {"takes\n63.5 us", "takes\n200 us"},
        {"takes\n63.5 us", "has 6.03x"},
        {"takes\n63.5 us", "has 8192 x 8192 values"},
        {"takes\n63.5 us", "uses 255s and 128 samples"},
        {"takes\n63.5 us", "keeps 226 KiB"},
        {"24.1 us (", "24.1 us and 711 FLOP/s ("},
        {"takes\n63.5 us", "takes more\n```\n71.3 us\n```\n![71.3 us](a.svg)\n"}})
    EXPECT_EQ(unfounded(with(what, instead), roofs), std::vector<std::string>{}) << instead;
}

TEST(Figures, HaveUnitsAndDigits) {
  const auto found = figures("1,070 MiB in 0.0573 ms, 3.60x, 88.6 % of 65.2 TFLOP/s, 2.10 s");
  ASSERT_EQ(found.size(), 6u);
  EXPECT_DOUBLE_EQ(found[0].value, 1070.0 * 1024 * 1024);
  EXPECT_NEAR(found[1].value, 57.3e-6, 1e-12);
  EXPECT_EQ(found[2].kind, Kind::share);
  EXPECT_EQ(found[3].text, "88.6 %");
  EXPECT_DOUBLE_EQ(found[4].value, 65.2e12);
  EXPECT_EQ(found[5].kind, Kind::time);
  for (const auto& [text, exact] : {std::pair("1070 us", true),
                                    {"200 us", false},
                                    {"0.05 us", false},
                                    {"2.00 us", true},
                                    {"12 us", false},
                                    {"1,200 us", false}})
    EXPECT_EQ(figures(text).at(0).exact(), exact) << text;
}

}  // namespace
}  // namespace wb
