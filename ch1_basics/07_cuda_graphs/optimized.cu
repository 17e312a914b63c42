// Against steps 1 to 3: fewer kernels instead of cheaper ones. A block takes 40 more points on
// either side than it has to compute, and then makes 40 steps without its neighbours' results: each
// step spoils one point at either edge, and the points in the middle stay right. A graph of 5 such
// kernels does what 200 did. Neighbours compute the edges twice; that is the price.
//
// Predict: what is a step worth now at 4,096 points? And at 4 million, where launches did not
// matter?
#include "steps.cuh"

namespace {

constexpr int kSteps = 40, kThreads = 512, kOwn = kThreads - 2 * kSteps;  // points of a block

// The point i of the ring, counted from 0 in either direction.
__device__ int wrap(int i, int n) {
  i %= n;
  return i < 0 ? i + n : i;
}

__global__ void advance_far(int n, int steps, const float* from, float* to) {
  __shared__ float line[2][kThreads];
  const int x = threadIdx.x, left = max(x - 1, 0), right = min(x + 1, kThreads - 1);
  const int i = static_cast<int>(blockIdx.x) * kOwn + x - kSteps;
  float here = from[wrap(i, n)];
  for (int step = 0; step < steps; ++step) {
    float* now = line[step % 2];  // the other one may still be read
    now[x] = here;
    __syncthreads();
    here = next(now[left], here, now[right]);
  }
  if (kSteps <= x && x < kSteps + kOwn && i < n) to[i] = here;
}

void launch_far_steps(const CudaGraphs::Args& p, float* scratch, cudaStream_t stream) {
  if (p.points == 0) return;
  const wb::i64 passes = (p.steps + kSteps - 1) / kSteps, blocks = (p.points + kOwn - 1) / kOwn;
  for (wb::i64 pass = 0; pass < passes; ++pass) {
    const wb::i64 steps = std::min<wb::i64>(kSteps, p.steps - pass * kSteps);
    advance_far<<<blocks, kThreads, 0, stream>>>(p.points, steps, p.source(pass, passes, scratch),
                                                 p.target(pass, passes, scratch));
    WB_CHECK(cudaGetLastError());
  }
}

auto make(const CudaGraphs::Args& p) {
  const auto scratch = wb::make_device_array<float>(p.points);
  const wb::Stream stream = wb::make_stream();
  const Graph graph =
      capture(stream, [&](cudaStream_t s) { launch_far_steps(p, scratch.get(), s); });
  return [scratch, executable = instantiate(graph, stream)](cudaStream_t stream) {
    WB_CHECK(cudaGraphLaunch(executable.get(), stream));
  };
}

}  // namespace

WB_CUDA(CudaGraphs, optimized, make);
