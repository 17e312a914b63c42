// What a lesson's page looks like: one sitting, something to do after two minutes, every question
// answered, figures elsewhere. The limits are the reader's.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/process.h"
#include "has.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

constexpr int kLines = 190, kWords = 1600, kWordsToRun = 300, kWordsToExercise = 900;
constexpr int kMinutes = 120, kQuestions = 4, kCommands = 2, kRows = 6, kColumns = 5,
              kNumbersPer100Words = 5;
const std::vector<std::string> kSections = {"The idea",         "Predict",  "Run",     "Answers",
                                            "What to remember", "On a CPU", "Exercise"};

int words(const std::string& text) {
  std::istringstream stream(text);
  return static_cast<int>(std::distance(std::istream_iterator<std::string>(stream), {}));
}

std::string without(const std::string& text, const char* pattern, const char* instead = " ") {
  return std::regex_replace(text, std::regex(pattern), instead);
}

// Per 100 words of prose. No number is what stands in code, in names and in links, "step 2", "hint
// 1", and what is a part of a word: "16-byte loads". "8192 x 8192" and "4 to 10 %" are one each.
double numbers_per_100_words(const std::string& prose) {
  std::string text = without(prose, "<!--[^>]*-->");
  text = without(text, R"(\*\*(Takes|Longest rung):[^.]*\.)");
  text = without(text, "<code>[^<]*</code>|`[^`]*`", "code");
  text = without(text, R"(\]\([^)]*\))");
  text = without(text, R"((<summary>|\n)\d+\. )");
  text = without(text, "<[^>]*>");
  text = without(text, R"(\b([Ss]teps?|hint) \d+)", "step");
  text = without(text, R"((\d[\d,.]*)\s(x|to|and|or)\s(?=\d))", "$1-");
  const std::regex number(R"(^[^A-Za-z0-9]*\d(?![\d.,]*-[a-z]))");
  std::istringstream stream(text);
  int numbers = 0, all = 0;
  for (std::string word; stream >> word; ++all)
    numbers += word.find('_') == std::string::npos && std::regex_search(word, number);
  return all ? 100.0 * numbers / all : 0;
}

// Everything between two headings.
struct Section {
  std::string name, text, prose;
  std::vector<std::string> commands;
  std::vector<std::string> tables;  // generated, one string each
  int words_before = 0;             // of prose
};

struct Page {
  std::vector<Section> sections = std::vector<Section>(1);  // first what stands above all headings
  int sweeps = 0, sweep_tables = 0, words_to_run = -1;
  std::string text, prose;

  explicit Page(const std::string& page) : text(page) {
    std::istringstream stream(page);
    bool code = false, generated = false;
    for (std::string line; std::getline(stream, line);) {
      if (!code && line.starts_with("## "))
        sections.push_back({line.substr(3), "", "", {}, {}, words(prose)});
      Section& section = sections.back();
      section.text += line + "\n";
      const bool fence = line.starts_with("```");
      code ^= fence;
      if (code && line.starts_with("./")) {
        section.commands.push_back(line);
        if (words_to_run < 0) words_to_run = words(prose);
      }
      if (line.starts_with("<!-- results ")) section.tables.emplace_back();
      if (line.starts_with("<!-- sweep "))
        ++sweeps, sweep_tables += !line.ends_with(" table=no -->");
      if (line.starts_with("<!-- results ") || line.starts_with("<!-- sweep ")) generated = true;
      if (generated && line.starts_with("|") && !section.tables.empty())
        section.tables.back() += line + "\n";
      const bool aside = line.starts_with("|") || line.starts_with("#") || line.starts_with("![");
      if (!code && !fence && !generated && !aside)
        section.prose += line + "\n", prose += line + "\n";
      if (line == "<!-- end results -->") generated = false;
    }
  }
  const Section* find(const std::string& name) const {
    const auto at = std::find_if(sections.begin(), sections.end(),
                                 [&](const Section& s) { return s.name == name; });
    return at == sections.end() ? nullptr : &*at;
  }
};

std::vector<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

// "1 2 3".
std::string joined(const std::vector<std::string>& numbers) {
  std::string text;
  for (const std::string& n : numbers) text += (text.empty() ? "" : " ") + n;
  return text;
}

