// The yardstick: cuDNN's normalization, forward. It is asked for as a graph of one operation:
// tensors are described, then the operation, then cuDNN proposes engines, and the first that can be
// set up is taken. All of that is set-up; what is timed is one call.
#include <vector>

#include "layernorm.h"
#include "wb/cuda.h"

#ifdef WB_WITH_CUDNN
#include <cudnn.h>

namespace {

using wb::i64;

void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cudnnGetErrorString(status));
}
#define CHECK_CUDNN(CALL) check((CALL), #CALL)

using Handle = std::shared_ptr<std::remove_pointer_t<cudnnHandle_t>>;

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made;
    CHECK_CUDNN(cudnnBackendCreateDescriptor(type, &made));
    own_ = std::shared_ptr<void>(made, [](void* d) { cudnnBackendDestroyDescriptor(d); });
  }
  template <class V>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  const std::vector<V>& values) {
    CHECK_CUDNN(cudnnBackendSetAttribute(get(), name, type, static_cast<i64>(values.size()),
                                         values.data()));
    return *this;
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::vector{other.get()});
  }
  bool try_finalize() { return cudnnBackendFinalize(get()) == CUDNN_STATUS_SUCCESS; }
  Descriptor& finalize() {
    CHECK_CUDNN(cudnnBackendFinalize(get()));
    return *this;
  }
  cudnnBackendDescriptor_t get() const { return own_.get(); }

 private:
  std::shared_ptr<void> own_;
};

enum Uid : i64 { x_uid = 1, weight_uid, bias_uid, epsilon_uid, y_uid };

Descriptor tensor(Uid uid, cudnnDataType_t type, i64 rows, i64 columns, i64 stride) {
  const bool by_value = uid == epsilon_uid;
  Descriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, std::vector<i64>{uid})
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{type})
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, std::vector<i64>{rows, columns, 1, 1})
      .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64,
           std::vector<i64>{stride, 1, columns, columns})
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::vector<i64>{16});
  if (by_value) d.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, std::vector<char>{1});
  return d.finalize();
}

Descriptor operation(const LayerNorm::Args& p) {
  const std::string_view dtype = p.dtype;
  const auto type = dtype == "fp32"   ? CUDNN_DATA_FLOAT
                    : dtype == "bf16" ? CUDNN_DATA_BFLOAT16
                                      : CUDNN_DATA_HALF;
  const i64 n = p.columns;
  Descriptor d(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  d.set(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE,
        std::vector{p.rms ? CUDNN_RMS_NORM : CUDNN_LAYER_NORM})
      .set(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE,
           std::vector{CUDNN_NORM_FWD_INFERENCE})
      .set(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, tensor(x_uid, type, p.rows, n, p.stride))
      .set(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, tensor(weight_uid, type, 1, n, n))
      .set(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
           tensor(epsilon_uid, CUDNN_DATA_FLOAT, 1, 1, 1))
      .set(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, tensor(y_uid, type, p.rows, n, n));
  if (!p.rms) d.set(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, tensor(bias_uid, type, 1, n, n));
  return d.finalize();
}

// The first of the engines that cuDNN proposes which can be set up.
Descriptor execution_plan(const Handle& handle, const Descriptor& graph) {
  constexpr int kMost = 16;
  Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, std::vector{CUDNN_HEUR_MODE_A});
  if (heuristic.try_finalize()) {
    std::vector<Descriptor> engines;
    std::vector<cudnnBackendDescriptor_t> places;
    for (int i = 0; i < kMost; ++i) {
      engines.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
      places.push_back(engines.back().get());
    }
    i64 count = 0;
    CHECK_CUDNN(cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, kMost, &count,
                                         places.data()));
    for (i64 i = 0; i < std::min<i64>(count, kMost); ++i) {
      Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle.get()})
          .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engines[i]);
      if (plan.try_finalize()) return plan;
    }
  }
  throw wb::Unsupported("cuDNN has no engine for this case");
}

auto make(const LayerNorm::Args& p) {
  if (p.rows * p.columns == 0) throw wb::Unsupported("cuDNN has nothing for no elements");
  if (p.stride != p.columns) throw wb::Unsupported("cuDNN takes no rows that lie apart");
  if (std::string_view(p.values) == "tiny")
    throw wb::Unsupported("cuDNN takes subnormal elements for 0");
  for (const void* array : {p.x, static_cast<const void*>(p.y)})
    if (reinterpret_cast<std::uintptr_t>(array) % 16 != 0)
      throw wb::Unsupported("cuDNN was told that arrays begin at multiples of 16 bytes");
  cudnnHandle_t made;
  CHECK_CUDNN(cudnnCreate(&made));
  const Handle handle(made, [](cudnnHandle_t h) { cudnnDestroy(h); });
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  const Descriptor norm = operation(p);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, norm)
      .set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle.get()})
      .finalize();
  const Descriptor plan = execution_plan(handle, graph);
  i64 bytes = 0, count = 0;
  CHECK_CUDNN(cudnnBackendGetAttribute(plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                       CUDNN_TYPE_INT64, 1, &count, &bytes));
  const auto workspace = wb::make_device_array<char>(bytes + 1);
  const auto epsilon = std::make_shared<float>(LayerNorm::kEpsilon);
  std::vector<i64> uids{x_uid, weight_uid, epsilon_uid, y_uid};
  std::vector<const void*> data{p.x, p.weight, epsilon.get(), p.y};
  if (!p.rms) uids.push_back(bias_uid), data.push_back(p.bias);
  Descriptor arrays(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  arrays.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, uids)
      .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, data)
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR,
           std::vector<void*>{workspace.get()})
      .finalize();
  return [=](cudaStream_t stream) {
    static_cast<void>(workspace), static_cast<void>(epsilon);  // `arrays` has their addresses
    CHECK_CUDNN(cudnnSetStream(handle.get(), stream));
    CHECK_CUDNN(cudnnBackendExecute(handle.get(), plan.get(), arrays.get()));
  };
}

}  // namespace
#else
namespace {
std::function<void(cudaStream_t)> make(const LayerNorm::Args&) {
  throw wb::Unsupported("built without cuDNN");
}
}  // namespace
#endif

WB_CUDA(LayerNorm, library, make);
