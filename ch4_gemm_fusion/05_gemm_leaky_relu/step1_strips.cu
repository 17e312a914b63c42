// Against the baseline: the same library and the same pass, but by strips of C that fit into half
// of L2. The pass over a strip finds it where the product has left it, so C is not read from
// memory.
//
// Predict: what do you save, and what do you pay? Count the launches, and the tiles of a strip: 128
// x 256 numbers each, for as many multiprocessors as your GPU has.
#include <algorithm>
#include <vector>

#include "../shared/cublaslt.cuh"
#include "types.cuh"

namespace {

// A power of two, so that the strips are alike.
wb::i64 rows_per_strip(wb::i64 row_bytes) {
  int device, l2;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
  wb::i64 rows = 128;
  while (2 * rows * row_bytes <= l2 / 2) rows *= 2;
  return rows;
}

auto make(const GemmLeakyRelu::Args& p) {
  using Function = std::function<void(cudaStream_t)>;
  return with_types(p, [&]<class T>(const T* a, const T* b, T* c) -> Function {
    std::vector<Function> launches;
    const wb::i64 height = rows_per_strip(p.n * sizeof(T));
    for (wb::i64 row = 0; row < p.m; row += height) {
      const wb::i64 rows = std::min(height, p.m - row);
      launches.push_back(fastest({.m = rows,
                                  .n = p.n,
                                  .k = p.k,
                                  .type = cuda_type(p.dtype),
                                  .a = a + row * p.k,
                                  .b = b,
                                  .b_transposed = true,
                                  .c = c + row * p.n}));
      launches.push_back([=, count = rows * p.n](cudaStream_t stream) {
        leaky_relu_pass(c + row * p.n, count, stream);
      });
    }
    return [launches](cudaStream_t stream) {
      for (const auto& launch : launches) launch(stream);
    };
  });
}

}  // namespace

WB_CUDA(GemmLeakyRelu, step1_strips, make);
