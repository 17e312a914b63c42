// A device that lacks what a lesson needs is refused before the first trial.
#include "../evaluator.h"

#include <gtest/gtest.h>

#include "../tunable.h"
#include "tests/queued_backend.h"

namespace {

struct OldGpu : wb::QueuedBackend {
  wb::Abilities abilities() const override { return {.capability = 75, .shared_kib = 64}; }
};

TEST(Evaluator, RefusesADeviceThatLacksWhatTheVariantNeeds) {
  OldGpu old;
  for (wb::Variant& v : wb::linked_variants()) v.needs = "8.0";  // which a CPU is not asked for
  try {
    const tune::Evaluator none(tune::tunable("cpu"), {{"n", 1}}, old, 1, 1, 1);
    ADD_FAILURE() << "it was accepted";
  } catch (const wb::Unsupported& e) {
    EXPECT_STREQ(e.what(), "needs compute capability 8.0 or later; this GPU has 7.5");
  }
  for (wb::Variant& v : wb::linked_variants()) v.needs.clear();
}

}  // namespace
