#include "driver/exercise.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/build_info.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/process.h"
#include "model/case_name.h"
#include "model/case_text.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {
// "sectors per request"
std::string in_words(Counter counter) {
  std::string words = kCounters[static_cast<std::size_t>(counter)];
  std::ranges::replace(words, '_', ' ');
  return words;
}
}  // namespace

bool Goal::at(const Case& other) const {
  Case without_class = other;
  without_class.drop("size");
  return axes == without_class;
}

std::string Goal::text(const std::vector<std::string>& case_names) const {
  if (only_right()) return "right at every size";
  const std::string where = case_name(axes, case_names);
  if (counter)
    return fmt::format("{}: at {} {:g} {}", where, at_least ? "least" : "most", factor,
                       in_words(*counter));
  if (as_long)
    return fmt::format("{}: at most {:.4g} times as long as `{}`", where, 1 / factor, variant);
  return fmt::format("{}: at least {:g} times as fast as `{}`", where, factor, variant);
}

// The end that decides has a digit more.
std::string Goal::stand(double ratio, double low, double high) const {
  if (as_long)
    return fmt::format("at {:.3g} [{:.3g}, {:.4g}] times as long as {}, goal {:.4g}", 1 / ratio,
                       1 / high, 1 / low, variant, 1 / factor);
  return fmt::format("at {:.3g} [{:.4g}, {:.3g}] {} {}, goal {:g}", ratio, low, high,
                     factor > 1 ? "times" : "of", variant, factor);
}

std::string Goal::stand(double count) const {
  const auto plain = [](double n) {
    return n < 1e4 ? fmt::format("{:.4g}", n) : fmt::format("{:.0f}", n);
  };
  return fmt::format("at {} {}, goal at {} {}", plain(count), in_words(*counter),
                     at_least ? "least" : "most", plain(factor));
}

namespace {

// "at most 4.1 sectors_per_request at rows=512,columns=512"
bool read_counts(const std::string& text, Goal& goal) {
  std::istringstream words(text);
  std::string at, most, name, where, axes, more;
  words >> at >> most >> goal.factor >> name >> where >> axes;
  const auto known = std::ranges::find(kCounters, name);
  if (!words || words >> more || at != "at" || (most != "most" && most != "least") ||
      known == std::end(kCounters) || where != "at")
    return false;
  goal.counter = static_cast<Counter>(known - kCounters);
  goal.at_least = most == "least";
  goal.axes = read_case(axes);
  return true;
}

// The name that iconv has for it, or "". Without a mark UTF-16 shows by the zeros of its ASCII.
const char* utf_16(const std::string& bytes) {
  if (bytes.size() < 4 || bytes.size() % 2) return "";
  if (bytes.starts_with("\xff\xfe") || (bytes[0] && !bytes[1] && bytes[2] && !bytes[3]))
    return "UTF-16LE";
  if (bytes.starts_with("\xfe\xff") || (!bytes[0] && bytes[1] && !bytes[2] && bytes[3]))
    return "UTF-16BE";
  return "";
}

std::string read_source(std::ifstream& file) {
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace

std::string as_utf8_lines(std::string bytes) {
  if (const char* code = utf_16(bytes); *code) {
    std::string text(2 * bytes.size(), ' ');  // two bytes become three at most
    char *from = bytes.data(), *to = text.data();
    std::size_t left = bytes.size(), room = text.size();
    const iconv_t convert = ::iconv_open("UTF-8", code);
    if (reinterpret_cast<std::intptr_t>(convert) == -1) return bytes;
    const bool good = ::iconv(convert, &from, &left, &to, &room) != static_cast<std::size_t>(-1);
    ::iconv_close(convert);
    if (!good) return bytes;
    text.resize(text.size() - room);
    bytes = std::move(text);
  }
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  std::string lines;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != '\r')
      lines += bytes[i];
    else if (i + 1 == bytes.size() || bytes[i + 1] != '\n')
      lines += '\n';
  return lines;
}

std::vector<Goal> goals_of(const fs::path& exercise, bool counts) {
  std::vector<Goal> goals;
  std::ifstream file(exercise);
  const auto unusable = [&](const std::string& why) {
    return Failure(2, fmt::format("{} {} (./workbook reset {} brings it back)", exercise.string(),
                                  why, exercise.parent_path().filename().string()));
  };
  if (!file) throw unusable("is missing");
  const std::string source = read_source(file);
  if (*utf_16(source))
    throw Failure(2, exercise.string() + " is UTF-16, which no compiler reads: save it as UTF-8");
  std::istringstream lines(as_utf8_lines(source));
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    if (!line.starts_with("// Goal:")) continue;
    std::string times, at, axes, more, text = line.substr(8);
    Goal& goal = goals.emplace_back();
    if (line == "// Goal: right at every size") continue;
    const std::string most = " at most ", long_as = " times as long as ";
    const auto middle = text.find(long_as);
    goal.as_long = text.starts_with(most) && middle != std::string::npos;
    if (goal.as_long) text.replace(middle, long_as.size(), " times ").erase(0, most.size());
    std::istringstream words(text);
    try {
      if (read_counts(text, goal)) continue;
      words >> goal.factor >> times >> goal.variant >> at >> axes;
      if (goal.as_long) goal.factor = 1 / goal.factor;
      goal.axes = read_case(axes);
    } catch (const std::exception&) {
      axes.clear();
    }
    if (!(goal.factor > 0 && std::isfinite(goal.factor)) || times != "times" || at != "at" ||
        axes.empty() || words >> more)
      throw unusable("has '" + line +
                     "', which is no '// Goal: FACTOR times VARIANT at AXIS=VALUE,...', nor "
                     "'// Goal: at most FACTOR times as long as VARIANT at ...', nor '// Goal: at "
                     "most NUMBER COUNTER at ...'");
  }
  const auto counted = [](const Goal& goal) { return goal.counter.has_value(); };
  if (std::ranges::all_of(goals, counted))
    throw unusable("has no line '// Goal: ...' in its first comment");
  std::erase_if(goals, [&](const Goal& g) { return !g.only_right() && counted(g) != counts; });
  return goals;
}

