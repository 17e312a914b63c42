// For the exercise: the array is on the host in pieces of 4 KiB, in pinned memory, but not in
// order. Piece i of the device's array is piece place(i) of the host's.
#pragma once

#include "pinned_memory.h"

struct Pieces : PinnedMemory {
  static constexpr wb::i64 kPiece = 4096;  // bytes

  struct Args : PinnedMemory::Args {
    constexpr wb::i64 pieces() const { return (bytes + kPiece - 1) / kPiece; }
    constexpr wb::i64 size(wb::i64 i) const {  // no std::min: on a GPU, kPiece has no address
      const wb::i64 rest = bytes - i * kPiece;
      return rest < kPiece ? rest : kPiece;
    }
    // A stride that is prime visits every whole piece once; a shorter last piece is the last.
    constexpr wb::i64 place(wb::i64 i) const {
      constexpr wb::i64 stride = 7919;
      const wb::i64 whole = bytes / kPiece;
      return i >= whole || whole % stride == 0 ? i : i * stride % whole;
    }
    constexpr const std::uint8_t* from(wb::i64 i) const { return host + place(i) * kPiece; }
    constexpr std::uint8_t* to(wb::i64 i) const { return device + i * kPiece; }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    return {bind_from(io, c, wb::Space::pinned)};
  }
  static wb::Cost cost(const Args& p) { return PinnedMemory::cost(p); }
  static wb::Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.pieces(); ++i) std::copy_n(p.from(i), p.size(i), p.to(i));
  }
};
