#include "driver/goals.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/failure.h"
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

}  // namespace

std::string read_source(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

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
  const auto unusable = [&](const std::string& why) {
    return Failure(2, fmt::format("{} {} (./workbook reset {} brings it back)", exercise.string(),
                                  why, exercise.parent_path().filename().string()));
  };
  if (!std::ifstream(exercise)) throw unusable("is missing");
  const std::string source = read_source(exercise);
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

}  // namespace wb::driver
