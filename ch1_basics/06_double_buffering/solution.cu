// The exercise, solved: three stages, each with a stream and an event per set of buffers, and one
// rule for all of them: after(stage, i) starts nothing before that stage has finished chunk i.
// There are two sets, where optimized.cu has three: while results are copied out, which is the
// slowest stage, the other set is filled and computed on. Two sets have no slack for a stage that
// is late.
#include <array>

#include "stages.cuh"

namespace {

constexpr wb::i64 kSets = 2;

struct Stage {
  wb::Stream stream = wb::make_stream();
  std::array<wb::Event, kSets> done = {wb::make_event(), wb::make_event()};  // chunks i, i + 1

  // Chunks before the first have finished.
  void after(const Stage& other, wb::i64 i) const {
    if (i >= 0) WB_CHECK(cudaStreamWaitEvent(stream.get(), other.done[i % kSets].get()));
  }
  void finished(wb::i64 i) const { WB_CHECK(cudaEventRecord(done[i % kSets].get(), stream.get())); }
};

auto make(const DoubleBuffering::Args& p) {
  return [p, begin = wb::make_event(), in = Stage(), work = Stage(), out = Stage(),
          sets = std::array{Buffers(p), Buffers(p)}](cudaStream_t stream) {
    WB_CHECK(cudaEventRecord(begin.get(), stream));
    WB_CHECK(cudaStreamWaitEvent(in.stream.get(), begin.get()));
    for (wb::i64 i = 0; i < p.chunks(); ++i) {
      const Buffers& set = sets[i % kSets];

      in.after(work, i - kSets);  // its half of the set has been read
      copy_in(p, i, set, in.stream.get());
      in.finished(i);

      work.after(in, i);
      work.after(out, i - kSets);  // and the other half is on the host
      compute(p, i, set, work.stream.get());
      work.finished(i);

      out.after(work, i);
      copy_out(p, i, set, out.stream.get());
      out.finished(i);
    }
    if (p.chunks() > 0)
      WB_CHECK(cudaStreamWaitEvent(stream, out.done[(p.chunks() - 1) % kSets].get()));
  };
}

}  // namespace

WB_CUDA(DoubleBuffering, solution, make);
