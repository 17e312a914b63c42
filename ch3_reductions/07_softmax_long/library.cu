// The yardstick: cuDNN (../softmax/cudnn.cuh).
#include "../softmax/cudnn.cuh"
#include "softmax_long.h"

WB_CUDA(SoftmaxLong, library, make_cudnn);
