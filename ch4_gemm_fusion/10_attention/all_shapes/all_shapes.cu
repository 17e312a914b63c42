// Optional reading: attention of the shapes that optimized refuses: widths other than 64 and 128,
// queries of their own number (one, when a text is written word by word), key heads that several
// heads share. In the order in which it meets them:
//
//   plan.h           chooses the kernel, and how the keys are cut
//   merge.cuh        copies rows to whole 16 bytes, where their width is no multiple of 8; and
//                    afterwards makes one result of the splits of the keys
//   warpgroups.cuh   many queries on a Hopper: optimized with a width and a tile of keys
//   warps.cuh        few queries, or another GPU: step2_mma, with splits of the keys
//
// Predict: one query for each of 32 heads, 8192 keys for each of 4 key heads of 128 numbers, bf16:
// how many bytes are read, and how long does this take at your bandwidth? Which of the two
// products' units could be too slow for it?
#include "../../shared/tensor_types.cuh"
#include "merge.cuh"
#include "plan.h"
#include "warpgroups.cuh"
#include "warps.cuh"

namespace {

using attention_plan::Plan, attention_plan::Way;
using Function = std::function<void(cudaStream_t)>;

// f.operator()<width>() with the least of these that is large enough.
template <int width, int... wider, class F> auto with_width(wb::i64 needed, F f) {
  if constexpr (sizeof...(wider) > 0)
    if (needed > width) return with_width<wider...>(needed, f);
  return f.template operator()<width>();
}

template <class T, int width, class Form> int resident() {
  const auto kernel = warps::attend<T, width, Form>;
  int blocks = 0;
  wb::allow_shared(kernel, Form::bytes(width));
  WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, Form::kThreads,
                                                         Form::bytes(width)));
  return std::max(1, blocks);
}

template <class T> Plan choose(const Attention::Args& p) {
  if (p.width > 256) throw wb::Unsupported("heads of at most 256 numbers here");
  if (std::max(p.heads * p.queries, p.length) > 1 << 30)
    throw wb::Unsupported("too large: at most 2^30 keys, and queries of all heads");
  return with_width<64, 128, 256>(p.width, [&]<int width>() {
    return attention_plan::choose(
        {p.batch, p.heads, p.kv_heads, p.queries, p.length, p.width, p.causal},
        {hopper::multiprocessors(),
         hopper::is_here() && !hopper::no_code(),
         {resident<T, width, warps::Few<width>>(), resident<T, width, warps::Some<width>>(),
          resident<T, width, warps::Many<width>>()}});
  });
}

template <class T, int width, class Form>
Function by_warps(const Attention::Args& p, const Plan& plan, const T* q, const T* k, const T* v,
                  T* out, int pitch) {
  const auto kernel = warps::attend<T, width, Form>;
  wb::allow_shared(kernel, Form::bytes(width));
  const wb::i64 rows = plan.heads * plan.rows;
  const wb::i64 blocks = plan.heads * ((plan.rows + Form::kRows - 1) / Form::kRows) * plan.splits;
  const int of_row = plan.splits > 1 ? plan.splits : 0;
  const int threads = 32 * (plan.splits > 16 ? warps::kMergeWarps : 4);
  const auto sums = wb::make_device_array<float>(rows * of_row * pitch);
  const auto found = wb::make_device_array<float2>(rows * of_row);
  const warps::Shape shape{int(plan.rows), int(p.queries), int(p.length), int(plan.group),
                           int(p.width),   pitch,          plan.causal,   scale(p)};
  const dim3 grid = wb::grid(blocks), merging = wb::grid(rows);
  return [=, splits = plan.splits](cudaStream_t stream) {
    kernel<<<grid, Form::kThreads, Form::bytes(width), stream>>>(shape, splits, q, k, v, out,
                                                                 sums.get(), found.get());
    if (splits > 1)
      warps::merge<<<merging, threads, 0, stream>>>(splits, shape.width, pitch, sums.get(),
                                                    found.get(), out);
    WB_CHECK(cudaGetLastError());
  };
}

