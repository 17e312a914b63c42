#!/bin/sh
# readme_lesson_test.sh BUILD [CMAKE ARGUMENT...]: "Add a lesson in five steps" of AUTHORS.md,
# done as it is written there, in a folder of its own and with the harness that BUILD has compiled.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
workbook=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
shift
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT

fail() {
  echo "FAILED: $1"
  [ ! -e "$area/log" ] || cat "$area/log"
  exit 1
}

# write_lesson PAGE: what the section says. A code block goes into the last file that the text named
# before it; the first file's folder is the lesson's. The line that CMake needs stands in backquotes.
write_lesson() {
  folder=
  sed -n '/^## Add a lesson/,/^## [^A]/p' "$1" > "$area/section"
  while IFS= read -r line; do
    case $line in
      *'```cpp'*) mkdir -p "$area/$folder" && : > "$area/$folder/$file" && code=yes ;;
      *'```'*) code= ;;
      *)
        if [ -n "${code:-}" ]; then
          printf '%s\n' "${line#   }" >> "$area/$folder/$file"
          continue
        fi
        # shellcheck disable=SC2016
        path=$(printf '%s\n' "$line" | sed -n 's/.*`\([a-z0-9_/]*\.\(h\|cpp\|cu\|txt\)\)`.*/\1/p')
        case $path in
          */*.h) [ -n "$folder" ] || { folder=${path%/*} file=${path##*/}; } ;;
          *.cpp | *.cu) file=$path ;;
        esac
        # shellcheck disable=SC2016
        call=$(printf '%s\n' "$line" | sed -n 's/.*`\(wb_add_lesson(.*)\)`.*/\1/p')
        [ -z "$call" ] || echo "$call" > "$area/${folder%%/*}/CMakeLists.txt" ;;
    esac
  done < "$area/section"
}

write_lesson "$workbook/.github/AUTHORS.md"
chapter=${folder%%/*}
cp "$here/readme_lesson/CMakeLists.txt" "$area/"
for part in scale.h baseline.cpp baseline.cu ../CMakeLists.txt; do
  [ -s "$area/$folder/$part" ] || fail "AUTHORS.md gives no $folder/$part"
done

cmake -G Ninja -S "$area" -B "$area/build" "-DHARNESS=$build" "-DWORKBOOK=$workbook" \
  "-DCHAPTER=$chapter" "$@" \
  > "$area/log" 2>&1 || fail 'it cannot be configured'
cp "$build/bin/workbook_driver" "$area/build/bin/"
driver=$area/build/bin/workbook_driver
"$driver" targets test "${folder#*/}" > "$area/log" 2>&1 || fail 'the driver does not know it'
check() {  # builds and tests the lesson
  targets=$("$driver" targets test scale)
  ninja -C "$area/build" "$targets" > "$area/log" 2>&1 && "$driver" test scale > "$area/log" 2>&1
}
check || fail './workbook test scale'
grep -q ' 0 failed' "$area/log" || fail 'no test passed'
ninja -C "$area/build" scale > "$area/log" 2>&1 || fail 'its program is not built'

# Its CUDA variant compiles, its exercise has a goal, and the commands are such.
if command -v nvcc > /dev/null; then
  nvcc -std=c++20 -I "$workbook/common/include" '-DWB_LESSON="scale"' -c -o "$area/object" \
    "$area/$folder/baseline.cu" > "$area/log" 2>&1 || fail 'baseline.cu'
fi
# shellcheck disable=SC2016
sed -n 's/.*`\(\/\/ Goal: .*\)`.*/\1/p' "$area/section" > "$area/$folder/exercise.cpp"
sed 's/baseline, run/exercise, run/' "$area/$folder/baseline.cpp" >> "$area/$folder/exercise.cpp"
ninja -C "$area/build" exercise_scale > "$area/log" 2>&1 || fail 'its exercise is not built'
"$driver" list --op scale --size xlarge --backend=cpu > "$area/log" 2>&1 || fail './workbook list --op'
"$driver" list scale --backend=cpu > "$area/log" 2>&1 || fail './workbook list scale'
grep -q 'exercise.cpp: .* at least 0.9 times as fast as' "$area/log" || fail 'no goal'
sed 's/baseline, run/solution, run/' "$area/$folder/baseline.cpp" > "$area/$folder/solution.cpp"
cmake "$area/build" > "$area/log" 2>&1 || fail 'it cannot be configured with a solution'
sed -n 's/ *#.*//; s/^\.\/workbook //p' "$area/section" > "$area/commands"
while read -r command; do
  # shellcheck disable=SC2086
  "$driver" targets $command > "$area/log" 2>&1 || fail "./workbook $command"
done < "$area/commands"
[ "$(wc -l < "$area/commands")" -gt 3 ] || fail 'AUTHORS.md gives no commands'
ninja -C "$build" -n rules > "$area/log" 2>&1 || fail 'ninja rules'
"$here/exercises.sh" shipped "$build" nowhere > "$area/log" && fail 'an exercise is nowhere'
grep -q '^no folder nowhere: ' "$area/log" || fail 'nobody says that a folder is missing'

# The test notices what does not compile, and what is wrong.
cp "$area/$folder/baseline.cpp" "$area/good"
sed 's/3 \* p/2 * p/' "$area/good" > "$area/$folder/baseline.cpp"
if check; then fail 'a wrong answer passes'; fi
cp "$area/good" "$area/$folder/baseline.cpp"

# A line for a folder that is not there, or has a name that no target can have, costs this lesson
# nothing.
printf 'wb_add_lesson("%s")\n' 12_missing '13 my lesson' 14_prüfung >> "$area/$chapter/CMakeLists.txt"
for name in '13 my lesson' 14_prüfung; do cp -r "$area/$folder" "$area/$chapter/$name"; done
cmake "$area/build" > "$area/log" 2>&1 || fail 'a missing lesson stops CMake'
grep -q "$chapter/12_missing has no variants" "$area/log" || fail 'nobody says that it is missing'
for name in '13 my lesson' 14_prüfung; do
  grep -q "$name is left out" "$area/log" || fail "nobody says that '$name' is left out"
done
"$driver" targets test "${folder#*/}" > "$area/log" 2>&1 || fail 'the other lesson is gone'
echo 'passed: the lesson of AUTHORS.md is built and right'
