// The formulas as they are: a product, a comparison, a multiplication, a sum, each with a separate
// kernel and array. The arrays are allocated in each call, from a pool that keeps what it has,
// as a framework's allocator does.
//
// Predict: a batch of 8192 with 4096 units in bf16 is 67 MB. How many bytes do the three kernels
// after the product move?
#include "../shared/cublaslt.cuh"
#include "types.cuh"

namespace {

template <class T> __global__ void compare(wb::i64 count, const T* h, bool* mask) {
  const wb::i64 i = wb::i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) mask[i] = wb::to_float(h[i]) > 0;
}
template <class T> __global__ void apply(wb::i64 count, const T* dh, const bool* mask, T* dz) {
  const wb::i64 i = wb::i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) dz[i] = mask[i] ? dh[i] : wb::from_float<T>(0);
}
template <class T> __global__ void sum_columns(wb::i64 m, int n, const T* dz, T* db) {
  __shared__ float part[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  if (column < n)
    for (wb::i64 row = threadIdx.y; row < m; row += 32) sum += wb::to_float(dz[row * n + column]);
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || column >= n) return;
  for (int i = 1; i < 32; ++i) sum += part[i][threadIdx.x];
  db[column] = wb::from_float<T>(sum);
}

using Pool = std::shared_ptr<std::remove_pointer_t<cudaMemPool_t>>;
Pool make_pool() {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  WB_CHECK(cudaGetDevice(&properties.location.id));
  cudaMemPool_t pool;
  WB_CHECK(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t everything = UINT64_MAX;
  WB_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
  return Pool(pool, [](cudaMemPool_t p) { cudaMemPoolDestroy(p); });
}

template <class T>
void run(const LinearReluBackward::Args& p, const T* dy, const T* w, const T* h, T* dz, T* db,
         cublasHandle_t cublas, cudaMemPool_t pool, cudaStream_t stream) {
  const wb::i64 count = p.m * p.n;
  if (count > 0) {
    T* dh;
    bool* mask;
    WB_CHECK(cudaMallocFromPoolAsync(&dh, count * sizeof(T), pool, stream));
    WB_CHECK(cudaMallocFromPoolAsync(&mask, count, pool, stream));
    const float one = 1, zero = 0;
    const cudaDataType_t type = cuda_type(p.dtype);
    const int ld = static_cast<int>(std::max<wb::i64>(p.k, 1));
    WB_CHECK_CUBLAS(cublasSetStream(cublas, stream));
    WB_CHECK_CUBLAS(cublasGemmEx(cublas, CUBLAS_OP_N, CUBLAS_OP_N, p.n, p.m, p.k, &one, w, type,
                                 p.n, dy, type, ld, &zero, dh, type, p.n, CUBLAS_COMPUTE_32F,
                                 CUBLAS_GEMM_DEFAULT));
    const unsigned blocks = (count + 255) / 256;
    compare<<<blocks, 256, 0, stream>>>(count, h, mask);
    apply<<<blocks, 256, 0, stream>>>(count, dh, mask, dz);
    WB_CHECK(cudaFreeAsync(dh, stream));
    WB_CHECK(cudaFreeAsync(mask, stream));
  }
  if (p.n > 0) sum_columns<<<(p.n + 31) / 32, dim3(32, 32), 0, stream>>>(p.m, p.n, dz, db);
  WB_CHECK(cudaGetLastError());
}

auto make(const LinearReluBackward::Args& p) {
  // Without it cuBLAS may add up parts of a long k in 16 bits, which is off by a few percent.
  const auto cublas = wb::make_cublas();
  WB_CHECK_CUBLAS(cublasSetMathMode(
      cublas.get(), static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                              CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
  return [p, cublas, pool = make_pool()](cudaStream_t stream) {
    with_types(p, [&](auto dy, auto w, auto h, auto dz, auto db) {
      run(p, dy, w, h, dz, db, cublas.get(), pool.get(), stream);
    });
  };
}

}  // namespace

WB_CUDA(LinearReluBackward, baseline, make);
WB_EXERCISE(LeakyReluBackward);