template <class T, int width>
Function by_warpgroups(const Attention::Args& p, const Plan& plan, const T* q, const T* k,
                       const T* v, T* out, int pitch) {
  using Shared = warpgroups::Shared<T, width>;
  const auto kernel = warpgroups::attend<T, width>;
  const int bytes = sizeof(Shared);
  wb::allow_shared(kernel, bytes);
  const wb::i64 kv_heads = plan.heads / plan.group;
  const auto map = [&](const void* x, wb::i64 length, int rows, wb::i64 heads) {
    return hopper::tensor_map<T>(x, length, pitch, rows, heads);
  };
  const auto of_q = map(q, plan.rows, 64, plan.heads);
  const auto of_k = map(k, p.length, Shared::kKeys, kv_heads);
  const auto of_v = map(v, p.length, Shared::kKeys, kv_heads);
  const auto of_out = plan.padded ? of_q : map(out, plan.rows, 64, plan.heads);
  const wb::i64 tiles = plan.heads * ((plan.rows + Shared::kRows - 1) / Shared::kRows);
  const int blocks = std::min<wb::i64>(tiles, hopper::multiprocessors());
  return [=, p = p](cudaStream_t stream) {
    kernel<<<blocks, Shared::kThreads, bytes, stream>>>(plan.heads, plan.group, plan.rows, p.length,
                                                        plan.causal, scale(p), out, p.width, of_q,
                                                        of_k, of_v, of_out);
    WB_CHECK(cudaGetLastError());
  };
}

template <class T>
Function by_plan(const Attention::Args& p, const Plan& plan, const T* q, const T* k, const T* v,
                 T* out) {
  const int pitch = static_cast<int>((p.width + 7) / 8 * 8);
  if (plan.way == Way::warpgroups)
    return with_width<64, 80, 96, 128, 192, 256>(p.width, [&]<int width>() {
      return by_warpgroups<T, width>(p, plan, q, k, v, out, pitch);
    });
  return with_width<64, 128, 256>(p.width, [&]<int width>() {
    if (plan.way == Way::few)
      return by_warps<T, width, warps::Few<width>>(p, plan, q, k, v, out, pitch);
    if (plan.way == Way::some)
      return by_warps<T, width, warps::Some<width>>(p, plan, q, k, v, out, pitch);
    return by_warps<T, width, warps::Many<width>>(p, plan, q, k, v, out, pitch);
  });
}

// Copies of q, k and v first, where their rows are no whole 16 bytes.
template <class T>
Function after_copies(const Attention::Args& p, const Plan& plan, const T* q, const T* k,
                      const T* v, T* out) {
  const int width = static_cast<int>(p.width), pitch = (width + 7) / 8 * 8;
  const wb::i64 of_q = p.batch * p.heads * p.queries, of_k = p.batch * p.kv_heads * p.length;
  const auto copy = wb::make_device_array<T>((of_q + 2 * of_k) * pitch);
  T *const to_q = copy.get(), *const to_k = to_q + of_q * pitch, *const to_v = to_k + of_k * pitch;
  const Function attend = by_plan<T>(p, plan, to_q, to_k, to_v, out);
  return [=](cudaStream_t stream) {
    const auto pad = [&](wb::i64 rows, const T* from, T* to) {
      const wb::i64 pieces = rows * pitch / 8;
      warps::pad<<<wb::grid((pieces + warps::kPadThreads - 1) / warps::kPadThreads),
                   warps::kPadThreads, 0, stream>>>(pieces, width, pitch, from, to);
      WB_CHECK(cudaGetLastError());
    };
    pad(of_q, q, to_q), pad(of_k, k, to_k), pad(of_k, v, to_v);
    attend(stream);
    static_cast<void>(copy);  // lives as long as this function
  };
}

auto make(const Attention::Args& p) {
  require_type(p.dtype);
  return with_types(p, [&]<class T>(const T* q, const T* k, const T* v, T* out) -> Function {
    if constexpr (std::is_same_v<T, float>) {
      return {};
    } else {
      if (p.batch * p.heads * p.queries * p.width == 0) return [](cudaStream_t) {};
      const Plan plan = choose<T>(p);
      return plan.padded ? after_copies(p, plan, q, k, v, out) : by_plan(p, plan, q, k, v, out);
    }
  });
}

}  // namespace

WB_CUDA(Attention, all_shapes, make);
WB_NEEDS("8.0");
WB_CASE_NOTE(Attention, [](const Attention::Args& p) {
  if (std::string_view(p.dtype) == "fp32" || p.batch * p.heads * p.queries * p.width == 0)
    return std::string();
  return choose<__half>(p).text();
});
