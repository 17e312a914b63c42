// The yardstick: all heads in one cuBLAS call. In addition to the leading dimension it takes a
// *stride*, the distance from a head to the next; it may be smaller than a row, as it is here.
#include "views.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const Views::Args& p) {
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    if (p.heads * p.m * p.n == 0) return;
    const auto flag = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const float one = 1, zero = 0;
    WB_CHECK_CUBLAS(cublasSgemmStridedBatched(
        handle.get(), flag(p.b_transposed), flag(p.a_transposed), p.n, p.m, p.k, &one, p.b.data,
        std::max<wb::i64>(p.b.leading, 1), p.b.stride, p.a.data, std::max<wb::i64>(p.a.leading, 1),
        p.a.stride, &zero, p.c.data, p.c.leading, p.c.stride, p.heads));
  };
}

}  // namespace

WB_CUDA(Views, library, make);
