// The yardstick: oneDNN's product, for this processor, and the pass of step 1. The gradient of ReLU
// with a mask and the sums of columns are no post-ops of a product there.
#include <functional>
#include <string_view>
#include <unordered_map>

#include "pass.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>

namespace {

using dnnl::memory;

std::function<void()> make_product(const LinearReluBackward::Args& p) {
  if (p.m * p.n * p.k == 0) throw wb::Unsupported("oneDNN refuses empty matrices");
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto dense = [](wb::i64 rows, wb::i64 columns) {
    return memory::desc({rows, columns}, memory::data_type::f32, memory::dims{columns, 1});
  };
  const memory::desc dy = dense(p.m, p.k), w = dense(p.k, p.n), dz = dense(p.m, p.n);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc description(engine, dy, w, dz);
#else
  const dnnl::matmul::primitive_desc description({dy, w, dz}, engine);
#endif
  // oneDNN takes no pointer to const; it only writes to the destination.
  const auto view = [&](const memory::desc& d, const void* data) {
    return memory(d, engine, const_cast<void*>(data));
  };
  const std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, view(dy, p.dy)},
                                                     {DNNL_ARG_WEIGHTS, view(w, p.w)},
                                                     {DNNL_ARG_DST, view(dz, p.dz)}};
  return [product = dnnl::matmul(description), stream = dnnl::stream(engine), arguments]() mutable {
    product.execute(stream, arguments);
    stream.wait();
  };
}

std::function<void()> make(const LinearReluBackward::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("the pass is for fp32");
  return [p, multiply = make_product(p)] {
    multiply();
    mask_and_sum(p.m, p.n, static_cast<const float*>(p.h), static_cast<float*>(p.dz),
                 static_cast<float*>(p.db));
  };
}

}  // namespace
#else
namespace {

std::function<void()> make(const LinearReluBackward::Args&) {
  throw wb::Unsupported("built without oneDNN: apt install libdnnl-dev, then configure again");
}

}  // namespace
#endif

WB_CPU(LinearReluBackward, library, make);