// What a command names and a backend of the lesson in `folder` does not have: page_test knows its
// headers alone, where lists of cases and sweeps end with _cpu if a CPU has its own.
std::vector<std::string> unknown_words(const std::string& command, const fs::path& folder) {
  std::vector<std::string> unknown;
  if (command.find("# on a CPU") != std::string::npos) return unknown;
  for (const auto& [option, lists] :
       {std::pair("(?:size|op|dtype)", "bench"), std::pair("sweep", "sweeps")})
    for (const std::string& word :
         matches(command, fmt::format("--{}[ =]([a-z0-9_]+)", option).c_str()))
      for (const auto& file : fs::directory_iterator(folder))
        if (file.path().extension() == ".h")
          for (const std::string& list :
               matches(read_file(file.path().string()),
                       fmt::format(R"(\b({}(?:_cpu)?\[\] = \{{[^;]*);)", lists).c_str()))
            if (list.find('"' + word + '"') == std::string::npos)
              unknown.push_back(word + " is none of " + list.substr(0, list.find('[')));
  return unknown;
}

// Of a lesson, "60 min, easy" without what stands around it; empty where it is not said so.
std::string takes(const std::string& head) {
  const auto said = matches(head, R"(\*\*Takes:\*\* (\d+ min, (?:easy|medium|hard))\.)");
  return said.size() == 1 ? said[0] : "";
}

// Nobody is faster: 150 words and 20 lines of the longer ladder per minute, ten minutes each for
// running it and for the exercise.
int least_minutes(const std::string& text, const fs::path& folder) {
  static const std::regex rung(R"((?:baseline|step\w*|optimized|by_hand)\.(cu|cpp))");
  std::map<std::string, int> lines;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    if (std::smatch match; std::regex_match(name, match, rung)) {
      const std::string code = read_file(file.path().string());
      lines[match[1]] += static_cast<int>(std::count(code.begin(), code.end(), '\n'));
    }
  }
  return words(text) / 150 + std::max(lines["cu"], lines["cpp"]) / 20 + 20;
}

