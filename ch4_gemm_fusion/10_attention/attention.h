// out = softmax(Q K^T / sqrt(width)) V: each query is compared with every one of `length` keys, and
// its result is the mean of the values, weighted by the softmax of its scores. A *head* is one
// such problem; batch x heads of them are stored one after the other, each array
// [batch][heads][length][width] row-major. With the mask "causal", query i sees the keys 0 to i
// alone.
//
// Two axes are optional. `queries`: of so many, instead of one for each key. They are the last ones
// of the `length` tokens, so that with the mask query i sees the keys 0 to length - queries + i (in
// PyTorch: causal_lower_right; its is_causal aligns the first ones). One query is what a language
// model has when it writes a text token by token. `kv_heads`: k and v have so many heads, and
// heads / kv_heads neighbouring heads of q share one (*grouped-query attention*, GQA).
//
// Both products take 2 length^2 width operations per head, and q, k, v and out are 4 length width
// numbers. Between the products are the scores, length^2 numbers: at 4096 x 128 they are eight
// times as many as q, k, v and out. Whether they are written to memory is the question here.
//
// Scores and sums are fp32 for every dtype; the weights may be rounded to it for the second
// product.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../shared/normal.h"
#include "wb/half.h"
#include "wb/problem.h"
#include "wb/profiles.h"

constexpr wb::Case heads_of(wb::i64 batch, wb::i64 heads, wb::i64 length, wb::i64 width,
                            const char* mask, const char* dtype) {
  return {{"batch", batch}, {"heads", heads}, {"length", length},
          {"width", width}, {"mask", mask},   {"dtype", dtype}};
}
// With queries of their own number; with key heads that several heads share.
constexpr wb::Case with_queries(wb::i64 queries, wb::Case c) {
  c.set({"queries", queries});
  return c;
}
constexpr wb::Case with_kv_heads(wb::i64 kv_heads, wb::Case c) {
  c.set({"kv_heads", kv_heads});
  return c;
}
// Of large scores: exp of them is infinite in fp32, and one key has nearly all of the weight.
constexpr wb::Case peaks(wb::i64 heads, wb::i64 length, wb::i64 width, const char* mask,
                         const char* dtype) {
  return {{"batch", 1},   {"heads", heads}, {"length", length}, {"width", width},
          {"mask", mask}, {"dtype", dtype}, {"scores", "peaks"}};
}

