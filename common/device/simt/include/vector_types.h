// CUDA's vector types, aligned as CUDA has them.
#pragma once

namespace simt {
// Copies a vector in one access, as a GPU does: g++ stores the parts of one that is made of
// scalars.
template <class T> void assign(T& to, const T& from) {
  struct [[gnu::may_alias]] alignas(T) Whole {
    unsigned char bytes[sizeof(T)];
  };
  reinterpret_cast<Whole&>(to) = reinterpret_cast<const Whole&>(from);
}
}  // namespace simt
#define SIMT_ASSIGN(TYPE)             \
  TYPE& operator=(const TYPE& from) { \
    simt::assign(*this, from);        \
    return *this;                     \
  }

#define SIMT_VECTOR2(NAME, T)             \
  struct alignas(2 * sizeof(T)) NAME##2 { \
    T x, y;                               \
    SIMT_ASSIGN(NAME##2)                  \
  };                                      \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }
#define SIMT_VECTOR3(NAME, T) \
  struct NAME##3 {            \
    T x, y, z;                \
  };                          \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }
#define SIMT_VECTOR4(NAME, T)                                       \
  struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) NAME##4 { \
    T x, y, z, w;                                                   \
    SIMT_ASSIGN(NAME##4)                                            \
  };                                                                \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define SIMT_VECTORS(NAME, T) SIMT_VECTOR2(NAME, T) SIMT_VECTOR3(NAME, T) SIMT_VECTOR4(NAME, T)
SIMT_VECTORS(char, signed char)
SIMT_VECTORS(uchar, unsigned char)
SIMT_VECTORS(short, short)
SIMT_VECTORS(ushort, unsigned short)
SIMT_VECTORS(int, int)
SIMT_VECTORS(uint, unsigned)
SIMT_VECTORS(float, float)
SIMT_VECTOR2(longlong, long long)
SIMT_VECTOR2(ulonglong, unsigned long long)
SIMT_VECTOR2(double, double)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
