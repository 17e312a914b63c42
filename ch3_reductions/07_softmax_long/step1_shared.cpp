// Changes against baseline: all cores share a row. It is cut into pieces of 16 Ki elements, and
// each of the three passes goes over all pieces before the next one begins. The pieces do not
// depend on the number of cores, and neither does the result.
//
// Predict: what does this gain for 16 rows on your machine, and what for a single row? Between two
// passes over a piece, how much else does a core read?
#include <vector>

#include "../softmax/passes.h"
#include "softmax_long.h"

namespace {

constexpr i64 kPiece = 1 << 14;  // elements

template <class T> void share(const T* x, T* y, std::vector<float>& kept, std::vector<float>& of) {
  const auto columns = static_cast<i64>(kept.size()), pieces = static_cast<i64>(of.size());
  const auto count = [=](i64 i) { return std::min(kPiece, columns - i * kPiece); };
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < pieces; ++i) of[i] = maximum(x + i * kPiece, count(i));
  const float max = maximum(of.data(), pieces);
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < pieces; ++i)
    of[i] = exponentials(x + i * kPiece, max, kept.data() + i * kPiece, count(i));
  float sum = 0;
  for (const float s : of) sum += s;
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < pieces; ++i)
    scaled(kept.data() + i * kPiece, 1 / sum, y + i * kPiece, count(i));
}

auto make(const SoftmaxLong::Args& p) {
  const i64 pieces = (p.columns + kPiece - 1) / kPiece;
  return [p, kept = std::vector<float>(p.columns), of = std::vector<float>(pieces)]() mutable {
    with_rows(p, [&](auto r) {
      for (i64 row = 0; row < r.rows; ++row)
        share(r.x + row * r.stride, r.out + row * r.stride, kept, of);
    });
  };
}

}  // namespace

WB_CPU(SoftmaxLong, step1_shared, make);
