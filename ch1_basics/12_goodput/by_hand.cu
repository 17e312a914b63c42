// Goodput by hand, on a GPU: all that the harness of this workbook does for a lesson, in one file
// and with nothing but CUDA. A long array passes through in chunks: copy one in, compute, copy the
// result out, and check all of it at the end.
//
//   nvcc -O3 -std=c++17 by_hand.cu && ./a.out
//
// Exit codes: 0 fine, 1 a wrong answer or a failed call, 3 no GPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
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

using Clock = std::chrono::steady_clock;

constexpr int kChunks = 64, kChunk = 1 << 18, kSteps = 16384, kIterations = 9;

// The useful work: x drives kSteps of a small simulation, which comes to rest at 16 x.
constexpr float kRate = 0.9375f;
__global__ void compute(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kChunk) return;
  float value = 0;
  for (int step = 0; step < kSteps; ++step) value = value * kRate + x[i];
  y[i] = value;
}

struct Times {
  double useful, total;  // milliseconds
};

struct Device {
  float *x, *y;
  cudaStream_t stream;
  std::vector<cudaEvent_t> begin, end;  // around each kernel
};

// One iteration. Events in the stream around each kernel measure the GPU's time, and the wall clock
// measures all of it. The difference is work that has to be done, but computes nothing: copies,
// launches and waiting. The largest part are the copies, as a std::vector is pageable memory
// (lesson 05_pinned_memory), and as nothing is computed meanwhile (lesson 06_double_buffering).
Times iterate(const Device& device, const float* input, float* output) {
  CHECK(cudaDeviceSynchronize());
  const auto start = Clock::now();
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const std::size_t first = static_cast<std::size_t>(chunk) * kChunk;
    const std::size_t bytes = kChunk * sizeof(float);
    CHECK(cudaMemcpyAsync(device.x, input + first, bytes, cudaMemcpyHostToDevice, device.stream));
    CHECK(cudaEventRecord(device.begin[chunk], device.stream));
    compute<<<kChunk / 256, 256, 0, device.stream>>>(device.x, device.y);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(device.end[chunk], device.stream));
    CHECK(cudaMemcpyAsync(output + first, device.y, bytes, cudaMemcpyDeviceToHost, device.stream));
  }
  CHECK(cudaStreamSynchronize(device.stream));  // a launch returns at once: wait, then look
  const double total = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  double useful = 0;
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, device.begin[chunk], device.end[chunk]));
    useful += milliseconds;
  }
  return {useful, total};
}

// Compares every element with the sum of the geometric series, in double precision. A step rounds
// twice, each time by at most 2^-24 of the value, and what it adds shrinks like everything else:
// all of them together are at most 1 / (1 - rate) times one step's.
bool correct(const std::vector<float>& input, const std::vector<float>& output) {
  const double factor = (1 - std::pow(kRate, kSteps)) / (1 - kRate);
  const double allowed = 2 / (1 - kRate) * 0x1p-24;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const double want = input[i] * factor;
    if (!(std::abs(output[i] - want) <= allowed * std::abs(want))) {  // so that NaN is wrong
      std::fprintf(stderr, "wrong: y[%zu] = %g, want %g\n", i, output[i], want);
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
  const std::size_t count = static_cast<std::size_t>(kChunks) * kChunk;
  std::vector<float> input(count), output(count);
  std::mt19937 random(20260301);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (float& value : input) value = uniform(random);

  Device device;
  CHECK(cudaMalloc(&device.x, kChunk * sizeof(float)));
  CHECK(cudaMalloc(&device.y, kChunk * sizeof(float)));
  CHECK(cudaStreamCreate(&device.stream));
  device.begin.resize(kChunks);
  device.end.resize(kChunks);
  for (cudaEvent_t& event : device.begin) CHECK(cudaEventCreate(&event));
  for (cudaEvent_t& event : device.end) CHECK(cudaEventCreate(&event));

  std::vector<Times> times;
  for (int i = 0; i < kIterations + 1; ++i) {
    std::fill(output.begin(), output.end(), std::nanf(""));  // an answer of before does not count
    times.push_back(iterate(device, input.data(), output.data()));
    if (!correct(input, output)) return 1;
  }
  times.erase(times.begin());  // the first warms up
  // The median, as a machine is sometimes disturbed.
  std::sort(times.begin(), times.end(),
            [](const Times& a, const Times& b) { return a.total < b.total; });
  const Times median = times[kIterations / 2];
  std::printf("goodput=%.1f%% (useful=%.2f ms total=%.2f ms)\n", 100 * median.useful / median.total,
              median.useful, median.total);

  for (const cudaEvent_t event : device.begin) CHECK(cudaEventDestroy(event));
  for (const cudaEvent_t event : device.end) CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(device.stream));
  CHECK(cudaFree(device.x));
  CHECK(cudaFree(device.y));
}
