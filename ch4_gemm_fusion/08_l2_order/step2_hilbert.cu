// Against step 1: Hilbert's curve. Any stretch of it, short or long, covers about a square of
// tiles, so a wave does, too, whatever the device's size; and the next wave is next to this one.
//
// Predict: a tile is 128 x 256, so a square of tiles is not a square of C. What does that cost?
#include "walk.cuh"

namespace {

Order order(const L2Order::Args& p) { return hilbert(down(p), across(p)); }

}  // namespace

WB_CUDA(L2Order, step2_hilbert, [](const L2Order::Args& p) { return multiply(p, order(p)); });
WB_NEEDS("8.0");
WB_CASE_NOTE(L2Order, [](const L2Order::Args& p) { return model(p, order(p)); });