// Lines of a lesson's file, and of what it includes from the lesson's folder; but not of the
// problem, which is named like the lesson or says what is tested.
int rung_lines(const fs::path& file, const fs::path& lesson, std::set<fs::path>& seen) {
  const std::string code = read_file(file.string()), name = lesson.filename();
  if (!seen.insert(file).second || code.find("Case test[]") != std::string::npos ||
      file.stem() == name.substr(name.find('_') + 1))
    return 0;
  auto lines = static_cast<int>(std::count(code.begin(), code.end(), '\n'));
  for (const std::string& included : matches(code, R"-((?:^|\n)#include "([^"]+)")-")) {
    const fs::path header = (file.parent_path() / included).lexically_normal();
    if (!header.lexically_relative(lesson).string().starts_with("..") && fs::exists(header))
      lines += rung_lines(header, lesson, seen);
  }
  return lines;
}

// A rung is a page, and a lesson with a longer one says so: "**Longest rung:** 189 lines, a kernel
// for ...". What a library does, what is there for all shapes and what a student writes is no rung.
std::string wrong_rung(const std::string& text, const fs::path& folder) {
  constexpr int kRung = 150;
  int longest = 0;
  std::string which;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    static const std::regex other(
        R"(.*_test\..*|(library|all_shapes|exercise)\..*|.*\.(?!cu$|cpp$).*)");
    if (!file.is_regular_file() || std::regex_match(name, other)) continue;
    std::set<fs::path> seen;
    const int lines = rung_lines(file.path(), folder, seen);
    if (lines > longest) longest = lines, which = name;
  }
  const auto said = matches(text, R"(\*\*Longest rung:\*\* (\d+) lines, \S)");
  const int most = said.empty() ? kRung : std::max(kRung, std::atoi(said[0].c_str()));
  if (longest > most)
    return fmt::format("{} has {} lines with the headers that only its lesson has, at most {}",
                       which, longest, most);
  if (!said.empty() && longest < std::atoi(said[0].c_str()))
    return fmt::format("the longest rung, {}, has {} lines, not {}", which, longest, said[0]);
  if (!said.empty() && longest <= kRung) return "no rung is so long that the page need say it";
  return "";
}

// What of the page in `folder` is not as it should be. `next`: the files that it may lead to.
std::vector<std::string> faults(const std::string& text, const fs::path& folder,
                                const std::set<fs::path>& next) {
  const Page page(text);
  std::vector<std::string> faults;
  const auto hold = [&](bool held, const std::string& fault) {
    if (!held) faults.push_back(fault);
  };
  const auto at_most = [&](double count, int most, const std::string& what) {
    hold(count <= most, fmt::format("{:.3g} {}, at most {}", count, what, most));
  };
  at_most(std::count(text.begin(), text.end(), '\n'), kLines, "lines");
  at_most(words(text), kWords, "words");
  at_most(numbers_per_100_words(page.prose), kNumbersPer100Words, "numbers per 100 words of prose");

  const std::string& head = page.sections[0].text;
  hold(std::regex_search(head, std::regex(R"(^# \d\d [^:\n]+: [^\n]+\?\n)")),
       "the page does not begin with '# 01 Title: question?'");
  for (const char* part : {"**You learn", "**Before this", "**Start with"})
    hold(head.find(part) != std::string::npos,
         fmt::format("no {}** above the first heading", part));
  const int minutes = std::atoi(takes(head).c_str()), least = least_minutes(text, folder);
  hold(minutes != 0, "no '**Takes:** 60 min, easy.' (or medium, hard) above the first heading");
  hold(minutes == 0 || (minutes >= least && minutes <= kMinutes),
       fmt::format("{} min are not between {} and {}", minutes, least, kMinutes));
  const std::size_t start = std::min(head.find("**Start with"), head.size());
  const std::string first = head.substr(start, head.find("\n\n", start) - start);
  const auto files = matches(first, R"([`(]([A-Za-z0-9_/.]+\.[a-z]+)[`)])");
  hold(!files.empty(), "no file is named under Start with");
  for (const std::string& file : files)
    hold(fs::exists(folder / file), file + ", under Start with, does not exist");

  const std::string rung = wrong_rung(text, folder);
  hold(rung.empty(), rung);

  std::vector<std::string> names;
  for (const Section& s : page.sections)
    if (!s.name.empty()) names.push_back(s.name);
  if (!names.empty() && names.back() == "Open questions") names.pop_back();
  hold(names == kSections, fmt::format("the sections are {}, not {}", fmt::join(names, ", "),
                                       fmt::join(kSections, ", ")));

  for (const Section& s : page.sections) {
    at_most(static_cast<double>(s.tables.size()), 1, "generated tables in " + s.name);
    for (const std::string& table : s.tables) {
      const std::string row = table.substr(0, table.find('\n'));
      at_most(std::count(table.begin(), table.end(), '\n') - 2.0, kRows, "rows in a table");
      at_most(std::count(row.begin(), row.end(), '|') - 1.0, kColumns, "columns in a table");
    }
  }
  at_most(page.sweeps, 1, "pictures of sweeps");
  hold(page.sweep_tables == 0, "a sweep shows its table: write table=no");

  if (const Section* run = page.find("Run")) {
    hold(!run->commands.empty(), "no command under Run");
    at_most(static_cast<double>(run->commands.size()), kCommands, "commands under Run");
    hold(!run->tables.empty(), "no generated table under Run");
    at_most(page.words_to_run, kWordsToRun, "words of prose before the first command");
    for (const std::string& command : run->commands)
      for (const std::string& fault : unknown_words(command, folder)) faults.push_back(fault);
  }
  if (const Section* exercise = page.find("Exercise"))
    at_most(exercise->words_before, kWordsToExercise, "words of prose before the exercise");

  const Section *predict = page.find("Predict"), *answers = page.find("Answers");
  if (predict && answers) {
    const auto questions = matches(predict->prose, R"((?:^|\n)(\d+)\. )");
    const auto answered = matches(answers->prose, R"(<details><summary>(\d+)\. )");
    hold(!questions.empty(), "no question under Predict");
    at_most(static_cast<double>(questions.size()), kQuestions, "questions");
    hold(questions == answered,
         fmt::format("questions {} have answers {}", joined(questions), joined(answered)));
  }
  const auto count = [&](const char* tag) { return matches(text, tag).size(); };
  hold(count("(<details>)") == count("(</details>)"), "a <details> has no end");

  const std::size_t at = text.rfind("**Next:**");
  const std::string last = at == std::string::npos ? "" : text.substr(at);
  hold(!last.empty() && last.find("\n\n") == std::string::npos &&
           last.find("\n#") == std::string::npos,
       "the page does not end with **Next:**");
  const auto links = matches(last, R"(\]\(([^)#]+)\))");
  if (!last.empty())
    hold(!links.empty() && next.contains((folder / links[0]).lexically_normal()),
         fmt::format("Next leads to {}, not to {}", links.empty() ? "nothing" : links[0],
                     next.empty() ? "" : next.begin()->lexically_relative(folder).string()));
  return faults;
}

// The folders with a page, chapter by chapter in their order.
std::vector<std::vector<fs::path>> lessons(const fs::path& source) {
  std::vector<std::vector<fs::path>> chapters;
  std::set<fs::path> folders;
  for (const auto& chapter : fs::directory_iterator(source))
    if (chapter.is_directory() && chapter.path().filename().string().starts_with("ch"))
      folders.insert(chapter.path());
  for (const fs::path& chapter : folders) {
    std::set<fs::path> pages;
    for (const auto& lesson : fs::directory_iterator(chapter))
      if (fs::exists(lesson.path() / "README.md")) pages.insert(lesson.path());
    if (!pages.empty()) chapters.emplace_back(pages.begin(), pages.end());
  }
  return chapters;
}

// What the page of lesson i of chapter c may lead to: the next lesson; from the last one the next
// chapter, or where the chapters are named.
std::set<fs::path> next_of(const std::vector<std::vector<fs::path>>& chapters, std::size_t c,
                           std::size_t i) {
  if (i + 1 < chapters[c].size()) return {chapters[c][i + 1] / "README.md"};
  const fs::path chapter = chapters[c][i].parent_path();
  std::set<fs::path> next = {chapter / "README.md", chapter.parent_path() / "README.md"};
  if (c + 1 < chapters.size())
    next.insert({chapters[c + 1][0] / "README.md", chapters[c + 1][0].parent_path() / "README.md"});
  return next;
}

// Table rows with a time or a rate that no command wrote.
std::vector<std::string> written_by_hand(const std::string& text) {
  static const std::regex figure(R"(\d ?([num]?s|[KMGT]?B/s|[GT]?FLOP/s)\b)");
  std::vector<std::string> found;
  std::istringstream stream(text);
  bool generated = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("<!-- ")) generated = !line.starts_with("<!-- end");
    if (!generated && line.starts_with("|") && std::regex_search(line, figure))
      found.push_back(line);
  }
  return found;
}

