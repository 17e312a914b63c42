#include "judged/binding.h"

#include "judged/serve.h"
#include "measure/runner.h"
#include "model/case_text.h"

namespace wb::judged {

using nlohmann::json;

void Binding::ask(const char* what, json request, const Remote::Read& read) const {
  request["do"] = what, request["id"] = id_;
  remote_.ask(request, read);
}

void Binding::tell(const char* what, const json& request) const {
  ask(what, request, [](const json&) {});
}

Binding::Binding(Remote& remote, const Problem& problem, const Data& data) : remote_(remote) {
  static int all = 0;
  id_ = ++all;
  remote_.variants();  // it has started
  json arrays = json::array(), specs = json::array();
  const std::vector<SharedArray> shared = data.arrays.shared();
  for (std::size_t i = 0; i < shared.size(); ++i) {
    specs.push_back(describe(data.answers.arrays()[i].spec));
    arrays.push_back({{"is", specs.back()},
                      {"place", shared[i].place},
                      {"bytes", shared[i].bytes},
                      {"offset", shared[i].offset}});
  }
  bool same = false;
  ask("bind",
      {{"problem", problem.type},
       {"wall", problem.clock == Clock::wall},
       {"case", as_json(data.axes)},
       {"arrays", arrays}},
      [&](const json& answer) { same = answer.at("arrays") == specs; });
  if (same) return;
  drop();
  throw RunEnded(Status::cheats, "it asks for other arrays than the lesson");
}

Binding::~Binding() { drop(); }

void Binding::drop() const try {
  if (remote_.id() < 0) return;
  tell("drop", {});
  remote_.pause();
} catch (const std::exception&) {  // it has ended, and nothing is left
}

}  // namespace wb::judged