std::vector<std::string> goal_texts(const Exercise& e,
                                    const std::vector<std::string>& case_names) try {
  std::vector<std::string> texts;
  for (const bool counts : {e.on->untimed, false})  // a speed is said where nothing is counted
    if (texts.empty())
      for (const Goal& goal : goals_of(e.file, counts)) texts.push_back(goal.text(case_names));
  return texts;
} catch (const Failure& why) {
  return {std::string("none: ") + why.what()};
}

std::vector<Exercise> exercises(const Catalogue& catalogue, const std::string& backend) {
  std::vector<Exercise> all;
  for (const Lesson& lesson : catalogue.lessons) {
    const BuiltBackend* best = nullptr;
    for (const BuiltBackend& b : catalogue.backends)
      if ((backend == "auto" || backend == b.name) && (b.untimed || !lesson.hunt()) &&
          (lesson.has("exercise", b.name) || lesson.has("solution", b.name)))
        best = &b;
    if (best)
      all.push_back({&lesson, best, best->name,
                     catalogue.source / lesson.path / ("exercise" + best->extension)});
  }
  return all;
}

Exercise exercise_of(const Catalogue& catalogue, const std::vector<std::string>& names,
                     const std::string& backend) {
  const std::vector<Selection> chosen = select(catalogue, names);
  if (names.empty() || chosen.size() != 1)
    throw Failure(2, fmt::format("name one lesson, not {}", names.empty() ? 0 : chosen.size()));
  for (const std::string& variant : chosen[0].variants)
    if (role_of(variant) != VariantRole::exercise)
      throw Failure(2, fmt::format("name the lesson, {}: {} is no exercise", chosen[0].lesson->path,
                                   variant));
  for (const Exercise& e : exercises(catalogue, backend))
    if (e.lesson == chosen[0].lesson) return e;
  const std::string& path = chosen[0].lesson->path;
  for (const KnownBackend& b : known_backends())
    if (chosen[0].lesson->hunt() && b.traits.untimed)
      throw Failure(
          2, fmt::format("a device hides the fault of {}: --backend={} judges it", path, b.name));
  throw Failure(2, path + " has no exercise" + (backend == "auto" ? "" : " for " + backend));
}

