// Every attention with a slip must be caught, and the right one must pass.
#include <gtest/gtest.h>

#include "attention.h"
#include "bank/judge.h"
#include "cases.h"
#include "device/backends.h"
#include "on_gpu.h"

namespace wb {
namespace {

TEST(AttentionBank, EveryWrongCpuVariantIsCaught) { catch_all(*make_cpu_backend(), 6); }
TEST(AttentionBank, NoRightCpuVariantIsCalledWrong) { pass_all(*make_cpu_backend(), 1); }

// Its running maximum begins at 0, and with all scores far below, all weights are 0.
TEST(AttentionBank, AMaximumThatStartsFromZeroIsCaught) {
  for (const i64 width : {64, 128})
    expect_caught_by_profile<Attention>(
        "below", heads_of(1, 2, 65, width, "full", "fp32"), *make_cpu_backend(),
        [](const Attention::Args& p) {
          const auto *q = static_cast<const float*>(p.q), *k = static_cast<const float*>(p.k),
                     *v = static_cast<const float*>(p.v);
          for (i64 row = 0; row < p.batch * p.heads * p.length; ++row) {
            float* const out = static_cast<float*>(p.out) + row * p.width;
            float max = 0, total = 0;
            std::fill_n(out, p.width, 0.0f);
            for (i64 key = row / p.length * p.length, end = key + p.length; key < end; ++key) {
              float score = 0;
              for (i64 x = 0; x < p.width; ++x)
                score += q[row * p.width + x] * k[key * p.width + x];
              score /= std::sqrt(static_cast<float>(p.width));
              const float most = std::max(max, score), old = std::exp(max - most),
                          weight = std::exp(score - most);
              max = most, total = total * old + weight;
              for (i64 x = 0; x < p.width; ++x)
                out[x] = out[x] * old + weight * v[key * p.width + x];
            }
            for (i64 x = 0; x < p.width; ++x) out[x] /= total;
          }
        });
}

#ifdef WB_WITH_CUDA
using AttentionBankCuda = OnGpu;
TEST_F(AttentionBankCuda, EveryWrongVariantIsCaught) { catch_all(*backend_, 6); }
TEST_F(AttentionBankCuda, NoRightVariantIsCalledWrong) { pass_all(*backend_, 1); }
#endif

}  // namespace
}  // namespace wb
