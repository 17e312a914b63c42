// The yardstick: oneDNN's layer normalization, which writes machine code for the shape when it is
// set up. It takes weight and bias in fp32, so 16-bit ones are widened here, in each run; and the
// variance in place of rstd.
#include <functional>

#include "norms.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

namespace {

using dnnl::memory;
using Flags = dnnl::normalization_flags;

memory::data_type type_of(const LayerNorm::Args& p) {
  const std::string_view dtype = p.dtype;
  return dtype == "fp32"   ? memory::data_type::f32
         : dtype == "bf16" ? memory::data_type::bf16
                           : memory::data_type::f16;
}

auto forward_for(const dnnl::engine& engine, const memory::desc& x, const memory::desc& row,
                 dnnl::prop_kind kind) {
  const Flags flags = Flags::use_scale | Flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::layer_normalization_forward::primitive_desc(engine, kind, x, x, row,
                                                           LayerNorm::kEpsilon, flags);
#else
  return dnnl::layer_normalization_forward::primitive_desc(
      {kind, x, row, LayerNorm::kEpsilon, flags}, engine);
#endif
}

auto backward_for(const dnnl::engine& engine, const memory::desc& x, const memory::desc& row,
                  const dnnl::layer_normalization_forward::primitive_desc& forward) {
  const Flags flags = Flags::use_scale | Flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::layer_normalization_backward::primitive_desc(
      engine, dnnl::prop_kind::backward, x, x, x, row, LayerNorm::kEpsilon, flags, forward);
#else
  return dnnl::layer_normalization_backward::primitive_desc(
      {dnnl::prop_kind::backward, x, x, row, LayerNorm::kEpsilon, flags}, engine, forward);
#endif
}

template <class T> void widen(const void* from, std::vector<float>& to) {
  const T* x = static_cast<const T*>(from);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = wb::to_float(x[i]);
}
template <class T> void narrow(const std::vector<float>& from, void* to) {
  T* y = static_cast<T*>(to);
  for (std::size_t i = 0; i < from.size(); ++i) y[i] = wb::from_float<T>(from[i]);
}

std::function<void()> make(const LayerNorm::Args& p) {
  if (p.rms) throw wb::Unsupported("this oneDNN has no RMSNorm");
  if (p.rows * p.columns == 0) throw wb::Unsupported("oneDNN refuses arrays without elements");
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::desc plain({p.rows, p.columns}, type_of(p), memory::format_tag::ab),
      row({p.rows}, memory::data_type::f32, memory::format_tag::a),
      column({p.columns}, memory::data_type::f32, memory::format_tag::a);
  if (p.stride != p.columns) throw wb::Unsupported("oneDNN wants x and y to lie alike");
  const auto forward = [&] {
    try {
      return forward_for(
          engine, plain, row,
          p.backward ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference);
    } catch (const dnnl::error&) {
      throw wb::Unsupported("this oneDNN has it not for such elements");
    }
  }();
  struct Small {  // what oneDNN wants in fp32
    std::vector<float> weight, bias, variance, dweight, dbias;
  };
  const auto columns = static_cast<std::size_t>(p.columns);
  const auto small = std::make_shared<Small>();
  small->weight.resize(columns), small->bias.resize(columns);
  small->dweight.resize(columns), small->dbias.resize(columns);
  small->variance.resize(static_cast<std::size_t>(p.rows));
  const auto view = [&](const memory::desc& d, const void* data) {
    return memory(d, engine, const_cast<void*>(data));  // it only writes to results
  };
  std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, view(plain, p.x)}, {DNNL_ARG_SCALE, view(column, small->weight.data())}};
  dnnl::primitive norm;
  if (p.backward) {
    norm = dnnl::layer_normalization_backward(backward_for(engine, plain, row, forward));
    arguments.insert({{DNNL_ARG_MEAN, view(row, p.mean)},
                      {DNNL_ARG_VARIANCE, view(row, small->variance.data())},
                      {DNNL_ARG_DIFF_DST, view(plain, p.dy)},
                      {DNNL_ARG_DIFF_SRC, view(plain, p.dx)},
                      {DNNL_ARG_DIFF_SCALE, view(column, small->dweight.data())},
                      {DNNL_ARG_DIFF_SHIFT, view(column, small->dbias.data())}});
  } else {
    norm = dnnl::layer_normalization_forward(forward);
    arguments.insert(
        {{DNNL_ARG_SHIFT, view(column, small->bias.data())}, {DNNL_ARG_DST, view(plain, p.y)}});
  }
  return [=, stream = dnnl::stream(engine)]() mutable {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      widen<T>(p.weight, small->weight);
      if (!p.backward) widen<T>(p.bias, small->bias);
      for (i64 i = 0; p.backward && i < p.rows; ++i)
        small->variance[i] = 1 / (p.rstd[i] * p.rstd[i]) - LayerNorm::kEpsilon;
      norm.execute(stream, arguments);
      stream.wait();
      if (p.backward) narrow<T>(small->dweight, p.dweight), narrow<T>(small->dbias, p.dbias);
    });
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
