// The generator of ch2_elementwise/06_dropout, and the masks that are made from it.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <deque>
#include <vector>

#include "dropout.h"
#include "vectors.h"

namespace {

constexpr std::uint64_t kSeed = 0x0123'4567'89AB'CDEF;
constexpr int kCount = 1 << 20;

// Hands out host memory, inputs filled with ones.
class Ones : public wb::Binder {
 protected:
  void* array(const wb::ArraySpec& spec) override {
    auto& bytes = arrays_.emplace_back(spec.count * spec.element_size + 1);
    for (wb::i64 i = 0; i < spec.count; ++i) {
      if (spec.type == wb::Type::f32) reinterpret_cast<float*>(bytes.data())[i] = 1;
      if (spec.type == wb::Type::f16) reinterpret_cast<wb::half*>(bytes.data())[i] = wb::half(1);
      if (spec.type == wb::Type::bf16)
        reinterpret_cast<wb::bfloat16*>(bytes.data())[i] = wb::bfloat16(1);
    }
    return bytes.data();
  }

 private:
  std::deque<std::vector<std::byte>> arrays_;
};

template <class Problem> std::vector<int> mask(const wb::Case& shape) {
  Ones ones;
  const auto p = Problem::bind(ones, shape);
  Problem::reference(p);
  return wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<int> kept(p.n);
    for (wb::i64 i = 0; i < p.n; ++i) kept[i] = static_cast<const T*>(p.y)[i] != 0;
    return kept;
  });
}

// Chi-square of counts that should all be equal has count - 1 degrees of freedom: its mean is that
// number, its variance twice that.
void expect_equal_counts(const std::vector<int>& counts, double total) {
  const double want = total / counts.size(), freedom = counts.size() - 1.0;
  double chi = 0;
  for (const int count : counts) chi += (count - want) * (count - want) / want;
  EXPECT_NEAR(chi, freedom, 4 * std::sqrt(2 * freedom));
}

TEST(Philox, KnownAnswers) {  // Random123, kat_vectors: philox4x32 10
  const struct {
    Words counter;
    std::uint32_t key[2];
    Words want;
  } cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}},
      {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}},
      {{0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344},
       {0xA4093822, 0x299F31D0},
       {0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}},
  };
  for (const auto& c : cases) {
    const Words got = philox(c.counter, c.key[0], c.key[1]);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(got.word[i], c.want.word[i]);
  }
}

TEST(Philox, VectorsMakeTheSameWords) {
  // The third range crosses the end of the counter's lower word.
  for (const std::uint64_t call : {0ull, 40ull, (1ull << 32) - 3, 0x1234'5678'9ABCull}) {
    alignas(64) std::uint16_t bits[8 * kCalls];
    random_bits(RoundKeys(kSeed), call, bits);
    for (int i = 0; i < 8 * kCalls; ++i) {
      const std::uint32_t word = random_words(kSeed, call + i / 8).word[i % 8 / 2];
      ASSERT_EQ(bits[i], word >> (i % 2 * 16) & 0xFFFF) << "call " << call << " piece " << i;
    }
  }
}

TEST(Philox, EveryByteOfTheWordsIsUniform) {
  std::vector<int> counts[16];
  for (auto& c : counts) c.assign(256, 0);
  for (int call = 0; call < kCount / 4; ++call) {
    const Words words = random_words(kSeed, call);
    for (int byte = 0; byte < 16; ++byte)
      ++counts[byte][words.word[byte / 4] >> (byte % 4 * 8) & 0xFF];
  }
  for (const auto& c : counts) expect_equal_counts(c, kCount / 4);
}

