// A copying stream and a computing stream with two buffers, CUDA half. In `racy` the copy does not
// wait until the kernel has read what it writes over, which goes well as long as kernels are fast.
#include <array>

#include "bank/pipeline.h"
#include "wb/cuda.h"

namespace {

using wb::i64;

__global__ void twice(const float* x, float* y) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i];
}

auto make(const Pipeline::Args& p, bool wait_for_buffer) {
  struct Slot {
    std::shared_ptr<float[]> in = wb::make_device_array<float>(Pipeline::kChunk);
    wb::Event copied = wb::make_event(), computed = wb::make_event();
  };
  return [p, wait_for_buffer, copies = wb::make_stream(), start = wb::make_event(),
          slots = std::array<Slot, 2>()](cudaStream_t stream) {
    WB_CHECK(cudaEventRecord(start.get(), stream));
    WB_CHECK(cudaStreamWaitEvent(copies.get(), start.get()));
    for (i64 i = 0; i < p.n / Pipeline::kChunk; ++i) {
      const Slot& slot = slots[i % 2];
      if (wait_for_buffer && i >= 2)
        WB_CHECK(cudaStreamWaitEvent(copies.get(), slot.computed.get()));
      WB_CHECK(cudaMemcpyAsync(slot.in.get(), p.x + i * Pipeline::kChunk,
                               Pipeline::kChunk * sizeof(float), cudaMemcpyHostToDevice,
                               copies.get()));
      WB_CHECK(cudaEventRecord(slot.copied.get(), copies.get()));
      WB_CHECK(cudaStreamWaitEvent(stream, slot.copied.get()));
      twice<<<Pipeline::kChunk / 256, 256, 0, stream>>>(slot.in.get(), p.y + i * Pipeline::kChunk);
      WB_CHECK(cudaGetLastError());
      WB_CHECK(cudaEventRecord(slot.computed.get(), stream));
    }
  };
}

const bool joined = wb::add_variant<Pipeline, cudaStream_t>(
    "bank", "joined", "cuda", [](const Pipeline::Args& p) { return make(p, true); });
const bool racy = wb::add_variant<Pipeline, cudaStream_t>(
    "bank", "racy", "cuda", [](const Pipeline::Args& p) { return make(p, false); });

}  // namespace
