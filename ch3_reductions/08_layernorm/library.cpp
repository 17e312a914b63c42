// The yardstick: oneDNN's layer normalization, forward, which writes machine code for the shape
// when it is set up. It takes weight and bias in fp32, so 16-bit ones are widened here, in each
// run.
#include <functional>

#include "../norms/norms.h"
#include "layernorm.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

namespace {

using dnnl::memory;

auto description(const dnnl::engine& engine, const memory::desc& x, const memory::desc& row) {
  using dnnl::normalization_flags;
  const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
  const auto kind = dnnl::prop_kind::forward_inference;
  constexpr float kEpsilon = LayerNorm::kEpsilon;
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::layer_normalization_forward::primitive_desc(engine, kind, x, x, row, kEpsilon,
                                                           flags);
#else
  return dnnl::layer_normalization_forward::primitive_desc({kind, x, row, kEpsilon, flags}, engine);
#endif
}

template <class T> void widen(const void* from, std::vector<float>& to) {
  const T* x = static_cast<const T*>(from);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = wb::to_float(x[i]);
}

std::function<void()> make(const LayerNorm::Args& p) {
  if (p.rms) throw wb::Unsupported("oneDNN has no RMSNorm here");
  if (p.rows * p.columns == 0) throw wb::Unsupported("oneDNN refuses arrays without elements");
  if (p.stride != p.columns) throw wb::Unsupported("oneDNN wants x and y to lie alike");
  const std::string_view dtype = p.dtype;
  const auto type = dtype == "fp32"   ? memory::data_type::f32
                    : dtype == "bf16" ? memory::data_type::bf16
                                      : memory::data_type::f16;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::desc matrix({p.rows, p.columns}, type, memory::format_tag::ab),
      row({p.rows}, memory::data_type::f32, memory::format_tag::a),
      column({p.columns}, memory::data_type::f32, memory::format_tag::a);
  dnnl::layer_normalization_forward norm;
  try {
    norm = dnnl::layer_normalization_forward(description(engine, matrix, row));
  } catch (const dnnl::error&) {
    throw wb::Unsupported("this oneDNN has none for " + std::string(dtype));
  }
  const auto columns = static_cast<std::size_t>(p.columns);
  const auto weight = std::make_shared<std::vector<float>>(columns),
             bias = std::make_shared<std::vector<float>>(columns);
  const auto view = [&](const memory::desc& d, const void* data) {
    return memory(d, engine, const_cast<void*>(data));  // it only writes to the destination
  };
  const std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, view(matrix, p.x)},
                                                     {DNNL_ARG_DST, view(matrix, p.y)},
                                                     {DNNL_ARG_SCALE, view(column, weight->data())},
                                                     {DNNL_ARG_SHIFT, view(column, bias->data())}};
  return [=, stream = dnnl::stream(engine)]() mutable {
    wb::with_dtype(p.dtype, [&](auto zero) {
      widen<decltype(zero)>(p.weight, *weight), widen<decltype(zero)>(p.bias, *bias);
    });
    norm.execute(stream, arguments);
    stream.wait();
  };
}

}  // namespace
#else
namespace {
std::function<void()> make(const LayerNorm::Args&) {
  throw wb::Unsupported("built without oneDNN");
}
}  // namespace
#endif

WB_CPU(LayerNorm, library, make);
