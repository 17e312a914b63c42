#!/bin/bash
# submissions.sh TREE FOLDER [cpu|cuda]: sixty trees of made-up students in FOLDER, from an exported
# TREE, and FOLDER.manifest: student, lesson, the verdict that `grade` has to give; slow/cheats where
# that depends on what the sandbox holds. Ten lessons, each solved, as shipped (slow, or of a bug hunt
# wrong) and wrong by one; the rest does not compile, hangs, crashes or cheats. Trees share their
# files with TREE but for the one exercise.
set -eu
source_tree=$(dirname "$0")/../..
tree=$1 folder=$2
ending=cpp
[ "${3:-cpu}" = cpu ] || ending=cu
sums=ch1_basics/01_coalescing grid=ch1_basics/03_transpose
add=ch2_elementwise/01_add strided=ch2_elementwise/05_broadcast_strided
fast=$grid  # whose exercise has the problem of the other variants, and a goal that optimized reaches
[ $ending = cpp ] || fast=ch2_elementwise/04_fusion

# A lesson; what stands in its solution, and what makes that wrong by one.
seeds='ch1_basics/01_coalescing|row < p.rows; ++row)|row < p.rows - 1; ++row)
ch1_basics/02_data_layout|p.n - first)|p.n - first - 1)
ch1_basics/03_transpose|p.rows - row0)|p.rows - row0 - 1)
ch2_elementwise/06_dropout|(p.n - first)|(p.n - first) - 1
ch2_elementwise/01_add|add(last - i,|add(last - i - 1,
ch2_elementwise/03_in_place|(count + 1)|(count - 1)
ch2_elementwise/05_broadcast_strided|(self + 1) / threads|(self + 1) / threads - 1
ch2_elementwise/07_launch_config|= begin(piece + 1)|= begin(piece + 1) - 1
ch2_elementwise/02_operations|i < p.count; ++i) z[i] = t|i < p.count - 1; ++i) z[i] = t
ch3_reductions/10_precision|for (; i < n;|for (; i + 1 < n;'
[ $ending = cpp ] || seeds='ch1_basics/01_coalescing|(i < elements)|(i + 1 < elements)
ch1_basics/02_data_layout|&& i < p.n|&& i + 1 < p.n
ch1_basics/03_transpose|&& row0 + x < p.rows|&& row0 + x + 1 < p.rows
ch1_basics/05_pinned_memory|i < size; i|i + 1 < size; i
ch2_elementwise/01_add|&& i < n)|&& i + 1 < n)
ch2_elementwise/03_in_place|half = (count + 1)|half = (count - 1)
ch2_elementwise/04_fusion|i < size && first|i + 1 < size && first
ch2_elementwise/05_broadcast_strided|(column >= columns)|(column + 1 >= columns)
ch3_reductions/02_inner_axis|column < r.columns; column|column + 1 < r.columns; column
ch3_reductions/10_precision|threadIdx.x; i < n;|threadIdx.x; i + 1 < n;'

# hand_in KIND LESSON VERDICT: one more student, whose exercise stands on standard input.
hand_in() {
  local student file
  student=$(printf 's%02d_%s' $(($(wc -l < "$folder.manifest") + 1)) "$1")
  file=$folder/$student/$2/exercise.$ending
  cp -al "$tree" "$folder/$student"
  rm "$file"
  cat > "$file"
  ! cmp -s "$file" "$tree/$2/exercise.$ending" || { echo "$student is as shipped" >&2; exit 1; }
  echo "$student $2 $3" >> "$folder.manifest"
}

