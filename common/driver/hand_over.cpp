// Commands whose program is another: it takes the place of this one.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/failure.h"
#include "base/output.h"
#include "driver/commands.h"

namespace wb::driver {

namespace {

[[noreturn]] void become(const std::string& program, std::vector<std::string> words) {
  words.insert(words.begin(), program);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Failure(
      3, fmt::format("{}: {}: its compiler's message is above", program, std::strerror(errno)));
}

}  // namespace

void list_pages(const Catalogue& catalogue) { become(catalogue.source / "workbook", {"list"}); }

const Lesson& tuned_lesson(const Catalogue& catalogue, const RunOptions& options) {
  std::vector<std::string> known;
  for (const Lesson& l : catalogue.lessons)
    if (l.has("tuned")) known.push_back(l.path);
  const std::string others = known.empty()
                                 ? "; this build has no lesson that tune can search"
                                 : fmt::format("; tune can search {}", fmt::join(known, ", "));
  if (options.names.empty())
    throw Failure(2, "tune needs a lesson (tune --help LESSON shows its options)" + others);
  const std::vector<Selection> selected = select(catalogue, options.names);
  if (selected.size() > 1 || !selected[0].lesson->has("tuned"))
    throw Failure(2, options.names[0] + " has nothing to tune" + others);
  return *selected[0].lesson;
}

bool asks_for_help(const RunOptions& options) {
  return options.names.empty() && std::ranges::any_of(options.rest, [](const std::string& word) {
           return word == "--help" || word == "-h";
         });
}

int run_tune(const Catalogue& catalogue, const RunOptions& options) {
  if (asks_for_help(options)) {
    print(
        "Usage: ./workbook tune LESSON [OPTIONS]\n\n"
        "Searches for the fastest configuration of a lesson's kernel, and keeps it.\n"
        "./workbook tune --help LESSON shows the options, and what the parameters mean.\n"
        "The lessons:\n");
    for (const Lesson& l : catalogue.lessons)
      if (l.has("tuned")) print("  {}\n", l.path);
    return 0;
  }
  const Lesson& lesson = tuned_lesson(catalogue, options);
  std::vector<std::string> words;
  // It stands among the rest where it came behind a flag of the program's.
  if (std::none_of(options.rest.begin(), options.rest.end(),
                   [](const std::string& word) { return word.starts_with("--backend"); }))
    words.push_back("--backend=" + options.choice.backend);
  words.insert(words.end(), options.rest.begin(), options.rest.end());
  become(catalogue.bin / ("tune_" + lesson.program), words);
}

int run_program(const Catalogue& catalogue, const char* program, const RunOptions& options) {
  become(catalogue.bin / program, options.rest);
}

}  // namespace wb::driver