TEST(Page, OfMeasuredTablesHasNoneByHand) {
  EXPECT_EQ(written_by_hand("| a | 183 us |\n| b | 4 bytes |\n").size(), 1u);
  EXPECT_EQ(written_by_hand("<!-- results x -->\n| a | 2 ms |\n<!-- end results -->\n| 4 TB/s |\n"),
            std::vector<std::string>{"| 4 TB/s |"});
  for (const auto& chapter : lessons(WB_SOURCE_DIR))
    for (const fs::path& folder : chapter)
      for (const char* page : {"README.md", "NOTES.md"})
        if (fs::exists(folder / page)) {
          const auto found = written_by_hand(read_file((folder / page).string()));
          EXPECT_TRUE(found.empty()) << folder / page << ": " << found.front();
        }
}

TEST(Page, OfEveryLessonHasTheForm) {
  const auto chapters = lessons(WB_SOURCE_DIR);
  ASSERT_FALSE(chapters.empty());
  for (std::size_t c = 0; c < chapters.size(); ++c)
    for (std::size_t i = 0; i < chapters[c].size(); ++i) {
      const fs::path& folder = chapters[c][i];
      const auto found =
          faults(read_file((folder / "README.md").string()), folder, next_of(chapters, c, i));
      EXPECT_TRUE(found.empty()) << folder << ":\n  "
                                 << fmt::format("{}", fmt::join(found, "\n  "));
    }
}

// The lessons whose row in their chapter's list says something else than their page.
std::vector<std::string> wrong_rows(const std::string& chapter,
                                    const std::map<std::string, std::string>& lessons) {
  std::vector<std::string> wrong;
  for (const auto& [name, takes] : lessons) {
    const std::string row = fmt::format("\n| [{0}]({0}/README.md) | ", name);
    const std::size_t at = chapter.find(row);
    const std::size_t end = at == std::string::npos ? at : chapter.find('\n', at + 1);
    if (end == std::string::npos || !chapter.substr(at, end - at).ends_with(" | " + takes + " |"))
      wrong.push_back(name);
  }
  return wrong;
}

