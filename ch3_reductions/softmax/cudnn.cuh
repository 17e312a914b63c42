// The yardstick on a GPU: cuDNN. Its softmax goes over one axis of a tensor of four: here the
// channels, with a row as an image of one pixel. It has no plan to set up.
#pragma once

#include "softmax.cuh"

#ifdef WB_WITH_CUDNN
#include <cudnn.h>

namespace {

void check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_NOT_SUPPORTED)
    throw wb::Unsupported(std::string("cuDNN does not support it: ") + call);
  if (status != CUDNN_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cudnnGetErrorString(status));
}
#define CHECK_CUDNN(CALL) check((CALL), #CALL)

using Handle = std::shared_ptr<std::remove_pointer_t<cudnnHandle_t>>;
Handle make_handle() {
  cudnnHandle_t handle;
  CHECK_CUDNN(cudnnCreate(&handle));
  return Handle(handle, [](cudnnHandle_t h) { cudnnDestroy(h); });
}

using Tensor = std::shared_ptr<std::remove_pointer_t<cudnnTensorDescriptor_t>>;
Tensor make_tensor(const SoftmaxRows::Args& p) {
  constexpr i64 kMost = std::numeric_limits<int>::max();
  if (p.rows > kMost || p.rows * p.stride > kMost)
    throw wb::Unsupported("cuDNN counts elements in 32 bits");
  const std::string_view dtype = p.dtype;
  const int rows = static_cast<int>(p.rows), columns = static_cast<int>(p.columns);
  cudnnTensorDescriptor_t tensor;
  CHECK_CUDNN(cudnnCreateTensorDescriptor(&tensor));
  const Tensor owned(tensor, [](cudnnTensorDescriptor_t t) { cudnnDestroyTensorDescriptor(t); });
  CHECK_CUDNN(cudnnSetTensor4dDescriptorEx(tensor,
                                           dtype == "fp16"   ? CUDNN_DATA_HALF
                                           : dtype == "bf16" ? CUDNN_DATA_BFLOAT16
                                                             : CUDNN_DATA_FLOAT,
                                           rows, columns, 1, 1, static_cast<int>(p.stride), 1, 1,
                                           1));
  return owned;
}

std::function<void(cudaStream_t)> make_cudnn(const SoftmaxRows::Args& p) {
  if (p.rows == 0 || p.columns == 0) return [](cudaStream_t) {};
  if (std::string_view(p.values) == "inf")
    throw wb::Unsupported("cuDNN has 0 where PyTorch has NaN: in rows with NaN, inf, or all -inf");
  return [p, handle = make_handle(), tensor = make_tensor(p)](cudaStream_t stream) {
    const float one = 1, zero = 0;
    const auto accurate = CUDNN_SOFTMAX_ACCURATE;
    const auto mode = CUDNN_SOFTMAX_MODE_CHANNEL;
    CHECK_CUDNN(cudnnSetStream(handle.get(), stream));
    if (p.backward)
      CHECK_CUDNN(cudnnSoftmaxBackward(handle.get(), accurate, mode, &one, tensor.get(), p.x,
                                       tensor.get(), p.dy, &zero, tensor.get(), p.out));
    else
      CHECK_CUDNN(cudnnSoftmaxForward(handle.get(), accurate, mode, &one, tensor.get(), p.x, &zero,
                                      tensor.get(), p.out));
  };
}

}  // namespace
#else
namespace {

std::function<void(cudaStream_t)> make_cudnn(const SoftmaxRows::Args&) {
  throw wb::Unsupported("this build has no cuDNN");
}

}  // namespace
#endif
