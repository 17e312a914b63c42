// A function of a compiled candidate, for a lesson's tuned.cpp.
#pragma once

#include <dlfcn.h>

#include <stdexcept>

#include "tunable.h"

namespace tune {

// `name`: of an extern "C" function of type F. The library stays loaded.
template <class F> F* function(const Choice& choice, const char* name) {
  void* library = dlopen(choice.object.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = library ? dlsym(library, name) : nullptr;
  if (!found) throw std::runtime_error(dlerror());
  return reinterpret_cast<F*>(found);
}

}  // namespace tune
