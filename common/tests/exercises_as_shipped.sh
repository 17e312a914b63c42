#!/bin/bash
# exercises_as_shipped.sh BUILD [LESSON...]: every exercise for the CPU, or those of some lessons,
# builds as shipped and is unsolved: a bug hunt (so its first line says) gives wrong answers, any
# other right ones. Its solution is no copy of another variant; that it is right, the lesson's own
# tests say. CI runs this and CTest does not: a student's file is there to be changed.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
shift
[ $# -gt 0 ] || set -- ch*/*
failed=0
count=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
fault() {
  echo "$1: $2"
  failed=1
}
code_of() { sed -E 's#//.*##; /^WB_CPU/d; /^ *$/d' "$1"; }

for lesson; do
  file=$lesson/exercise.cpp
  [ -e "$file" ] || continue
  count=$((count + 1))
  program=exercise_${lesson#*/*_}_test
  if ! ninja -C "$build" "$program" > "$log"; then
    cat "$log"
    fault "$file" 'does not build'
    continue
  fi
  wanted=0
  ! head -n 1 "$file" | grep -q '^// Bug hunt:' || wanted=1
  "$build/bin/$program" --gtest_filter='*.exercise/cpu/*' > "$log" 2>&1
  code=$?
  if [ "$code" != "$wanted" ] || ! grep -qE '^\[  (PASSED|FAILED)  \] [0-9]+ tests?[.,]' "$log"; then
    cat "$log"
    fault "$file" "exit code $code of its test as shipped, not $wanted"
  fi
  [ -e "$lesson/solution.cpp" ] || fault "$lesson" 'no solution.cpp'
  for other in "$lesson"/*.cpp; do
    [ "$other" = "$lesson/solution.cpp" ] ||
      ! cmp -s <(code_of "$other") <(code_of "$lesson/solution.cpp") ||
      fault "$lesson/solution.cpp" "a copy of $other"
  done
done
[ "$count" -gt 0 ] || fault 'exercises' 'none were found'
echo "$count exercises"
exit "$failed"
