// Against step 1: the library is told of bias and ReLU. oneDNN writes machine code for the product
// when it is set up. Its *post-ops*, which change a sum before it is stored, become part of that
// code. y is written once and not read.
#include <functional>
#include <string_view>
#include <unordered_map>

#include "linear_relu.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>

namespace {

using dnnl::memory;

std::function<void()> make_layer(const LinearRelu::Args& p) {
  const std::string_view dtype = p.dtype;
  const auto type = dtype == "fp32"   ? memory::data_type::f32
                    : dtype == "bf16" ? memory::data_type::bf16
                                      : memory::data_type::f16;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::desc x({p.m, p.k}, type, memory::dims{p.k, 1}),
      w({p.k, p.n}, type, memory::dims{1, p.k}),  // read as its transpose
      bias({1, p.n}, type, memory::dims{p.n, 1}), y({p.m, p.n}, type, memory::dims{p.n, 1});
  dnnl::post_ops relu;
  dnnl::primitive_attr attributes;
#if DNNL_VERSION_MAJOR >= 3
  relu.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
  attributes.set_post_ops(relu);
  const dnnl::matmul::primitive_desc description(engine, x, w, bias, y, attributes);
#else
  relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  attributes.set_post_ops(relu);
  const dnnl::matmul::primitive_desc description({x, w, bias, y}, attributes, engine);
#endif
  // oneDNN takes no pointer to const; it only writes to the destination.
  const auto view = [&](const memory::desc& d, const void* data) {
    return memory(d, engine, const_cast<void*>(data));
  };
  const std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, view(x, p.x)},
                                                     {DNNL_ARG_WEIGHTS, view(w, p.w)},
                                                     {DNNL_ARG_BIAS, view(bias, p.bias)},
                                                     {DNNL_ARG_DST, view(y, p.y)}};
  return [product = dnnl::matmul(description), stream = dnnl::stream(engine), arguments]() mutable {
    product.execute(stream, arguments);
    stream.wait();
  };
}

std::function<void()> make(const LinearRelu::Args& p) {
  if (p.m * p.n == 0) return [] {};  // oneDNN refuses empty matrices
  try {
    return make_layer(p);
  } catch (const dnnl::error& e) {
    if (e.status != dnnl_unimplemented) throw;
    throw wb::Unsupported("oneDNN has no product of this type here");
  }
}

}  // namespace
#else
namespace {

std::function<void()> make(const LinearRelu::Args&) {
  throw wb::Unsupported("built without oneDNN: apt install libdnnl-dev, then configure again");
}

}  // namespace
#endif

WB_CPU(LinearRelu, step2_epilogue, make);
