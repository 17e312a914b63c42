// Changes against baseline: below the slope, stores that do not read, and sums that do not wait for
// each other; below the flat part, blocks that stay in registers. What each operation does is in
// tuned/.
//
// Predict: how far up can each go? Which of them has the most to gain?
#include "roofline.h"
#include "tuned/add.h"
#include "tuned/gemv.h"
#include "tuned/matmul.h"
#include "tuned/stencil.h"
#include "wb/cpu.h"

namespace {

auto make(const Roofline::Args& p) {
  const wb::i64 panels = p.op == Op::matmul ? (p.n + kColumns - 1) / kColumns : 0;
  return [p, panels = std::vector<Vector>(panels * p.k * 2),
          zeros = std::vector<float>(p.op == Op::stencil ? p.n : 0)]() mutable {
    switch (p.op) {
      case Op::add: return add(p);
      case Op::gemv: return gemv(p);
      case Op::stencil: return five_points(p, zeros);
      case Op::matmul: return matmul(p, panels);
    }
  };
}

}  // namespace

WB_CPU(Roofline, optimized, make);