struct Attention {
  static constexpr wb::i64 kKi = 1 << 10;
  static constexpr const char* case_names[] = {
      "last {queries} of {length} tokens, {heads} heads of {width}, {mask}, {dtype}, batch {batch}",
      "{length} tokens, {heads} heads of {width}, {mask}, {dtype}, batch {batch}"};
  static constexpr wb::Case bench[] = {heads_of(4, 16, 4096, 128, "full", "bf16"),
                                       heads_of(4, 16, 4096, 128, "causal", "bf16"),
                                       heads_of(4, 32, 4096, 64, "full", "bf16"),
                                       heads_of(4, 32, 4096, 64, "causal", "bf16"),
                                       heads_of(32, 16, 512, 128, "full", "bf16"),
                                       heads_of(16, 16, 1024, 128, "causal", "bf16"),
                                       heads_of(8, 32, 2048, 64, "full", "bf16"),
                                       heads_of(1, 16, 16 * kKi, 128, "full", "bf16"),
                                       heads_of(1, 16, 16 * kKi, 128, "causal", "bf16"),
                                       heads_of(4, 16, 4097, 128, "causal", "bf16")};
  static constexpr wb::Case bench_cpu[] = {
      heads_of(1, 2, 4096, 128, "full", "fp32"), heads_of(1, 2, 4096, 128, "causal", "fp32"),
      heads_of(1, 4, 4096, 64, "full", "fp32"),  heads_of(1, 4, 4096, 64, "causal", "fp32"),
      heads_of(1, 4, 1024, 64, "full", "fp32"),  heads_of(2, 4, 256, 64, "full", "fp32")};
  static constexpr wb::Sweep sweeps[] = {{"length", 512, 16 * kKi, wb::Show::flops}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"length", 128, 4096, wb::Show::flops}};
  // Lengths next to those of tiles, primes, one token, none; widths of 64 and 128, and others for
  // who takes any. More than one head, so that those that run into each other are seen.
  static constexpr wb::Case test[] = {
      heads_of(1, 1, 1, 64, "full", "fp32"),
      heads_of(2, 3, 1, 128, "causal", "bf16"),
      heads_of(1, 3, 31, 64, "causal", "bf16"),
      heads_of(2, 2, 33, 64, "full", "fp16"),
      heads_of(1, 3, 64, 64, "causal", "fp32"),
      heads_of(2, 1, 64, 128, "full", "bf16"),
      heads_of(1, 2, 127, 64, "full", "bf16"),
      heads_of(1, 3, 127, 128, "causal", "fp16"),
      heads_of(2, 2, 128, 128, "full", "bf16"),
      heads_of(1, 3, 128, 64, "causal", "bf16"),
      heads_of(2, 2, 129, 128, "causal", "bf16"),
      heads_of(1, 3, 129, 64, "full", "fp32"),
      heads_of(2, 3, 257, 64, "causal", "bf16"),
      heads_of(1, 2, 257, 128, "full", "fp16"),
      heads_of(2, 5, 509, 128, "causal", "bf16"),
      heads_of(1, 3, 509, 64, "full", "bf16"),
      heads_of(1, 2, 509, 128, "causal", "fp32"),
      heads_of(2, 3, 1000, 64, "full", "bf16"),
      heads_of(1, 5, 1000, 128, "causal", "bf16"),
      heads_of(1, 2, 1000, 128, "full", "fp32"),
      heads_of(2, 2, 512, 64, "causal", "fp16"),
      heads_of(4, 5, 256, 128, "full", "bf16"),
      peaks(3, 257, 64, "full", "fp32"),
      peaks(2, 500, 128, "causal", "bf16"),
      peaks(3, 384, 64, "full", "bf16"),
      peaks(2, 129, 128, "full", "fp16"),
      heads_of(2, 3, 33, 40, "full", "bf16"),
      heads_of(1, 2, 127, 80, "causal", "fp16"),
      heads_of(1, 3, 129, 33, "causal", "fp32"),
      heads_of(2, 2, 31, 1, "full", "fp32"),
      heads_of(3, 2, 0, 64, "full", "bf16"),
      heads_of(0, 2, 5, 128, "causal", "bf16"),
      heads_of(1, 2, 257, 72, "full", "bf16"),
      heads_of(2, 2, 127, 96, "causal", "bf16"),
      heads_of(1, 3, 129, 160, "full", "fp16"),
      heads_of(1, 2, 257, 256, "causal", "bf16"),
      heads_of(1, 1, 33, 256, "full", "fp32"),
      peaks(2, 200, 256, "full", "bf16"),
      heads_of(1, 2, 200, 131, "causal", "bf16"),
      with_queries(1, heads_of(2, 3, 257, 64, "full", "bf16")),
      with_queries(3, heads_of(1, 2, 129, 80, "causal", "bf16")),
      with_queries(17, heads_of(1, 2, 1000, 128, "causal", "fp16")),
      with_queries(130, heads_of(1, 3, 509, 96, "full", "bf16")),
      with_queries(130, heads_of(2, 2, 257, 128, "causal", "fp32")),
      with_queries(33, heads_of(1, 2, 31, 33, "full", "fp32")),
      with_queries(0, heads_of(1, 2, 31, 64, "full", "bf16")),
      with_queries(1, peaks(2, 500, 128, "full", "bf16")),
      with_kv_heads(1, heads_of(2, 2, 129, 64, "causal", "bf16")),
      with_kv_heads(2, heads_of(2, 8, 257, 128, "causal", "bf16")),
      with_kv_heads(1, heads_of(1, 8, 127, 80, "full", "fp16")),
      with_kv_heads(2, heads_of(1, 4, 65, 40, "causal", "fp32")),
      with_kv_heads(1, with_queries(1, heads_of(3, 8, 1000, 128, "causal", "bf16"))),
      with_kv_heads(2, with_queries(5, heads_of(2, 8, 509, 64, "causal", "bf16"))),
      with_kv_heads(2, with_queries(130, heads_of(1, 4, 257, 256, "causal", "fp16"))),
      with_kv_heads(1, with_queries(3, heads_of(2, 8, 31, 33, "full", "fp32")))};

  struct Args {
    wb::i64 batch, heads, kv_heads, queries, length, width;
    bool causal;
    const char* dtype;  // of all arrays
    const void *q, *k, *v;
    void* out;
    double deviation;  // of a score, over the keys: for the tolerance alone, as the next one
    bool drawn;        // the case has a profile
  };

  // Scores of a query are normally distributed over the keys, with deviation 3: a few of the keys
  // have most of the weight, and the largest score so far changes again and again along a row.
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const std::string_view mask = c.word("mask"), scores = c.word("scores");
    if (mask != "full" && mask != "causal")
      throw std::invalid_argument("mask is '" + std::string(mask) + "': take full or causal");
    if (!scores.empty() && scores != "peaks")
      throw std::invalid_argument("unknown scores '" + std::string(scores) + "'");
    const wb::i64 batch = c["batch"], heads = c["heads"], kv_heads = c.get("kv_heads", heads);
    const wb::i64 length = c["length"], queries = c.get("queries", length);
    if (kv_heads > 0 ? heads % kv_heads : heads)
      throw std::invalid_argument("kv_heads has to divide heads");
    if (queries > length && (mask == "causal" || length == 0))
      throw std::invalid_argument(
          "some queries have no key: with a causal mask take length >= queries");
    // Profiles of q reach 64, so that all scores may be near -200, where exp(score) is 0. None is
    // larger than 64 sqrt(width).
    const bool drawn = c.find("profile");
    const wb::i64 width = c["width"], of_k = batch * kv_heads * length * width;
    const double deviation = drawn               ? 64 * std::sqrt(static_cast<double>(width)) / 6
                             : scores == "peaks" ? 40
                                                 : 3;
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      return {batch,
              heads,
              kv_heads,
              queries,
              length,
              width,
              mask == "causal",
              c.word("dtype"),
              io.in<T>("q", batch * heads * queries * width,
                       drawn ? wb::profiled<T>(c, {.row = width, .reach = 64}, 0)
                             : normal(1, deviation)),
              io.in<T>("k", of_k,
                       drawn ? wb::profiled<T>(c, {.row = width, .reach = -1}, 1) : normal(2)),
              io.in<T>("v", of_k),
              io.out<T>("out",
                        {{"batch", batch}, {"head", heads}, {"row", queries}, {"column", width}}),
              deviation,
              drawn};
    });
  }

  // The softmax, some operations per score, is not counted.
  static wb::Cost cost(const Args& p) {
    const double of_q = static_cast<double>(p.batch * p.heads * p.queries * p.width);
    const double of_k = static_cast<double>(p.batch * p.kv_heads * p.length * p.width);
    const double hidden = p.causal ? (p.queries - 1) / 2.0 : 0;  // keys of a query, on average
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Cost {
      const double size = sizeof(zero);
      return {.flops = 4 * of_q * (p.length - hidden),
              .read = size * (of_q + 2 * of_k),
              .write = size * of_q,
              .math = wb::kMath<decltype(zero)>};
    });
  }

  // Values are below 1, so a weighted mean of them is, too, and so is the mean of their sizes:
  // an error of each weight by a share x makes one of x, and one of all scores by x as much as 2 x.
  // In units of e = 2^-24, with |score| <= 6 deviations (one of 500 million is beyond), and a query
  // that is longer than usual by 4 deviations, 1 / sqrt(2 width):
  // - A score is a sum of `width` products: a walk of that many steps, each of up to e of what is
  //   there; 2 sqrt(width) e |score| is several times its deviation. Where a profile makes all
  //   products of a score alike, each step may round the same way: width / 2 e |score|. Scaling,
  //   subtraction of the maximum, the constant log2(e) and the products with it take e |score|
  //   each, twice where parts of a row have maxima of their own: 8 e |score|. The exponential is
  //   off by 4 e, twice, too.
  // - The two sums over the keys walk as well: 2 sqrt(length) e each.
  // - Tensor cores cut off instead of rounding: 2 e of one sign for each 16 products.
  // - Weights of 16 bits are rounded: kRounding of each. (In fp16 those below 2^-14 of the largest
  //   one are multiples of 2^-24: each costs half of that, divided by a sum that is at least 1.)
  // - Then the result is rounded, close to a tie in either direction.
  static wb::Tolerance tolerance(const Args& p) {
    const double width = static_cast<double>(p.width), length = static_cast<double>(p.length);
    const double e = 0x1p-24, score = largest_score(p);
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      wb::Tolerance t{.rel = 4 * e,
                      .abs = 2 * e * ((steps(p) + 8) * score + 8) + 4 * std::sqrt(length) * e,
                      .sampled = sampled(p)};
      if (sizeof(T) == 4) return t;
      t.abs += 2 * e / 16 * (2 * width * score + 2 * length) + wb::kRounding<T>;
      t.rel += 2 * wb::kRounding<T>;
      if (std::is_same_v<T, wb::half>) t.abs += (length / 2 + 1) * 0x1p-24;
      return t;
    });
  }

  // Of large ones some queries, spread over all heads.
  static void reference(const Args& p, wb::Sampler& sampler) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const wb::i64 rows = p.batch * p.heads * p.queries;
      const auto some = sampler.some(rows, sampled(p) ? queries(p) : rows);
