// Against the baseline: two streams, each with its own buffers, take chunks in turn, and the host
// waits for nothing. While one chunk is on its way out, the next is on its way in or computed.
//
// Predict: a chunk keeps its buffers until its last byte is out. What is then still idle, and when?
#include <array>

#include "stages.cuh"

namespace {

struct Lane {
  explicit Lane(const DoubleBuffering::Args& p) : buffers(p) {}
  Buffers buffers;
  wb::Stream stream = wb::make_stream();
  wb::Event done = wb::make_event();
};

auto make(const DoubleBuffering::Args& p) {
  return [p, start = wb::make_event(), lanes = std::array{Lane(p), Lane(p)}](cudaStream_t stream) {
    WB_CHECK(cudaEventRecord(start.get(), stream));  // fork: not before what `stream` has to do
    for (const Lane& lane : lanes) WB_CHECK(cudaStreamWaitEvent(lane.stream.get(), start.get()));
    for (wb::i64 i = 0; i < p.chunks(); ++i) {
      const Lane& lane = lanes[i % lanes.size()];  // a stream's order keeps its buffers safe
      copy_in(p, i, lane.buffers, lane.stream.get());
      compute(p, i, lane.buffers, lane.stream.get());
      copy_out(p, i, lane.buffers, lane.stream.get());
    }
    for (const Lane& lane : lanes) {  // join
      WB_CHECK(cudaEventRecord(lane.done.get(), lane.stream.get()));
      WB_CHECK(cudaStreamWaitEvent(stream, lane.done.get()));
    }
  };
}

}  // namespace

WB_CUDA(DoubleBuffering, step1_two_buffers, make);
