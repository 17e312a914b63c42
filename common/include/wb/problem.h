// What a lesson's problem header is written with: sizes, arrays, cost and tolerance.
// Plain C++20 with no CUDA in it, so the same header serves .cpp and .cu files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "wb/axes.h"

namespace wb {

// Thrown by bind() for a case that the problem does not have, and by a variant's set-up when this
// machine can't run it ("needs Hopper"): the row is skipped with the reason, and tests skip
// likewise.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a lesson times. `device`: the work that a launch puts on the device (on the CPU, the call).
// `wall`: the wall clock of one steady-state iteration, host work and synchronization included.
enum class Clock { device, wall };

// Which arithmetic peak bounds the floating-point work. Tensor cores multiply what the name says
// and add in fp32.
enum class Math { fp32, tf32_tensor, fp16_tensor, bf16_tensor };

// The least work the problem needs, whatever a variant really does: each input read once, each
// output written once. Bytes in device memory (`read`, `write`) and over the host link
// (`to_device`, `to_host`; these count on CUDA only). A variant can't change it, so doing more is
// never a win. Of a problem that neither writes nor transfers anything, all counts as 0.
struct Cost {
  double flops = 0;
  double read = 0, write = 0;
  double to_device = 0, to_host = 0;
  Math math = Math::fp32;
  double bytes() const { return read + write; }
};

// |got - want| <= abs + rel * |want|, element by element. Derive it from the data type and the
// number of additions, e.g. sum of k products in fp32: rel = 0, abs = k * 2^-24 * max|a| * max|b|.
// Integers are compared as integers. Equal infinities are equal.
struct Tolerance {
  double rel = 0, abs = 0;
  bool sampled = false;  // reference() may leave outputs unwritten (see Sampler)
  bool nan = false;      // NaN is right where the reference has it
};

// Which outputs reference() computes where all would take minutes: other ones in each run, which no
// variant can know. reference() takes it as its second argument, if at all.
class Sampler {
 public:
  explicit Sampler(std::uint64_t seed) : seed_(seed) {}
  // About `count` of the numbers from 0 to all - 1, rising, one from each stretch of equal length;
  // all of them where there are no more.
  std::vector<i64> some(i64 all, i64 count);

