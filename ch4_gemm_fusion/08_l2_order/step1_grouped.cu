// Against the baseline: down a group of eight tiles (or as many as the case says), then the next
// column of tiles. A wave is a block of 8 x 17 tiles instead of a row.
//
// Predict: how many strips of A (of 128 rows) and of B (of 256) does a wave need now? With a group
// of 1, of 16, of 32?
#include "walk.cuh"

namespace {

Order order(const L2Order::Args& p) {
  return grouped(down(p), across(p), static_cast<int>(p.group ? p.group : 8));
}

}  // namespace

WB_CUDA(L2Order, step1_grouped, [](const L2Order::Args& p) { return multiply(p, order(p)); });
WB_NEEDS("8.0");
WB_CASE_NOTE(L2Order, [](const L2Order::Args& p) { return model(p, order(p)); });
