// The bank's wrong values and wrong places, for CPU (wrong.cpp) and GPU (wrong.cu) at once. Each is
// wrong at every size: where it would not be so by itself, one element is a case of its own.
#pragma once

#include <cmath>
#include <limits>

#include "bank/wrong.h"

namespace {

using wb::i64;

// z from another input than x[i].
WB_ANYWHERE inline void from(const Wrong::Args& p, i64 i, i64 other) {
  p.z[i] = p.a * p.x[other] + p.y[i];
  p.y[i] += 1;
}
WB_ANYWHERE inline bool middle(const Wrong::Args& p, i64 i) { return i == p.n / 2; }
WB_ANYWHERE inline bool last(const Wrong::Args& p, i64 i) { return i == p.n - 1; }

// Nothing, or not all.

WB_BANK_ELEMENT(Wrong, no_write, wrong) { static_cast<void>(p), static_cast<void>(i); }

WB_BANK_ELEMENT(Wrong, dropped_tail, wrong) {
  if (i < (p.n - 1) / 32 * 32) Wrong::element(p, i);
}

WB_BANK_ELEMENT(Wrong, whole_blocks_only, wrong) {
  if (i < p.n / 32 * 32) Wrong::element(p, i);
}

WB_BANK_ELEMENT(Wrong, half_the_work, wrong) {
  if (i % 2 == 1) Wrong::element(p, i);
}

WB_BANK_ELEMENT(Wrong, skips_negative_inputs, wrong) {
  if (p.x[i] >= 0 && p.n > 1) Wrong::element(p, i);
}

WB_BANK_ELEMENT(Wrong, writes_large_values_only, wrong) {  // z is at most 3.5
  const float z = p.a * p.x[i] + p.y[i];
  if (std::fabs(z) > 3) p.z[i] = z;
  p.y[i] += 1;
}

// Other values.

WB_BANK_ELEMENT(Wrong, zeros, wrong) { p.z[i] = p.y[i] = 0; }

WB_BANK_ELEMENT(Wrong, nan, wrong) {
  Wrong::element(p, i);
  if (middle(p, i)) p.z[i] = std::numeric_limits<float>::quiet_NaN();
}

WB_BANK_ELEMENT(Wrong, infinite, wrong) {
  Wrong::element(p, i);
  if (middle(p, i)) p.z[i] = std::numeric_limits<float>::infinity();
}

WB_BANK_ELEMENT(Wrong, off_by_1e3, wrong) {
  Wrong::element(p, i);
  if (middle(p, i)) p.z[i] += p.z[i] < 0 ? -1e-3f : 1e-3f;
}

WB_BANK_ELEMENT(Wrong, wrong_sign_of_one, wrong) {
  Wrong::element(p, i);
  if (middle(p, i)) p.z[i] = -p.z[i];
}

WB_BANK_ELEMENT(Wrong, wrong_constant, wrong) {
  p.z[i] = 2.4999f * p.x[i] + p.y[i];
  p.y[i] += 1;
}

WB_BANK_ELEMENT(Wrong, rounded_to_bf16, wrong) {
  Wrong::element(p, i);
  p.z[i] = bank::round_off(p.z[i], 16);
}

WB_BANK_ELEMENT(Wrong, rounded_to_fp16, wrong) {
  Wrong::element(p, i);
  p.z[i] = bank::round_off(p.z[i], 13);
}

WB_BANK_ELEMENT(Wrong, truncated_to_bf16, wrong) {
  Wrong::element(p, i);
  p.z[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(p.z[i]) >> 16 << 16);
}

WB_BANK_ELEMENT(Wrong, truncated_to_integer, wrong) {
  Wrong::element(p, i);
  p.z[i] = static_cast<float>(static_cast<int>(p.z[i]));
}

WB_BANK_ELEMENT(Wrong, increments_before_use, wrong) {
  p.y[i] += 1;
  p.z[i] = p.a * p.x[i] + p.y[i];
}

WB_BANK_ELEMENT(Wrong, increments_twice_at_tile_edges, wrong) {
  Wrong::element(p, i);
  if (i % 1024 == 0) p.y[i] += 1;
}

WB_BANK_ELEMENT(Wrong, tail_computed_twice, wrong) {
  Wrong::element(p, i);
  if (i >= (p.n - 1) / 32 * 32) Wrong::element(p, i);
}

WB_BANK_ELEMENT(Wrong, accumulates, wrong) {  // onto what z held
  p.z[i] += p.a * p.x[i] + p.y[i];
  p.y[i] += 1;
}

// Other elements. What stands outside the array is no number.

WB_BANK_ELEMENT(Wrong, swapped_index, wrong) { from(p, i, p.n > 1 ? p.n - 1 - i : 1); }
WB_BANK_ELEMENT(Wrong, shifted, wrong) { from(p, i, i - 1); }
WB_BANK_ELEMENT(Wrong, neighbours_swapped, wrong) { from(p, i, i ^ 1); }
WB_BANK_ELEMENT(Wrong, rotated_in_blocks_of_32, wrong) { from(p, i, i / 32 * 32 + (i + 1) % 32); }

WB_BANK_ELEMENT(Wrong, reads_outside, wrong) {  // a value from behind the end reaches the answer
  Wrong::element(p, i);
  if (last(p, i)) p.z[i] += 0 * p.x[p.n];
}

// Writing where one must not.

WB_BANK_ELEMENT(Wrong, overrun, wrong) {
  Wrong::element(p, i);
  if (last(p, i)) p.z[p.n] = 1;
}

WB_BANK_ELEMENT(Wrong, underrun, wrong) {
  Wrong::element(p, i);
  if (i == 0) p.z[-1] = 1;
}

WB_BANK_ELEMENT(Wrong, overrun_by_loop, wrong) {
  Wrong::element(p, i);
  if (last(p, i)) Wrong::element(p, p.n);
}

WB_BANK_ELEMENT(Wrong, overrun_by_copy, wrong) {
  Wrong::element(p, i);
  if (last(p, i)) p.z[p.n] = p.x[p.n];
}

WB_BANK_ELEMENT(Wrong, changes_input, wrong) {
  Wrong::element(p, i);
  if (last(p, i)) const_cast<float*>(p.x)[i] += 1;
}

WB_BANK_ELEMENT(Wrong, swaps_inputs, wrong) {  // of one element with what stands behind it
  Wrong::element(p, i);
  if (i != 0) return;
  float* const x = const_cast<float*>(p.x);
  const float first = x[0];
  x[0] = x[p.n / 2 + 1];
  x[p.n / 2 + 1] = first;
}

constexpr i64 kFar = i64{1} << 20;  // floats: 4 MiB, beyond a page of any kind

WB_BANK_ELEMENT(Wrong, writes_far_behind, fatal) {
  Wrong::element(p, i);
  if (i == 0) p.z[p.n + kFar] = 1;
}

WB_BANK_ELEMENT(Wrong, writes_far_before, fatal) {
  Wrong::element(p, i);
  if (i == 0) p.z[-kFar] = 1;
}

// Arrays are followed by up to 63 elements, for their size is rounded up to 256 bytes.
WB_BANK_ELEMENT(Wrong, writes_behind_and_restores, fatal_if_tight) {
  Wrong::element(p, i);
  volatile float* const behind = p.z + p.n + 63;
  const float old = *behind;
  *behind = 1;
  *behind = old;
}

}  // namespace
