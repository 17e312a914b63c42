// The yardstick: oneDNN's matrix product on 16-bit numbers. oneDNN compiles it when the primitive
// is made, which is set-up here.
#include <functional>
#include <string_view>
#include <unordered_map>

#include "tensor_cores.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>

namespace {

std::function<void()> make(const TensorCores::Args& p) {
  if (p.m * p.n == 0) return [] {};  // oneDNN refuses empty matrices
  if (p.k == 0) throw wb::Unsupported("oneDNN knows no product of no terms");
  using dnnl::memory;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto type =
      std::string_view(p.dtype) == "fp16" ? memory::data_type::f16 : memory::data_type::bf16;
  const memory::desc a({p.m, p.k}, type, memory::format_tag::ab);
  const memory::desc b({p.k, p.n}, type, memory::format_tag::ba);  // B^T of a row-major B
  const memory::desc c({p.m, p.n}, type, memory::format_tag::ab);
  try {
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::matmul::primitive_desc description(engine, a, b, c);
#else
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, c), engine);
#endif
    // oneDNN takes no pointer to const; it only writes to the destination.
    const auto view = [&](const memory::desc& d, const void* data) {
      return memory(d, engine, const_cast<void*>(data));
    };
    const std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, view(a, p.a)},
                                                       {DNNL_ARG_WEIGHTS, view(b, p.b)},
                                                       {DNNL_ARG_DST, view(c, p.c)}};
    return
        [multiply = dnnl::matmul(description), stream = dnnl::stream(engine), arguments]() mutable {
          multiply.execute(stream, arguments);
          stream.wait();
        };
  } catch (const dnnl::error&) {
    throw wb::Unsupported("this oneDNN has no product of this type for this CPU");
  }
}

}  // namespace
#else
namespace {

std::function<void()> make(const TensorCores::Args&) {
  throw wb::Unsupported("built without oneDNN: apt install libdnnl-dev, then configure again");
}

}  // namespace
#endif

WB_CPU(TensorCores, library, make);
