// A batch as it travels: one row per sample, which carries its label and the number of its visit.
#pragma once

#include <cstring>

#include "goodput.h"

struct Row {
  float features[kInputs];
  std::int32_t label, visit;
  std::int32_t padding[2];  // rows start on 16 bytes
};
constexpr int kRowFloats = sizeof(Row) / sizeof(float);
static_assert(kRowFloats == 260);

inline void copy_sample(const Goodput::Args& p, wb::i64 sample, wb::i64 visit, Row& to) {
  std::memcpy(to.features, p.features + sample * kInputs, sizeof to.features);
  to.label = p.labels[sample];
  to.visit = static_cast<std::int32_t>(visit);
}

// Gathers the samples of one step.
inline void gather(const Goodput::Args& p, wb::i64 step, ShuffleBuffer& order, Row* rows) {
  for (wb::i64 r = 0; r < p.size(step); ++r)
    copy_sample(p, order.draw(), step * p.batch + r, rows[r]);
}

// From the loss of each visit, what the harness compares.
inline void summarize(const Goodput::Args& p, const float* sample_losses) {
  const auto mean = [&](wb::i64 first, wb::i64 count) {
    double sum = 0;
    for (wb::i64 i = first; i < first + count; ++i) sum += sample_losses[i];
    return static_cast<float>(count > 0 ? sum / count : 0);
  };
  for (wb::i64 step = 0; step < p.steps(); ++step)
    p.losses[step] = mean(step * p.batch, p.size(step));
  *p.final_loss = mean(p.samples - p.last_visits(), p.last_visits());
}
