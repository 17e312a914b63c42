// The exercise, solved. 64 accumulators are eight vectors of 8 floats, which hide four cycles of
// two additions each. With vectors of 16 floats they are four, enough for one addition per cycle,
// and memory delivers less than that. In bf16 they take 32 words at a time: the lower half of a
// word, shifted up, is a float, and so is its upper half alone. So a shift and a mask make two
// vectors of floats from a vector of words. The mask also clears the sign bits, so |x| costs
// nothing.
#include <bit>
#include <cmath>
#include <cstring>

#include "rows.h"

namespace {

constexpr int kWords = 32;

// Combines a group of 2 * kWords elements with the accumulators.
template <class Op, class T> void combine(const T* x, float (&value)[2 * kWords]) {
  for (int i = 0; i < 2 * kWords; ++i)
    value[i] = Op::combine(value[i], std::abs(wb::to_float(x[i])));
}
template <class Op> void combine(const wb::bfloat16* x, float (&value)[2 * kWords]) {
  for (int i = 0; i < kWords; ++i) {
    std::uint32_t word;
    std::memcpy(&word, x + 2 * i, sizeof word);  // wherever the row begins
    value[i] = Op::combine(value[i], std::bit_cast<float>(word << 16 & 0x7FFF'FFFF));
    value[i + kWords] = Op::combine(value[i + kWords], std::bit_cast<float>(word & 0x7FFF'0000));
  }
}

template <class Op, class T> float reduce(const T* x, i64 count) {
  float rest = Op::identity();
  i64 i = 0;
  if (count >= 2 * kWords) {
    float value[2 * kWords];
    for (float& v : value) v = Op::identity();
    for (; i + 2 * kWords <= count; i += 2 * kWords) combine<Op>(x + i, value);
    for (int half = kWords; half > 0; half /= 2)
      for (int j = 0; j < half; ++j) value[j] = Op::combine(value[j], value[j + half]);
    rest = value[0];
  }
  for (; i < count; ++i) rest = Op::combine(rest, std::abs(wb::to_float(x[i])));  // no whole group
  return rest;
}

void run(const Magnitudes::Args& p) {
  with_rows(p, [](auto op, auto r) {
#pragma omp parallel for schedule(static)
    for (i64 row = 0; row < r.rows; ++row)
      r.finish(row, reduce<decltype(op)>(r.begin(row), r.columns));
  });
}

}  // namespace

WB_CPU(Magnitudes, solution, run);
