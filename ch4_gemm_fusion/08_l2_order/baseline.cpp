// Tiles in the order of two plain loops: along a row of tiles, then the next row.
//
// Predict: along a row of tiles the strip of A stays, and panel after panel of B comes by. How many
// bytes does a tile of 12 x 32 sums take from beyond L2, and for how many operations?
#include "walk.h"

namespace {

Order order(const L2Order::Args& p) { return row_major(down(p), across(p)); }

}  // namespace

WB_CPU(L2Order, baseline, [](const L2Order::Args& p) { return multiply(p, order(p)); });
WB_CASE_NOTE(L2Order, [](const L2Order::Args& p) { return model(p, order(p)); });
WB_EXERCISE(Rectified);
