// A race between two buffers must show when the timing is disturbed; a pipeline without one passes.
#include <gtest/gtest.h>

#include "device/backends.h"
#include "measure/trial.h"
#include "on_gpu.h"

namespace wb {
namespace {

void judge(const std::string& kind, Backend& backend) {
  int seen = 0;
  for (const Variant& variant : linked_variants()) {
    if (variant.backend != kind) continue;
    ++seen;
    Data data(*variant.problem, variant.problem->test.front(), backend, 7);
    Trial trial(variant, data, backend);
    const std::string problem = trial.verify_disturbed(20);
    if (variant.name == "joined")
      EXPECT_EQ(problem, "");
    else
      EXPECT_NE(problem, "") << "the race of " << variant.name << " did not show";
  }
  EXPECT_EQ(seen, 2);
}

TEST(Disturbance, ShowsARaceBetweenThreads) { judge("cpu", *make_cpu_backend()); }

#ifdef WB_WITH_CUDA
using DisturbanceCuda = OnGpu;
TEST_F(DisturbanceCuda, ShowsARaceBetweenStreams) { judge("cuda", *backend_); }
#endif

}  // namespace
}  // namespace wb
