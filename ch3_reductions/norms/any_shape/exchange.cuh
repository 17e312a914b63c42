// For threads of several blocks that share a row: barriers that count bytes, and the way from means
// and squares of parts to those of the whole row (sm_90).
#pragma once

#include "../../shared/arrival.cuh"
#include "sums.cuh"

namespace {

// Mean and sum of squared distances from it; in RMSNorm 0 and the sum of the squares.
//
// Of the `count` elements that a warp has of each row, where a lane has pack i if has(i).
template <class T, int kPacks, class Has>
__device__ float2 of_own(const Pack<T> (&pack)[kPacks], float count, bool rms, Has has) {
  float value[Pack<T>::kWidth], mean = 0, squares = 0;
  if (!rms) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (has(i)) {
        pack[i].to_floats(value);
#pragma unroll
        for (int j = 0; j < Pack<T>::kWidth; ++j) mean += value[j];
      }
    mean = over_warp(mean) / fmaxf(count, 1);
  }
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i)) {
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < Pack<T>::kWidth; ++j) squares += (value[j] - mean) * (value[j] - mean);
    }
  return {mean, over_warp(squares)};
}

// Of `parts` of them, at most kPerLane per lane: part(i), of count(i) elements, as in moments.cuh,
// but the mean first: with the counts known that takes one division. All lanes get it, and the
// order of additions is always the same.
template <int kPerLane, class Part, class Count>
__device__ float2 join(int parts, float elements, bool rms, Part part, Count count) {
  float2 own[kPerLane];
  const auto at = [](int i) { return static_cast<int>(threadIdx.x % kWarp) + i * kWarp; };
  float mean = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i)
    if (at(i) < parts) own[i] = part(at(i));
  if (!rms) {
#pragma unroll
    for (int i = 0; i < kPerLane; ++i)
      if (at(i) < parts) mean += own[i].x * count(at(i));
    mean = over_warp(mean) / elements;
  }
#pragma unroll
  for (int i = 0; i < kPerLane; ++i)
    if (at(i) < parts) {
      const float off = own[i].x - mean;  // in RMSNorm 0
      squares += own[i].y + off * off * count(at(i));
    }
  return {mean, over_warp(squares)};
}

// Of `packs` that `threads` threads take one after the other, how many are those of warp `warp`.
__device__ inline int packs_of_warp(int packs, int threads, int warp) {
  const int rest = packs % threads - warp * kWarp;
  return packs / threads * kWarp + min(max(rest, 0), kWarp);
}

// y of a pack, from where weight and bias are at hand.
template <class T>
__device__ Pack<T> normalized(const Norm<T>& n, Pack<T> x, float mean, float rstd, Pack<T> weight,
                              Pack<T> bias) {
  float value[Pack<T>::kWidth], by[Pack<T>::kWidth], plus[Pack<T>::kWidth] = {};
  x.to_floats(value), weight.to_floats(by);
  if (!n.rms) bias.to_floats(plus);
#pragma unroll
  for (int j = 0; j < Pack<T>::kWidth; ++j) value[j] = n.y_of(value[j], mean, rstd, by[j], plus[j]);
  return Pack<T>::of(value);
}

}  // namespace