 private:
  std::uint64_t seed_;
};

// How people call a problem's cases, where names made of the axes ("4096 points, 200 steps") won't
// do:
//
//   static constexpr const char* case_names[] = {"{samples/chunk} chunks of {chunk} samples"};
//
// The first pattern counts whose axes the case has; axes that it leaves out follow behind it. The
// harness reads patterns in the header's text, so they stand there as plain strings.

// What a reader of the lesson counts: 200 kernels, 16384 samples. Tables get a column with the time
// of one ("us/kernel"), or with how many a second (`rate`: "samples/s").
struct Items {
  double count = 0;
  const char* name = "";  // singular
  bool rate = false;
};

// For `./workbook run LESSON --sweep AXIS`: the first bench case with one number going from `from`
// to `to` in steps of a factor (`to` itself always comes last).
// item: what Items says. gain: over the baseline, which reads and writes its outputs once more.
enum class Show { time, bandwidth, flops, item, error, gain };
struct Sweep {
  const char* axis;  // of numbers; the first bench case has it, or gets it
  i64 from, to;
  Show show = Show::time;
  double factor = 2;
};

enum class Type { f32, f64, f16, bf16, i32, u32, i64, u8 };  // f16, bf16: wb/half.h
template <class T> struct TypeOf;
template <> struct TypeOf<float> { static constexpr Type value = Type::f32; };
template <> struct TypeOf<double> { static constexpr Type value = Type::f64; };
template <> struct TypeOf<std::int32_t> { static constexpr Type value = Type::i32; };
template <> struct TypeOf<std::uint32_t> { static constexpr Type value = Type::u32; };
template <> struct TypeOf<std::int64_t> { static constexpr Type value = Type::i64; };
template <> struct TypeOf<std::uint8_t> { static constexpr Type value = Type::u8; };

struct Elements {  // where they are, and their type
  template <class T> Elements(const T* data) : data(data), type(TypeOf<T>::value) {}
  const void* data;
  Type type;
};

// C = A B, in rows and columns of elements `row` and `column` apart. What a sampled reference does
// not see of a product is checked whole: for a random vector x, C x is A (B x) (Freivalds 1977).
struct Matrix : Elements {
  i64 rows, columns, row, column;
};
struct Product {
  Matrix a, b, c;  // c: an output, as bind() gave it
};

enum class Role { in, out, inout };
// Where an array lives when the variant runs on CUDA. On the CPU all three are host memory.
enum class Space { device, pinned, pageable };

// Value of element `index`. `uniform(seed, index)` is the source of randomness; calling it with
// the same pair in two arrays gives them equal contents (array of structs and struct of arrays).
using Fill = std::function<double(i64 index, std::uint64_t seed)>;
double uniform(std::uint64_t seed, std::uint64_t index);  // in [-1, 1), 24 random bits

// An axis of an array, {"row", 512}, by which messages tell where an element is. The last one given
// is that of neighbours in memory.
struct Dim {
  const char* name;
  i64 size;
};

struct ArraySpec {
  std::string name;
  Role role;
  Space space;
  Type type;
  i64 count;                 // elements
  std::size_t element_size;  // bytes
  // Empty: independent uniform values, in [-1, 1) for floating-point types, 0..255 for u8, 0..2047
  // for u32, and -1024..1023 for other integers. What a Fill returns is cast to the type.
  Fill fill;
  std::optional<Tolerance> tolerance;  // empty: the problem's
  std::vector<Dim> shape = {};         // where the problem tells
};

// Hands out a lesson's arrays. bind() runs once per memory space with equal seeds, so it must ask
// for the same arrays in the same order each time. From the role the harness knows what to poison
// before a launch (out: bytes of 0xFF, NaN or -1), restore (inout), compare with the reference
// (out, inout) and find unchanged (in). Pointers are aligned to 256 bytes and stand between guard
// bands. count may be 0.
class Binder {
 public:
  virtual ~Binder() = default;
  template <class T>
  const T* in(const char* name, i64 count, Fill fill = {}, Space space = Space::device) {
    return static_cast<const T*>(add<T>(name, Role::in, count, std::move(fill), space));
  }
  // `tolerance` is for an array that is held to another one than the rest of the problem.
  template <class T>
  T* out(const char* name, i64 count, Space space = Space::device,
         std::optional<Tolerance> tolerance = {}) {
    return static_cast<T*>(add<T>(name, Role::out, count, {}, space, tolerance));
  }
  // Of so many axes: io.out<float>("c", {{"row", m}, {"column", n}}).
  template <class T>
  T* out(const char* name, std::initializer_list<Dim> shape, Space space = Space::device,
         std::optional<Tolerance> tolerance = {}) {
    i64 count = 1;
    for (const Dim& dim : shape) count *= dim.size;
    return static_cast<T*>(add<T>(name, Role::out, count, {}, space, tolerance, shape));
  }
  template <class T>
  T* inout(const char* name, i64 count, Fill fill = {}, Space space = Space::device) {
    return static_cast<T*>(add<T>(name, Role::inout, count, std::move(fill), space));
  }

 protected:
  virtual void* array(const ArraySpec& spec) = 0;

 private:
  template <class T>
  void* add(const char* name, Role role, i64 count, Fill fill, Space space,
            std::optional<Tolerance> tolerance = {}, std::vector<Dim> shape = {}) {
    return array({name, role, space, TypeOf<T>::value, count, sizeof(T), std::move(fill), tolerance,
                  std::move(shape)});
  }
};

}  // namespace wb
