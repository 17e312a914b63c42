// Against step 4: the update of a bucket follows its sum, parallel to the backward pass, and the
// step of all GPUs is one CUDA graph, so that one host thread can keep many of them busy.
//
// Predict: the host launches some 30 operations on each of two GPUs, at 4 us each. Did the GPUs
// wait for that?
#include "nccl.cuh"

namespace {

void enqueue(const Ranks& ranks, const Nccl& few, const Nccl& all, cudaStream_t stream) {
  const auto& p = ranks.p;
  ranks.begin(stream);
  ranks.forward();
  for (wb::i64 l = p.layers - 1; l >= 0; --l) {
    ranks.backward(l);
    if (!p.completes_bucket(l)) continue;
    ranks.each([](const Rank& rank, int) { rank.order(rank.stream, rank.side); });
    (l > 0 ? few : all).sum(ranks, l, p.bucket_layers(l), &Rank::side);
    ranks.update(l, p.bucket_layers(l), &Rank::side);
  }
  ranks.each([](const Rank& rank, int) { rank.order(rank.side, rank.stream); });
  ranks.end(stream);
}

auto make(const SeveralGpus::Args& p) {
  const auto ranks = std::make_shared<Ranks>(p);
  const Nccl few(p.ranks, few_blocks(p.batch)), all(p.ranks);
  const wb::Stream recorder = wb::make_stream();
  enqueue(*ranks, few, all, recorder.get());  // once by hand: libraries set themselves up
  WB_CHECK(cudaStreamSynchronize(recorder.get()));
  WB_CHECK(cudaStreamBeginCapture(recorder.get(), cudaStreamCaptureModeRelaxed));
  enqueue(*ranks, few, all, recorder.get());
  cudaGraph_t graph;
  WB_CHECK(cudaStreamEndCapture(recorder.get(), &graph));
  cudaGraphExec_t executable;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  WB_CHECK(status);
  const std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> step(
      executable, [](cudaGraphExec_t g) { cudaGraphExecDestroy(g); });
  return [ranks, step](cudaStream_t stream) { WB_CHECK(cudaGraphLaunch(step.get(), stream)); };
}

}  // namespace

WB_CUDA(SeveralGpus, optimized, make);
