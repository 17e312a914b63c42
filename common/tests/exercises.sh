#!/bin/bash
# exercises.sh shipped|solved BUILD [LESSON...]: every exercise, or those of some lessons, is judged
# as it has to be: those that BUILD has, on a CPU, on a GPU where one answers, or on an emulated GPU
# (build/simt), there without a CPU's. Exit codes: 1 one is not, 2 a wrong call, 130 Ctrl-C.
#
#   shipped  it builds and is unsolved: a bug hunt (so its first line says) gives wrong answers, any
#            other right ones; on an emulated GPU it misses its goal in counts, if it has one. CI runs
#            this and CTest does not: a student's file is there to be changed.
#            Of a hunt whose fault a GPU hides (ch*/hunts) the emulated GPU has to name lines that its
#            page names, too, and nothing in its solution, with each of five seeds.
#   solved   ./workbook check, with solution.cpp or .cu in the exercise's place: right, goals met, and
#            no word against it. A goal wants a quiet machine, so this is for whoever changes a lesson
#            or the judge.
set -u
cd "$(dirname "$0")/../.." || exit 1
way=${1:-} build=${2:-}
[[ $way =~ ^(shipped|solved)$ ]] || { echo 'usage: exercises.sh shipped|solved BUILD [LESSON...]'; exit 2; }
[ -e "$build/lessons.json" ] || { echo "'$build' is no build folder: ./workbook test makes build/cpu"; exit 2; }
shift 2
[ $# -gt 0 ] || set -- ch*/[0-9]* ch*/hunts/*/
set -- "${@%/}"
failed=0
count=0
log=$(mktemp)
kept=$(mktemp)
replaced=  # the exercise in whose place a solution lies
trap '[ -z "$replaced" ] || cp "$kept" "$replaced"; rm -f "$log" "$kept"' EXIT
trap 'exit 130' INT TERM HUP
fault() {
  echo "$1: $2"
  failed=1
}

compile() {  # compile FILE LESSON_PROGRAM
  ninja -C "$build" "$2" "$2_test" "exercise_$2" peaks workbook_driver > "$log" && return
  cat "$log"
  fault "$1" 'does not build'
  return 1
}

# shipped FILE BACKEND LESSON_PROGRAM
shipped() {
  local wanted=0 code
  compile "$1" "$3" || return
  if [ "$2" = simt ] && grep '^// Goal: at ' "$1" | grep -qv ' as long as '; then
    "$build/bin/workbook_driver" check "$3" --backend="$2" > "$log" 2>&1
    [ $? = 1 ] && grep -q ', goal at .*: not met$' "$log" && return
    cat "$log"
    fault "$1" 'as shipped it does not miss its goal in counts, or is wrong'
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

# hunted FILE BACKEND LESSON_PROGRAM
hunted() {
  local seed line
  compile "$1" "$3" || return
  for seed in 1 2 3 4 5; do
    WB_SEED=$seed "$build/bin/$3_test" --exercise="$build/bin/exercise_$3" --backend="$2" > "$log" 2>&1 &&
      fault "$1" "nothing is found with seed $seed"
    grep -q 'exercise.cu:[0-9]' "$log" || fault "$1" "no line is named with seed $seed"
    while read -r line; do
      grep -q "$line:\|$line<" "$(dirname "$1")/README.md" || fault "$1" "its page does not name $line"
    done < <(grep -oE 'exercise.cu:[0-9]+' "$log" | sort -u)
    WB_SEED=$seed "$build/bin/$3_test" --backend="$2" > "$log" 2>&1 || {
      cat "$log"
      fault "$1" "its solution is not right with seed $seed"
    }
  done
}

# solved FILE BACKEND LESSON_PROGRAM: the file keeps its first lines, which say what is asked.
solved() {
  git diff --quiet HEAD -- "$1" || { fault "$1" 'has changes that are not committed'; return; }
  local solution
  solution=$(sed 's/, solution,/, exercise,/' "$(dirname "$1")/solution.${1##*.}")
  cp "$1" "$kept"
  replaced=$1
  { grep -E '^// (Bug hunt|Goal):' "$kept"; echo "$solution"; } > "$1"
  compile "$1" "$3" && ! "$build/bin/workbook_driver" check "$3" --backend="$2" > "$log" 2>&1 && {
    cat "$log"
    fault "$1" 'its solution in its place is not right, or misses its goal'
  }
  ! grep -E 'its own clock says|where all inputs are new' "$log" || fault "$1" 'its solution is called dishonest'
  cp "$kept" "$1"
  replaced=
}

backends=cpu
built() { grep -q "\"backends\":.*\"$1\"" "$build/lessons.json"; }
! built cuda || ! nvidia-smi -L > "$log" 2>&1 || backends='cpu cuda'
! built simt || backends=simt
for lesson; do
  [ -d "$lesson" ] || { echo "no folder $lesson: name it as CHAPTER/LESSON"; exit 2; }
  for backend in $backends; do
    file=$lesson/exercise.cpp
    [ "$backend" = cpu ] || file=$lesson/exercise.cu
    [ -e "$file" ] || continue
    grep -F "\"lesson\":\"$lesson\"" "$build/lessons.json" |
      grep -q "\"variant\":\"exercise\",\"backend\":\"$backend\"" || continue
    judge=$way program=${lesson#*/*_}
    if [[ $lesson == */hunts/* ]]; then
      [ "$backend" = simt ] || continue
      program=hunts_${lesson##*/}
      [ "$way" = solved ] || judge=hunted
    fi
    count=$((count + 1))
    case $judge in
      shipped) shipped "$file" "$backend" "$program" ;;
      hunted) hunted "$file" "$backend" "$program" ;;
      solved) solved "$file" "$backend" "$program" ;;
    esac
  done
done
[ "$count" -gt 0 ] || fault 'exercises' 'none were found'
echo "$count exercises"
exit "$failed"
