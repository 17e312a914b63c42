// Against step 1: the mask is a bit per number, which the forward pass left next to h. It takes a
// sixteenth of the bytes of a bf16 h.
//
// Predict: which share of step 1's pass does that save?
#include "pass.cuh"
#include "product.cuh"

namespace {

struct ByBit {
  const std::uint32_t* bits;
  wb::i64 words;  // of a row
  template <int width> __device__ unsigned keep(wb::i64 row, int column) const {
    return bits[row * words + column / 32] >> column % 32;
  }
};

auto make(const LinearReluBackward::Args& p) {
  const auto multiply = fastest(product_of(p));
  const ByBit mask{p.bits, LinearReluBackward::row_words(p.n)};
  return with_types(p, [&]<class T>(const T*, const T*, const T*, T* dz, T* db) {
    const auto pass = make_pass(p.m, p.n, mask, dz, db);
    return std::function<void(cudaStream_t)>([=](cudaStream_t stream) {
      multiply(stream);
      pass(stream);
    });
  });
}

}  // namespace

WB_CUDA(LinearReluBackward, step2_bits, make);