shipped() { cat "$tree/$1/exercise.$ending"; }
# variant LESSON NAME: its code under the exercise's name, behind the exercise's goal.
variant() {
  grep -E '^// (Bug hunt|Goal):' "$tree/$1/exercise.$ending"
  sed -E "s/^(WB_[A-Z]+\(\w+, )$2,/\1exercise,/" "$source_tree/$1/$2.$ending"
}
# registers_as NAME: whatever is registered below is called so, whatever the file's name.
registers_as() {
  local macro=WB_CPU stream=
  [ $ending = cpp ] || macro=WB_CUDA stream=', cudaStream_t'
  echo "#include \"wb/$(tr '[:upper:]' '[:lower:]' <<< "${macro#WB_}").h\"
#undef $macro
#define $macro(PROBLEM, NAME, FUNCTION) \\
  const bool added = wb::add_variant<PROBLEM$stream>(WB_LESSON, \"$1\", WB_BACKEND, FUNCTION)"
}
# in_launch LESSON CODE: done at each launch, before what the exercise as shipped does.
in_launch() {
  printf '#include <%s>\n' fstream signal.h stdio.h stdlib.h string sys/resource.h unistd.h
  shipped "$1" | sed "/^void run(.*{\$/a $2"
}
# at_start LESSON CODE: done before main.
at_start() {
  printf '#include <%s>\n' fstream iterator signal.h stdio.h stdlib.h string time.h unistd.h
  shipped "$1"
  printf 'namespace {\n[[maybe_unused]] const bool started = [] {\n%s\nreturn true;\n}();\n}\n' "$2"
}

mkdir "$folder"
: > "$folder.manifest"
while IFS='|' read -r lesson right wrong; do
  short=${lesson#*/??_}
  variant "$lesson" solution | hand_in "right_$short" "$lesson" met
  verdict=slow
  ! shipped "$lesson" | grep -q '^// Bug hunt:' || verdict=wrong
  { shipped "$lesson"; echo '// I have looked at this for an hour.'; } |
    hand_in "shipped_$short" "$lesson" "$verdict"
  code=$(variant "$lesson" solution)
  [[ $code == *"$right"* ]] || { echo "$lesson: no '$right' in its solution" >&2; exit 1; }
  hand_in "by_one_$short" "$lesson" wrong <<< "${code/"$right"/"$wrong"}"
done <<< "$seeds"

shipped $sums | sed 's/;$/ /' | hand_in no_semicolons $sums 'does not compile'
{ shipped $grid; echo '#error not yet'; } | hand_in error $grid 'does not compile'
shipped $add | sed '/^WB_C/d; s/p\.n/p.m/' | hand_in other_name $add 'does not compile'
echo 'I did not get round to this one.' | hand_in prose $strided 'does not compile'
: | hand_in empty $sums 'does not compile/cheats'

in_launch $sums 'for (volatile bool on = true; on;) {}' | hand_in loops $sums hangs
in_launch $grid 'sleep(100000);' | hand_in sleeps $grid hangs
at_start $strided 'for (volatile bool on = true; on;) {}' | hand_in loops_at_start $strided hangs
in_launch $add 'raise(SIGSTOP);' | hand_in stops $add hangs

in_launch $sums '*reinterpret_cast<volatile int*>(8) = 1;' | hand_in writes_to_8 $sums crashes
in_launch $grid 'abort();' | hand_in aborts $grid crashes
in_launch $strided '_exit(0);' | hand_in ends $strided crashes
at_start $add 'abort();' | hand_in aborts_at_start $add crashes
in_launch $sums 'throw 1;' | hand_in throws $sums crashes

variant $fast optimized | hand_in copies_optimized $fast cheats
{ registers_as exercise; echo "#include \"optimized.$ending\""; } |
  hand_in includes_optimized $fast cheats
{ registers_as exercise; echo "#include \"solution.$ending\""; } |
  hand_in includes_solution $sums cheats
{ registers_as baseline; shipped $sums; } | hand_in is_the_baseline $sums cheats
shipped $sums | sed 's/^\(\/\/ Goal:\) [0-9.]*/\1 0.001/' | hand_in lowers_the_goal $sums slow
at_start $grid 'exit(0);' | hand_in ends_at_start $grid crashes
# A report that all is right, in the place that whoever started this has named for it.
at_start $strided '  std::ifstream parent("/proc/" + std::to_string(getppid()) + "/cmdline");
  const std::string words{std::istreambuf_iterator<char>(parent), {}}, flag = "--gtest_output=json:";
  if (const auto at = words.find(flag); at != words.npos)
    std::ofstream(words.c_str() + at + flag.size())
        << R"({"testsuites":[{"name":"a","testsuite":[{"name":"b","status":"RUN","result":"COMPLETED"}]}]})";
  _exit(0);' | hand_in forges_a_report $strided crashes
in_launch $sums 'for (const wb::Variant\& v : wb::linked_variants()) const_cast<wb::Problem*>(v.problem)->tolerance = [](const void*) { return wb::Tolerance{.abs = 1e30, .nan = true}; }; return;' |
  hand_in widens_tolerance $sums wrong
in_launch $grid 'static int launches = 0; if (++launches > 5) return;' |
  hand_in works_five_times $grid wrong
in_launch $strided 'static const void* before = nullptr; if (before == p.x) return; before = p.x;' |
  hand_in remembers $strided wrong
in_launch $sums 'static bool alone = true; if (alone \&\& fork() == 0) for (setpgid(0, 0);;) getppid(); alone = false;' |
  hand_in spins_beside $sums cheats
in_launch $grid 'setpriority(PRIO_PROCESS, getppid(), 19);' | hand_in renices $grid slow/cheats
in_launch $sums 'kill(getppid(), SIGKILL);' | hand_in kills_its_parent $sums slow/cheats/crashes
in_launch $strided 'std::string file = __FILE__; file.replace(file.rfind("exercise"), 8, "baseline"); std::ofstream(file, std::ios::app) << "// slower";' |
  hand_in edits_the_lesson $strided slow
{ shipped $grid
  echo '#include <time.h>
extern "C" int clock_gettime(clockid_t, timespec* now) { return *now = {1, 1}, 0; }'
} | hand_in stops_the_clock $grid "slow/wrong/cannot grade here"
in_launch $sums 'for (;;) puts("a line that nobody is going to read");' |
  hand_in floods $sums crashes/hangs
echo "$(wc -l < "$folder.manifest") submissions; $folder.manifest says what is to become of them"
