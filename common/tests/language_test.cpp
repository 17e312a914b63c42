// Pages are written for readers whose first language is not English: a sentence says who does what,
// in the words of the trade. This finds the places where a page is likely to read like a note. It
// knows words and no grammar, so a page without a finding can still be hard to read.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/build_info.h"
#include "base/files.h"

namespace wb {
namespace {

namespace fs = std::filesystem;
using std::regex_constants::icase;

// Sentences of a page: no code, tables, headings, titles of folds or generated parts.
std::vector<std::string> sentences(const std::string& page) {
  static const std::regex item(R"(^\s*([*-]|\d+\.)\s.*)"), mark(R"(^([*-]|\d+\.)\s+)"),
      generated("^<!-- (results|sweep|gpus).*"), tag("<summary>.*?</summary>|</?[a-z][^>]*>"),
      end(R"([.!?]\s+(?=[A-Z`*(\[]))");
  std::vector<std::string> all;
  std::string paragraph;
  const auto flush = [&] {
    auto from = paragraph.cbegin();
    for (std::sregex_iterator i(paragraph.begin(), paragraph.end(), end), none; i != none; ++i) {
      all.emplace_back(from, (*i)[0].second);
      from = (*i)[0].second;
    }
    if (from != paragraph.cend()) all.emplace_back(from, paragraph.cend());
    paragraph.clear();
  };
  bool code = false, table = false;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (text.starts_with("```")) code = !code, text.clear();
    if (std::regex_match(text, generated)) table = true;
    if (text.starts_with("<!-- end")) table = false, text.clear();
    const bool aside = text.starts_with("|") || text.starts_with("#") || text.starts_with("<!--") ||
                       text.starts_with("![") || line.starts_with("    ");
    text = std::regex_replace(text, tag, "");
    if (code || table || aside || text.empty() || std::regex_match(line, item)) flush();
    if (code || table || aside || text.empty()) continue;
    paragraph += (paragraph.empty() ? "" : " ") + std::regex_replace(text, mark, "");
  }
  flush();
  return all;
}

// What a sentence has that is better said otherwise, or "".
std::string finding(std::string sentence) {
  const bool title = sentence.starts_with("[");  // of a book
  for (const auto& [pattern, instead] :
       {std::pair(R"(`[^`]*`)", "CODE"), std::pair(R"(\[([^\]]*)\]\([^)]*\))", "$1"),
        std::pair(R"([*_]+)", "")})
    sentence = std::regex_replace(sentence, std::regex(pattern), instead);
  const bool question = sentence.find('?') != std::string::npos;
  std::istringstream stream(sentence);
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  if (words.size() > 38) return "more than 38 words: make it two sentences";
  static const std::regex clause("^(what|who|whoever|whatever|whichever|which)\\b.*", icase),
      because("[,;:] for (it|they|its|their|there|these|those|we|you|nobody) (?!alone|itself)",
              icase),
      words_to_avoid(
          R"(\b(nobody|somebody|everybody|anybody|whoever|whichever|in (the|their|its) place of|mend(s|ed|ing)?|dear(er|est)?|stands? (?!for\b|out\b)|stood|lies|beside|behind(?! the scenes)|hurry|rims?|one more read|(what|where|that) others|of (your|its|their) own)\b)",
          icase);
  if (!question && !title && words.size() > 3 && std::regex_match(sentence, clause))
    return "its subject is a clause: name the thing";
  if (!question && std::regex_search(sentence, because)) return "'for' in place of because";
  std::smatch found;
  if (std::regex_search(sentence, found, words_to_avoid)) return "'" + found.str() + "'";
  return "";
}

TEST(Language, OfPagesIsPlain) {
  const fs::path top = source_folder();
  std::vector<fs::path> pages = {top / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    const std::string name = entry.path().lexically_relative(top).string();
    const bool page =
        name.starts_with("ch") || name.starts_with("common/") || name.starts_with(".github/");
    if (page && entry.path().extension() == ".md" && !name.starts_with("common/results") &&
        name.find("/replay/") == std::string::npos)
      pages.push_back(entry.path());
  }
  EXPECT_GT(pages.size(), 60u);
  for (const fs::path& page : pages)
    for (const std::string& sentence : sentences(read_file(page.string())))
      EXPECT_EQ(finding(sentence), "") << page << ": " << sentence;
}

TEST(Language, ThatIsNotPlainIsFound) {
  for (const char* wrong :
       {"What a block kept need not be read again.", "Whoever still has the row keeps it.",
        "It is slow, for it reads the row twice.", "Nobody waits.", "The table stands below.",
        "The block behind it waits.", "Fix the order, not the hurry.",
        "A buffer of its own is dear.", "They mend what others break."})
    EXPECT_NE(finding(wrong), "") << wrong;
  std::string longer = "A";
  for (int i = 0; i < 39; ++i) longer += " word";
  EXPECT_NE(finding(longer + "."), "");
  for (const char* right :
       {"A block that kept its row does not read it again.", "What is the least time?",
        "A name that stands for a number is fine, and `behind` is code.", "It waits for it.",
        "Each block reads its row."})
    EXPECT_EQ(finding(right), "") << right;
}

TEST(Language, SentencesOfAPage) {
  EXPECT_EQ(sentences("# Title behind\n\nOne line\nand another. Two.\n\n| a | table behind |\n"
                      "```\ncode behind\n```\n* an item\n* a second\n"
                      "<details><summary>behind</summary>\nAn answer.\n</details>\n"
                      "<!-- results x -->\nbehind\n<!-- end results -->\n"),
            (std::vector<std::string>{"One line and another. ", "Two.", "an item", "a second",
                                      "An answer."}));
}

}  // namespace
}  // namespace wb
