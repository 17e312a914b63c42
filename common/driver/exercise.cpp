#include "driver/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/build_info.h"
#include "base/failure.h"
#include "base/process.h"

namespace wb::driver {

namespace fs = std::filesystem;

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
  std::istringstream lines(as_utf8_lines(read_source(variant)));
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
  // Files stand on lines of their own, or, behind what is made of them and a colon, with blanks
  // between them and a backslash in front of a blank in their name, and of a line that goes on.
  const bool lines = read.find(": #deps ") != std::string::npos;
  const std::size_t colon = lines ? read.npos : read.find(": ");  // nvcc has a blank before it
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
  for (std::size_t i = colon == read.npos ? 0 : colon + 1; i < read.size(); ++i) {
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

}  // namespace wb::driver