#pragma omp parallel for schedule(dynamic)
      for (std::size_t s = 0; s < some.size(); ++s) one_query<decltype(zero)>(p, some[s]);
    });
  }

 protected:
  template <class T> static double one_query(const Args& p, wb::i64 row) {  // log(sum of exp)
    const wb::i64 query = row % p.queries;
    const wb::i64 keys = p.causal ? p.length - p.queries + query + 1 : p.length;
    const wb::i64 head = row / p.queries / (p.heads / p.kv_heads) * p.length * p.width;
    const T *q = static_cast<const T*>(p.q) + row * p.width, *k = static_cast<const T*>(p.k) + head;
    const T* v = static_cast<const T*>(p.v) + head;
    std::vector<double> weight(keys), sum(p.width);
    double max = -HUGE_VAL, total = 0;
    for (wb::i64 j = 0; j < keys; ++j) {
      for (wb::i64 l = 0; l < p.width; ++l) weight[j] += double{q[l]} * k[j * p.width + l];
      weight[j] /= std::sqrt(static_cast<double>(p.width));
      max = std::max(max, weight[j]);
    }
    for (wb::i64 j = 0; j < keys; ++j) {
      total += weight[j] = std::exp(weight[j] - max);
      for (wb::i64 l = 0; l < p.width; ++l) sum[l] += weight[j] * v[j * p.width + l];
    }
    T* out = static_cast<T*>(p.out) + row * p.width;
    for (wb::i64 l = 0; l < p.width; ++l) out[l] = static_cast<T>(sum[l] / total);
    return max + std::log(total);
  }

  static double largest_score(const Args& p) {
    const double width = static_cast<double>(p.width);
    return 6 * p.deviation * (1 + 4 / std::sqrt(2 * std::max(width, 1.0)));
  }
  // What a score's sum may be off by, in units of e |score|.
  static double steps(const Args& p) {
    const double width = static_cast<double>(p.width), walk = 2 * std::sqrt(width);
    return p.drawn ? std::max(walk, width / 2) : walk;
  }
  static double work(const Args& p) {
    return 1.0 * p.batch * p.heads * p.queries * p.length * p.width;
  }
  static bool sampled(const Args& p) { return work(p) > 0x1p25; }
  static wb::i64 queries(const Args& p) {  // of about 2^26 multiplications, and more if that is few
    return std::max<wb::i64>(128, (1 << 26) / (2 * p.length * p.width));
  }
};

