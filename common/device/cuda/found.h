// A function of a library that is opened at run time, so that programs start without it.
#pragma once

namespace wb {

struct Found {
  void* address;  // null: there is none
  template <class F> operator F*() const { return reinterpret_cast<F*>(address); }
};

}  // namespace wb
