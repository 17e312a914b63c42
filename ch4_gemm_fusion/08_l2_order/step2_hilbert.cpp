// Against step 1: Hilbert's curve. Any stretch of it, short or long, covers about a square of
// tiles, so it suits a cache of any size, and no size has to be chosen.
//
// Predict: does it beat the group that suits this machine's L2?
#include "walk.h"

namespace {

Order order(const L2Order::Args& p) { return hilbert(down(p), across(p)); }

}  // namespace

WB_CPU(L2Order, step2_hilbert, [](const L2Order::Args& p) { return multiply(p, order(p)); });
WB_CASE_NOTE(L2Order, [](const L2Order::Args& p) { return model(p, order(p)); });
