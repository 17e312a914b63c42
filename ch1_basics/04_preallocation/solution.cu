// The exercise, solved: when the array is full it grows to twice its size, so m requests cost
// log2(m) allocations, and each answer is copied about once on average. And it stays for the next
// round, which then allocates nothing. This is what std::vector does, and why its clear() keeps the
// memory.
#include "request.cuh"

namespace {

void copy(float* to, const float* from, wb::i64 count, cudaStream_t stream) {
  WB_CHECK(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice, stream));
}

struct Answers {
  std::shared_ptr<float[]> data;
  wb::i64 size = 0, capacity = 0;

  // Room for `count` more, not yet written.
  float* append(wb::i64 count, cudaStream_t stream) {
    if (size + count > capacity) {
      capacity = std::max(size + count, 2 * capacity);
      const auto larger = wb::make_device_array<float>(capacity);
      if (size > 0) copy(larger.get(), data.get(), size, stream);
      data = larger;  // frees the smaller one; cudaFree waits for the copy
    }
    size += count;
    return data.get() + size - count;
  }
};

auto make(const Preallocation::Args& p) {
  return [p, answers = Answers(), blurred = wb::make_device_array<float>(p.samples),
          smooth = wb::make_device_array<float>(p.samples)](cudaStream_t stream) mutable {
    answers.size = 0;
    for (wb::i64 r = 0; r < p.requests; ++r)
      process(p.signal(r), answers.append(p.samples, stream), p.samples, blurred.get(),
              smooth.get(), stream);
    if (answers.size > 0) copy(p.answers, answers.data.get(), answers.size, stream);
  };
}

}  // namespace

WB_CUDA(Preallocation, solution, make);
