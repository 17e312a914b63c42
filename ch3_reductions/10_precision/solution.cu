// The exercise, solved: the part of the smaller number that was added is the total minus the larger
// number. The rest of the smaller number is lost, and must be added to the next element, not
// subtracted from it.
#include "tree.cuh"

namespace {

constexpr int kPerRow = 128;  // threads

struct Kahan {
  float sum, lost;  // lost: what did not fit into sum, and joins the next addition
  __device__ void add(float x) {
    const float y = x + lost, total = sum + y;
    if (!isinf(total))  // infinity less infinity is no number
      lost = fabsf(y) > fabsf(sum) ? sum - (total - y) : y - (total - sum);
    sum = total;
  }
  __device__ void add(const Kahan& other) {
    const float both = lost + other.lost;
    lost = 0, add(other.sum), lost += both;
  }
  __device__ double result() const { return sum + lost; }
};

template <class T>
__global__ void __launch_bounds__(kPerRow) sum_row(const T* x, i64 n, double* y) {
  x += blockIdx.x * n;
  Kahan sum{};
#pragma unroll 8
  for (i64 i = threadIdx.x; i < n; i += kPerRow) sum.add(x[i]);
  __shared__ Word<Kahan> of_warp[kPerRow / kWarp];
  sum = over_lanes(sum);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = word_of(sum);
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 1; i < kPerRow / kWarp; ++i) sum.add(sum_of<Kahan>(of_warp[i]));
  y[blockIdx.x] = sum.result();
}

void run(const Precision::Args& p, cudaStream_t stream) {
  if (p.sums == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    const auto* x = static_cast<const wb::DeviceType<decltype(zero)>*>(p.x);
    sum_row<<<static_cast<unsigned>(p.sums), kPerRow, 0, stream>>>(x, p.n, p.y);
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace

WB_CUDA(Precision, solution, run);
