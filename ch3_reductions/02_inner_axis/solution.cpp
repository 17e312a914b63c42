// The exercise, solved. 64 accumulators are more than four cycles times two vectors of 8 or 16
// floats. In bf16 they stand for 32 words: the lower half of a word, shifted up, and its upper half
// alone are floats, so a vector of words becomes two of floats by a shift and a mask.
#include <bit>
#include <cstring>

#include "rows.h"

namespace {

constexpr int kWords = 32;

// The values of a group of 2 * kWords elements.
template <class T> void load(const T* x, float (&value)[2 * kWords]) {
  for (int i = 0; i < 2 * kWords; ++i) value[i] = wb::to_float(x[i]);
}
void load(const wb::bfloat16* x, float (&value)[2 * kWords]) {
  std::uint32_t word[kWords];
  std::memcpy(word, x, sizeof word);  // wherever the row begins
  for (int i = 0; i < kWords; ++i) {
    value[i] = std::bit_cast<float>(word[i] << 16);
    value[i + kWords] = std::bit_cast<float>(word[i] & 0xFFFF'0000);
  }
}

template <class Op, class T> float reduce(const T* x, i64 count) {
  float rest = Op::identity;  // what is no whole group
  i64 i = count / (2 * kWords) * (2 * kWords);
  for (; i < count; ++i) rest = Op::combine(rest, wb::to_float(x[i]));
  if (count < 2 * kWords) return rest;
  float value[2 * kWords], more[2 * kWords];
  load(x, value);
  for (i = 2 * kWords; i + 2 * kWords <= count; i += 2 * kWords) {
    load(x + i, more);
    for (int j = 0; j < 2 * kWords; ++j) value[j] = Op::combine(value[j], more[j]);
  }
  for (int half = kWords; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) value[j] = Op::combine(value[j], value[j + half]);
  return Op::combine(value[0], rest);
}

void run(const InnerAxis::Args& p) {
  with_rows(p, [](auto op, auto r) {
#pragma omp parallel for schedule(static)
    for (i64 row = 0; row < r.rows; ++row)
      r.finish(row, reduce<decltype(op)>(r.begin(row), r.columns));
  });
}

}  // namespace

WB_CPU(InnerAxis, solution, run);
