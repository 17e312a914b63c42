#!/bin/sh
# rooms_test.sh COMPILER FILE: a room of the harness includes what stands behind its arrows, and
# nothing else. FILE has a line a room, "NAME;FOLDER;FOLDER...", the folders that CMake gives it.
# Its headers declare names in the namespace of the room alone, or in wb (namespace_of below).
# And common names no chapter, no lesson and no peer, and outside of device no backend.
set -u
compiler=$1
folders=$2
common=$(cd "$(dirname "$0")/.." && pwd)
failures=0
pairs=0

sees() {  # sees ROOM: the rooms whose headers it may include, itself first
  case $1 in
    base) echo base ;;
    model) echo model base ;;
    device) echo device model base ;;
    measure) echo measure device model base ;;
    judged) echo judged measure device model base ;;
    report) echo report model base ;;
    pages) echo pages report model base ;;
    machine_code) echo machine_code report model base ;;
    driver) echo driver machine_code report model base ;;
    classroom) echo classroom driver machine_code report model base ;;
    lessons) ;;  # these have include/wb alone
    *) echo "unknown room $1: say here what it sees" >&2; exit 1 ;;
  esac
}

# Only finds the headers: that they compile is seen where they are used.
can_include() {  # can_include ROOM HEADER
  (
    flags=$(sed -n "s/^$1;//p" "$folders" | tr ';' '\n' | sed 's/^/-I/')
    IFS='
'
    set -f
    # shellcheck disable=SC2086
    printf '#include "%s"\n' "$2" | "$compiler" -std=c++20 -E -x c++ $flags - > /dev/null 2>&1
  )
}

expect() {  # expect yes|no ROOM HEADER
  pairs=$((pairs + 1))
  found=no
  can_include "$2" "$3" && found=yes
  [ "$found" = "$1" ] && return
  failures=$((failures + 1))
  echo "FAILED: $2 including $3: want $1, got $found"
}

rooms=$(sed 's/;.*//' "$folders")
for room in $rooms; do
  allowed=" $(sees "$room") "
  expect yes "$room" wb/problem.h
  expect no "$room" programs/threads.h
  for other in $rooms; do
    [ "$other" != lessons ] || continue
    set -- "$common/$other"/*.h
    header=$other/${1##*/}
    case $allowed in
      *" $other "*) expect yes "$room" "$header" ;;
      *) expect no "$room" "$header" ;;
    esac
  done
done
forbid() {  # forbid WHAT GREP_ARGUMENT...: nothing in common but its results is that
  what=$1
  shift
  if grep -rnI "$@" "$common" --exclude-dir=results; then
    failures=$((failures + 1))
    echo "FAILED: $what"
  fi
}
# Where a room's names are, and why: README.md.
namespace_of() {  # namespace_of ROOM
  case $1 in
    judged | machine_code | report | pages | driver | classroom) echo "wb::$1" ;;
    *) echo wb ;;
  esac
}