TEST(Page, OfAChapterSaysWhatItsLessonsTake) {
  const std::string list = "\n| [01_a](01_a/README.md) | how? | 60 min, easy |\n";
  EXPECT_EQ(wrong_rows(list, {{"01_a", "60 min, easy"}}), std::vector<std::string>{});
  EXPECT_EQ(wrong_rows(list, {{"01_a", "60 min, hard"}}), std::vector<std::string>{"01_a"});
  EXPECT_EQ(wrong_rows(list, {{"02_b", "60 min, easy"}}), std::vector<std::string>{"02_b"});
  for (const auto& chapter : lessons(WB_SOURCE_DIR)) {
    std::map<std::string, std::string> said;
    for (const fs::path& folder : chapter)
      said[folder.filename()] = takes(read_file((folder / "README.md").string()));
    const fs::path page = chapter[0].parent_path() / "README.md";
    const auto wrong = wrong_rows(read_file(page.string()), said);
    EXPECT_TRUE(wrong.empty()) << page << ": " << fmt::format("{}", fmt::join(wrong, ", "));
  }
}

// The exercises for a GPU, and what the emulated one lacks for each; "" where it judges it.
std::map<fs::path, std::string> needs_gpu() {
  const Scratch scratch;
  const std::string script = scratch.file("needs.cmake");
  std::ofstream(script) << "include(" << WB_SOURCE_DIR << "/common/device/simt/emulate.cmake)\n"
                        << "file(GLOB files " << WB_SOURCE_DIR << "/ch*/*/exercise.cu)\n"
                        << "foreach(file ${files})\n  wb_needs_gpu(needs ${file})\n"
                        << "  message(\"${file}=${needs}\")\nendforeach()\n";
  std::istringstream lines(run_process({"cmake", "-P", script}, 60).errors);
  std::map<fs::path, std::string> needs;
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find('='); at != std::string::npos)
      needs[fs::path(line.substr(0, at)).parent_path()] = line.substr(at + 1);
  return needs;
}

TEST(Page, SaysWhatJudgesItsExercisesWithoutAGpu) {
  const std::map<fs::path, std::string> needs = needs_gpu();
  EXPECT_GT(needs.size(), 40u);
  for (const auto& [folder, what] : needs) {
    const std::string page = read_file((folder / "README.md").string());
    const std::size_t at = page.find("**Start with:**");
    std::string start = page.substr(std::min(at, page.size()));
    start.resize(start.find("\n\n"));
    std::ranges::replace(start, '\n', ' ');
    const std::string says =
        what.empty() ? "judges `exercise.cpp`, and `check --backend=simt` judges `exercise.cu`."
                     : "judges `exercise.cpp` alone.";
    EXPECT_TRUE(has(start, "Without a GPU, `check` " + says)) << folder << ", which needs " << what;
  }
}

// A page that is no lesson may say how long it is at most. 0: it does not say.
int most_words(const std::string& page) {
  const auto said = matches(page, R"(<!-- at most (\d+) words -->)");
  return said.empty() ? 0 : std::atoi(said[0].c_str());
}

TEST(Page, IsAsShortAsItSays) {
  EXPECT_EQ(most_words("# A\n\n<!-- at most 800 words -->\n"), 800);
  EXPECT_EQ(most_words("# A\n\nat most 800 words\n"), 0);
  int pages = 0;
  for (fs::recursive_directory_iterator at(WB_SOURCE_DIR), end; at != end; ++at) {
    const std::string name = at->path().filename();
    if (name == ".git" || name == "build") at.disable_recursion_pending();
    if (at->path().extension() != ".md") continue;
    const std::string page = read_file(at->path().string());
    const int most = most_words(page);
    pages += most > 0;
    EXPECT_LE(most > 0 ? words(page) : 0, most) << at->path();
  }
  EXPECT_GE(pages, 3);
}

