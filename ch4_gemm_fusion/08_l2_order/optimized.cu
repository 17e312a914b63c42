// Against step 2: a group again, of the height at which a wave asks for the fewest bytes. `blocks`
// tiles in a group of g need g strips of A and blocks / g of B:
//
//   g * kRows + blocks / g * kColumns   is least at   g = sqrt(blocks * kColumns / kRows)
//
// Predict: what is g on your GPU? If C has fewer rows of tiles, what is the best then?
#include "walk.cuh"

namespace {

Order order(const L2Order::Args& p) {
  const double blocks = hopper::multiprocessors();
  const double group = std::sqrt(blocks * kColumns / kRows);
  return grouped(down(p), across(p), static_cast<int>(std::lround(group)));
}

}  // namespace

WB_CUDA(L2Order, optimized, [](const L2Order::Args& p) { return multiply(p, order(p)); });
WB_NEEDS("8.0");
WB_CASE_NOTE(L2Order, [](const L2Order::Args& p) { return model(p, order(p)); });
