// The fixed pieces of an array: where they begin follows from its length, not from the cores.
#pragma once

#include <algorithm>
#include <array>

#include "vectors.h"
#include "wb/problem.h"

constexpr int kPieces = 64;          // at most
constexpr wb::i64 kLeast = 1 << 16;  // elements; starting a smaller piece costs too much

inline int pieces_of(wb::i64 n) {
  return static_cast<int>(std::clamp<wb::i64>(n / kLeast, 1, kPieces));
}
inline wb::i64 piece_begin(wb::i64 n, int piece) {
  const int all = pieces_of(n);
  return n / all * piece + n % all * piece / all;
}

// One core alone reduces an array of up to this size: waiting for others would take longer.
constexpr double kAlone = 0x1p21;  // bytes

// A piece is read at four places in turn, each with its own accumulator.
template <class Op, class T> float reduce_piece(const T* x, wb::i64 n) {
  const wb::i64 part = n / (4 * kLanes) * kLanes;
  Vector a = filled(Op::identity()), b = a, c = a, d = a;
  for (wb::i64 i = 0; i < part; i += kLanes) {
    a = Op::combine(a, load(x + i));
    b = Op::combine(b, load(x + part + i));
    c = Op::combine(c, load(x + 2 * part + i));
    d = Op::combine(d, load(x + 3 * part + i));
  }
  float result = lanes_reduce<Op>(Op::combine(Op::combine(a, b), Op::combine(c, d)));
  for (wb::i64 i = 4 * part; i < n; ++i) result = Op::combine(result, static_cast<float>(x[i]));
  return result;
}

// Pairwise, in an order that is always the same. Places without a piece hold the identity.
template <class Op> float reduce_pieces(std::array<float, kPieces> value) {
  for (int half = kPieces / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) value[i] = Op::combine(value[i], value[i + half]);
  return value[0];
}