namespace {

// What a compiler sees of a variant's file: no comments and no blanks; the variant's name, where it
// is registered, is that of an exercise.
std::string code_of(const fs::path& variant) {
  std::ifstream file(variant);
  std::istringstream lines(as_utf8_lines(read_source(file)));
  std::string code;
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::min(line.find("//"), line.size()));
    std::erase_if(line, [](unsigned char c) { return std::isspace(c); });
    code += line;
  }
  const std::string own = "," + variant.stem().string() + ",";
  if (const auto at = code.rfind(own); at != std::string::npos)
    code.replace(at, own.size(), ",exercise,");
  return code;
}

}  // namespace

bool same_code(const fs::path& a, const fs::path& b) {
  const std::string code = code_of(a);
  return !code.empty() && code == code_of(b);
}

fs::path copied_from(const fs::path& exercise, const fs::path& lesson) {
  for (const auto& entry : fs::directory_iterator(lesson)) {
    const fs::path& other = entry.path();
    const bool read = other.extension() == exercise.extension() && other != exercise &&
                      !is_extra(other.stem().string()) && other.stem() != "shipped";
    if (read && same_code(exercise, other)) return other;
  }
  return {};
}

fs::path other_source(const std::string& read, const std::vector<fs::path>& own,
                      const fs::path& folder) {
  // Files stand on lines of their own, or with blanks between them and a backslash in front of a
  // blank in their name, and of a line that goes on.
  const bool lines = read.find(": #deps ") != std::string::npos;
  const auto absolute = [&](const fs::path& name) { return (folder / name).lexically_normal(); };
  std::string file;
  fs::path found;
  const auto end_of_file = [&] {
    const fs::path path = absolute(std::exchange(file, ""));
    constexpr std::string_view sources = ".c.cc.cpp.cu.cxx.C.o.ii.s.";
    const bool is_own =
        std::ranges::any_of(own, [&](const fs::path& name) { return absolute(name) == path; });
    if (path.has_extension() && !is_own &&
        sources.find(path.extension().string() + ".") != sources.npos)
      found = path;
  };
  for (std::size_t i = 0; i < read.size(); ++i) {
    const char c = read[i], next = i + 1 < read.size() ? read[i + 1] : '\n';
    if (!lines && c == '\\' && next == ' ')
      file += read[++i];
    else if (c == '\n' || (!lines && (c == ' ' || (c == '\\' && next == '\n'))))
      end_of_file();
    else if (!file.empty() || c != ' ')
      file += c;
  }
  end_of_file();
  return found;
}

std::string object_of(const Exercise& e) {
  const fs::path lesson = e.lesson->path, chapter = e.lesson->chapter();
  return fmt::format("{}/CMakeFiles/{}_exercise_{}.dir/{}/{}.o", chapter.string(),
                     e.lesson->program, e.backend, lesson.lexically_relative(chapter).string(),
                     e.file.filename().string());
}

fs::path other_source(const Catalogue& catalogue, const Exercise& e) {
  const Outcome said =
      run_process({"ninja", "-C", catalogue.build.string(), "-t", "deps", object_of(e)}, 60);
  return other_source(said.output, {e.file}, catalogue.build);
}

