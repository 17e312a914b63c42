#!/bin/bash
# exercises_as_shipped.sh BUILD [LESSON...]: every exercise, or those of some lessons, builds as
# shipped and is unsolved: a bug hunt (so its first line says) gives wrong answers, any other right
# ones. For a GPU that is shown where BUILD has CUDA and a GPU answers. CI runs this and CTest does
# not: a student's file is there to be changed.
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

# run FILE BACKEND LESSON_PROGRAM
run() {
  local wanted=0 code
  count=$((count + 1))
  if ! ninja -C "$build" "$3_test" "exercise_$3" > "$log"; then
    cat "$log"
    fault "$1" 'does not build'
    return
  fi
  ! head -n 1 "$1" | grep -q '^// Bug hunt:' || wanted=1
  WB_REQUIRE_GPU=1 "$build/bin/$3_test" --exercise="$build/bin/exercise_$3" --backend="$2" > "$log" 2>&1
  code=$?
  if [ "$code" != "$wanted" ] || ! grep -qE '^\[  (PASSED|FAILED)  \] [0-9]+ tests?[.,]' "$log"; then
    cat "$log"
    fault "$1" "exit code $code of its test as shipped, not $wanted"
  fi
}

with_gpu=
! grep -q '"backends":.*"cuda"' "$build/lessons.json" || ! nvidia-smi -L > "$log" 2>&1 || with_gpu=yes
for lesson; do
  [ -d "$lesson" ] || { echo "no folder $lesson: name it as CHAPTER/LESSON"; exit 2; }
  program=${lesson#*/*_}
  [ ! -e "$lesson/exercise.cpp" ] || run "$lesson/exercise.cpp" cpu "$program"
  [ -z "$with_gpu" ] || [ ! -e "$lesson/exercise.cu" ] || run "$lesson/exercise.cu" cuda "$program"
done
[ "$count" -gt 0 ] || fault 'exercises' 'none were found'
echo "$count exercises"
exit "$failed"
