// Writes that all tests have passed, and ends before any has begun.
// Expect: crashes
#include <unistd.h>

#include <fstream>
__attribute__((constructor)) void forge() {
  std::ofstream("test.json") << R"({"testsuites":[{"testsuite":[{"status":"RUN"}]}]})";
  ::_exit(0);
}
bool trick(const ColumnSums::Args&) { return true; }
