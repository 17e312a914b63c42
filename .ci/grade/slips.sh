#!/bin/bash
# slips.sh BUILD [KIND [SEEDS]]: exercises with one slip each, which a lesson's tests must catch with one
# of the seeds 1 to 10, by what is there for that kind. KIND: those alone. SEEDS: counts with how many
# of so many seeds. With a build of ThreadSanitizer, the kind is `race`:
#   cmake --preset tsan && .ci/grade/slips.sh build/tsan
set -u
cd "$(dirname "$0")/../.." || exit 5
build=$1 only=${2:-} seeds=${3:-10} count=${3:-}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
kinds='profile bits outside goal'
if grep -q '^WB_SANITIZE:.*=thread' "$build/CMakeCache.txt"; then
  kinds=race
  # As CTest has it: libomp itself is not looked at, and tells of barriers.
  OMP_TOOL_LIBRARIES=$(sed -n 's/^WB_ARCHER:[A-Z]*=//p' "$build/CMakeCache.txt")
  export OMP_TOOL_LIBRARIES TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1
fi
slips=0 failed=0

# compile LESSON: $place/exercise.cpp as that lesson's exercise, into $place/exercise
compile() {
  local short=${1#*/??_}
  ninja -C "$build" "exercise_$short" "${short}_test" > "$place/log" || { cat "$place/log"; exit 1; }
  ninja -C "$build" -t commands "bin/exercise_$short" | grep "/${short}_exercise_cpu\.dir/" |
    sed -E "s|[^ ]*/${short}_exercise_cpu\.dir/[^ ]*\.o|$place/exercise.o|g
            s|$PWD/$1/exercise\.cpp|-I$PWD/$1 $place/exercise.cpp|
            s|-o bin/exercise_$short|-o $place/exercise|" > "$place/commands"
  (cd "$build" && CCACHE_DISABLE=1 sh -e "$place/commands") > "$place/log" 2>&1 || { cat "$place/log"; exit 1; }
}

# A line for each test that failed: what it says, its case, its name.
failures() {
  awk '/^\[ RUN / { said = "" } /^\[  FAILED  \].* ms\)$/ { print said, $4 } { said = said " " $0 }' "$place/said"
}

# slip KIND LESSON FILE CAUGHT_BY SED: that file of the lesson, as SED changes it, is the
# exercise. CAUGHT_BY: an extended regular expression for a line of failures().
slip() {
  local kind=$1 lesson=$2 caught_by=$4 short=${2#*/??_} caught=0 otherwise=0 filter='*'
  [ "$kind" != race ] || filter='*threads_*:*random_*'  # it is slow
  [[ " $kinds " == *" $kind "* && $kind == *"$only"* ]] || return
  sed "s/, $3, /, exercise, /" "$lesson/$3.cpp" > "$place/right.cpp"
  if ! sed "$5" "$place/right.cpp" > "$place/exercise.cpp" || cmp -s "$place/right.cpp" "$place/exercise.cpp"; then
    echo "$lesson/$3.cpp: no line for $5"
    exit 1
  fi
  compile "$lesson"
  slips=$((slips + 1))
  mapfile -t goals < <(sed -nE 's|^// Goal: .* at (\w+=.*)|--goal=\1|p' "$lesson/exercise.cpp")
  for seed in $(seq "$seeds"); do
    WB_SEED=$seed "$build/bin/${short}_test" --exercise="$place/exercise" "--gtest_filter=$filter" "${goals[@]}" > "$place/said" 2>&1
    failures > "$place/failures"
    ! grep -qE "$caught_by" "$place/failures" || caught=$((caught + 1))
    ! grep -vqE "$caught_by" "$place/failures" || otherwise=$((otherwise + 1))
    [ -n "$count" ] || [ $caught = 0 ] || break
    [ "$kind" != profile ] || filter='*random*'  # all others have passed
  done
  echo "$kind, $lesson: caught with $caught of $seed seeds, by something else with $otherwise"
  [ "$caught" -gt 0 ] || { failed=$((failed + 1)) && tail -n 20 "$place/said"; }
}

sum=ch3_reductions/01_sum columns=ch3_reductions/03_outer_axis softmax=ch3_reductions/06_softmax
norm=ch3_reductions/08_layernorm attention=ch4_gemm_fusion/10_attention

# Right for uniform inputs and for each value that a lesson lists.
profile=',(constant|outlier|offset|below|inf|denormal|signs|sorted), WB_SEED=.*/random_'
slip profile $attention exercise "$profile" 's/float max = -HUGE_VALF/float max = 0/'
slip profile $softmax exercise "$profile" '  # the maximum of bits
  s/#include <vector>/#include <bit>\n&/
  s/float max = -kInfinity, sum = 0;/int most = std::bit_cast<int>(widen(x[0]));\n  float sum = 0;/
  s/max = std::max(max, widen(x\[i\]));/most = std::max(most, std::bit_cast<int>(widen(x[i])));\n  const auto max = std::bit_cast<float>(most);/'
slip profile $norm solution "$profile" '  # the variance in one pass, of what is left when the middle element is taken off
  /for (i64 i = 0; i < n.columns; i += kPiece)/,+1d
  s|Moments moments;|const float pivot = n.rms ? 0 : widen(x[n.columns / 2]);\
  float sum = 0, squares = 0;\
  for (i64 first = 0; first < n.columns; first += 64) {\
    float of_64 = 0, squares_of_64 = 0;\
    for (i64 i = first; i < std::min(first + 64, n.columns); ++i)\
      of_64 += widen(x[i]) - pivot, squares_of_64 += (widen(x[i]) - pivot) * (widen(x[i]) - pivot);\
    sum += of_64, squares += squares_of_64;\
  }\
  const float off = n.rms ? 0 : sum / static_cast<float>(n.columns);\
  const Moments moments{0, pivot + off, n.rms ? squares : squares - off * sum};|'

# As many pieces as there are threads. No other exercise promises the same bits on any number of cores.
slip bits $columns solution 'other bits with other numbers of threads' \
  's|^#include <vector>|#include <omp.h>\n\n&|; s|^constexpr i64 kPiece = 1 << 16;|#define kPiece ((i64{1} << 16) / omp_get_max_threads() / kGroup * kGroup)|'

# One element in front of an array.
slip outside $sum solution 'touched memory' 's|^    std::array|    [[maybe_unused]] const volatile auto before = static_cast<float>(x[-1]);\n&|'
slip outside $softmax exercise 'touched memory' 's|^  with_rows(p, .*|&\n    if (r.rows > 0) [[maybe_unused]] const volatile float before = widen(r.x[-1]);|'
slip outside $attention exercise 'touched memory' 's|^  const i64 n = p.length.*|&\n  [[maybe_unused]] const volatile float before = static_cast<const float*>(p.k)[-1];|'

# 32 bits are enough for everything but the goal's case.
slip goal $sum solution 'elements=67108864' 's|const wb::i64 begin = piece_begin(p.n, piece), end = piece_begin(p.n, piece + 1);|const int n = static_cast<int>(p.n), all = pieces_of(p.n), begin = n * piece / all, end = n * (piece + 1) / all;|'

# Sums that threads share without a lock. The last two are wrong so often that answers show it, too.
race='exit code 66'  # the sanitizer's
slip race ch1_basics/01_coalescing solution "$race" '/#pragma omp critical/d'
slip race ch3_reductions/05_sum_to_shape exercise "$race|wrong" '/#pragma omp atomic/d'
slip race ch4_gemm_fusion/05_linear_relu_backward solution "$race|wrong" 's/omp_get_thread_num() \* width + column/column/'

echo "$slips slips, $failed not caught"
[ "$failed" = 0 ]
