// What a command needs built. ./workbook asks for it and has ninja make no more than that.
#include <algorithm>

#include "driver/commands.h"
#include "driver/exercise.h"

namespace wb::driver {

std::vector<std::string> targets(const Catalogue& catalogue, const std::string& command,
                                 const RunOptions& options) {
  const std::vector<std::string>& names = options.names;
  const bool tests = command == "test" && !options.goals;
  const bool lists = command == "list" && !(names.empty() && options.choice.any_case());
  const bool measures = (command == "test" && !tests) || command == "run" || command == "compare" ||
                        command == "roofline" || command == "timeline" || command == "access";
  if (command == "peaks") return {"peaks"};
  if (command == "export" || command == "grade") return {"workbook_classroom"};
  if (command == "report") return {"workbook_pages"};
  if (command == "tune" && asks_for_help(options)) return {};
  if (command == "tune") return {"tune_" + tuned_lesson(catalogue, options).program, "peaks"};
  const BuiltBackend* named = catalogue.backend(options.choice.backend);
  const bool own = tests && named && named->untimed;  // its variants alone
  if (tests && names.empty() && !own) return {"tests"};
  if (command == "check" || command == "watch" || command == "hint" || command == "reset" ||
      command == "predict") {
    const Exercise exercise = exercise_of(catalogue, names, options.choice.backend);
    if (command != "check") return {};
    goals_of(exercise.file);  // throws without it
    const std::string& own = exercise.lesson->program;
    return {own, own + "_test", "exercise_" + own, "peaks"};
  }
  if (!(tests || lists || measures)) return {};
  if (std::any_of(names.begin(), names.end(), [](auto& name) { return name.ends_with(".json"); }))
    return {};  // files of results

  std::vector<std::string> needed;
  for (Selection& s : select(catalogue, options)) {
    const std::string& program = s.lesson->program;
    if (options.goals && s.lesson->has("solution")) s.variants = {"solution"};
    if (tests) {
      if (own && names.empty() && !s.lesson->has("", named->name)) continue;
      needed.push_back(program + "_test");
      if (s.exercise()) needed.push_back("exercise_" + program);
    } else if (measures && s.lesson->hunt() && s.variants.empty()) {
      continue;
    } else if (options.choice.backend == "auto" || s.lesson->has("", options.choice.backend)) {
      for (const std::string& target : targets_of(s)) needed.push_back(target);
      if (measures && builds_as_it_goes(options)) break;
    }
  }
  if (own && names.empty()) needed.push_back(named->name + "_test");
  // A lesson has it measure what is not known yet; these have no roof.
  if (measures && command != "timeline" && command != "access") needed.push_back("peaks");
  return needed;
}

}  // namespace wb::driver
