// The yardstick: oneDNN, which is told the strides of all three axes, heads, rows and columns, and
// writes machine code for them when it is set up.
#include <functional>
#include <unordered_map>

#include "views.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>

namespace {

std::function<void()> make(const Views::Args& p) {
  if (p.heads * p.m * p.n * p.k == 0)
    throw wb::Unsupported("oneDNN refuses matrices without elements");
  using dnnl::memory;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto layout = [&](const auto& v, bool transposed) {
    memory::dims sizes{p.heads, v.rows, v.columns}, strides{v.stride, v.leading, 1};
    if (transposed) std::swap(sizes[1], sizes[2]), std::swap(strides[1], strides[2]);
    return memory::desc(sizes, memory::data_type::f32, strides);
  };
  const auto a = layout(p.a, p.a_transposed), b = layout(p.b, p.b_transposed);
  const auto c = layout(p.c, false);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc description(engine, a, b, c);
#else
  const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, c), engine);
#endif
  // oneDNN takes no pointer to const; it only writes to the destination.
  const auto view = [&](const memory::desc& d, const float* data) {
    return memory(d, engine, const_cast<float*>(data));
  };
  const std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, view(a, p.a.data)},
                                                     {DNNL_ARG_WEIGHTS, view(b, p.b.data)},
                                                     {DNNL_ARG_DST, view(c, p.c.data)}};
  return
      [multiply = dnnl::matmul(description), stream = dnnl::stream(engine), arguments]() mutable {
        multiply.execute(stream, arguments);
        stream.wait();
      };
}

}  // namespace
#else
namespace {

std::function<void()> make(const Views::Args&) {
  throw wb::Unsupported("built without oneDNN: apt install libdnnl-dev, then configure again");
}

}  // namespace
#endif

WB_CPU(Views, library, make);