// Lessons below `top` that have no page, and pages that the chapter or the top does not link.
std::vector<std::string> hidden_lessons(const fs::path& top) {
  std::vector<std::string> hidden;
  for (const auto& chapter : fs::directory_iterator(top)) {
    if (!chapter.path().filename().string().starts_with("ch")) continue;
    for (const auto& lesson : fs::directory_iterator(chapter.path())) {
      const fs::path page = lesson.path() / "README.md";
      if (!std::isdigit(lesson.path().filename().string()[0])) continue;
      if (!fs::exists(page)) hidden.push_back("there is no " + page.string());
      for (const fs::path& list : {chapter.path() / "README.md", top / "README.md"})
        if (const std::string link = page.lexically_relative(list.parent_path()).string();
            read_file(list.string()).find("](" + link + ")") == std::string::npos)
          hidden.push_back(list.string() + " has no link to " + link);
    }
  }
  return hidden;
}

TEST(Page, OfEveryLessonIsThereAndLinked) {
  const Scratch scratch;
  const fs::path top = scratch.file("");
  fs::create_directories(top / "ch1_x/01_add");
  fs::create_directories(top / "ch1_x/shared");
  std::ofstream(top / "README.md") << "[a](ch1_x/01_add/README.md)";
  std::ofstream(top / "ch1_x/README.md") << "[b](02_sub/README.md)";
  EXPECT_EQ(hidden_lessons(top).size(), 2u);
  std::ofstream(top / "ch1_x/01_add/README.md") << "# 01 Add: how fast?\n";
  EXPECT_EQ(hidden_lessons(top),
            std::vector{top.string() + "ch1_x/README.md has no link to 01_add/README.md"});
  const auto hidden = hidden_lessons(WB_SOURCE_DIR);
  EXPECT_TRUE(hidden.empty()) << fmt::format("{}", fmt::join(hidden, "\n"));
}

// The links of a page that lead to no file; those to other sites are not followed.
std::vector<std::string> dead_links(const std::string& text, const fs::path& folder) {
  std::vector<std::string> dead;
  const std::string opening = "](";
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
    at += opening.size();
    const std::string link = text.substr(at, text.find_first_of(")#\n", at) - at);
    if (link.find(':') == std::string::npos && !fs::exists(folder / link)) dead.push_back(link);
  }
  return dead;
}

TEST(Page, LinksLeadToFiles) {
  const fs::path top = WB_SOURCE_DIR;
  EXPECT_EQ(dead_links("[a](README.md#b) [c](https://d/e) [f](NONE.md)", top),
            std::vector<std::string>{"NONE.md"});
  int pages = 0;
  for (fs::recursive_directory_iterator at(top), end; at != end; ++at) {
    const std::string name = at->path().filename();
    if (name == ".git" || name == ".cache" || name == "build") at.disable_recursion_pending();
    if (at->path().extension() != ".md") continue;
    const auto dead = dead_links(read_file(at->path().string()), at->path().parent_path());
    EXPECT_TRUE(dead.empty()) << at->path() << ": " << fmt::format("{}", fmt::join(dead, ", "));
    ++pages;
  }
  EXPECT_GT(pages, 30);
}

TEST(Page, OfTheTopGreetsWithEightLessonsAtMost) {
  const std::string page = read_file(std::string(WB_SOURCE_DIR) + "/README.md");
  const std::size_t begin = page.find("<!-- results all "),
                    end = page.find("<!-- end results", begin);
  ASSERT_NE(end, std::string::npos);
  const auto rows = matches(page.substr(begin, end - begin), R"(\n(\|[^\n]*))");
  EXPECT_GE(rows.size(), 3u);
  EXPECT_LE(rows.size(), 2u + 8);
}

const char kGood[] = R"(# 01 Add: how fast?

Text that says why.

**You learn** to add.
**Before this:** nothing. **Takes:** 60 min, easy.
**Start with:** `baseline.cpp`.

## The idea

Memory answers late (see `fp32`, 4 bytes).

```
4 bytes per load   #
```

| version | what is new |
|---|---|
| [baseline.cpp](baseline.cpp) | one thread |

## Predict

1. How long does it take?
2. Which version wins?

## Run

```
./workbook compare ch1_x/01_add
```

<!-- results ch1_x/01_add gpu -->

| version | time |
|---|---:|
| baseline | 229 us |

