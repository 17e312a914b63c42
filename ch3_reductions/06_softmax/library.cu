// The yardstick: cuDNN (../softmax/cudnn.cuh).
#include "../softmax/cudnn.cuh"
#include "softmax.h"

namespace {

auto make(const Softmax::Args& p) {
  no_reader(p);
  return make_cudnn(p);
}

}  // namespace

WB_CUDA(Softmax, library, make);
