// light() of profiling.h by Estrin's scheme: (a x + b), then (A x^2 + B), then x^4, then x^8.
#pragma once

constexpr float light_in_pairs(float x) {
  constexpr float fit[] = {0.0021f, -0.0034f, 0.0047f, -0.0059f, 0.0073f, -0.0088f,
                           0.0102f, -0.0117f, 0.0131f, -0.0154f, 0.0189f, -0.0243f,
                           0.0331f, -0.0512f, 0.2104f, 0.0625f};
  float pair[8] = {};
  for (int i = 0; i < 8; ++i) pair[i] = fit[2 * i] * x + fit[2 * i + 1];
  for (int pairs = 8; pairs > 1; pairs /= 2) {
    x *= x;
    for (int i = 0; i < pairs / 2; ++i) pair[i] = pair[2 * i] * x + pair[2 * i + 1];
  }
  return pair[0];
}
