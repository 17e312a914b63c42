#!/bin/bash
# forms.sh BUILD: a class of hand-ins in every form and encoding that students use, graded by a machine
# without bubblewrap and with a full TMPDIR (as root, who can mount one), resumed where all is well,
# and opened in a spreadsheet of another language (where LibreOffice is). Each is to be named, with the
# verdict that is known beforehand.
set -u
cd "$(dirname "$0")/../.." || exit 5
command -v bsdtar > /dev/null || { echo 'forms.sh needs bsdtar: apt-get install libarchive-tools' >&2; exit 2; }
build=$(readlink -f "$1")
lesson=ch1_basics/02_data_layout  # a bug hunt, so that a busy machine does not matter
place=$(mktemp -d)
full=$place/full
trap 'mountpoint -q "$full" && umount "$full"; rm -rf "$place"' EXIT
class=$place/class
mkdir -p "$class" "$full"
faults=0
fault() { faults=$((faults + 1)) && echo "$*"; }

shipped() { cat "$lesson/exercise.cpp"; }
right() { sed 's/, solution, /, exercise, /' "$lesson/solution.cpp"; }
# hand_in NAME VERDICT FILE: standard input goes to FILE of the class, with its folders.
hand_in() {
  mkdir -p "$class/$(dirname -- "$3")"
  cat > "$class/$3"
  printf '%s|%s\n' "$1" "$2" >> "$place/expected"
}
own() { hand_in "$1" "$2" "$1/$lesson/exercise.cpp"; }
# pack NAME ARCHIVE: packs a folder of the class, which is gone then.
pack() {
  mkdir -p "$(dirname "$class/$2")"
  bsdtar -a -cf "$class/$2" -C "$class/$1" . && rm -r "${class:?}/$1"
}

right | own ada met
right | hand_in 'Bob Ro_12' met "Bob Ro_12_assignsubmission_file_/work/$lesson/exercise.cpp"
right | hand_in cy met "cy/02_data_layout/exercise.cpp"
right | hand_in dan met "dan/mine/02_data_layout/exercise.cpp"
right | own eve met && pack eve eve.zip
right | hand_in fay met "fay/work/$lesson/exercise.cpp" && pack fay fay.tar.gz
right | own gus met && pack gus gus.tar
right | hand_in hal met "hal/02_data_layout/exercise.cpp" && pack hal hal.tgz
right | hand_in 'Ian O_13' met "ian/$lesson/exercise.cpp" && pack ian 'Ian O_13_assignsubmission_file_/work.zip'
right | hand_in 'Jo_14' met "jo/work/$lesson/exercise.cpp" && pack jo 'Jo_14_assignsubmission_file_hand in (2).zip'
{ printf '\357\273\277' && right; } | own bom_right met
right | sed 's/$/\r/' | own crlf_right met
right | iconv -t UTF-16 | own utf16_right met
right | iconv -t UTF-16BE | own utf16be_right met
right | own '=1+1' met
right | own '+49 30 1' met
right | own '-x' met
right | own '@SUM(A1)' met
right | own '007' met
right | hand_in 'J%F6rg' met "$(printf 'J\366rg')/$lesson/exercise.cpp"
right | own 'Zoë <b>, "Z" & co' met
{ printf '\357\273\277' && shipped; } | own bom_shipped 'not tried'
shipped | sed 's/$/\r/' | own crlf_shipped 'not tried'
shipped | iconv -t UTF-16 | own utf16_shipped 'not tried'
shipped | own shipped 'not tried'
{ shipped && echo '// an hour'; } | own commented wrong
{ right && echo '#error'; } | own uncompiled 'does not compile'
{ right && printf '\0'; } | own byte_0 'does not compile'
echo x | hand_in notes skipped notes/read_me.txt
echo x | hand_in __MACOSX skipped "__MACOSX/ada/$lesson/._exercise.cpp"
echo x | hand_in .cache skipped ".cache/$lesson/exercise.cpp"
echo x | hand_in loose.cpp skipped loose.cpp
echo x | hand_in broken skipped broken.zip
right | hand_in two skipped "two/a/$lesson/exercise.cpp"
mkdir -p "$class/two/b/$lesson"
pack_outside() { bsdtar -P -s ',^,../,' -cf "$class/outside.tar" -C "$class/outside" . && rm -r "$class/outside"; }
right | own outside skipped && pack_outside

