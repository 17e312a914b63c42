#include <cstdlib>

#include "../candidate_cpu.h"
#include "twice.h"
#include "wb/cpu.h"

namespace {

auto make(const Twice::Args& p) {
  auto* twice = tune::function<void(long, const float*, float*)>(
      tune::choose(WB_BACKEND, p.other ? wb::Case{{"n", p.n}, {"other", 1}} : wb::Case{{"n", p.n}}),
      "twice");
  return [=] { twice(p.n, p.x, p.y); };
}

tune::Space space(const wb::Case& c, const tune::Limits&) {
  tune::Space space;
  if (c.get("other", 0)) space.add("OTHER", {0, 1}, 0);
  // For one test: what tuners were seen to reward (tricks.h).
  const bool tricks = std::getenv("WB_TEST_TRICKS");
  space
      .add("KIND",
           tricks ? std::vector{0, 11, 12, 13, 14, 15, 16, 17, 18}
                  : std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8},
           0)
      .means("what is wrong with it; 0: nothing");
  space.add("PASSES", {1, 2, 4, 8}, 4).means("how often it does the work");
  space.require("the wrong ones take one pass",
                [](const tune::Values& v) { return v["KIND"] == 0 || v["PASSES"] == 1; });
  return space;
}

double predict(const tune::Values& v, const wb::Case& c, const tune::Limits&) {
  return 1e-9 * static_cast<double>(c["n"]) * v["PASSES"];
}

}  // namespace

WB_CPU(Twice, tuned, make);
WB_TUNABLE("candidate.cpp", space, predict);
