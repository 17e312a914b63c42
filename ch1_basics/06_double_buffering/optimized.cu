// Against step 1: a stream per engine instead of a stream per buffer, and three sets of buffers.
// Events hand a buffer on as soon as the stage before has finished with it: the recording's half of
// a set is free once its kernel ended, long before the result is out. The third set is slack for
// stages that take longer now and then.
//
// Predict: all that is left is the slowest stage, plus filling the pipeline once and draining it
// once. With 64 chunks, how many percent is that? Why not make chunks ever smaller?
#include <array>

#include "stages.cuh"

namespace {

struct Slot {
  explicit Slot(const DoubleBuffering::Args& p) : buffers(p) {}
  Buffers buffers;
  wb::Event copied_in = wb::make_event(), computed = wb::make_event(),
            copied_out = wb::make_event();
};

void wait(cudaStream_t stream, const wb::Event& event) {
  WB_CHECK(cudaStreamWaitEvent(stream, event.get()));
}
void signal(cudaStream_t stream, const wb::Event& event) {
  WB_CHECK(cudaEventRecord(event.get(), stream));
}

auto make(const DoubleBuffering::Args& p) {
  return [p, start = wb::make_event(), in = wb::make_stream(), out = wb::make_stream(),
          slots = std::array{Slot(p), Slot(p), Slot(p)}](cudaStream_t stream) {
    const wb::i64 sets = slots.size();
    signal(stream, start);
    wait(in.get(), start);
    for (wb::i64 i = 0; i < p.chunks(); ++i) {
      const Slot& slot = slots[i % sets];
      const bool used = i >= sets;  // by chunk i - sets, which may still be at work on it

      if (used) wait(in.get(), slot.computed);
      copy_in(p, i, slot.buffers, in.get());
      signal(in.get(), slot.copied_in);

      wait(stream, slot.copied_in);
      if (used) wait(stream, slot.copied_out);
      compute(p, i, slot.buffers, stream);
      signal(stream, slot.computed);

      wait(out.get(), slot.computed);
      copy_out(p, i, slot.buffers, out.get());
      signal(out.get(), slot.copied_out);
    }
    // Join: the last copy out comes after everything else.
    if (p.chunks() > 0) wait(stream, slots[(p.chunks() - 1) % sets].copied_out);
  };
}

}  // namespace

WB_CUDA(DoubleBuffering, optimized, make);