TEST(Philox, OneBitOfCounterOrSeedChangesHalfOfTheBits) {
  const auto differ = [](Words a, Words b) {
    int bits = 0;
    for (int i = 0; i < 4; ++i) bits += std::popcount(a.word[i] ^ b.word[i]);
    return bits;
  };
  double of_counter = 0, of_seed = 0;
  constexpr int kTimes = 100;
  for (int i = 0; i < kTimes; ++i)
    for (int bit = 0; bit < 64; ++bit) {
      const Words words = random_words(kSeed + i, 1000 * i);
      of_counter += differ(words, random_words(kSeed + i, 1000ull * i ^ 1ull << bit));
      of_seed += differ(words, random_words((kSeed + i) ^ 1ull << bit, 1000 * i));
    }
  const double flips = 64.0 * kTimes * 128, sigma = std::sqrt(flips) / 2;
  EXPECT_NEAR(of_counter, flips / 2, 4 * sigma);
  EXPECT_NEAR(of_seed, flips / 2, 4 * sigma);
}

wb::Case square(int percent) {
  return {{"dtype", "fp32"}, {"rows", 1024}, {"columns", 1024}, {"percent", percent}};
}

template <class T> class Mask : public testing::Test {};
using Problems = testing::Types<Dropout, SixteenBits>;
TYPED_TEST_SUITE(Mask, Problems);

TYPED_TEST(Mask, RateIsWithinThreeSigma) {
  for (const int percent : {1, 10, 50, 90}) {
    const auto kept = mask<TypeParam>(square(percent));
    const double p = percent / 100.0, sigma = std::sqrt(kCount * p * (1 - p));
    double sum = 0;
    for (const int k : kept) sum += k;
    EXPECT_NEAR(sum, kCount * (1 - p), 3 * sigma) << percent << " %";
  }
}

TYPED_TEST(Mask, PatternsOfEightAreUniform) {
  const auto kept = mask<TypeParam>(square(50));
  std::vector<int> counts(256);
  for (int i = 0; i < kCount; i += 8) {
    int pattern = 0;
    for (int j = 0; j < 8; ++j) pattern |= kept[i + j] << j;
    ++counts[pattern];
  }
  expect_equal_counts(counts, kCount / 8);
}

TYPED_TEST(Mask, NoCorrelationAtAnyLag) {
  for (const int percent : {10, 50}) {
    const auto kept = mask<TypeParam>(square(percent));
    const double mean = 1 - percent / 100.0, variance = mean * (1 - mean);
    for (const int lag : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 32, 64, 128, 1024, 4096}) {
      double sum = 0;
      for (int i = 0; i + lag < kCount; ++i) sum += (kept[i] - mean) * (kept[i + lag] - mean);
      const double correlation = sum / variance / (kCount - lag);
      EXPECT_LT(std::abs(correlation), 4 / std::sqrt(double(kCount))) << "lag " << lag;
    }
  }
}

TYPED_TEST(Mask, DependsOnSeedAndElementOnly) {
  const wb::Case forward = {
      {"op", "forward"}, {"dtype", "fp32"}, {"rows", 64}, {"columns", 1000}, {"percent", 10}};
  const auto kept = mask<TypeParam>(forward);
  EXPECT_EQ(kept, mask<TypeParam>(forward)) << "not reproducible";
  wb::Case other = forward;
  other.set({"op", "backward"});
  EXPECT_EQ(kept, mask<TypeParam>(other)) << "the backward pass has another mask";
  for (const char* dtype : {"fp16", "bf16"}) {
    other.set({"dtype", dtype});
    EXPECT_EQ(kept, mask<TypeParam>(other)) << dtype;
  }
  // A shorter array, not aligned.
  other = {{"dtype", "fp32"}, {"rows", 1}, {"columns", 777}, {"percent", 10}};
  EXPECT_EQ(std::vector<int>(kept.begin(), kept.begin() + 777), mask<TypeParam>(other));
}

TYPED_TEST(Mask, KeepsTheMean) {
  for (const int percent : {0, 1, 10, 50, 99}) {
    Ones ones;
    const auto p = TypeParam::bind(ones, square(percent));
    TypeParam::reference(p);
    double sum = 0;
    for (wb::i64 i = 0; i < p.n; ++i) sum += static_cast<const float*>(p.y)[i];
    const double q = percent / 100.0, sigma = std::sqrt(q / (1 - q) / p.n);
    EXPECT_NEAR(sum / p.n, 1, 3 * sigma + 1e-6) << percent << " %";
  }
}

}  // namespace
