// The yardstick: OpenBLAS for the matrix times a vector, and oneDNN, which writes machine code for
// the shape when it is set up, for the product of matrices. Without oneDNN that is OpenBLAS's, too.
#include <cblas.h>
#include <omp.h>

#include <functional>
#include <unordered_map>

#include "roofline.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace {

std::function<void()> make_gemv(const Roofline::Args& p) {
  return [p] {
    openblas_set_num_threads(omp_get_max_threads());
    std::fill(p.c, p.c + p.m, 0.0f);  // all there is to do where n is 0
    if (p.n > 0) cblas_sgemv(CblasRowMajor, CblasNoTrans, p.m, p.n, 1, p.a, p.n, p.b, 1, 0, p.c, 1);
  };
}

#ifdef WB_WITH_ONEDNN
std::function<void()> make_matmul(const Roofline::Args& p) {
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
#else
std::function<void()> make_matmul(const Roofline::Args& p) {
  return [p] {
    openblas_set_num_threads(omp_get_max_threads());
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.m, p.n, p.k, 1, p.a, p.k, p.b, p.n, 0,
                p.c, p.n);
  };
}
#endif

std::function<void()> make(const Roofline::Args& p) {
  if (p.op == Op::gemv) return make_gemv(p);
  if (p.op != Op::matmul) throw wb::Unsupported("these libraries have no such operation");
  if (p.m * p.n == 0) return [] {};
  return make_matmul(p);
}

}  // namespace

WB_CPU(Roofline, library, make);
