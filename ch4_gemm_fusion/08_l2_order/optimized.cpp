// Against step 2: a group again, as high as this machine's L2 and this k allow. Its strips stay
// while panels come by, so they get what two panels leave of L2; half of it, as C passes through,
// too.
//
// Predict: with k = 1024 and 1 MiB, how many strips are that? And with k = 8192?
#include "walk.h"

namespace {

Order order(const L2Order::Args& p) {
  const double k = std::max(1.0, static_cast<double>(p.k));
  const double strip = 4 * kRows * k, panel = 4 * kColumns * k;
  const double group = (l2_bytes() - 2 * panel) / 2 / strip;
  return grouped(down(p), across(p), static_cast<int>(std::clamp(group, 1.0, 65536.0)));
}

}  // namespace

WB_CPU(L2Order, optimized, [](const L2Order::Args& p) { return multiply(p, order(p)); });
WB_CASE_NOTE(L2Order, [](const L2Order::Args& p) { return model(p, order(p)); });
