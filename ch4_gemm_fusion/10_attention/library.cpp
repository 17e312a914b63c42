// The yardstick: the unfused way with oneDNN alone, which makes machine code for each of the three
// steps when it is set up. The scale is taken into the first product as a *post-op*, all heads go
// into one call, and the softmax is made in place. A mask is a loop of ours over the scores: as a
// post-op it would have oneDNN take a product that is a thousand times as slow.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "attention.h"
#include "wb/cpu.h"

#ifdef WB_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>

namespace {

using dnnl::algorithm, dnnl::memory, dnnl::prop_kind;

// Query i of each head sees the keys 0 to i.
void hide_keys(float* scores, wb::i64 heads, wb::i64 n) {
#pragma omp parallel for
  for (wb::i64 row = 0; row < heads * n; ++row)
    std::fill(scores + row * n + row % n + 1, scores + (row + 1) * n, -HUGE_VALF);
}

std::function<void()> make_steps(const Attention::Args& p) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const wb::i64 heads = p.batch * p.heads, n = p.length, d = p.width;
  const auto fp32 = memory::data_type::f32;
  const memory::desc rows({heads, n, d}, fp32, memory::dims{n * d, d, 1}),
      k({heads, d, n}, fp32, memory::dims{n * d, 1, d}),  // read as its transpose
      scores({heads, n, n}, fp32, memory::dims{n * n, n, 1});
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
  dnnl::post_ops after;
  dnnl::primitive_attr attributes;
#if DNNL_VERSION_MAJOR >= 3
  after.append_eltwise(algorithm::eltwise_linear, scale, 0);
#else
  after.append_eltwise(1, algorithm::eltwise_linear, scale, 0);
#endif
  attributes.set_post_ops(after);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc first(engine, rows, k, scores, attributes);
  const dnnl::softmax_forward::primitive_desc middle(
      engine, prop_kind::forward_inference, algorithm::softmax_accurate, scores, scores, 2);
  const dnnl::matmul::primitive_desc second(engine, scores, rows, rows);
#else
  const dnnl::matmul::primitive_desc first({rows, k, scores}, attributes, engine);
  const dnnl::softmax_forward::primitive_desc middle({prop_kind::forward_inference, scores, 2},
                                                     engine);
  const dnnl::matmul::primitive_desc second({scores, rows, rows}, engine);
#endif
  // oneDNN takes no pointer to const; it only writes to the destination.
  const auto view = [&](const memory::desc& layout, const void* data) {
    return memory(layout, engine, const_cast<void*>(data));
  };
  const memory s(scores, engine);
  const std::unordered_map<int, memory> of_first = {
      {DNNL_ARG_SRC, view(rows, p.q)}, {DNNL_ARG_WEIGHTS, view(k, p.k)}, {DNNL_ARG_DST, s}};
  const std::unordered_map<int, memory> of_middle = {{DNNL_ARG_SRC, s}, {DNNL_ARG_DST, s}};
  const std::unordered_map<int, memory> of_second = {
      {DNNL_ARG_SRC, s}, {DNNL_ARG_WEIGHTS, view(rows, p.v)}, {DNNL_ARG_DST, view(rows, p.out)}};
  return [=, causal = p.causal, scores_of = dnnl::matmul(first),
          softmax = dnnl::softmax_forward(middle), weighted = dnnl::matmul(second),
          stream = dnnl::stream(engine)]() mutable {
    scores_of.execute(stream, of_first);
    if (causal) {
      stream.wait();
      hide_keys(static_cast<float*>(s.get_data_handle()), heads, n);
    }
    softmax.execute(stream, of_middle);
    weighted.execute(stream, of_second);
    stream.wait();
  };
}

std::function<void()> make(const Attention::Args& p) {
  require_one_length(p);
  if (std::string_view(p.dtype) != "fp32")
    throw wb::Unsupported("fp32 alone: oneDNN's softmax of fp32 scores has no 16-bit result");
  if (p.batch * p.heads * p.length * p.width == 0) return [] {};  // oneDNN refuses empty arrays
  return make_steps(p);
}

}  // namespace
#else
namespace {

std::function<void()> make(const Attention::Args&) {
  throw wb::Unsupported("built without oneDNN: apt install libdnnl-dev, then configure again");
}

}  // namespace
#endif

WB_CPU(Attention, library, make);
