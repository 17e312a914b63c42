// wgmma, the product of a warpgroup, in six widths. PTX wants each register named, so this is long
// and says little; hopper.cuh has the rest.
#pragma once

#include <cuda_fp16.h>

#include "tensor_map.h"

#define HOPPER_SUMS8(i)                                                                 \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), \
      "+f"(sum[i + 5]), "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define HOPPER_SUMS32(i) \
  HOPPER_SUMS8(i), HOPPER_SUMS8(i + 8), HOPPER_SUMS8(i + 16), HOPPER_SUMS8(i + 24)
// Names of 32 registers that hold sums.
#define HOPPER_NAMES0                                      \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define HOPPER_NAMES1_8 "%32,%33,%34,%35,%36,%37,%38,%39"
#define HOPPER_NAMES1_16 HOPPER_NAMES1_8 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define HOPPER_NAMES1                                                \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define HOPPER_NAMES2                                                \
  "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79," \
  "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define HOPPER_NAMES3                                                            \
  "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111," \
  "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

// After them come A and B, whether to add, and which of the two are stored by columns.
#define HOPPER_WGMMA(N, TYPES, NAMES, A, B, ADD, COLUMNS)                         \
  "{ .reg .pred add; setp.ne.b32 add, " ADD                                       \
  ", 0;\n"                                                                        \
  "wgmma.mma_async.sync.aligned.m64n" N "k16.f32." TYPES "{" NAMES "}, " A ", " B \
  ", add, 1, 1, " COLUMNS "; }"
#define HOPPER_SHARED_A(N, TYPES, NAMES, i, j, k, l, m, n, o, ...)                   \
  asm volatile(HOPPER_WGMMA(N, TYPES, NAMES, "%" #i, "%" #j, "%" #k, "%" #l ",%" #m) \
               : __VA_ARGS__                                                         \
               : "l"(a), "l"(b), "r"(int{add}), "n"(int{a_columns}), "n"(int{b_columns}))
#define HOPPER_REGISTER_A(N, TYPES, NAMES, i, j, k, l, m, n, o, ...)                             \
  asm volatile(                                                                                  \
      HOPPER_WGMMA(N, TYPES, NAMES, "{%" #i ",%" #j ",%" #k ",%" #l "}", "%" #m, "%" #n, "%" #o) \
      : __VA_ARGS__                                                                              \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int{add}), "n"(int{b_columns}))
#define HOPPER_WIDTHS(FORM, TYPES)                                                               \
  if constexpr (count == 32)                                                                     \
    FORM("64", TYPES, HOPPER_NAMES0, 32, 33, 34, 35, 36, 37, 38, HOPPER_SUMS32(0));              \
  else if constexpr (count == 40)                                                                \
    FORM("80", TYPES, HOPPER_NAMES0 "," HOPPER_NAMES1_8, 40, 41, 42, 43, 44, 45, 46,             \
         HOPPER_SUMS32(0), HOPPER_SUMS8(32));                                                    \
  else if constexpr (count == 48)                                                                \
    FORM("96", TYPES, HOPPER_NAMES0 "," HOPPER_NAMES1_16, 48, 49, 50, 51, 52, 53, 54,            \
         HOPPER_SUMS32(0), HOPPER_SUMS8(32), HOPPER_SUMS8(40));                                  \
  else if constexpr (count == 64)                                                                \
    FORM("128", TYPES, HOPPER_NAMES0 "," HOPPER_NAMES1, 64, 65, 66, 67, 68, 69, 70,              \
         HOPPER_SUMS32(0), HOPPER_SUMS32(32));                                                   \
  else if constexpr (count == 96)                                                                \
    FORM("192", TYPES, HOPPER_NAMES0 "," HOPPER_NAMES1 "," HOPPER_NAMES2, 96, 97, 98, 99, 100,   \
         101, 102, HOPPER_SUMS32(0), HOPPER_SUMS32(32), HOPPER_SUMS32(64));                      \
  else                                                                                           \
    FORM("256", TYPES, HOPPER_NAMES0 "," HOPPER_NAMES1 "," HOPPER_NAMES2 "," HOPPER_NAMES3, 128, \
         129, 130, 131, 132, 133, 134, HOPPER_SUMS32(0), HOPPER_SUMS32(32), HOPPER_SUMS32(64),   \
         HOPPER_SUMS32(96))
#define HOPPER_TYPES(FORM)                   \
  if constexpr (std::is_same_v<T, __half>) { \
    HOPPER_WIDTHS(FORM, "f16.f16");          \
  } else {                                   \
    HOPPER_WIDTHS(FORM, "bf16.bf16");        \
  }

namespace hopper {

// The sums of a warpgroup, 64 rows of 64, 80, 96, 128, 192 or 256. Warp w has rows 16 w to 16 w
// + 15. Of each 8 columns j a thread holds four: sum[4 j] and the next are in row lane / 4, columns
// 2 (lane % 4) and one more, and the other two eight rows below.
//
// sum = A B^T, or sum += A B^T: A is 64 x 16, B has 16 columns, both in shared memory. A matrix
// that is stored "by columns" is stored the other way round, k by k (describe_columns() of
// hopper.cuh). It only starts: begin(), products, commit(), wait<0>(), and no touch of `sum` in
// between.
template <class T, bool a_columns = false, bool b_columns = false, int count>
__device__ void multiply(float (&sum)[count], std::uint64_t a, std::uint64_t b, bool add) {
  static_assert(count == 32 || count == 40 || count == 48 || count == 64 || count == 96 ||
                count == 128);
  HOPPER_TYPES(HOPPER_SHARED_A)
}
// The same with A in registers, packed in pairs: of the 16 columns a thread has 2 (lane % 4) and
// one more in a[0] (row lane / 4) and a[1] (eight rows below), and those eight columns on in a[2],
// a[3]. 16 columns of sums are at the same places, so the sums of one product are A of the next.
template <class T, bool b_columns = false, int count>
__device__ void multiply(float (&sum)[count], const std::uint32_t (&a)[4], std::uint64_t b,
                         bool add) {
  static_assert(count == 32 || count == 40 || count == 48 || count == 64 || count == 96 ||
                count == 128);
  HOPPER_TYPES(HOPPER_REGISTER_A)
}

}  // namespace hopper
