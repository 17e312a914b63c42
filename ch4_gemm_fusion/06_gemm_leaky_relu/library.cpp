// The yardstick: oneDNN, which writes machine code for the product when it is set up, and takes the
// leaky ReLU into it as a *post-op*: it fuses operations that a library of fixed kernels can't.
#include <functional>
#include <string_view>
#include <unordered_map>

#include "gemm_leaky_relu.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>

namespace {

using dnnl::memory;

std::function<void()> make_product(const GemmLeakyRelu::Args& p) {
  const std::string_view dtype = p.dtype;
  const auto type = dtype == "fp32"   ? memory::data_type::f32
                    : dtype == "bf16" ? memory::data_type::bf16
                                      : memory::data_type::f16;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::desc a({p.m, p.k}, type, memory::dims{p.k, 1}),
      b({p.k, p.n}, type, memory::dims{1, p.k}),  // read as its transpose
      c({p.m, p.n}, type, memory::dims{p.n, 1});
  dnnl::post_ops leaky;
  dnnl::primitive_attr attributes;
#if DNNL_VERSION_MAJOR >= 3
  leaky.append_eltwise(dnnl::algorithm::eltwise_relu, 0.01f, 0);
  attributes.set_post_ops(leaky);
  const dnnl::matmul::primitive_desc description(engine, a, b, c, attributes);
#else
  leaky.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0.01f, 0);
  attributes.set_post_ops(leaky);
  const dnnl::matmul::primitive_desc description({a, b, c}, attributes, engine);
#endif
  // oneDNN takes no pointer to const; it only writes to the destination.
  const auto view = [&](const memory::desc& d, const void* data) {
    return memory(d, engine, const_cast<void*>(data));
  };
  const std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, view(a, p.a)}, {DNNL_ARG_WEIGHTS, view(b, p.b)}, {DNNL_ARG_DST, view(c, p.c)}};
  return [product = dnnl::matmul(description), stream = dnnl::stream(engine), arguments]() mutable {
    product.execute(stream, arguments);
    stream.wait();
  };
}

std::function<void()> make(const GemmLeakyRelu::Args& p) {
  if (p.m * p.n == 0) return [] {};  // oneDNN refuses empty matrices
  try {
    return make_product(p);
  } catch (const dnnl::error& e) {
    if (e.status != dnnl_unimplemented) throw;
    throw wb::Unsupported("oneDNN has no product of this type here");
  }
}

}  // namespace
#else
namespace {

std::function<void()> make(const GemmLeakyRelu::Args&) {
  throw wb::Unsupported("built without oneDNN: apt install libdnnl-dev, then configure again");
}

}  // namespace
#endif

WB_CPU(GemmLeakyRelu, library, make);