declared_elsewhere() {  # declared_elsewhere NAMESPACE HEADER: lines of the header that must not be
  awk -v namespace="$1" '
    /using namespace/ { print FILENAME ":" FNR ": " $0 }
    $0 == "}  // namespace " open { open = ""; next }
    open != "" || /^#/ || /^ *\/\// || /^$/ || macro { macro = /\\$/ ; next }
    $0 == "namespace " namespace " {" { open = namespace; next }
    { print FILENAME ":" FNR ": " $0 }' "$2"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
try_header() {  # try_header right|wrong NAMESPACE TEXT: what a header of that room may say, and not
  printf '#pragma once\n// About it.\n\n%b\n' "$3" > "$scratch/tried.h"
  found=right
  [ -z "$(declared_elsewhere "$2" "$scratch/tried.h")" ] || found=wrong
  [ "$found" = "$1" ] && return
  failures=$((failures + 1))
  echo "FAILED: a header is not $1 in $2: $3"
}
try_header right wb::report 'namespace wb::report {\n\nint f();\n\n}  // namespace wb::report'
try_header right wb '#define F \\\\\n  1\nnamespace wb {\nint f();\n}  // namespace wb'
try_header wrong wb::report 'namespace wb {\nint f();\n}  // namespace wb'
try_header wrong wb::report \
  'namespace wb::report {\nint f();\n}  // namespace wb::report\nnamespace wb {\nint g();\n}  // namespace wb'
try_header wrong wb::report 'int f();'
try_header wrong wb 'namespace wb::report {\nint f();\n}  // namespace wb::report'
try_header wrong wb 'namespace wb {\nusing namespace std;\n}  // namespace wb'

headers=0
for room in $rooms; do
  [ "$room" != lessons ] || continue
  for header in "$common/$room"/*.h; do
    headers=$((headers + 1))
    elsewhere=$(declared_elsewhere "$(namespace_of "$room")" "$header")
    [ -z "$elsewhere" ] && continue
    failures=$((failures + 1))
    echo "$elsewhere"
    echo "FAILED: it is not in $(namespace_of "$room")"
  done
done
[ "$headers" -gt 50 ] || { failures=$((failures + 1)); echo "FAILED: only $headers headers"; }
# README.md is the map: it names each header.
for header in "$common"/include/wb/* "$common"/programs/*.h $(
  for room in $rooms; do [ "$room" = lessons ] || ls "$common/$room"/*.h; done
); do
  grep -qF "](${header#"$common"/})" "$common/README.md" && continue
  failures=$((failures + 1))
  echo "FAILED: common/README.md does not name ${header#"$common"/}"
done
# What is measured is no process: those are judged/ and peers.
if grep -nE 'base/process\.h|<sys/(prctl|wait)\.h>' "$common"/measure/*.h "$common"/measure/*.cpp |
  grep -v '/peer\.'; then
  failures=$((failures + 1))
  echo 'FAILED: measure knows a process'
fi
# Around the folders there is no way either.
forbid 'includes by ..' '#include "[^"]*\.\./'
# Flags are the programs' own: CLI11 takes a compiler long.
forbid 'flags in a room' --exclude-dir=programs --exclude-dir=tests '#include <CLI/'
# A chapter can be renamed, and a lesson taken away, without a word to common. (Its tests make up
# lessons, which may be called like others, of chapters that there are not.)
chapters=0
for chapter in "$common"/../ch*/; do
  chapters=$((chapters + 1))
  forbid 'a chapter of the book' -w "$(basename "$chapter")"
  for lesson in "$chapter"[0-9]*/; do
    [ -d "$lesson" ] || continue  # it has none yet
    forbid 'a lesson of the book' -w "$(basename "$lesson")" --exclude-dir=tests
  done
done
# Nor can a peer: what it is called comes with its rows.
for peer in "$common"/peer/*.py; do
  forbid 'a peer' --include='*.h' --include='*.cpp' --exclude-dir=tests \
    "\"[^\"]*$(basename "$peer" .py)"
done
# Nor a backend or the dialect of its files, but where lessons are told of them: what somebody has to
# know is a trait of device/backends.h, or of cmake/wb_add_lesson.cmake for the driver.
for backend in "$common"/device/*/; do
  forbid 'a backend' --include='*.h' --include='*.cpp' --exclude-dir=tests --exclude-dir=device \
    --exclude-dir=include "\"$(basename "$backend")\""
done
forbid 'a dialect' --include='*.h' --include='*.cpp' --exclude-dir=tests --exclude-dir=include \
  '"[^" ]*\.\(cpp\|cu\|cuh\)"'
# Who reads how a verdict comes about reads this much code: what a lesson sees, and the way from a
# kernel to its verdict. More than that takes something else away from it.
ceiling=2500
lines=$(cd "$common" && cat include/wb/* measure/answers.* measure/arrays.* measure/trial.* \
  measure/rounds.* device/backend.h device/cpu/backend_cpu.cpp report/standing.* |
  sed 's/^ *//' | grep -vc '^//\|^$')
[ "$lines" -le "$ceiling" ] || {
  failures=$((failures + 1))
  echo "FAILED: the way from a kernel to its verdict has $lines lines of code, at most $ceiling"
}
# `export`, `./workbook list` and the start read these calls line by line.
if grep -n 'wb_add_[a-z_]*lesson([^)]*$' "$common"/../ch*/CMakeLists.txt ||
  grep -n '^wb_backend([^)]*$' "$common"/cmake/wb_backends.cmake; then
  failures=$((failures + 1))
  echo 'FAILED: a lesson or a backend takes more than one line'
fi
[ "$chapters" -gt 0 ] || { failures=$((failures + 1)); echo 'FAILED: no chapters'; }
[ "$pairs" -gt 40 ] || { failures=$((failures + 1)); echo "FAILED: only $pairs pairs"; }
[ "$failures" = 0 ] && echo "rooms: all $pairs passed, and $chapters chapters are not named"
[ "$failures" = 0 ]
