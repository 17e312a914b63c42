// The processes of a run in which an exercise takes part.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "judged/claims.h"
#include "judged/new_inputs.h"
#include "judged/remote.h"
#include "measure/runner.h"

namespace wb::judged {

// Where its variants run: the lesson's own ones run like the exercise, so that all are measured
// alike; tests, which measure nothing, have no process for these.
class Processes : public Runners {
 public:
  // From here on nobody may look into this process, which knows the answers, and what other
  // programs leave behind becomes its child.
  Processes(std::optional<Remote> own, Remote exercise);
  std::unique_ptr<Runner> make(const Variant& variant, Data& data, Backend& backend) override;
  DrawNewInputs* new_inputs() const override { return draw_new_inputs; }

  std::optional<Remote> own;
  Remote exercise;
  std::map<std::string, Beyond> beyond;   // by problem and case
  std::map<pid_t, std::string> settings;  // of the lesson's process, which stands still since then
  double next_look = 0;                   // for what the exercise left running
};

// Adds the exercise that a process serves, which may have ended already, to the variants of its
// lesson for this backend. Of what it says of itself only its note is believed: its problem is what
// the backend's baseline names (WB_EXERCISE), or the baseline's own.
void add_exercise(Registry& registry, Remote& exercise, const std::string& backend);

// The processes of a run in which the exercise takes part that the program `exercise` serves; it is
// added to its lesson's variants. `own`: this program, if the lesson's variants are to run like it.
std::unique_ptr<Processes> start(Registry& registry, const std::string& exercise,
                                 const std::string& backend, const std::string& own = "");

}  // namespace wb::judged
