// Of ch1_basics/12_goodput: where an epoch in larger batches has to arrive.
#include "goodput.h"

#include "cases.h"

namespace wb {
namespace {

// The reference in larger batches, with `factor` times the loss at the end.
std::string fault(const Case& c, std::uint64_t seed, double factor) {
  const auto backend = make_cpu_backend();
  const Variant variant = variant_of<LargerBatch>(*backend, [factor](const LargerBatch::Args& p) {
    const std::vector<double> losses = reference::write(p);
    *p.final_loss = static_cast<float>(
        factor * reference::mean(losses, p.samples - p.last_visits(), p.last_visits()));
  });
  Data data(*variant.problem, c, *backend, seed);
  return Trial(variant, data, *backend).verify();
}

TEST(Goodput, ANarrowNetworkMayLagBehind) {
  const Case narrow = {{"width", 6}, {"samples", 5689}, {"usual_batch", 5}, {"batch", 197}};
  for (std::uint64_t seed = 0; seed < 6; ++seed) EXPECT_EQ(fault(narrow, seed, 1), "") << seed;
}

TEST(Goodput, AWideOneArrives) {
  const Case wide = {{"width", 64}, {"samples", 4096}, {"usual_batch", 32}, {"batch", 128}};
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    EXPECT_EQ(fault(wide, seed, 1), "") << seed;
    EXPECT_NE(fault(wide, seed, 1.5), "") << seed;
  }
}

}  // namespace
}  // namespace wb
