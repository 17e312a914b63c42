#!/bin/bash
# asm_test.sh BUILD [LESSONS]: `asm` of every variant whose object this build has, or of the lessons
# whose folder matches, as 01_*. It ends with 0, shows a loop or says that there is none, and fits
# into a terminal of 80 columns. In a Release nine of ten CPU variants have a loop that begins at a line
# of the cache (GCC leaves out loops that it takes for short). Ends with 77 where a tool is missing.
set -u
build=$1
lessons=${2:-[0-9]*}
driver=$build/bin/workbook_driver
says=$(mktemp -d)
trap 'rm -rf "$says"' EXIT
PATH=$PATH:/usr/local/cuda/bin

try() {  # try OBJECT: prints a line where something is wrong
  local target=${1%.dir/*} variant=${1##*.dir/} words
  target=${target##*/}
  variant=${variant/all_shapes\/all_shapes/all_shapes}
  COLUMNS=80 "$driver" asm "${variant%.o}" --backend="${target##*_}" > "$says/$target" 2>&1 ||
    { echo "FAILED: $variant: exit code $?: $(head -n 1 "$says/$target")"; return; }
  [ "$(wc -L < "$says/$target")" -le 80 ] ||
    echo "FAILED: $variant: a line of $(wc -L < "$says/$target") columns on a screen of 80"
  words=$(tr -s ' \n' ' ' < "$says/$target")
  case $words in
    *'the hottest loop of '* | *' has no machine code of its own'*) ;;
    *' has no loop, so '* | *' has only loops that wait'*) ;;
    *) echo "FAILED: $variant: neither a loop nor a word that there is none" ;;
  esac
}
export -f try
export driver says

tried=0
failed=0
for backend in cpu cuda; do
  find "$build"/ch* -path "*_$backend.dir/$lessons" -name '*.o' ! -name 'by_hand.*' |
    while read -r object; do  # of a lesson that was renamed, an old one is still there
      source=${object##*.dir/}
      compgen -G "$(dirname "$0")/../../ch*/${source%.o}" > /dev/null && echo "$object"
    done > "$says/objects"
  [ -s "$says/objects" ] || continue
  case $backend in
    cpu) tools=objdump ;;
    cuda) tools='cuobjdump nvdisasm' ;;
  esac
  for tool in $tools; do
    command -v "$tool" > /dev/null || { echo "not tried: $tool is not installed"; continue 2; }
  done
  # shellcheck disable=SC2016
  xargs -d '\n' -P "$(nproc)" -I{} bash -c 'try "$1"' _ {} < "$says/objects" > "$says/wrong"
  cat "$says/wrong"
  failed=$((failed + $(wc -l < "$says/wrong")))
  tried=$((tried + $(wc -l < "$says/objects")))
  said() { cat "$says"/*_$backend | tr -s ' \n' ' ' | grep -o "$1" | wc -l; }
  echo "$backend: $(wc -l < "$says/objects") variants;" \
    "$(grep -l 'the hottest loop of' "$says"/*_$backend | wc -l) have a loop," \
    "$(said ' has no loop, so') none, $(said ' has only loops that wait') only loops that wait," \
    "$(said 'no machine code of its') no code of their own"
  [ $backend = cpu ] || continue
  grep -qx CMAKE_BUILD_TYPE:STRING=Release "$build/CMakeCache.txt" || continue
  aligned=$(while read -r object; do
    objdump -h "$object" | grep -A 1 ' \.text' | grep -m 1 '2\*\*6'
  done < "$says/objects" | wc -l)
  [ $((10 * aligned)) -ge $((9 * $(wc -l < "$says/objects"))) ] || {
    echo "FAILED: only $aligned of these have loops that begin at a line of the cache"
    failed=$((failed + 1))
  }
done
[ "$tried" -gt 0 ] || exit 77
[ "$failed" = 0 ]