8192 x 8192. Measured 2026-11-22. [All cases](../../common/results/gpu_ch1.md#01_add)

<!-- end results -->

## Answers

<details><summary>1. The time</summary>
As long as its bytes take.
</details>
<details><summary>2. The winner</summary>
The one with more bytes in flight.
</details>

## What to remember

* Count bytes first.

## On a CPU

The same bytes count.

## Exercise

Do it in place.

<details><summary>Hint</summary>
Use two loops.
</details>

**Next:** [02_sub](../02_sub/README.md), the other way.
)";

// The page with the first `what` replaced.
std::string with(const std::string& what, const std::string& instead) {
  std::string page = kGood;
  const std::size_t at = page.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return page.replace(at, what.size(), instead);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Page, ThatIsWrongIsCaught) {
  const Scratch scratch;
  const fs::path folder = fs::path(scratch.file("ch1_x")) / "01_add";
  fs::create_directories(folder);
  std::ofstream(folder / "baseline.cpp") << "//";
  std::ofstream(folder / "add.h")
      << "Case bench[] = {{{\"size\", \"xlarge\"}},\n {{\"size\", \"large\"}}};\n"
         "Case bench_cpu[] = {{{\"size\", \"large\"}}};\n"
         "Sweep sweeps[] = {{\"block\", 1, 9}, {\"n\", 1, 9}};\nSweep sweeps_cpu[] = {{\"n\", 1, "
         "9}};\n";
  const std::set<fs::path> next = {folder.parent_path() / "02_sub/README.md"};
  EXPECT_EQ(faults(kGood, folder, next), std::vector<std::string>{});
  EXPECT_EQ(faults(with("**Next:**", "## Open questions\n\nWhy?\n\n**Next:**"), folder, next),
            std::vector<std::string>{});

  const std::string alt = "![" + repeated("word ", 300) + "](add.svg)\n\nMemory answers";
  EXPECT_EQ(faults(with("Memory answers", alt), folder, next), std::vector<std::string>{});

  for (const char* option : {"--size large", "--sweep n", "--sweep block  # on a CPU: --sweep n"})
    EXPECT_EQ(
        faults(with("ch1_x/01_add\n", std::string("ch1_x/01_add ") + option + "\n"), folder, next),
        std::vector<std::string>{});

  const std::string table = "| version | time |\n|---|---:|\n| baseline | 229 us |\n";
  const std::pair<std::string, const char*> wrong[] = {
      {with("Count", repeated("* word\n", 140) + "Count"), "lines, at most 190"},
      {with("Count", repeated("word ", 1600) + "Count"), "words, at most 1600"},
      {with("Count", repeated("12 ", 30) + "Count"), "numbers per 100 words"},
      {with("Count", repeated("1.2x ~3 (4 5%) ", 9) + "Count"), "numbers per 100 words"},
      {with("late", repeated("word ", 300)), "words of prose before the first command"},
      {with("Count", repeated("word ", 900) + "Count"), "words of prose before the exercise"},
      {with("# 01 Add: how fast?", "# 01 Add"), "does not begin with"},
      {with("how fast?", "quick"), "does not begin with"},
      {with("**You learn**", "You learn"), "no **You learn**"},
      {with("**Before this:** nothing. ", ""), "no **Before this**"},
      {with("**Takes:** 60 min, easy.", ""), "no '**Takes:** 60 min, easy.'"},
      {with("60 min, easy", "60 min, simple"), "no '**Takes:** 60 min, easy.'"},
      {with("60 min", "20 min"), "20 min are not between 21 and 120"},
      {with("60 min", "130 min"), "130 min are not between"},
      {with("**Start with:** ", ""), "no **Start with**"},
      {with("`baseline.cpp`.", "the baseline"), "no file is named"},
      {with("`baseline.cpp`", "`optimized.cpp`"),
       "optimized.cpp, under Start with, does not exist"},
      {with("## The idea", "## Idea"), "the sections are Idea, Predict"},
      {with("## On a CPU\n\nThe same bytes count.\n", ""), "What to remember, Exercise, not"},
      {with("## Exercise", "## Explain\n\n## Exercise"), "On a CPU, Explain, Exercise"},
      {with("./workbook compare ch1_x/01_add", repeated("./workbook test\n", 3)), "3 commands"},
      {with("./workbook compare ch1_x/01_add", "cmake"), "no command under Run"},
      {with("ch1_x/01_add\n", "ch1_x/01_add --size xlarge\n"), "xlarge is none of bench_cpu"},
      {with("ch1_x/01_add\n", "ch1_x/01_add --sweep=block\n"), "block is none of sweeps_cpu"},
      {with("<!-- results ch1_x/01_add gpu -->", "<!-- -->"), "no generated table under Run"},
      {with("## Answers", "<!-- results ch1_x/01_add cpu -->\n" + table + "## Answers"),
       "2 generated tables in Run"},
      {with("| baseline | 229 us |\n", repeated("| baseline | 229 us |\n", 7)),
       "7 rows in a table"},
      {with("| version | time |", "| version | a | b | c | d | e |"), "6 columns in a table"},
      {with("The same bytes", "<!-- sweep ch1_x/01_add n cpu -->\n<!-- end results -->\n"),
       "write table=no"},
      {with("The same bytes", repeated("<!-- sweep ch1_x/01_add n cpu table=no -->\n", 2)),
       "2 pictures"},
      {with("1. How long does it take?\n2. Which version wins?", "How long?"), "no question under"},
      {with("2. Which", repeated("2. Which?\n", 3) + "2. Which"), "5 questions"},
      {with("2. Which", "2. Why?\n3. Which"), "questions 1 2 3 have answers 1 2"},
      {with("<summary>2. The winner", "<summary>The winner"), "questions 1 2 have answers 1"},
      {with("<details><summary>1.", "<details open><summary>1."), "have answers 2"},
      {with("Use two loops.\n</details>", "Use two loops."), "a <details> has no end"},
      {with("**Next:**", "Then"), "does not end with **Next:**"},
      {with("the other way.", "the other way.\n\nMore.\n"), "does not end with **Next:**"},
      {with("(../02_sub/README.md)", ""), "Next leads to nothing, not to ../02_sub/README.md"},
      {with("../02_sub/", "../03_mul/"), "Next leads to ../03_mul/README.md"}};
  for (const auto& [page, why] : wrong) {
    const std::string found = fmt::format("{}", fmt::join(faults(page, folder, next), "\n"));
    EXPECT_TRUE(has(found, why)) << why;
  }
}

