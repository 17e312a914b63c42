// Leaves the work to a library that the lesson does not link.
// Expect: slow, mentions dlopen
#include <dlfcn.h>
bool trick(const ColumnSums::Args&) {
  static void* library = ::dlopen("libopenblas.so.0", RTLD_NOW);
  return library || !library;
}
