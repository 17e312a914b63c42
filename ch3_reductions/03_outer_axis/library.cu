// The yardstick. CUB reduces segments of neighbours, and the elements of a column are no
// neighbours. So this is cuBLAS: a matrix times a vector of ones, sgemv in fp32, and in 16 bits a
// product with a matrix of one column, accumulated in fp32. cuBLAS stores matrices by columns: our
// matrix in rows is its matrix of `columns` x `rows`, which need not be transposed.
#include <climits>
#include <vector>

#include "columns.cuh"
#include "wb/cublas.h"

namespace {

template <class T> constexpr cudaDataType_t kType = CUDA_R_32F;
template <> constexpr cudaDataType_t kType<__half> = CUDA_R_16F;
template <> constexpr cudaDataType_t kType<__nv_bfloat16> = CUDA_R_16BF;

template <class T> void multiply(cublasHandle_t handle, const Columns<T>& c, const void* ones) {
  const int rows = static_cast<int>(c.rows), columns = static_cast<int>(c.columns);
  const int stride = static_cast<int>(c.stride);
  const float scale = 1 / c.divisor, zero = 0;
  if constexpr (sizeof(T) == 4)
    WB_CHECK_CUBLAS(cublasSgemv(handle, CUBLAS_OP_N, columns, rows, &scale, c.x, stride,
                                static_cast<const float*>(ones), 1, &zero, c.y, 1));
  else
    WB_CHECK_CUBLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, columns, 1, rows, &scale, c.x,
                                 kType<T>, stride, ones, kType<T>, rows, &zero, c.y, kType<T>,
                                 columns, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

auto make(const OuterAxis::Args& p) {
  if (p.op == Operation::max) throw wb::Unsupported("a product has no maximum");
  if (p.rows == 0) throw wb::Unsupported("cuBLAS leaves y as it is where there are no rows");
  if (p.op == Operation::mean && (p.rows & (p.rows - 1)) != 0)
    throw wb::Unsupported("1 / rows is no fp32 number: a product with it is rounded twice");
  if (std::max(p.rows, p.stride) > INT_MAX)
    throw wb::Unsupported("cuBLAS counts with 32 bits here");
  const auto bytes = static_cast<std::size_t>(OuterAxis::element_bytes(p.dtype));
  const auto ones = wb::make_device_array<char>(p.rows * static_cast<i64>(bytes));
  wb::with_dtype(p.dtype, [&](auto zero) {
    const std::vector<decltype(zero)> host(p.rows, decltype(zero)(1));
    WB_CHECK(cudaMemcpy(ones.get(), host.data(), p.rows * bytes, cudaMemcpyHostToDevice));
  });
  const auto handle = wb::make_cublas();
  // Else it may add the parts of a long sum in 16 bits.
  WB_CHECK_CUBLAS(cublasSetMathMode(
      handle.get(), static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                              CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
  return [=](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    with_columns(p, [&](auto op, auto c) {
      if constexpr (std::is_same_v<decltype(op), Plus>) multiply(handle.get(), c, ones.get());
    });
  };
}

}  // namespace

WB_CUDA(OuterAxis, library, make);
