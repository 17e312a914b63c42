// Against step 2: the library masks and sums in its epilogue. DRELU is the gradient of ReLU, BGRAD
// that of the bias. dz is written once and never read.
//
// Predict: for which of the cases does that save the largest share of the time?
#include "product.cuh"

namespace {

auto make(const LinearReluBackward::Args& p) {
  if (p.m == 0) throw wb::Unsupported("cuBLASLt makes no sums of no rows");
  Matmul product = product_of(p);
  product.epilogue = CUBLASLT_EPILOGUE_DRELU_BGRAD;
  product.mask = p.bits;
  product.mask_bits = 32 * LinearReluBackward::row_words(p.n);
  product.bias_gradient = p.db;
  return fastest(product);
}

}  // namespace

WB_CUDA(LinearReluBackward, step3_epilogue, make);
