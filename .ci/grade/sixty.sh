#!/bin/bash
# sixty.sh [cpu|cuda] [FOLDER]: of sixty made-up students each gets the verdict that is known
# beforehand; again when all are graded anew; and again when grading is killed half-way and goes on.
# For a machine on which little else runs: some verdicts are about speed. What is in FOLDER from a
# run before is not done again. `.ci/run --all` starts it.
set -u
cd "$(dirname "$0")/../.." || exit 5
backend=${1:-cpu}
case $backend in
  cpu | cuda) ;;
  *) echo "sixty.sh: no backend $backend: cpu or cuda" >&2; exit 2 ;;
esac
place=${2:-}
[ -n "$place" ] || { place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT; }
mkdir -p "$place" || exit 5
failed=0

start_grade() { # NAME FLAG...: into NAME.csv and NAME.html; its process is $grade
  local name=$1
  shift
  ./workbook grade "$place/hand" --backend="$backend" --time-limit=90 --jobs="$(nproc)" \
    --csv="$place/$name.csv" --html="$place/$name.html" "$@" > "$place/$name.log" 2>&1 &
  grade=$!
}

compare() { # NAME: with the manifest, of which every line is to be found
  local wrong
  wrong=$(.ci/grade/unexpected.sh "$place/hand.manifest" "$place/$1.csv")
  if [ -n "$wrong" ] || ! grep -q "<p>$students students" "$place/$1.html"; then
    failed=1
    printf '%s: not as expected\n%s\n' "$1" "$wrong"
    [ -s "$place/$1.csv" ] || tail -n 20 "$place/$1.log"
  else
    echo "$1: $students verdicts as expected"
  fi
}

verdicts() { # NAME: how many it has told
  local told
  told=$(grep -sc '^\[' "$place/$1.log")
  echo "${told:-0}"
}
grade() { # NAME FLAG...
  local start=$SECONDS
  if ! [ -e "$place/$1.csv" ]; then
    start_grade "$@"
    wait "$grade"
    echo "$1: $((SECONDS - start)) s"
  fi
  compare "$1"
}

if ! [ -e "$place/hand.manifest" ] &&
  ! { ./workbook export "$place/tree" > "$place/export.log" 2>&1 &&
    .ci/grade/submissions.sh "$place/tree" "$place/hand" "$backend"; }; then
  cat "$place/export.log"
  exit 1
fi
students=$(wc -l < "$place/hand.manifest")
grade once
grade again

if ! [ -e "$place/resumed.csv" ]; then
  start_grade killed
  until [ "$(verdicts killed)" -ge $((students / 2)) ] || ! kill -0 "$grade" 2> /dev/null; do sleep 0.2; done
  kill -KILL "$grade" || { echo 'killed: it had ended before'; failed=1; }
  wait
  [ ! -e "$place/killed.csv" ] || { echo 'killed: it wrote a file all the same'; failed=1; }
  echo "killed after $(verdicts killed) verdicts"
fi
grade resumed --resume
[ "$(verdicts resumed)" -lt "$(verdicts once)" ] || { echo 'resumed: it began anew'; failed=1; }
exit "$failed"