// For set-up of variants that take no others.
inline void require_one_length(const Attention::Args& p) {
  if (p.queries != p.length) throw wb::Unsupported("as many queries as keys here");
  if (p.kv_heads != p.heads) throw wb::Unsupported("a key head for each head here");
}

// The exercises: in training the way back asks for each query's log(sum of exp(score)) as well,
// and makes the weights anew from it.
struct TrainedAttention : Attention {
  struct Args : Attention::Args {
    float* log_sum;  // batch x heads x length
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const Attention::Args p = Attention::bind(io, c);
    require_one_length(p);
    return {p, io.out<float>("log_sum", p.batch * p.heads * p.length, wb::Space::device,
                             tolerance_of_log(p))};
  }
  static void reference(const Args& p, wb::Sampler& sampler) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const wb::i64 rows = p.batch * p.heads * p.queries;
      const auto some = sampler.some(rows, sampled(p) ? queries(p) : rows);
#pragma omp parallel for schedule(dynamic)
      for (std::size_t s = 0; s < some.size(); ++s)
        p.log_sum[some[s]] = static_cast<float>(one_query<decltype(zero)>(p, some[s]));
    });
  }

 private:
  // What all scores are off by the logarithm is, what the sum is off by as a share of it, too (see
  // tolerance()); and it is scaled and rounded.
  static wb::Tolerance tolerance_of_log(const Attention::Args& p) {
    const double length = static_cast<double>(p.length), e = 0x1p-24;
    return {.rel = 4 * e,
            .abs = e * ((steps(p) + 8) * largest_score(p) + 8 + 2 * std::sqrt(length)),
            .sampled = sampled(p)};
  }
};
