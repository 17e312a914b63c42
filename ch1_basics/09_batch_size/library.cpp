// The yardstick: oneDNN's matrix product, for the shape of which it writes machine code when the
// primitive is made, in set-up. The weights stay in the order in which they come. (A program that
// uses the same weights for long would have them put into oneDNN's own order once.)
#include <functional>
#include <unordered_map>

#include "batch_size.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>

namespace {

std::function<void()> make(const BatchSize::Args& p) {
  if (p.batch * p.outputs == 0) return [] {};  // oneDNN refuses empty matrices
  using dnnl::memory;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  using Order = memory::format_tag;
  const auto layout = [&](wb::i64 rows, wb::i64 columns, Order order) {
    return memory::desc({rows, columns}, memory::data_type::f32, order);
  };
  const auto x = layout(p.batch, p.inputs, Order::ab), w = layout(p.inputs, p.outputs, Order::ba),
             y = layout(p.batch, p.outputs,
                        Order::ab);  // ba: the weights are read as their transpose
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc description(engine, x, w, y);
#else
  const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(x, w, y), engine);
#endif
  // oneDNN takes no pointer to const; it only writes to the destination.
  const auto view = [&](const memory::desc& d, const float* data) {
    return memory(d, engine, const_cast<float*>(data));
  };
  const std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, view(x, p.x)}, {DNNL_ARG_WEIGHTS, view(w, p.w)}, {DNNL_ARG_DST, view(y, p.y)}};
  return [layer = dnnl::matmul(description), stream = dnnl::stream(engine), arguments]() mutable {
    layer.execute(stream, arguments);
    stream.wait();
  };
}

}  // namespace
#else
namespace {

std::function<void()> make(const BatchSize::Args&) {
  throw wb::Unsupported("built without oneDNN: apt install libdnnl-dev, then configure again");
}

}  // namespace
#endif

WB_CPU(BatchSize, library, make);
