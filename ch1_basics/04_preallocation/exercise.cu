// A program that does not know how many requests will come. It collects the answers in a separate
// array that grows with each request: allocate a larger one, copy, free the smaller one. The
// temporaries are made beforehand, and still it waits as often as the baseline, and copies.
//
// TODO: let the array grow less often. It may be larger than what it holds, and it may stay when
//       the answers have been handed over.
// Goal: 0.88 times optimized at requests=20,samples=65536
// Goal: at most 80 runtime_calls at requests=20,samples=8192
// Hints are in README.md.
#include "request.cuh"

namespace {

void copy(float* to, const float* from, wb::i64 count, cudaStream_t stream) {
  WB_CHECK(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice, stream));
}

auto make(const Preallocation::Args& p) {
  return [p, blurred = wb::make_device_array<float>(p.samples),
          smooth = wb::make_device_array<float>(p.samples)](cudaStream_t stream) {
    std::shared_ptr<float[]> answers;
    for (wb::i64 r = 0; r < p.requests; ++r) {
      const wb::i64 size = r * p.samples;
      const auto larger = wb::make_device_array<float>(size + p.samples);
      if (size > 0) copy(larger.get(), answers.get(), size, stream);
      answers = larger;  // frees the smaller one; cudaFree waits for the copy
      process(p.signal(r), answers.get() + size, p.samples, blurred.get(), smooth.get(), stream);
    }
    if (p.requests > 0) copy(p.answers, answers.get(), p.requests * p.samples, stream);
  };
}

}  // namespace

WB_CUDA(Preallocation, exercise, make);
