#include "driver/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "base/pattern.h"

namespace wb::driver {

namespace fs = std::filesystem;

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
