// A first kernel, by hand: all that a program for a GPU needs, in one file and with nothing but
// CUDA. Allocate, copy in, launch, copy out, check, time.
//
//   nvcc -O3 -std=c++17 by_hand.cu && ./a.out
//
// A table of samples (rows) and features (columns); every column has its weight.
//
// Predict: the two lines marked in the kernel decide which thread takes which element. Each element
// is still taken once. Use the other two instead: does the time change?
//
// Exit codes: 0 fine, 1 a wrong answer or a failed call, 3 no GPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

// Every CUDA call can fail, and only its return value says so.
void check(cudaError_t status, const char* call, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "by_hand.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECK(CALL) check((CALL), #CALL, __LINE__)

constexpr int kRows = 1 << 22, kColumns = 16, kElements = kRows * kColumns, kLaunches = 9;

// What one thread does. All threads run this function, each with its own number.
__global__ void scale(const float* weight, const float* x, float* y) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= kElements) return;    // the last block may reach beyond the table
  const int row = thread % kRows;     // or: thread / kColumns
  const int column = thread / kRows;  // or: thread % kColumns
  const int i = row * kColumns + column;
  y[i] = weight[column] * x[i];
}

// One product, rounded once: there is just one right answer.
bool correct(const std::vector<float>& weight, const std::vector<float>& x,
             const std::vector<float>& y) {
  for (int i = 0; i < kElements; ++i) {
    const float want = weight[i % kColumns] * x[i];
    if (!(y[i] == want)) {  // so that NaN is wrong
      std::fprintf(stderr, "wrong: y[%d] = %g, want %g\n", i, y[i], want);
      return false;
    }
  }
  return true;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "by_hand: no CUDA device is visible: see nvidia-smi\n");
    return 3;
  }

  // The host's arrays, random: zeros would hide errors.
  std::vector<float> weight(kColumns), x(kElements), y(kElements, std::nanf(""));
  std::mt19937 random(20260301);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& value : weight) value = uniform(random);
  for (float& value : x) value = uniform(random);

  // Allocate: the GPU has its own memory. Copy in.
  const std::size_t bytes = kElements * sizeof(float);
  float *device_weight, *device_x, *device_y;
  CHECK(cudaMalloc(&device_weight, kColumns * sizeof(float)));
  CHECK(cudaMalloc(&device_x, bytes));
  CHECK(cudaMalloc(&device_y, bytes));
  CHECK(cudaMemcpy(device_weight, weight.data(), kColumns * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_y, y.data(), bytes, cudaMemcpyHostToDevice));  // NaN, to be replaced

  // Launch: blocks of 256 threads, as many as cover the table. A launch returns at once, so a clock
  // on the host would measure only the launch call. Events in the GPU's queue measure the kernel.
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> milliseconds(kLaunches);
  for (int i = -1; i < kLaunches; ++i) {  // the first warms up
    CHECK(cudaEventRecord(begin));
    scale<<<(kElements + 255) / 256, 256>>>(device_weight, device_x, device_y);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    if (i >= 0) CHECK(cudaEventElapsedTime(&milliseconds[i], begin, end));
  }

  // Copy out (this waits for the kernel), check, and only then show a time: the median, as a
  // machine is sometimes disturbed.
  CHECK(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));
  if (!correct(weight, x, y)) return 1;
  std::sort(milliseconds.begin(), milliseconds.end());
  const double median = milliseconds[kLaunches / 2];
  std::printf("%.3f ms, %.0f GB/s (x read once, y written once)\n", median,
              2.0 * bytes / median / 1e6);

  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(device_weight));
  CHECK(cudaFree(device_x));
  CHECK(cudaFree(device_y));
}
