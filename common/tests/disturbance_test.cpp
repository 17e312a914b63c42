// A race between two buffers must show when the timing is disturbed; a pipeline without one passes.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "bank/pipeline.h"
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

// Threads that share a block of values which each should have for itself: on one core they take
// turns only where they are interrupted.
TEST(Disturbance, ShowsARaceOnOneCore) {
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const auto backend = make_cpu_backend();
  Variant variant = *std::ranges::find(linked_variants(), "joined", &Variant::name);
  variant.make = [](const void* args) -> Launch {
    return [p = *static_cast<const Pipeline::Args*>(args)](void*) {
      float shared[64];
#pragma omp parallel for num_threads(3) schedule(static)
      for (i64 first = 0; first < p.n; first += 64) {
        const i64 count = std::min<i64>(64, p.n - first);
        for (int pass = 0; pass < 64; ++pass)
          std::copy_n(p.x + first, count, static_cast<volatile float*>(shared));
        for (i64 i = 0; i < count; ++i) p.y[first + i] = 2 * shared[i];
      }
    };
  };
  Data data(*variant.problem, variant.problem->test.front(), *backend, 7);
  Trial trial(variant, data, *backend);
  EXPECT_NE(trial.verify_disturbed(20), "") << "the race did not show";
  ::sched_setaffinity(0, sizeof all, &all);
}

#ifdef WB_WITH_CUDA
using DisturbanceCuda = OnGpu;
TEST_F(DisturbanceCuda, ShowsARaceBetweenStreams) { judge("cuda", *backend_); }
#endif

}  // namespace
}  // namespace wb
