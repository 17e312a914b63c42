// Attention with the slips that flash kernels have, a query at a time: an online softmax over tiles
// of 16 keys, under a causal mask. On this lesson's inputs, reference and tolerance. For CPU and
// GPU at once.
#pragma once

#include "../attention.h"
#include "bank/bank.h"

struct Queries : Attention {
  static constexpr wb::Case bench[] = {heads_of(1, 2, 77, 40, "causal", "fp32")};
  static constexpr wb::Case test[] = {heads_of(2, 2, 33, 40, "causal", "fp32"),
                                      heads_of(1, 3, 129, 33, "causal", "fp32"),
                                      heads_of(1, 2, 65, 64, "causal", "fp32")};
  struct Args : Attention::Args {
    wb::i64 elements() const { return batch * heads * length; }
  };
  static Args bind(wb::Binder& io, const wb::Case& c) { return {Attention::bind(io, c)}; }
};

namespace {

using wb::i64;

struct Slip {
  bool no_scale = false, no_rescale = false, open_end = false, stale_keys = false;
  i64 sees = 0;  // more keys than it should, under a causal mask
};

WB_ANYWHERE inline float dot(const float* a, const float* b, i64 width) {
  float sum = 0;
  for (i64 x = 0; x < width; ++x) sum += a[x] * b[x];
  return sum;
}

WB_ANYWHERE inline void attend(const Queries::Args& p, i64 row, Slip slip) {
  constexpr i64 kKeys = 16;
  const i64 query = row % p.length, head = (row - query) * p.width;
  const i64 seen = query + 1 + slip.sees < p.length ? query + 1 + slip.sees : p.length;
  const i64 keys = p.causal ? seen : p.length;
  const float *q = static_cast<const float*>(p.q) + row * p.width,
              *k = static_cast<const float*>(p.k) + head,
              *v = static_cast<const float*>(p.v) + head;
  float* const out = static_cast<float*>(p.out) + row * p.width;
  const float scale = slip.no_scale ? 1.0f : 1 / sqrtf(static_cast<float>(p.width));
  float max = -HUGE_VALF, total = 0;
  for (i64 x = 0; x < p.width; ++x) out[x] = 0;
  for (i64 start = 0; start < keys; start += kKeys) {
    float score[kKeys], most = max;
    for (i64 j = 0; j < kKeys; ++j) {
      const bool last = start + kKeys >= keys && start > 0;
      const i64 key = start + j - (slip.stale_keys && last ? kKeys : 0);
      // After the last key memory is read as zeros, as TMA does.
      score[j] = start + j < keys ? scale * dot(q, k + key * p.width, p.width)
                 : slip.open_end  ? 0
                                  : -HUGE_VALF;
      if (score[j] > most) most = score[j];
    }
    const float factor = slip.no_rescale ? 1 : expf(max - most);
    max = most, total *= factor;
    for (i64 x = 0; x < p.width; ++x) out[x] *= factor;
    for (i64 j = 0; j < kKeys; ++j) {
      const float weight = expf(score[j] - max);
      total += weight;
      for (i64 x = 0; x < p.width; ++x)
        if (start + j < keys) out[x] += weight * v[(start + j) * p.width + x];
    }
  }
  for (i64 x = 0; x < p.width; ++x) out[x] /= total;
}

WB_BANK_ELEMENT(Queries, right_attention, right) { attend(p, i, {}); }
WB_BANK_ELEMENT(Queries, maximum_not_rescaled, wrong) { attend(p, i, {.no_rescale = true}); }
WB_BANK_ELEMENT(Queries, last_tile_of_keys_not_masked, wrong) { attend(p, i, {.open_end = true}); }
WB_BANK_ELEMENT(Queries, query_sees_the_next_key, wrong) { attend(p, i, {.sees = 1}); }
WB_BANK_ELEMENT(Queries, query_misses_its_own_key, wrong) {
  attend(p, i, {.sees = i % p.length > 0 ? -1 : 0});
}
WB_BANK_ELEMENT(Queries, scale_forgotten, wrong) { attend(p, i, {.no_scale = true}); }
WB_BANK_ELEMENT(Queries, stale_tile_of_keys, wrong) { attend(p, i, {.stale_keys = true}); }

}  // namespace