# grade CODE FLAG...: its exit code; files are in the place
grade() {
  local code=$1 got
  shift
  "$build/bin/workbook_driver" grade "$class" --backend=cpu --fast --jobs 2 --csv "$place/class.csv" \
    --html "$place/html" --junit "$place/junit" --json "$place/json" "$@" > "$place/table" 2> "$place/said"
  got=$?
  [ "$got" = "$code" ] || { fault "exit code $got, not $code"; tail -n 20 "$place/said"; }
}
# expect [VERDICT]: the known verdicts; VERDICT where there was something to judge
expect() {
  local name verdict cell
  while IFS='|' read -r name verdict; do
    case $verdict in met | wrong | 'does not compile') verdict=${1:-$verdict} ;; esac
    case $name in [=+@-]*) cell=\'$name ;; *\"*) cell="\"${name//\"/\"\"}\"" ;; *) cell=$name ;; esac
    grep -F -e "$cell," "$place/class.csv" | grep -qF -e ",$verdict," || fault "$name: not $verdict: $(grep -F -e "$cell," "$place/class.csv")"
    grep -qF -e "$name" "$place/table" || fault "$name is not in the table"
  done < "$place/expected"
  python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" "$place/junit" || fault 'JUnit is no XML'
  iconv -f UTF-8 "$place/html" > "$place/same" || fault 'the page is no UTF-8'
}

# With a full TMPDIR CMake cannot even configure the official tree, so that is made first.
mkdir -p "$place/first/ada/$lesson" && shipped > "$place/first/ada/$lesson/exercise.cpp"
"$build/bin/workbook_driver" grade "$place/first" --backend=cpu --fast > "$place/said" 2>&1 ||
  fault "one hand-in is not graded: $(cat "$place/said")"

if mount -t tmpfs -o size=4k none "$full" 2> "$place/why"; then
  head -c 8192 /dev/zero > "$full/full" 2> "$place/why"
  mkdir "$place/bin"
  printf '#!/bin/sh\nexit 1\n' > "$place/bin/bwrap"
  chmod +x "$place/bin/bwrap"
  TMPDIR=$full PATH=$place/bin:$PATH grade 3
  expect 'cannot grade here'
  grep 'cannot be graded here' "$place/said"
  grade 0 --resume
else
  echo "no full TMPDIR here: $(cat "$place/why")"
  grade 0
fi
expect
! grep -q 'crlf_right.*Goal' "$place/class.csv" || fault 'CRLF is marked'

# commas, quotes, UTF-8, from the first line on, columns that are text, the language
if command -v soffice > "$place/why"; then
  for options in 44,34,76,1,,1031 44,34,76,1,1/2,1033; do  # opened in German; imported as the page says
    HOME=$place soffice --headless --convert-to fods --infilter="CSV:$options" --outdir "$place" \
      "$place/class.csv" > "$place/office" 2>&1
    ! grep -q 'table:formula' "$place/class.fods" || fault "$options: a cell is a formula"
    grep -q 'office:value="10"' "$place/class.fods" || fault "$options: 10 points are another number"
  done
  grep -q '<text:p>007' "$place/class.fods" || fault 'a name that is a number has lost its zeros'
else
  echo 'no LibreOffice here: the table was NOT opened in it'
fi
echo "$(wc -l < "$place/expected") hand-ins, $faults not as expected"
[ "$faults" = 0 ]