TEST(Page, SaysWhereARungIsLongerThanAPage) {
  const Scratch scratch;
  const fs::path lesson = fs::path(scratch.file("ch1_x")) / "01_add";
  fs::create_directories(lesson / "all_shapes");
  fs::create_directories(lesson.parent_path() / "shared");
  const auto write = [&](const char* name, const std::string& first, int lines) {
    std::ofstream(lesson / name) << first << "\n" << repeated("//\n", lines - 1);
  };
  write("add.h", "", 400);
  write("sizes.h", "constexpr Case test[] = {};", 400);
  write("../shared/pack.h", "", 400);
  write("tile.h", "#include \"add.h\"\n#include \"rows.h\"\n#include \"../shared/pack.h\"", 98);
  write("rows.h", "#include \"tile.h\"", 40);
  write("baseline.cpp", "#include \"tile.h\"\n#include \"sizes.h\"\n#include <map>", 8);
  for (const char* other : {"library.cpp", "all_shapes.cpp", "exercise.cpp", "add_test.cpp",
                            "all_shapes/a.cpp", "NOTES.md"})
    write(other, "", 400);
  const std::string said = "**Longest rung:** ", why = " lines, a kernel for all.";
  EXPECT_EQ(wrong_rung("", lesson), "");
  EXPECT_NE(wrong_rung(said + "150" + why, lesson), "");
  write("rows.h", "#include \"tile.h\"", 41);
  EXPECT_EQ(wrong_rung("", lesson),
            "baseline.cpp has 151 lines with the headers that only its lesson has, at most 150");
  EXPECT_EQ(wrong_rung(said + "151" + why, lesson), "");
  EXPECT_EQ(wrong_rung(said + "152" + why, lesson),
            "the longest rung, baseline.cpp, has 151 lines, not 152");
  EXPECT_NE(wrong_rung(said + "151 lines", lesson), "") << "and says no reason";
  write("solution.cu", "", 152);
  EXPECT_EQ(wrong_rung(said + "151" + why, lesson),
            "solution.cu has 152 lines with the headers that only its lesson has, at most 151");
}

}  // namespace
}  // namespace wb
