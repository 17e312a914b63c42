// The yardstick: oneDNN's matrix product. It writes machine code for the shape when the primitive
// is made, which is set-up here.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "sgemm.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>

namespace {

std::function<void()> make(const Sgemm::Args& p) {
  if (p.m * p.n * p.k == 0)  // oneDNN refuses empty matrices
    return [p] { std::fill(p.c, p.c + p.m * p.n, 0.0f); };
  using dnnl::memory;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto layout = [&](wb::i64 rows, wb::i64 columns) {
    return memory::desc({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
  };
  const auto a = layout(p.m, p.k), b = layout(p.k, p.n), c = layout(p.m, p.n);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc description(engine, a, b, c);
#else
  const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, c), engine);
#endif
  // oneDNN takes no pointer to const; it only writes to the destination.
  const auto view = [&](const memory::desc& d, const float* data) {
    return memory(d, engine, const_cast<float*>(data));
  };
  const std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, view(a, p.a)}, {DNNL_ARG_WEIGHTS, view(b, p.b)}, {DNNL_ARG_DST, view(c, p.c)}};
  return
      [multiply = dnnl::matmul(description), stream = dnnl::stream(engine), arguments]() mutable {
        multiply.execute(stream, arguments);
        stream.wait();
      };
}

}  // namespace
#else
namespace {

std::function<void()> make(const Sgemm::Args&) {
  throw wb::Unsupported("built without oneDNN: apt install libdnnl-dev, then configure again");
}

}  // namespace
#endif

WB_CPU(Sgemm, library, make);
