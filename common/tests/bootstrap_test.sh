#!/bin/sh
# Tests of ./workbook on machines made of stand-ins: each case has a PATH of its own, with cmake,
# ninja, apt-get and the like replaced by short scripts that note how they were called.
set -u
unset WB_JOBS WB_BUILD_DIR WB_BUILD_WITH CXX
top=$(cd "$(dirname "$0")/../.." && pwd)
area=$(mktemp -d) || exit 5
mkdir "$area/it's a place"
trap 'rm -rf "$area"' EXIT
failures=0

begin() {  # begin NAME: an empty machine and a checkout, with quotes and spaces in their names
  name=$1
  machine="$area/it's a place/$1"
  checkout="$machine/the checkout"
  tools=$machine/tools
  calls=$machine/calls
  mkdir -p "$tools" "$checkout/common/cmake"
  cp "$top/common/cmake/wb_backends.cmake" "$checkout/common/cmake/"
  : > "$calls"
  cp "$top/workbook" "$checkout/"
  for tool in sh env cat dirname readlink mkdir rm cp grep sed sort head flock sleep touch \
    setsid mkfifo find timeout ln awk; do
    ln -s "$(command -v $tool)" "$tools/$tool"
  done
  tool id "echo ${2:-1000}"
}

quoted() { printf '%s\n' "$1" | sed "s/'/'\\\\''/g; s/.*/'&'/"; }

tool() {  # tool NAME SCRIPT: a stand-in that notes its call; the script may use $machine
  rm -f "$tools/$1"  # it may be a link to the real one
  cat > "$tools/$1" << END
#!/bin/sh
machine=$(quoted "$machine")
calls=$(quoted "$calls")
echo "$1 \$*" >> "\$calls"
$2
END
  chmod +x "$tools/$1"
}

# Stand-ins for the compiler, CMake and Ninja. Files in $machine make them fail: no_library, broken,
# broken_TARGET, full, slow, warning; damaged, unreadable and damaged_cache go when CMake runs. The driver that they build
# prints its arguments and ends with 7; asked for targets it names two lessons for `compare`, and the
# tests for `test`; it does not know `comprae`.
# shellcheck disable=SC2016
with_compiler() {
  tool c++ 'echo 12'
  tool cmake '
[ "$1" != --version ] || { echo "cmake version 3.25.1"; exit; }
while [ "$1" != -B ]; do [ "$1" != -S ] || source=$2; shift; done
[ ! -e "$machine/no_library" ] || { echo "CMake Error: no benchmark"; exit 1; }
mkdir -p "$2/bin"
case $* in *--fresh*) rm -f "$machine/damaged_cache" ;; esac
[ ! -e "$machine/damaged_cache" ] || { echo "CMake Error: Parse error in cache file"; exit 1; }
rm -f "$machine/damaged" "$machine/unreadable"
[ ! -e "$machine/warning" ] || { echo "CMake Warning at a:1"; echo "  ch1/02_x has no variants"; }
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$source" > "$2/CMakeCache.txt"
touch "$2/build.ninja"'
  tool ninja '
cd "$2"
if [ -e "$machine/broken" ]; then
  echo "[1/2] Building CXX object a.cpp.o"
  echo "FAILED: a.cpp.o"
  echo "/usr/bin/c++ -DMANY_FLAGS -o a.cpp.o -c a.cpp"
  echo "a.cpp:1:1: error: the words of the compiler"
  echo "ninja: build stopped: subcommand failed."
  exit 1
fi
[ ! -e "$machine/damaged" ] || { echo "ninja: error: build.ninja:3: expected an equals sign"; exit 1; }
[ ! -e "$machine/full" ] || { echo "a.cpp: error: $(cat "$machine/full")"; exit 1; }
[ ! -e "$machine/slow" ] || { echo begin >> "$calls"; sleep "${SLOW:-1}"; echo end >> "$calls"; }
shift 2
failed=0
for target; do
  case $target in
    -* | 0 | workbook_driver) continue ;;
    tests) program=a_test ;;
    *) program=$target ;;
  esac
  if [ -e "$machine/broken_$target" ]; then
    echo "FAILED: $target"
    echo command
    echo "$target.cpp:1:1: error: the words of the compiler"
    failed=1
  else
    touch "bin/$program"
  fi
