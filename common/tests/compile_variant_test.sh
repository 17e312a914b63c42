#!/bin/sh
# compile_variant_test.sh NM C++-COMPILER: a variant that would replace a function of the program around
# it is refused by name; what honest variants hold is not.
set -u
nm=$1
cxx=$2
compile=$(cd "$(dirname "$0")/../cmake" && pwd)/compile_variant.sh
area=$(mktemp -d) || exit 5
trap 'rm -rf "$area"' EXIT
failures=0

compiles() {  # compiles SOURCE without a ccache: $err is what it says
  printf '%s\n' "$1" > "$area/exercise.cpp"
  err=$("$compile" "$nm" "$cxx" "" "$cxx" -std=c++20 -w -o "$area/it's an object.o" -c "$area/exercise.cpp" 2>&1)
}

expect() {  # expect WHAT CONDITION...
  what=$1
  shift
  "$@" && return
  failures=$((failures + 1))
  printf 'FAILED: %s\n  it said: %s\n' "$what" "$err"
}

refuse() {  # refuse NAME OWNER SOURCE
  if compiles "$3"; then expect "$1 is refused" false; fi
  expect "the message about $1" [ "$err" = \
    "workbook: exercise.cpp defines $1, which belongs to $2: give it another name or put it into the anonymous namespace" ]
  expect "no object with $1 is left" [ ! -e "$area/it's an object.o" ]
}

refuse malloc 'the C library' 'extern "C" void* malloc(unsigned long) { return nullptr; }'
refuse free 'the C library' 'void mine(void*) asm("free"); void mine(void*) {}'
refuse memcmp 'the C library' 'extern "C" int memcmp(const void*, const void*, unsigned long) { return 0; }'
refuse clock_gettime 'the C library' 'extern "C" int clock_gettime(int, void*) { return 0; }'
refuse write 'the C library' 'extern "C" __attribute__((weak)) long write(int, const void*, unsigned long) { return 0; }'
refuse exit 'the C library' 'extern "C" void exit(int) { while (true) {} }'
refuse environ 'the C library' 'char** environ;'
refuse cos 'the C library' 'extern "C" double cos(double x) { return x; }'
refuse __cxa_throw 'the C++ library' 'extern "C" void __cxa_throw(void*, void*, void (*)(void*)) { while (true) {} }'
refuse 'operator new(unsigned long)' 'the C++ library' 'void* operator new(unsigned long) { return nullptr; }'
refuse 'std::terminate()' 'the C++ library' 'namespace std { void terminate() { while (true) {} } }'
refuse omp_get_max_threads OpenMP 'extern "C" int omp_get_max_threads() { return 1; }'
refuse cudaMemcpy CUDA 'extern "C" int cudaMemcpy(void*, const void*, unsigned long, int) { return 0; }'
refuse main 'the harness' 'int main() { return 0; }'
refuse 'wb::seconds()' 'the harness' 'namespace wb { double seconds() { return 0; } }'
refuse 'testing::InitGoogleTest()' GoogleTest 'namespace testing { void InitGoogleTest() {} }'

compiles 'double sums[8];' && expect 'a variable for all is refused' false
expect 'and what to do is said' [ "$err" = \
  'workbook: exercise.cpp defines sums for the whole program: put it into the anonymous namespace' ]

compiles '
#include <functional>
#include <stdexcept>
#include <vector>
namespace wb { inline double twice(double x) { return 2 * x; } }
template <class T> T thrice(T x) { return 3 * x; }
double helper(std::vector<double>& v) {
  v.push_back(wb::twice(thrice(1.0)));
  if (v.size() > 7) throw std::runtime_error("long");
#pragma omp critical(some)
  v.back() += 1;
  return v[0];
}
namespace {
void* malloc(unsigned long) { return nullptr; }
const std::function<double(std::vector<double>&)> entry = helper;
void* taken = malloc(1);
int write() { return 0; }
}
static int memcmp = write();' || expect 'what honest variants hold is compiled' false
expect 'in silence' [ -z "$err" ]
expect 'and the object is there' [ -s "$area/it's an object.o" ]
compiles 'nonsense' && expect 'what does not compile fails' false
expect 'as the compiler says' [ "${err#*error}" != "$err" ]

[ "$failures" = 0 ] && echo 'compile_variant: all passed'
[ "$failures" = 0 ]
