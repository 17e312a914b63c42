// Changes against step 2: what a core does follows from the shape.
//
//   pieces   Where there are few columns, cores share the rows: pieces of about 256 Ki elements,
//            each with its own sums, which are combined at the end, always in the same order. The
//            pieces do not depend on the number of cores, and neither does the result.
//   blocks   Up to 4096 columns: 16 KiB of sums stay in L1, and x is read in the order of memory
//   four     long rows at a time: a sum is loaded and stored once for four elements
//   ahead    Rows of up to 1024 go one by one, and a prefetch asks for the data 4 KiB ahead
//   folding  Short rows without gaps between them are read as one: 16 rows of 4 are one of 64, in
//            which 16 columns belong together and are added up at the end of a piece. The sums of
//            64 columns stay in registers.
//
// (In step 2 one core works on 4 columns. For 8192 rows of 4096 in bf16 it is slower on the two
// cores in README.md than step 1 on one: 4.69 ms and 3.07 ms.)
//
// Predict: how much faster are rows of 4 than in step 1? And is there anything left to gain for
// 4096 x 4096?
#include <vector>

#include "columns.h"

namespace {

constexpr i64 kBlock = 4096;          // columns whose sums stay in L1
constexpr i64 kShort = 1024;          // columns, at most, of rows that go one by one
constexpr i64 kFolded = 64;           // columns, at most, of rows that are read as one
constexpr i64 kAhead = 4096;          // bytes
constexpr i64 kPiece = 1 << 18;       // elements of a piece, about
constexpr i64 kWorthCores = 1 << 15;  // elements of x; with fewer, one core is done sooner

i64 divide_up(i64 a, i64 b) { return (a + b - 1) / b; }

struct Plan {
  i64 fold;           // rows that are read as one
  i64 block, blocks;  // columns of the matrix so read
  i64 piece, pieces;  // rows of it
};

Plan plan_of(const OuterAxis::Args& p) {
  const i64 fold =
      p.stride == p.columns && p.columns > 0 ? std::max<i64>(kFolded / p.columns, 1) : 1;
  const i64 columns = fold * p.columns, rows = p.rows / fold;
  const i64 block = std::clamp<i64>(columns, 1, kBlock);
  const i64 piece = std::max<i64>(kPiece / block / 4 * 4, 4);
  return {fold, block, divide_up(columns, block), piece, std::max<i64>(divide_up(rows, piece), 1)};
}

template <class Op, class T> void add_ahead(const T* x, i64 count, float* __restrict__ sum) {
  constexpr int kAtOnce = 64, kLine = 64 / sizeof(T);
  i64 i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    for (int j = 0; j < kAtOnce; j += kLine)
      __builtin_prefetch(reinterpret_cast<const char*>(x + i + j) + kAhead);
    for (int j = 0; j < kAtOnce; ++j) sum[i + j] = Op::combine(sum[i + j], wb::to_float(x[i + j]));
  }
  for (; i < count; ++i) sum[i] = Op::combine(sum[i], wb::to_float(x[i]));
}

template <class Op, class T> void in_registers(const T* x, i64 stride, i64 rows, float* to) {
  float sum[kFolded];
  std::fill_n(sum, kFolded, Op::identity());
  for (i64 row = 0; row < rows; ++row)
    for (int i = 0; i < kFolded; ++i)
      sum[i] = Op::combine(sum[i], wb::to_float(x[row * stride + i]));
  std::copy_n(sum, kFolded, to);
}

// The sums of `count` columns over `rows` rows.
template <class Op, class T>
void over_rows(const T* x, i64 stride, i64 rows, i64 count, float* __restrict__ sum) {
  if (count == kFolded) return in_registers<Op>(x, stride, rows, sum);
  std::fill_n(sum, count, Op::identity());
  i64 row = 0;
  for (; row + 4 <= rows && count > kShort; row += 4) {
    const T *a = x + row * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    for (i64 i = 0; i < count; ++i)
      sum[i] =
          Op::combine(sum[i], Op::combine(Op::combine(wb::to_float(a[i]), wb::to_float(b[i])),
                                          Op::combine(wb::to_float(c[i]), wb::to_float(d[i]))));
  }
  for (; row < rows; ++row) add_ahead<Op>(x + row * stride, count, sum);
}

// Adds the `rest` rows after the last whole fold, and makes results of some columns' sums.
template <class Op, class T>
void finish(const Columns<T>& c, i64 rest, i64 first, i64 count, float* sum) {
  for (i64 row = c.rows - rest; row < c.rows; ++row)
    for (i64 i = 0; i < count; ++i)
      sum[i] = Op::combine(sum[i], wb::to_float(c.row(row)[first + i]));
  for (i64 i = 0; i < count; ++i) c.finish(first + i, sum[i]);
}

// `left`: for each of several pieces the sums of all columns.
template <class Op, class T> void reduce(const Plan& plan, const Columns<T>& c, float* left) {
  const i64 columns = plan.fold * c.columns, rows = c.rows / plan.fold, rest = c.rows % plan.fold;
  const i64 stride = plan.fold > 1 ? columns : c.stride, tasks = plan.pieces * plan.blocks;
#pragma omp parallel for schedule(static) if (c.rows * c.columns > kWorthCores)
  for (i64 task = 0; task < tasks; ++task) {
    const i64 piece = task / plan.blocks, row = piece * plan.piece;
    const i64 first = task % plan.blocks * plan.block;
    float sum[kBlock];
    over_rows<Op>(c.x + row * stride + first, stride, std::min(plan.piece, rows - row),
                  std::min(plan.block, columns - first), sum);
    for (i64 other = 1; other < plan.fold; ++other)
      for (i64 i = 0; i < c.columns; ++i) sum[i] = Op::combine(sum[i], sum[other * c.columns + i]);
    const i64 count = std::min(plan.block, c.columns - first);
    if (plan.pieces > 1)
      std::copy_n(sum, count, left + piece * c.columns + first);
    else
      finish<Op>(c, rest, first, count, sum);
  }
  if (plan.pieces == 1) return;
#pragma omp parallel for schedule(static) if (plan.pieces * c.columns > kWorthCores)
  for (i64 first = 0; first < c.columns; first += kBlock) {
    const i64 count = std::min(kBlock, c.columns - first);
    float sum[kBlock];
    over_rows<Op>(left + first, c.columns, plan.pieces, count, sum);
    finish<Op>(c, rest, first, count, sum);
  }
}

auto make(const OuterAxis::Args& p) {
  const Plan plan = plan_of(p);
  return [p, plan,
          left = std::vector<float>(plan.pieces > 1 ? plan.pieces * p.columns : 0)]() mutable {
    with_columns(p, [&](auto op, auto c) { reduce<decltype(op)>(plan, c, left.data()); });
  };
}

std::string note(const OuterAxis::Args& p) {
  const Plan plan = plan_of(p);
  std::string text = plan.fold > 1 ? std::to_string(plan.fold) + " rows read as one, " : "";
  if (plan.pieces > 1)
    return text + std::to_string(plan.pieces) + " pieces of the rows, shared by all cores";
  return text + std::to_string(plan.blocks) + " blocks of columns, shared by all cores";
}

}  // namespace

WB_CPU(OuterAxis, optimized, make);
WB_CASE_NOTE(OuterAxis, note);
