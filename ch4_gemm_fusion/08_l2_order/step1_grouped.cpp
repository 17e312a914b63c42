// Against the baseline: down a group of eight strips of A (or as many as the case says), which L2
// can keep, then the next panel of B. Each panel that comes by serves the whole group.
//
// Predict: a group of how many strips still fits into L2, with k = 1024? What becomes of larger
// ones?
#include "walk.h"

namespace {

Order order(const L2Order::Args& p) {
  return grouped(down(p), across(p), static_cast<int>(p.group ? p.group : 8));
}

}  // namespace

WB_CPU(L2Order, step1_grouped, [](const L2Order::Args& p) { return multiply(p, order(p)); });
WB_CASE_NOTE(L2Order, [](const L2Order::Args& p) { return model(p, order(p)); });
