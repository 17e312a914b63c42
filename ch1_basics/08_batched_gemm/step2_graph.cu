// Against the baseline: the same 40 calls, recorded once as a CUDA graph and started as one. It
// needs no batched routine, so it works for any chain of small kernels (lesson 07_cuda_graphs).
//
// Predict: the host no longer pays for 40 launches. Does the GPU now run the products side by side?
#include <memory>

#include "batched_gemm.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

using Graph = std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>>;

Graph record(cublasHandle_t handle, const BatchedGemm::Args& p) {
  const wb::Stream stream = wb::make_stream();
  WB_CHECK_CUBLAS(cublasSetStream(handle, stream.get()));
  const float one = 1, zero = 0;
  const int m = p.m, n = p.n, k = p.k;
  // Relaxed: cuBLAS may load its kernels during the capture.
  WB_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
  for (wb::i64 b = 0; b < p.batch; ++b)  // B before A: see baseline.cu
    WB_CHECK_CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                                p.b + b * p.k * p.n, n, p.a + b * p.m * p.k, k, &zero,
                                p.c + b * p.m * p.n, n));
  cudaGraph_t graph;
  WB_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  cudaGraphExec_t executable;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  WB_CHECK(status);
  return Graph(executable, [](cudaGraphExec_t g) { cudaGraphExecDestroy(g); });
}

auto make(const BatchedGemm::Args& p) {
  auto handle = wb::make_cublas();  // kept: the graph's kernels use its workspace
  return [handle, graph = record(handle.get(), p)](cudaStream_t stream) {
    WB_CHECK(cudaGraphLaunch(graph.get(), stream));
  };
}

}  // namespace

WB_CUDA(BatchedGemm, step2_graph, make);
