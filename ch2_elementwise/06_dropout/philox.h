// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw (Parallel Random
// Numbers: As Easy as 1, 2, 3; SC 2011). It has no state that goes from one number to the next: it
// scrambles a 128-bit counter under a 64-bit key, and any thread can scramble any counter at any
// time, as often as it likes. Dropout needs that: the backward pass asks for the same counters and
// gets the same mask.
#pragma once

#include <cstdint>
#include <type_traits>

struct alignas(16) Words {
  std::uint32_t word[4];
};

struct Product {
  std::uint32_t low, high;
};
constexpr Product multiply(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  // Written like this, both halves come from one instruction. For a product of 64-bit numbers nvcc
  // 13 emits two.
  if (!std::is_constant_evaluated()) return {a * b, __umulhi(a, b)};
#endif
  const std::uint64_t product = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(product), static_cast<std::uint32_t>(product >> 32)};
}

// Ten rounds of two multiplications 32 x 32 -> 64 bits and four exclusive ors. The key is the same
// for all elements, so its additions cost nothing per element. constexpr: the same source serves
// the CPU, kernels (nvcc --expt-relaxed-constexpr) and the static_asserts below.
constexpr Words philox(Words counter, std::uint32_t key_low, std::uint32_t key_high) {
  std::uint32_t a = counter.word[0], b = counter.word[1], c = counter.word[2], d = counter.word[3];
  for (int round = 0; round < 10; ++round) {
    const Product first = multiply(a, 0xD2511F53), second = multiply(c, 0xCD9E8D57);
    a = second.high ^ b ^ key_low;
    b = second.low;
    c = first.high ^ d ^ key_high;
    d = first.low;
    key_low += 0x9E3779B9;   // the golden ratio
    key_high += 0xBB67AE85;  // sqrt(3) - 1
  }
  return {a, b, c, d};
}

// 128 random bits. The upper half of the counter stays 0; a training program would put the number
// of the dropout layer and of the step there.
constexpr Words random_words(std::uint64_t seed, std::uint64_t call) {
  return philox({static_cast<std::uint32_t>(call), static_cast<std::uint32_t>(call >> 32), 0, 0},
                static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

// The known answers that the authors publish with their implementation (Random123, kat_vectors).
constexpr bool same(Words a, Words b) {
  return a.word[0] == b.word[0] && a.word[1] == b.word[1] && a.word[2] == b.word[2] &&
         a.word[3] == b.word[3];
}
static_assert(same(philox({0, 0, 0, 0}, 0, 0), {0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
static_assert(same(philox({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u),
                   {0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
static_assert(same(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, 0xA4093822, 0x299F31D0),
                   {0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
