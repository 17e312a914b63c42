// Tiles in the order in which a grid numbers its blocks: along a row of tiles, then the next row.
//
// Predict: at 4096 x 32768 x 4096 a row has 128 tiles of 128 x 256, about a wave of 132. How many
// bytes of A and B does a wave ask for, and how long may it take at 700 TFLOP/s? Then at which
// bandwidth must they come?
#include "walk.cuh"

namespace {

Order order(const L2Order::Args& p) { return row_major(down(p), across(p)); }

}  // namespace

WB_CUDA(L2Order, baseline, [](const L2Order::Args& p) { return multiply(p, order(p)); });
WB_NEEDS("8.0");
WB_CASE_NOTE(L2Order, [](const L2Order::Args& p) { return model(p, order(p)); });
WB_EXERCISE(Rectified);