done
[ "$failed" = 0 ] || exit 1
[ -x bin/workbook_driver ] || {
  echo "[1/1] Linking CXX executable bin/workbook_driver"
  cp "$machine/driver" bin/workbook_driver
}
echo "ninja: no work to do."'
  cat > "$machine/driver" << END
#!/bin/sh
machine=$(quoted "$machine")
END
  cat >> "$machine/driver" << 'END'
[ ! -e "$machine/unreadable" ] || exit 5
case $* in
  'targets comprae'*) echo 'did you mean compare?' >&2; exit 2 ;;
  'targets compare'*) echo lesson; echo peaks ;;
  'targets test'*) echo tests; echo exercise_a ;;
esac
[ "$1" != targets ] || exit 0
for argument; do printf '<%s>' "$argument"; done
exit 7
END
  chmod +x "$machine/driver"
}

start() {  # start ARGUMENT...: sets $code, $out and $err
  (cd "$machine" && PATH=$tools CUDA_PATH=/none CUDACXX='' HOME=$machine \
    "${program:-$checkout/workbook}" "$@" > "$machine/out" 2> "$machine/err" < /dev/null)
  code=$?
  out=$(cat "$machine/out")
  err=$(cat "$machine/err")
}

expect() {  # expect WHAT ACTUAL WANTED
  [ "$2" = "$3" ] && return
  failures=$((failures + 1))
  printf 'FAILED %s: %s\n  got:  %s\n  want: %s\n' "$name" "$1" "$2" "$3"
}
expect_in() {  # expect_in WHAT TEXT PART
  case $2 in *"$3"*) return ;; esac
  failures=$((failures + 1))
  printf 'FAILED %s: %s\n  got:  %s\n  want, somewhere in it: %s\n' "$name" "$1" "$2" "$3"
}
count() { grep -c "$1" "$calls"; }

begin help
start
expect 'without a build, help needs none' "$code" 0
expect_in 'help' "$out" './workbook compare'
expect 'nothing was called' "$(cat "$calls")" ''

begin list
mkdir -p "$checkout/ch1_x/02_a" "$checkout/ch1_x/10_long" "$checkout/ch2_y"
printf '%s\n' 'wb_add_lesson(02_a CPU BLAS)' 'wb_add_tuned_lesson(10_long)' > "$checkout/ch1_x/CMakeLists.txt"
echo '# 02 A: what is a? Or b: which?' > "$checkout/ch1_x/02_a/README.md"
printf '%s\n' '# 10 Long' '' '**Takes:** 60 min, easy. More.' '## On' '**Takes:** no.' > "$checkout/ch1_x/10_long/README.md"
echo '# Chapter 1: where?' > "$checkout/ch1_x/README.md"
start list
expect 'without a build, a list needs none' "$code" 0
expect 'lessons under their chapter' "$out" 'ch1_x: where?
  02_a     what is a? Or b: which?
  10_long  Long (60 min, easy)

2 lessons; ./workbook list LESSON shows its cases, axes and goal'
expect 'nothing was called' "$(cat "$calls")" ''
start list --backend=cpu
expect 'what needs a driver has it built' "$code" 2
(cd "$checkout" && PATH=$tools ./workbook list > /dev/full 2> "$machine/err")
expect 'nor does a full disk have it built' "$?" 5
expect 'but it is told' "$(cat "$machine/err")" 'workbook: cannot write the list: make room where it goes'

begin list_of_nothing
start list
expect 'code' "$code" 2
expect_in 'message' "$err" "no lessons in $checkout"

