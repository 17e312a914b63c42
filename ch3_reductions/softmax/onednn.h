// The yardstick on a CPU: oneDNN, which writes machine code for the shape when it is set up.
#pragma once

#include "softmax_rows.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

namespace {

using dnnl::memory;

memory::data_type type_of(std::string_view dtype) {
  if (dtype == "bf16") return memory::data_type::bf16;
  return dtype == "fp16" ? memory::data_type::f16 : memory::data_type::f32;
}

std::function<void()> make_softmax(const SoftmaxRows::Args& p) {
  using dnnl::prop_kind;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::desc layout({p.rows, p.columns}, type_of(p.dtype), memory::dims{p.stride, 1});
  // oneDNN takes no pointer to const; it only writes to the destination.
  const auto view = [&](const void* data) {
    return memory(layout, engine, const_cast<void*>(data));
  };
  const auto kind = p.backward ? prop_kind::forward_training : prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  constexpr auto kAccurate = dnnl::algorithm::softmax_accurate;
  const dnnl::softmax_forward::primitive_desc forward(engine, kind, kAccurate, layout, layout, 1);
#else
  const dnnl::softmax_forward::primitive_desc forward({kind, layout, 1}, engine);
#endif
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
  if (p.backward) {
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::softmax_backward::primitive_desc backward(engine, kAccurate, layout, layout, layout,
                                                          1, forward);
#else
    const dnnl::softmax_backward::primitive_desc backward({layout, layout, 1}, engine, forward);
#endif
    primitive = dnnl::softmax_backward(backward);
    arguments = {{DNNL_ARG_DST, view(p.x)},
                 {DNNL_ARG_DIFF_DST, view(p.dy)},
                 {DNNL_ARG_DIFF_SRC, view(p.out)}};
  } else {
    primitive = dnnl::softmax_forward(forward);
    arguments = {{DNNL_ARG_SRC, view(p.x)}, {DNNL_ARG_DST, view(p.out)}};
  }
  return [primitive, stream = dnnl::stream(engine), arguments]() mutable {
    primitive.execute(stream, arguments);
    stream.wait();
  };
}

std::function<void()> make_onednn(const SoftmaxRows::Args& p) {
  if (p.rows == 0 || p.columns == 0) return [] {};
  if (std::string_view(p.values) == "inf")
    throw wb::Unsupported("oneDNN has 0 where PyTorch has NaN: in rows with NaN, inf, or all -inf");
  try {
    return make_softmax(p);
  } catch (const dnnl::error& e) {
    if (e.status != dnnl_unimplemented) throw;
    throw wb::Unsupported("oneDNN has no softmax for this type here");
  }
}

}  // namespace
#else
namespace {

std::function<void()> make_onednn(const SoftmaxRows::Args&) {
  throw wb::Unsupported("this build has no oneDNN");
}

}  // namespace
#endif
