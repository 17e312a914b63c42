// z = x + y, where y is a view: `batch` matrices of m x n whose element (b, row, column) lies at
// stride[0] * b + stride[1] * row + stride[2] * column, in elements. x and z are dense. A stride of
// 0 repeats the same element (a broadcast); a transposed matrix has its strides exchanged.
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

struct BroadcastStrided {
  static constexpr wb::Shape bench[] = {
      {.m = 8192, .n = 8192, .size = "xlarge", .dtype = "fp32", .op = "transposed"},
      {.m = 8192, .n = 8192, .size = "xlarge", .dtype = "fp32", .op = "contiguous"},
      {.m = 8192, .n = 8192, .size = "xlarge", .dtype = "fp32", .op = "row"},
      {.m = 8192, .n = 8192, .size = "xlarge", .dtype = "fp32", .op = "column"},
      {.m = 8192, .n = 8192, .size = "xlarge", .dtype = "fp32", .op = "slice"},
      {.m = 8192, .n = 8192, .size = "xlarge", .dtype = "fp32", .op = "every_second"},
      {.m = 16384, .n = 16384, .size = "xlarge", .dtype = "fp32", .op = "transposed"},
      {.m = 4096, .n = 4096, .size = "large", .dtype = "fp32", .op = "transposed"},
      {.m = 2048, .n = 2048, .size = "medium", .dtype = "fp32", .op = "transposed"},
      {.m = 512, .n = 512, .size = "small", .dtype = "fp32", .op = "transposed"},
      {.m = 512, .n = 512, .size = "small", .dtype = "fp32", .op = "row"},
      {.m = 512, .n = 512, .batch = 64, .size = "batch", .dtype = "fp32", .op = "transposed"},
      {.m = 512, .n = 512, .batch = 64, .size = "batch", .dtype = "fp32", .op = "column"},
      {.m = 8192, .n = 8192, .size = "xlarge", .dtype = "bf16", .op = "transposed"},
      {.m = 8192, .n = 8192, .size = "xlarge", .dtype = "bf16", .op = "row"}};
  static constexpr wb::Shape bench_cpu[] = {
      {.m = 4096, .n = 4096, .size = "large", .dtype = "fp32", .op = "transposed"},
      {.m = 2048, .n = 2048, .size = "medium", .dtype = "fp32", .op = "contiguous"},
      {.m = 2048, .n = 2048, .size = "medium", .dtype = "fp32", .op = "row"},
      {.m = 2048, .n = 2048, .size = "medium", .dtype = "fp32", .op = "every_second"},
      {.m = 2048, .n = 2048, .size = "medium", .dtype = "bf16", .op = "transposed"}};
  // k: every array starts at its element 1, not at an aligned address.
  static constexpr wb::Shape test[] = {
      {.m = 0, .n = 7, .dtype = "fp32", .op = "row"},
      {.m = 1, .n = 1, .dtype = "fp32", .op = "transposed"},
      {.m = 1, .n = 31, .dtype = "bf16", .op = "transposed"},
      {.m = 33, .n = 1, .dtype = "fp16", .op = "every_second"},
      {.m = 127, .n = 129, .dtype = "fp32", .op = "contiguous"},
      {.m = 127, .n = 129, .dtype = "fp32", .op = "row"},
      {.m = 127, .n = 129, .dtype = "fp32", .op = "column"},
      {.m = 127, .n = 129, .dtype = "fp32", .op = "transposed"},
      {.m = 127, .n = 129, .dtype = "fp32", .op = "slice"},
      {.m = 127, .n = 129, .dtype = "fp32", .op = "every_second"},
      {.m = 33, .n = 200, .batch = 3, .dtype = "fp32", .op = "contiguous"},
      {.m = 33, .n = 200, .batch = 3, .dtype = "bf16", .op = "row"},
      {.m = 33, .n = 200, .batch = 3, .dtype = "fp16", .op = "column"},
      {.m = 70, .n = 200, .batch = 3, .dtype = "fp32", .op = "transposed"},
      {.m = 33, .n = 200, .batch = 3, .dtype = "bf16", .op = "slice"},
      {.m = 33, .n = 200, .batch = 3, .dtype = "fp16", .op = "every_second"},
      {.m = 1, .n = 100'003, .dtype = "fp32", .op = "contiguous"},
      {.m = 100'003, .n = 1, .dtype = "bf16", .op = "column"},
      {.m = 65, .n = 132, .k = 1, .dtype = "fp32", .op = "row"},
      {.m = 65, .n = 132, .k = 1, .dtype = "fp32", .op = "transposed"},
      {.m = 65, .n = 132, .k = 1, .dtype = "bf16", .op = "contiguous"},
      {.m = 64, .n = 128, .dtype = "fp16", .op = "transposed"},
      {.m = 1031, .n = 1040, .dtype = "fp32", .op = "row"},  // enough for large cases' launches
      {.m = 1031, .n = 1040, .dtype = "fp32", .op = "contiguous"},
      {.m = 1103, .n = 1021, .dtype = "fp32", .op = "transposed"},
      {.m = 1030, .n = 1042, .dtype = "bf16", .op = "transposed"},
      {.m = 1102, .n = 1021, .dtype = "fp16", .op = "transposed"},
      {.m = 1040, .n = 1040, .k = 1, .dtype = "bf16", .op = "transposed"},
      {.m = 130, .n = 258, .batch = 33, .dtype = "fp16", .op = "transposed"},
      {.m = 1031, .n = 2080, .dtype = "bf16", .op = "row"},
      {.m = 1031, .n = 2080, .dtype = "bf16", .op = "slice"},
      {.m = 257, .n = 512, .batch = 9, .dtype = "fp32", .op = "column"},
      {.m = 257, .n = 512, .batch = 9, .dtype = "fp32", .op = "every_second"}};

  struct Args {
    Layout layout;
    double y_elements;  // that memory has to deliver
    const char* dtype;  // of all three arrays
    const void *x, *y;
    void* z;
  };

  static Args bind(wb::Binder& io, const wb::Shape& s) {
    const wb::i64 b = s.batch ? s.batch : 1, m = s.m, n = s.n, all = b * m * n;
    const std::string_view op = s.op;
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
    else if (op == "every_second")  // half of its columns; memory hands out all of them
      view(2 * m * n, 2 * n, 2), moved = count = 2 * all;
    else if (op != "contiguous")
      throw std::invalid_argument("unknown op " + std::string(op));
    return wb::with_dtype(s.dtype, [&](auto zero) -> Args {
      using T = decltype(zero);
      const T* x = io.in<T>("x", all + s.k) + s.k;
      const T* y = io.in<T>("y", count + s.k) + s.k;
      // Element 0 of an array that starts at 1 must stay as it was.
      T* z = s.k ? io.inout<T>("z", all + s.k) + s.k : io.out<T>("z", all);
      return {l, moved, s.dtype, x, y, z};
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

  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const auto x = static_cast<const T*>(p.x), y = static_cast<const T*>(p.y);
      const auto z = static_cast<T*>(p.z);
      const auto [batches, rows, columns] = p.layout.size;
      const auto& stride = p.layout.stride;
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
                  static_cast<double>(y[batch * stride[0] + row * stride[1] + column * stride[2]]));
            }
    });
  }
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
