// The exercise, solved. For a 16-bit result a polynomial of degree 3 will do: it is off by 7.5e-5,
// and half a unit in the last place is 4.9e-4 in fp16 and 3.9e-3 in bf16. A float of 1.5 * 2^23 has
// no digits after the point: if the exponent is added to it, the exponent's whole part is in its
// lowest bits. One shift makes exponent bits of it, without a conversion.
#include <vector>

#include "../softmax/rows.h"
#include "softmax.h"

namespace {

template <int kDegree> inline float polynomial(float x);  // 2^x for |x| <= 1/2, by Remez
template <> inline float polynomial<3>(float x) {
  return ((5.51716691e-2f * x + 2.42611122e-1f) * x + 6.93260985e-1f) * x + 9.99928074e-1f;
}
template <> inline float polynomial<6>(float x) {
  return (((((1.53458e-4f * x + 1.33999312e-3f) * x + 9.61848896e-3f) * x + 5.55032878e-2f) * x +
           2.40226469e-1f) *
              x +
          6.93147206e-1f) *
             x +
         1;
}

template <int kDegree> inline float exponential(float x) {  // x <= 0, or NaN
  const float power = x * 1.44269504f, least = power < -127 ? -127 : power;
  const float whole = __builtin_rintf(least), shifted = whole + 0x1.8p23f;
  const std::uint32_t bits = (std::bit_cast<std::uint32_t>(shifted) + 127) << 23;
  return polynomial<kDegree>(least - whole) * std::bit_cast<float>(bits);
}

// Gives log(sum of exp(x)).
template <class T> float forward(const T* x, T* y, float* kept, i64 columns) {
  constexpr int kDegree = sizeof(T) == 2 ? 3 : 6;
  float max = -kInfinity, sum = 0;
#pragma omp simd reduction(max : max)
  for (i64 i = 0; i < columns; ++i) max = std::max(max, widen(x[i]));
#pragma omp simd reduction(+ : sum)
  for (i64 i = 0; i < columns; ++i) sum += kept[i] = exponential<kDegree>(widen(x[i]) - max);
  const float factor = 1 / sum;
#pragma omp simd
  for (i64 i = 0; i < columns; ++i) y[i] = narrow<T>(kept[i] * factor);
  return max + std::log(sum);
}

template <class T> void backward(const T* y, const T* dy, T* dx, i64 columns) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (i64 i = 0; i < columns; ++i) sum += widen(y[i]) * widen(dy[i]);
#pragma omp simd
  for (i64 i = 0; i < columns; ++i) dx[i] = narrow<T>(widen(y[i]) * (widen(dy[i]) - sum));
}

void run(const LossSoftmax::Args& p) {
  with_rows(p, [&](auto r) {
#pragma omp parallel
    {
      std::vector<float> kept(r.columns);
#pragma omp for schedule(static)
      for (i64 row = 0; row < r.rows; ++row) {
        const i64 at = row * r.stride;
        if (p.backward)
          backward(r.x + at, r.dy + at, r.out + at, r.columns);
        else
          p.log_sums[row] = forward(r.x + at, r.out + at, kept.data(), r.columns);
      }
    }
  });
}

}  // namespace

WB_CPU(LossSoftmax, solution, run);
