// Sums and largest numbers with the faults that reductions have, on the problem of
// ch3_reductions/01_sum: its inputs, its reference, its tolerance. Here are the faults of values,
// by one thread, for CPU and GPU at once. Faults that need several threads or calls are in sums.cpp
// and sums.cu.
#pragma once

#include "../sum.h"
#include "bank/bank.h"

struct Total : Sum {
  static constexpr wb::Case bench[] = {{{"op", "sum"}, {"dtype", "fp32"}, {"elements", 4099}}};
  static constexpr wb::Case test[] = {{{"op", "sum"}, {"dtype", "fp32"}, {"elements", 33}},
                                      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 1009}},
                                      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 20'011}}};
  struct Args : Sum::Args {
    WB_ANYWHERE const float* data() const { return static_cast<const float*>(x); }
    wb::i64 elements() const { return 1; }  // threads
  };
  static Args bind(wb::Binder& io, const wb::Case& c) { return {Sum::bind(io, c)}; }
};

struct Largest : Total {
  static constexpr wb::Case bench[] = {{{"op", "max"}, {"dtype", "fp32"}, {"elements", 4099}}};
  static constexpr wb::Case test[] = {{{"op", "max"}, {"dtype", "fp32"}, {"elements", 1}},
                                      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 1009}}};
};

struct LargestWithNan : Total {
  static constexpr wb::Case bench[] = {
      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 1009}, {"special", "nan"}}};
  static constexpr wb::Case test[] = {
      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 2}, {"special", "nan"}},
      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 1009}, {"special", "nan"}}};
};

namespace {

using wb::i64;

constexpr i64 kBlockOfSum = 256;

WB_ANYWHERE inline float total(const Total::Args& p, i64 begin, i64 end) {
  float sum = 0;
  for (i64 i = begin; i < end; ++i) sum += p.data()[i];
  return sum;
}

WB_ANYWHERE inline float largest(const Total::Args& p, float first) {
  float most = first;
  for (i64 i = 0; i < p.n; ++i) most = Maximum::combine(most, p.data()[i]);
  return most;
}

WB_BANK_ELEMENT(Total, right_total, right) { p.result[i] = total(p, 0, p.n); }

WB_BANK_ELEMENT(Total, right_total_backwards, right) {
  float sum = 0;
  for (i64 j = p.n - 1; j >= 0; --j) sum += p.data()[j];
  p.result[i] = sum;
}

WB_BANK_ELEMENT(Total, one_element_twice, wrong) {
  p.result[i] = total(p, 0, p.n) + p.data()[p.n / 2];
}

WB_BANK_ELEMENT(Total, one_element_left_out, wrong) {
  p.result[i] = total(p, 0, p.n / 2) + total(p, p.n / 2 + 1, p.n);
}

WB_BANK_ELEMENT(Total, last_partial_block_dropped, wrong) {
  p.result[i] = total(p, 0, p.n / kBlockOfSum * kBlockOfSum);
}

WB_BANK_ELEMENT(Total, blocks_overlap_by_one, wrong) {
  float sum = 0;
  for (i64 j = 0; j < p.n; j += kBlockOfSum)
    sum += total(p, j, j + kBlockOfSum + 1 < p.n ? j + kBlockOfSum + 1 : p.n);
  p.result[i] = p.n > kBlockOfSum ? sum : sum + p.data()[0];
}

WB_BANK_ELEMENT(Total, sum_in_bf16, wrong) {
  float sum = 0;
  for (i64 j = 0; j < p.n; ++j) sum = bank::round_off(sum + p.data()[j], 16);
  p.result[i] = sum;
}

WB_BANK_ELEMENT(Total, sum_in_fp16, wrong) {
  float sum = 0;
  for (i64 j = 0; j < p.n; ++j) sum = bank::round_off(sum + p.data()[j], 13);
  p.result[i] = sum;
}

WB_BANK_ELEMENT(Total, adds_to_the_result, wrong) { p.result[i] += total(p, 0, p.n); }

WB_BANK_ELEMENT(Total, reads_one_behind_the_end, wrong) { p.result[i] = total(p, 0, p.n + 1); }

WB_BANK_ELEMENT(Largest, right_largest, right) { p.result[i] = largest(p, Maximum::identity()); }

WB_BANK_ELEMENT(Largest, largest_begins_with_0, wrong) { p.result[i] = largest(p, 0); }

WB_BANK_ELEMENT(LargestWithNan, nan_is_dropped, wrong) {
  float most = Maximum::identity();
  for (i64 j = 0; j < p.n; ++j)
    if (p.data()[j] > most) most = p.data()[j];
  p.result[i] = most;
}

}  // namespace
