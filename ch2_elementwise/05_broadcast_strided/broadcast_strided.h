// z = x + y, where y is a view: a batch of matrices whose element (b, row, column) has the index
// stride[0] * b + stride[1] * row + stride[2] * column. x and z are dense. A stride of 0 repeats
// the same element (a broadcast); a transposed matrix has its strides exchanged.
#pragma once

#include <stdexcept>
#include <string_view>

#include "wb/half.h"
#include "wb/problem.h"
#include "wb/variant.h"

// Sizes, and the view's strides.
struct Layout {
  wb::i64 size[3], stride[3];
  constexpr wb::i64 elements() const { return size[0] * size[1] * size[2]; }
};

constexpr wb::Case square(const char* size, const char* op, const char* dtype, wb::i64 side) {
  return {{"size", size}, {"op", op}, {"dtype", dtype}, {"rows", side}, {"columns", side}};
}
constexpr wb::Case batch_of_64(const char* op) {
  return {{"size", "batch"}, {"op", op},    {"dtype", "fp32"},
          {"batch", 64},     {"rows", 512}, {"columns", 512}};
}

struct BroadcastStrided {
  static constexpr const char* case_names[] = {"{op}, {batch} x {rows} x {columns}, {dtype}",
                                               "{op}, {rows} x {columns}, {dtype}"};
  static constexpr wb::Case bench[] = {square("xlarge", "transposed", "fp32", 8192),
                                       square("xlarge", "contiguous", "fp32", 8192),
                                       square("xlarge", "row", "fp32", 8192),
                                       square("xlarge", "column", "fp32", 8192),
                                       square("xlarge", "slice", "fp32", 8192),
                                       square("xlarge", "every_second", "fp32", 8192),
                                       square("xlarge", "transposed", "fp32", 16384),
                                       square("large", "transposed", "fp32", 4096),
                                       square("medium", "transposed", "fp32", 2048),
                                       square("small", "transposed", "fp32", 512),
                                       square("small", "row", "fp32", 512),
                                       batch_of_64("transposed"),
                                       batch_of_64("column"),
                                       square("xlarge", "transposed", "bf16", 8192),
                                       square("xlarge", "row", "bf16", 8192)};
  static constexpr wb::Case bench_cpu[] = {
      square("large", "transposed", "fp32", 4096), square("medium", "contiguous", "fp32", 2048),
      square("medium", "row", "fp32", 2048), square("medium", "every_second", "fp32", 2048),
      square("medium", "transposed", "bf16", 2048)};
  // late: every array starts at its element 1, not at an aligned address.
  static constexpr wb::Case test[] = {
      {{"op", "row"}, {"dtype", "fp32"}, {"rows", 0}, {"columns", 7}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"rows", 1}, {"columns", 1}},
      {{"op", "transposed"}, {"dtype", "bf16"}, {"rows", 1}, {"columns", 31}},
      {{"op", "every_second"}, {"dtype", "fp16"}, {"rows", 33}, {"columns", 1}},
      {{"op", "contiguous"}, {"dtype", "fp32"}, {"rows", 127}, {"columns", 129}},
      {{"op", "row"}, {"dtype", "fp32"}, {"rows", 127}, {"columns", 129}},
      {{"op", "column"}, {"dtype", "fp32"}, {"rows", 127}, {"columns", 129}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"rows", 127}, {"columns", 129}},
      {{"op", "slice"}, {"dtype", "fp32"}, {"rows", 127}, {"columns", 129}},
      {{"op", "every_second"}, {"dtype", "fp32"}, {"rows", 127}, {"columns", 129}},
      {{"op", "contiguous"}, {"dtype", "fp32"}, {"batch", 3}, {"rows", 33}, {"columns", 200}},
      {{"op", "row"}, {"dtype", "bf16"}, {"batch", 3}, {"rows", 33}, {"columns", 200}},
      {{"op", "column"}, {"dtype", "fp16"}, {"batch", 3}, {"rows", 33}, {"columns", 200}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"batch", 3}, {"rows", 70}, {"columns", 200}},
      {{"op", "slice"}, {"dtype", "bf16"}, {"batch", 3}, {"rows", 33}, {"columns", 200}},
      {{"op", "every_second"}, {"dtype", "fp16"}, {"batch", 3}, {"rows", 33}, {"columns", 200}},
      {{"op", "contiguous"}, {"dtype", "fp32"}, {"rows", 1}, {"columns", 100'003}},
      {{"op", "column"}, {"dtype", "bf16"}, {"rows", 100'003}, {"columns", 1}},
      {{"op", "row"}, {"dtype", "fp32"}, {"rows", 65}, {"columns", 132}, {"late", 1}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"rows", 65}, {"columns", 132}, {"late", 1}},
      {{"op", "contiguous"}, {"dtype", "bf16"}, {"rows", 65}, {"columns", 132}, {"late", 1}},
      {{"op", "transposed"}, {"dtype", "fp16"}, {"rows", 64}, {"columns", 128}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"batch", 3}, {"rows", 96}, {"columns", 32}},
      {{"op", "row"}, {"dtype", "fp32"}, {"rows", 262'143}, {"columns", 4}},  // 65,536 blocks down
      {{"op", "column"}, {"dtype", "bf16"}, {"batch", 65'537}, {"rows", 2}, {"columns", 8}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"batch", 65'537}, {"rows", 3}, {"columns", 2}},
      {{"op", "row"},
       {"dtype", "fp32"},
       {"rows", 1031},
       {"columns", 1040}},  // enough for large cases' launches
      {{"op", "contiguous"}, {"dtype", "fp32"}, {"rows", 1031}, {"columns", 1040}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"rows", 1103}, {"columns", 1021}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"rows", 2111}, {"columns", 2047}},
      {{"op", "transposed"}, {"dtype", "fp32"}, {"rows", 2048}, {"columns", 2112}},
      {{"op", "transposed"}, {"dtype", "bf16"}, {"rows", 1088}, {"columns", 1024}, {"late", 1}},
      {{"op", "transposed"}, {"dtype", "bf16"}, {"rows", 1030}, {"columns", 1042}},
      {{"op", "transposed"}, {"dtype", "fp16"}, {"rows", 1102}, {"columns", 1021}},
      {{"op", "transposed"}, {"dtype", "bf16"}, {"rows", 1040}, {"columns", 1040}, {"late", 1}},
      {{"op", "transposed"}, {"dtype", "fp16"}, {"batch", 33}, {"rows", 130}, {"columns", 258}},
      {{"op", "row"}, {"dtype", "bf16"}, {"rows", 1031}, {"columns", 2080}},
      {{"op", "slice"}, {"dtype", "bf16"}, {"rows", 1031}, {"columns", 2080}},
      {{"op", "column"}, {"dtype", "fp32"}, {"batch", 9}, {"rows", 257}, {"columns", 512}},
      {{"op", "every_second"}, {"dtype", "fp32"}, {"batch", 9}, {"rows", 257}, {"columns", 512}}};

  struct Args {
    Layout layout;
    double y_elements;  // that memory has to deliver
    const char* dtype;  // of all three arrays
    const void *x, *y;
    void* z;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 b = c.get("batch", 1), m = c["rows"], n = c["columns"], all = b * m * n;
    const wb::i64 late = c.get("late", 0);
    const char* const dtype = c.word("dtype");
    const std::string_view op = c.word("op");
    wb::i64 count = all;  // of y's array
    double moved = all;
    Layout l{{b, m, n}, {m * n, n, 1}};
    const auto view = [&](wb::i64 of_batch, wb::i64 of_row, wb::i64 of_column) {
      l.stride[0] = of_batch, l.stride[1] = of_row, l.stride[2] = of_column;
    };
    if (op == "row")  // one row for all
      view(0, 0, 1), moved = count = n;
    else if (op == "column")  // one column for all
      view(0, 1, 0), moved = count = m;
    else if (op == "transposed")  // y's array is n x m
      view(m * n, 1, m);
    else if (op == "slice")  // the left half of a matrix of 2n columns
      view(2 * m * n, 2 * n, 1), count = 2 * all;
    else if (op == "every_second")  // half of its columns; memory delivers all of them
      view(2 * m * n, 2 * n, 2), moved = count = 2 * all;
    else if (op != "contiguous")
      throw wb::Unsupported("unknown op " + std::string(op));
    return wb::with_dtype(dtype, [&](auto zero) -> Args {
      using T = decltype(zero);
      const T* x = io.in<T>("x", all + late) + late;
      const T* y = io.in<T>("y", count + late) + late;
      // Element 0 of an array that starts at 1 must stay as it was.
      T* z = late ? io.inout<T>("z", all + late) + late : io.out<T>("z", all);
      return {l, moved, dtype, x, y, z};
    });
  }

  static wb::Cost cost(const Args& p) {
    const double bytes =
        wb::with_dtype(p.dtype, [](auto zero) { return static_cast<double>(sizeof zero); });
    const double elements = p.layout.elements();
    return {
        .flops = elements, .read = (elements + p.y_elements) * bytes, .write = elements * bytes};
  }

  // The sum of two of these values is exact in double, so both sides round the same number once.
  static wb::Tolerance tolerance(const Args& p) {
    return {.rel =
                wb::with_dtype(p.dtype, [](auto zero) { return wb::kRounding<decltype(zero)>; })};
  }

  static void reference(const Args& p) { add(p, 1); }

 protected:
  static void add(const Args& p, double factor) {  // z = x + factor * y
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const auto x = static_cast<const T*>(p.x), y = static_cast<const T*>(p.y);
      const auto z = static_cast<T*>(p.z);
      const auto &size = p.layout.size, &stride = p.layout.stride;
      const wb::i64 batches = size[0], rows = size[1], columns = size[2];
      constexpr wb::i64 kRows = 16;  // side by side, so that checking transposed views is quick
#ifdef _OPENMP
#pragma omp parallel for collapse(2) schedule(static)
#endif
      for (wb::i64 batch = 0; batch < batches; ++batch)
        for (wb::i64 first = 0; first < rows; first += kRows)
          for (wb::i64 column = 0; column < columns; ++column)
            for (wb::i64 row = first; row < first + kRows && row < rows; ++row) {
              const wb::i64 i = (batch * rows + row) * columns + column;
              z[i] = static_cast<T>(
                  static_cast<double>(x[i]) +
                  factor * static_cast<double>(
                               y[batch * stride[0] + row * stride[1] + column * stride[2]]));
            }
    });
  }
};

// The exercise on a CPU: z = x - y, as when a row of means is taken away.
struct Difference : BroadcastStrided {
  static void reference(const Args& p) { add(p, -1); }
};

// The same elements in as few dimensions as possible, the last ones; those in front get size 1. Two
// neighbours become one where walking through the inner one ends at the outer one's next element. A
// dense view always becomes a line, a row for all becomes rows x columns, whatever the batch is.
inline Layout collapse(const Layout& from) {
  Layout to{{1, 1, 1}, {0, 0, 0}};
  int at = 2;
  to.size[at] = from.size[2], to.stride[at] = from.stride[2];
  for (int d = 1; d >= 0; --d) {
    if (from.size[d] == 1) continue;
    if (to.size[at] == 1) {
      to.size[at] = from.size[d], to.stride[at] = from.stride[d];
    } else if (from.stride[d] == to.size[at] * to.stride[at]) {
      to.size[at] *= from.size[d];
    } else {
      --at;
      to.size[at] = from.size[d], to.stride[at] = from.stride[d];
    }
  }
  return to;
}
