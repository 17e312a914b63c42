// light() of profiling.h by Estrin's scheme: pairs a x + b, then pairs of pairs with x^2, and so
// on.
#pragma once

constexpr float light_in_pairs(float x) {
  constexpr float fit[] = {0.0021f, -0.0034f, 0.0047f, -0.0059f, 0.0073f, -0.0088f,
                           0.0102f, -0.0117f, 0.0131f, -0.0154f, 0.0189f, -0.0243f,
                           0.0331f, -0.0512f, 0.2104f, 0.0625f};
  const float x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  const auto pair = [&](int i) { return fit[i] * x + fit[i + 1]; };
  const auto four = [&](int i) { return pair(i) * x2 + pair(i + 2); };
  const auto eight = [&](int i) { return four(i) * x4 + four(i + 4); };
  return eight(0) * x8 + eight(8);
}