namespace {

// Without tags and entities, lines as they are but for blanks at both ends.
std::string plain(const std::string& html) {
  std::string text;
  for (std::size_t i = 0; i < html.size(); ++i) {
    const auto entity = [&](const char* name, char c) {
      if (html.compare(i, std::char_traits<char>::length(name), name) != 0) return false;
      text += c;
      i = html.find(';', i);
      return true;
    };
    const bool tag = html[i] == '<' && i + 1 < html.size() &&
                     (html[i + 1] == '/' || std::isalpha(static_cast<unsigned char>(html[i + 1])));
    if (const auto close = html.find('>', i); tag && close != std::string::npos)
      i = close;
    else if (!entity("&lt;", '<') && !entity("&gt;", '>') && !entity("&amp;", '&'))
      text += html[i];
  }
  const std::size_t begin = text.find_first_not_of(" \n");
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

std::string section(const std::string& page, const std::string& name) {
  const std::string heading = "\n## " + name + "\n";
  const std::size_t at = page.find(heading);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + heading.size(), end = page.find("\n## ", begin - 1);
  return page.substr(begin, end == std::string::npos ? end : end - begin);
}

struct Fold {
  std::string title, text;
  std::string::size_type begin, end;  // in the page
};
std::vector<Fold> folds(const std::string& page) {
  const std::string opening = "<details><summary>", middle = "</summary>", closing = "</details>\n";
  std::vector<Fold> found;
  for (std::size_t at = 0; (at = page.find(opening, at)) != std::string::npos;) {
    const std::size_t title = at + opening.size(), text = page.find(middle, title);
    const std::size_t end = page.find(closing, title);
    if (text == std::string::npos || end == std::string::npos || text > end) break;
    found.push_back({plain(page.substr(title, text - title)),
                     plain(page.substr(text + middle.size(), end - text - middle.size())), at,
                     end + closing.size()});
    at = end;
  }
  return found;
}

// The bold questions under "On a CPU" with what leads to them, and the folds there or, without any,
// the paragraph after the table. Both are empty without such a question.
std::pair<std::string, std::string> of_cpu(const std::string& page) {
  const std::string text = section(page, "On a CPU"), table = "<!-- end results -->";
  const std::size_t end = text.find("?**"), bold = text.rfind("**", end - 1),
                    at = text.rfind(table);
  if (end == std::string::npos || bold == std::string::npos) return {};
  const std::string asked = plain(text.substr(0, bold) + text.substr(bold + 2, end - bold - 1));
  std::string folded;
  for (const Fold& fold : folds(text))
    folded += (folded.empty() ? "" : "\n") + fold.title + ": " + fold.text;
  if (!folded.empty()) return {asked, folded};
  const std::string after = at == std::string::npos ? "" : plain(text.substr(at + table.size()));
  return {asked, after.substr(0, after.find("\n\n"))};
}

}  // namespace

std::vector<std::string> hints(const std::string& page, const std::string& device) {
  std::vector<std::string> texts;
  const std::string kind = device.substr(device.rfind(' ') + 1);  // an emulated GPU is a GPU
  for (const Fold& fold : folds(section(page, "Exercise")))
    if (fold.title.starts_with(kind + ", hint") || fold.title.starts_with("Hint"))
      texts.push_back(fold.text);
  return texts;
}

std::string without_hints(std::string page) {
  const std::vector<Fold> all = folds(page);
  for (auto fold = all.rbegin(); fold != all.rend(); ++fold)
    if (!find_pattern(fold->title, "^(.*, h|H)int( \\d+)?$").empty())
      page.erase(fold->begin, fold->end - fold->begin);
  return page;
}

std::vector<std::string> questions(const std::string& page, const std::string& device) {
  if (const std::string own = of_cpu(page).first; device == "CPU" && !own.empty()) return {own};
  std::vector<std::string> texts;
  std::istringstream lines(section(page, "Predict"));
  std::string given;  // above the first
  for (std::string line; std::getline(lines, line);) {
    const std::string number = fmt::format("{}. ", texts.size() + 1);
    if (line.starts_with(number))
      texts.push_back(plain(std::exchange(given, "") + line.substr(number.size())));
    else if (texts.empty())
      given += line + "\n";
    else if (line.starts_with(" "))
      texts.back() += "\n" + plain(line);
    else
      break;
  }
  return texts;
}

std::vector<std::string> answers(const std::string& page, const std::string& device) {
  if (const auto [own, answer] = of_cpu(page); device == "CPU" && !own.empty()) return {answer};
  std::vector<std::string> texts;
  for (const Fold& fold : folds(section(page, "Answers")))
    texts.push_back(fold.title + ": " + fold.text);
  return texts;
}

std::vector<ReportQuestion> report_questions(const Exercise& e) {
  const fs::path file =
      e.file.parent_path() / ("report_questions" + e.file.extension().string() + ".json");
  std::vector<ReportQuestion> all;
  if (!fs::exists(file)) return all;
  try {
    for (const auto& q : parse_json(read_file(file.string()))) {
      all.push_back({text(q.at("question"), "question"), text(q.at("pattern"), "pattern"),
                     text(q.at("because"), "because")});
      is_right(all.back(), "");  // a pattern that is none says so before anybody answers
    }
  } catch (const std::exception& why) {
    throw Failure(5, fmt::format("{} is damaged ({}): git checkout brings it back", file.string(),
                                 one_line(why)));
  }
  return all;
}

bool is_right(const ReportQuestion& q, std::string said) {
  std::ranges::transform(said, said.begin(), [](unsigned char c) { return std::tolower(c); });
  return !find_pattern(said, q.pattern).empty();
}

}  // namespace wb::driver