begin no_root
tool apt-get ''
start doctor
expect 'code' "$code" 2
expect_in 'the line to run' "$err" "su -c 'apt-get update && apt-get install -y"
expect_in 'names the packages' "$err" ' cmake ninja-build g++'
expect_in 'and what to do without root' "$err" 'Without root: .github/MACHINES.md'
expect 'nothing was installed' "$(count apt-get)" 0

begin sudo_that_asks
tool apt-get ''
tool sudo 'exit 1'
start doctor
expect 'code' "$code" 2
expect_in 'the line to run' "$err" "sudo sh -c 'apt-get update &&"

begin no_apt
start doctor
expect 'code' "$code" 2
expect_in 'message' "$err" 'please install'
expect_in 'and what to do without root' "$err" 'Without root: .github/MACHINES.md'
[ -e "$top/.github/MACHINES.md" ] || expect 'the page is there' no yes

begin root 0
with_compiler
mkdir "$machine/later"
mv "$tools/cmake" "$tools/ninja" "$tools/c++" "$machine/later"
# As apt does with empty lists: what looks like a pattern matches some package that is installed.
# shellcheck disable=SC2016
tool apt-cache '[ -e "$machine/lists" ] || [ "$2" = g++ ]'
# shellcheck disable=SC2016
tool apt-get 'case "$*" in
*update*) touch "$machine/lists" ;;
*install*) [ -e "$machine/lists" ] && cp "$machine"/later/* "$machine/tools" ;;
esac'
start doctor 'two words' ''
expect 'the code of the driver' "$code" 7
expect 'the arguments of the driver' "$out" '<doctor><two words><>'
expect 'lists were empty: updated once' "$(count 'apt-get.*update')" 1
expect 'the useful with the needed' "$(count 'apt-get.*install.* g++.* gnuplot-nox')" 1
expect_in 'no questions' "$(cat "$calls")" 'install -y --no-install-recommends'
: > "$calls"
start doctor
expect 'a second start is silent' "$err" ''
expect 'and neither installs nor configures' "$(count 'apt-get\|cmake')" 0

begin one_apt_call 0  # libraries are missing, and so is what is merely useful
with_compiler
touch "$machine/no_library"
tool apt-cache ''
# shellcheck disable=SC2016
tool apt-get 'rm -f "$machine/no_library"'
sed "s|/usr/include|$area/none|; s| /usr/include/[^;]*;|;|" "$top/workbook" > "$checkout/workbook"
start doctor
expect 'code' "$code" 7
expect 'all at once' "$(count 'apt-get.*install')" 1
expect_in 'a library' "$(cat "$calls")" ' libgtest-dev'
expect_in 'and what is useful' "$(cat "$calls")" ' gnuplot-nox'

begin apt_fails 0
tool apt-cache ''
tool apt-get 'echo "E: Unable to fetch"; exit 100'
start doctor
expect 'code' "$code" 2
expect_in 'the reason' "$err" 'E: Unable to fetch'

begin sudo_refuses 0
tool apt-cache ''
tool apt-get 'echo "ann is not in the sudoers file."; exit 1'
start doctor
expect 'code' "$code" 2
expect_in 'the reason' "$err" 'ann is not in the sudoers file.'
expect_in 'and what to do without root' "$err" 'Without root: .github/MACHINES.md'

begin library_missing 0
with_compiler
touch "$machine/no_library"
tool gnuplot ''
tool apt-cache ''
# shellcheck disable=SC2016
tool apt-get 'rm -f "$machine/no_library"'
start doctor
case $err in
  *'workbook: installing'*) expect 'installed after CMake missed it' "$code" 7 ;;
  *)  # this machine has all libraries, so CMake is to be read
    expect 'code' "$code" 2
    expect_in 'its error' "$err" 'CMake Error: no benchmark'
    ;;
esac

begin old_cmake
with_compiler
tool cmake 'echo "cmake version 3.22.1"'
start doctor
expect 'code' "$code" 2
expect_in 'message' "$err" 'CMake 3.22.1 is too old'

begin compilers
with_compiler
tool c++ 'echo 10'
start doctor
expect 'code' "$code" 2
expect_in 'g++' "$err" 'g++ 10 is too old, 11 is needed'
# shellcheck disable=SC2016
tool clang 'if [ "$1" = --version ]; then echo "Debian clang version 13.0.1"; else echo 13.0.1; fi'
CXX=clang start doctor
expect 'code' "$code" 2
expect_in 'clang++, by its own version' "$err" 'clang++ 13.0.1 is too old, 14 is needed'
CXX=no_such_compiler start doctor
expect 'code' "$code" 2
expect_in 'CXX that is none' "$err" "CXX is 'no_such_compiler'"
expect 'nothing was configured or installed' "$(count 'cmake -S\|apt-get')" 0
tool ccache 'shift; echo 12'
CXX='ccache g++' start doctor
expect 'two words' "$out" '<doctor>'

begin environment
with_compiler
for jobs in abc 0 -1 2x ' ' 99999; do
  WB_JOBS=$jobs start doctor
  expect "code of WB_JOBS=$jobs" "$code" 2
  expect_in "message of WB_JOBS=$jobs" "$err" "WB_JOBS is '$jobs'"
done
expect 'nothing was called' "$(cat "$calls")" ''
WB_JOBS=3 start doctor
expect_in 'so many compilers' "$(cat "$calls")" '-j 3 workbook_driver'

# shellcheck disable=SC2016
tool ninja 'env | grep -e BENCHMARK -e GTEST -e NINJA >> "$calls"; exit 1'
BENCHMARK_FILTER=none GTEST_TOTAL_SHARDS=9 NINJA_STATUS='%p' start doctor
expect 'what would hide rows or progress is unset' "$(count '=')" 0

begin no_command
with_compiler
start ''
expect 'the driver says what is wrong with it' "$out" '<>'

begin emptied
with_compiler
start doctor
: > "$checkout/build/cpu/bin/workbook_driver"
start doctor
expect 'a driver without content is linked anew' "$out" '<doctor>'
: > "$checkout/build/cpu/bin/lesson"
chmod +x "$checkout/build/cpu/bin/lesson"
start doctor
expect 'and a lesson goes before it is asked for' "$(ls "$checkout/build/cpu/bin")" workbook_driver

begin tomorrow
with_compiler
tool find "case \$* in *-newermt*) echo 'busybox has no -newermt' >&2; exit 1 ;; esac
exec $(command -v find) \"\$@\""
mkdir -p "$checkout/build" "$checkout/ch1"
touch -d '3 days' "$checkout/ch1/a.cpp" "$checkout/workbook" "$checkout/build/a.o"
start doctor
expect 'goes on' "$out" '<doctor>'
expect_in 'with a word' "$err" 'dated in the future'
expect 'they are dated now' "$(find "$checkout" -newermt '1 minute')" "$checkout/build/a.o"
start doctor
expect 'once' "$err" ''

begin of_another_user
with_compiler
start doctor
rm "$checkout/build/cpu/.lock"
mkdir "$checkout/build/cpu/.lock"  # not even root writes to it
start list 02_a
expect 'what is built is listed' "$out" '<list><02_a>'
start compare
expect 'and nothing else' "$code" 5
expect_in 'with what to do' "$err" 'set WB_BUILD_DIR to a folder that is'

begin clone_with_autocrlf  # as Git for Windows is set up; a tree without git has no such trouble
if git -C "$top" rev-parse 2> "$machine/err"; then
  for file in workbook README.md common/base/files.cpp; do
    expect "line ends of $file" "$(git -C "$top" check-attr eol "$file")" "$file: eol: lf"
  done
fi

begin compiler_that_refuses
with_compiler
# shellcheck disable=SC2016
tool cmake '[ "$1" != --version ] || { echo "cmake version 3.25.1"; exit; }
printf "%s\n" "CMake Error at CMakeLists.txt:3 (project):" "  The CUDA compiler" "" "  is not able to" \
  "  compile a simple test program." "" "  It fails with the following output:" "" \
  "    nvcc fatal   : Unsupported gpu architecture '"'compute_75'"'" ""
exit 1'
start doctor x
expect 'code' "$code" 2
expect_in 'why the compiler refuses' "$err" "nvcc fatal   : Unsupported gpu architecture 'compute_75'"
expect 'and not the lines around it' "$(grep -c 'simple test program' "$machine/err")" 0

begin hanging_driver_of_the_gpu
with_compiler
tool nvcc ''
tool nvidia-smi 'exec sleep 20'
real=$(command -v timeout)
tool timeout "[ \"\$3\" = 10 ] && shift 3 && exec $real 0.2 \"\$@\""
start doctor
expect 'is given up' "$out" '<doctor>'
[ -e /dev/nvidia0 ] || expect_in 'after ten seconds' "$(cat "$calls")" 'timeout -k 1 10 nvidia-smi'

begin links
with_compiler
ln -s "$checkout/workbook" "$machine/link"
program=$machine/link
start doctor
expect 'through a link, from another folder' "$out" '<doctor>'
program=
mv "$checkout" "$machine/moved"
checkout=$machine/moved
: > "$calls"
start doctor
expect 'a moved checkout is configured afresh' "$(count 'cmake.*--fresh')" 1

begin broken_source
with_compiler
touch "$machine/broken"
start compare
expect 'code' "$code" 1
expect 'the driver does not run' "$out" ''
expect 'the error once' "$(grep -c 'words of the compiler' "$machine/err")" 1
expect_in 'the file' "$err" 'a.cpp failed'
expect 'without the command' "$(grep -c MANY_FLAGS "$machine/err")" 0

begin builds_as_it_goes
with_compiler
start build
expect 'for the driver alone' "$code" 7
export WB_BUILD_WITH="$checkout/workbook"
start build cpu lesson_a lesson_b
expect 'code' "$code" 0
expect 'the driver does not run' "$out" ''
expect 'what the driver names' "$(grep -c 'ninja .* lesson_a lesson_b$' "$calls")" 1
touch "$machine/broken_lesson_b"
: > "$calls"
start build cpu lesson_a lesson_b
expect 'a lesson that does not compile is told by its words alone' "$code" 0
expect_in 'which are shown' "$err" 'lesson_b.cpp:1:1: error: the words of the compiler'
expect 'its program is gone' "$(ls -m "$checkout/build/cpu/bin")" 'lesson_a, workbook_driver'
unset WB_BUILD_WITH

begin damaged
with_compiler
touch "$machine/warning"
start doctor
expect_in 'what CMake warns of is shown' "$err" 'ch1/02_x has no variants'
touch "$machine/damaged"
: > "$calls"
start doctor
expect 'what Ninja cannot read is written anew' "$out" '<doctor>'
expect 'once, and nothing is compiled anew' "$(grep cmake "$calls" | grep -c -v -e --fresh)" 1
touch "$machine/unreadable"
: > "$calls"
start doctor
expect 'and what the driver cannot read' "$out" '<doctor>'
expect 'once' "$(count 'cmake')" 1
touch "$machine/damaged" "$machine/damaged_cache"
start doctor
expect 'and what CMake cannot read' "$out" '<doctor>'
expect 'in silence' "$(grep -c Parse "$machine/err")" 0
echo 'exit 126' > "$machine/driver"
cp "$machine/driver" "$checkout/build/cpu/bin/workbook_driver"
start doctor
expect 'a driver that never runs' "$code" 5
expect_in 'advice' "$err" 'remove '

begin usage
with_compiler
start comprae
expect 'code' "$code" 2
expect 'message' "$(grep -c 'did you mean compare' "$machine/err")" 1
expect 'only the driver is built' "$(count '^ninja')" 1
expect 'and does not run' "$out" ''

begin targets
with_compiler
start doctor
expect 'the driver alone is built' "$(ls "$checkout/build/cpu/bin")" workbook_driver
expect 'in one call' "$(count '^ninja')" 1
start compare
expect 'then what the driver asks for' "$(ls -m "$checkout/build/cpu/bin")" 'lesson, peaks, workbook_driver'
expect_in 'and all that can be built of it' "$(cat "$calls")" '-k 0 lesson peaks'

begin broken_lesson
with_compiler
start compare
touch "$machine/broken_lesson"
start compare
expect 'the others run' "$out" '<compare>'
expect 'the code of the driver' "$code" 7
expect 'not with the program of before' "$(ls -m "$checkout/build/cpu/bin")" 'peaks, workbook_driver'
expect 'the error once' "$(grep -c 'words of the compiler' "$machine/err")" 1
start doctor
expect 'what needs no lesson is silent' "$err" ''
expect 'and runs' "$out" '<doctor>'

begin broken_exercise
with_compiler
start test
expect 'its program is built' "$([ -e "$checkout/build/cpu/bin/exercise_a" ] && echo yes)" yes
touch "$machine/broken_exercise_a"
start test
expect 'the tests run' "$out" '<test>'
expect 'not with the program of before' "$(ls -m "$checkout/build/cpu/bin")" 'a_test, workbook_driver'

begin full_disk
with_compiler
for words in 'No space left on device' 'Disk quota exceeded'; do
  echo "$words" > "$machine/full"
  start doctor
  expect "$words: code" "$code" 5
  expect_in "$words: message" "$err" 'is full'
done

rm "$machine/full"
ln -s /dev/full "$checkout/build/cpu/.room"
: > "$calls"
start doctor
expect 'before anything runs' "$code$(cat "$calls")" 5
expect_in 'message' "$err" 'is full: make room'

rm "$checkout/build/cpu/.room"
TMPDIR=$machine/none start doctor
expect 'without a folder for temporary files' "$code$(cat "$calls")" 5
expect_in 'message' "$err" 'set TMPDIR to a folder that is writable'

rm -r "$checkout/build"
# shellcheck disable=SC2016
tool cmake '[ "$1" != --version ] || { echo "cmake version 3.25.1"; exit; }
while [ "$1" != -B ]; do shift; done; ln -s /dev/full "$2/.room"; echo "CMake Error: try_compile"; exit 1'
start doctor
expect 'nor is CMake blamed' "$code" 5
rm -r "$checkout/build"
tool cmake 'echo "cmake version 3.25.1"'  # which says that it wrote its files
start doctor
expect 'nor believed' "$code" 5
expect_in 'message' "$err" 'is full: make room'

begin folder
with_compiler
touch "$checkout/build"
start doctor
expect 'code' "$code" 5
expect_in 'message' "$err" 'set WB_BUILD_DIR'
rm "$checkout/build"
mkdir -p "$checkout/build/cpu/.lock"  # what even root cannot open for writing
start doctor
expect 'code, when only the lock cannot be written' "$code" 5
WB_BUILD_DIR=elsewhere start doctor
expect 'another folder' "$out" '<doctor>'
[ -e "$machine/elsewhere/cpu/bin/workbook_driver" ] || expect 'built there' no yes

echo 'CMAKE_PROJECT_NAME:STATIC=another' > "$machine/elsewhere/cpu/CMakeCache.txt"
WB_BUILD_DIR=elsewhere start doctor
expect "another project's folder" "$code" 2
expect_in 'message' "$err" 'elsewhere/cpu is where another is built'
# shellcheck disable=SC1003
for mark in '"' ';' '\' '[' ']' '*' '?' '<' '>' '
'; do
  WB_BUILD_DIR="$machine/x${mark}y" start doctor
  expect "a folder with $mark in its name" "$code" 2
  expect_in 'message' "$err" 'rename the folder'
done

begin cuda
with_compiler
start list --backend=cuda
expect 'without nvcc' "$code" 3
expect_in 'message' "$err" 'nvcc'
tool nvcc ''
start list --backend cuda
expect_in 'with nvcc' "$(cat "$calls")" '--preset cuda'
: > "$calls"
start asm walk/baseline --backend=cuda
expect 'asm without its tools' "$code" 2
expect_in 'message' "$err" 'asm needs cuobjdump: install'
expect 'before anything is compiled' "$(count 'cmake\|ninja')" 0
tool cuobjdump ''
tool nvdisasm ''
start asm walk/baseline --backend=cuda
expect 'asm with its tools' "$code" 7
start list --backend=cpu
expect_in 'when asked' "$(cat "$calls")" '--preset cpu'
if [ ! -e /dev/nvidia0 ]; then
  : > "$calls"
  for arguments in compare 'test walk' 'run walk --json r.json'; do
    # shellcheck disable=SC2086
    start $arguments --backend=cuda
    expect "$arguments without a GPU" "$code" 3
    expect_in 'message' "$err" 'no GPU here'
  done
  expect 'before anything is compiled' "$(count 'cmake\|ninja')" 0
  for arguments in doctor 'compare --launcher srun' 'compare r.json'; do
    # shellcheck disable=SC2086
    start $arguments --backend=cuda
    expect "$arguments needs none" "$code" 7
  done
fi

# Another backend is a line of the table: here one that needs neither nvcc nor a GPU.
begin fake
with_compiler
echo 'wb_backend(fake EXTENSION .cpp DEVICE GPU ACCELERATOR)' >> \
  "$checkout/common/cmake/wb_backends.cmake"
start run walk --backend=fake
expect 'another backend' "$code" 7
expect_in 'its preset' "$(cat "$calls")" '--preset cpu'

# The emulated GPU has a build of its own, one more package, and no times.
begin emulated
with_compiler
: > "$calls"
for command in roofline timeline tune grade; do
  start $command walk --backend=simt
  expect "$command" "$code" 2
  expect_in "$command" "$err" 'the emulated GPU has no times'
done
start asm walk/baseline --backend=simt
expect_in 'asm' "$err" 'the emulated GPU has no machine code: use --backend='
expect 'nothing was called' "$(cat "$calls")" ''

start access walk/baseline
expect 'access' "$code" 7
expect_in 'its preset' "$(cat "$calls")" '--preset simt'

begin two_starts
with_compiler
start doctor
touch "$machine/slow"
: > "$calls"
(PATH=$tools CUDA_PATH=/none "$checkout/workbook" doctor > "$machine/other" 2>&1) &
PATH=$tools CUDA_PATH=/none "$checkout/workbook" doctor > "$machine/out" 2> "$machine/err"
wait
expect 'build one after the other' "$(grep -v ninja "$calls" | tr '\n' ' ')" 'begin end begin end '

begin interrupted
with_compiler
start doctor
touch "$machine/slow"
# timeout sends the signal to the whole process group, as a terminal does.
code=$(PATH=$tools:$PATH CUDA_PATH=/none timeout --preserve-status -s INT 0.4 \
  "$checkout/workbook" doctor > "$machine/out" 2> "$machine/err"; echo $?)
expect 'code' "$code" 130
expect 'the driver does not run' "$(cat "$machine/out")" ''
# SIGTERM to the script alone; what it started would go on for a minute.
: > "$calls"
minute=61.$$  # another such test may run beside this one
PATH=$tools CUDA_PATH=/none SLOW=$minute "$checkout/workbook" doctor > "$machine/out" 2> "$machine/err" &
script=$!
for _ in $(seq 200); do grep -q begin "$calls" || sleep 0.05; done
kill "$script"
wait "$script"
expect 'code' "$?" 130
expect 'at once' "$(count end)" 0
for _ in $(seq 200); do pgrep -f "^sleep $minute\$" > /dev/null || break; sleep 0.05; done
expect 'with all it started' "$(pgrep -f "^sleep $minute\$")" ''
expect 'the driver does not run' "$(cat "$machine/out")" ''
rm "$machine/slow"
start doctor
expect 'the next start goes on' "$out" '<doctor>'

[ "$failures" = 0 ] && echo 'bootstrap: all passed'
[ "$failures" = 0 ]
