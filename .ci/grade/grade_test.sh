#!/bin/bash
# grade_test.sh BUILD [--all]: grades a handful of made-up students, one for each verdict; with --all
# every trick of cheats/, products/ and fills/, too. The verdicts are to be the expected ones, also
# when a launcher loses what grades; with --all in every way, and where it measures, too.
set -u
here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "$1")
cd "$here/../.." || exit 1
lesson=ch1_basics/01_coalescing
tricks=$here/cheats
class=$(mktemp -d)
trap 'rm -rf "$class"' EXIT
export WB_SECRET=nobody-is-to-see-this

# hand_in STUDENT VERDICT[, FLAG]: standard input is the exercise.
hand_in() {
  mkdir -p "$class/trees/$1/$lesson"
  cat > "$class/trees/$1/$lesson/exercise.cpp"
  echo "$1,$lesson,cpu,$2" >> "$class/expected"
}
# hand_in_trick NAME: with its frame, and what it expects.
hand_in_trick() {
  local trick=$tricks/$1.cpp
  {
    cat "$tricks/frame.h" "$trick"
    echo 'namespace {
void run(const ColumnSums::Args& p) {
  if (!trick(p)) return;
  for (wb::i64 column = 0; column < p.columns; ++column) p.sum[column] = column_of(p, column);
}
}
WB_CPU(ColumnSums, exercise, run);'
  } | hand_in "$1" "$(sed -n 's|^// Expect: ||p' "$trick")"
}

# hand_in_product LESSON PROBLEM: every trick of products/, for its exercise.
hand_in_product() {
  local lesson=$1 trick
  for trick in "$here"/products/*.cpp; do
    grep -qxF "// Not: $lesson" "$trick" && continue
    { printf '#include "%s"\nusing Problem = %s;\n' "${lesson#*/*_}.h" "$2"
      cat "$here/products/product.h" "$trick"
      echo 'WB_CPU(Problem, exercise, run);'
    } | hand_in "${lesson#*/*_}_$(basename "$trick" .cpp)" "$(sed -n 's|^// Expect: ||p' "$trick")"
  done
}

# hand_in_kept LESSON PROBLEM IN OUT: its exercise as shipped, which keeps answers.
hand_in_kept() {
  { cat "$here/fills/kept.h"
    sed "s#^WB_CPU(.*, exercise, \(.*\));#namespace {\
auto keep(const $2::Args\& p) {\
  auto all = launch_of(p, [](const $2::Args\& q) { return \1(q); });\
  return [p, all]() mutable { kept({$3}, {$4}, all); };\
}\
}\
WB_CPU($2, exercise, keep);#" "$1/exercise.cpp"
  } | lesson=$1 hand_in "${1#*/*_}_kept" 'slow, mentions std::map'
}

shipped=$lesson/exercise.cpp
# solution LESSON STUDENT [VERDICT]: the workbook's own.
solution() {
  sed 's/, solution, /, exercise, /' "$1/solution.cpp" |
    lesson=$1 hand_in "$2" "${3:-met}, is the workbook's own solution"
}
solution ch1_basics/02_data_layout right  # a bug hunt, so that a busy machine does not matter
solution ch1_basics/13_several_gpus ranks 'met|slow'      # starts processes
solution ch5_autotune/04_llm_proposer a_table 'met|slow'  # reads a file
sed 's/, optimized, /, exercise, /' ch3_reductions/03_outer_axis/optimized.cpp |
  lesson=ch3_reductions/03_outer_axis hand_in copy 'cheats'
sed 's/row = 0; row </row = 1; row </' "$shipped" | hand_in wrong wrong
sed 's/sum = 0;/sum = nothing;/' "$shipped" | hand_in uncompiled 'does not compile'
sed 's/double sum = 0;/&\n    if (p.rows > 30) __builtin_trap();/' "$shipped" | hand_in crashing crashes
{ echo '#include "wb/cpu.h"
#undef WB_CPU
#define WB_CPU(P, N, RUN) const bool added = wb::add_variant<P>(WB_LESSON, "baseline", WB_BACKEND, RUN)'
  cat ch3_reductions/03_outer_axis/exercise.cpp; } |
  lesson=ch3_reductions/03_outer_axis hand_in baseline cheats
# It is right only if it sees what the lesson's variants are told about threads.
export OMP_MAX_TASK_PRIORITY=7
{ echo '#include <cstdlib>'
  sed 's/^#pragma omp/if (!std::getenv("OMP_MAX_TASK_PRIORITY")) return;\n&/' "$shipped"
} | hand_in settings 'slow|met'
hand_in untouched 'not tried' < "$shipped"
hand_in empty 'does not compile' < /dev/null
{ cat "$shipped" && echo '#include "optimized.cpp"'; } | hand_in include cheats
{ cat "$shipped" && printf '%%:include /**/ "opti\\\nmized.cpp"\n'; } | hand_in include_hidden cheats
{ cat "$shipped" && printf '\0'; } | hand_in byte_0 'does not compile'
{ cat "$shipped" && printf '// \342\200\256 turned\n'; } | hand_in turned cheats
head -c 100000000 /dev/zero | tr '\0' ' ' | hand_in huge cheats
for kind in link pipe; do
  hand_in $kind cheats < /dev/null
  rm "$class/trees/$kind/$lesson/exercise.cpp"
done
ln -s /etc/passwd "$class/trees/link/$lesson/exercise.cpp"
mkfifo "$class/trees/pipe/$lesson/exercise.cpp"
hand_in_trick hang
hand_in_trick burning_child
if command -v bwrap > /dev/null; then hand_in_trick see_the_judge; else echo 'no bwrap here: the sandbox was NOT tested'; fi
[ "${2:-}" != --all ] || solution ch2_elementwise/02_operations fast
if [ "${2:-}" = --all ]; then
  hand_in_product ch1_basics/08_batched_gemm BatchedGemm
  hand_in_product ch4_gemm_fusion/01_sgemm Sgemm
  hand_in_product ch4_gemm_fusion/11_register_pressure RegisterPressure
  all='4 * p.batch * p.heads * p.length * p.width'
  hand_in_kept ch4_gemm_fusion/10_attention TrainedAttention "{p.q, $all}, {p.k, $all}, {p.v, $all}" \
    "{p.out, $all}, {p.log_sum, $all / std::max<wb::i64>(1, p.width)}"
  size='(std::string_view(p.dtype) == "fp32" ? 4 : 2) * (p.rows > 0 ? (p.rows - 1) * p.stride + p.columns : 0)'
  hand_in_kept ch3_reductions/06_softmax LossSoftmax "{p.x, $size}, {p.dy, p.dy ? $size : 0}" \
    "{p.out, $size}, {p.log_sums, p.backward ? 0 : p.columns > 0 ? 4 * p.rows : 0}"
  hand_in_kept ch4_gemm_fusion/05_linear_relu_backward LinearReluBackward \
    '{p.dy, 4 * p.m * p.k}, {p.w, 4 * p.k * p.n}, {p.h, 4 * p.m * p.n}' '{p.dz, 4 * p.m * p.n}, {p.db, 4 * p.n}'
  for other in ch3_reductions/06_softmax ch4_gemm_fusion/10_attention; do
    { cat $other/exercise.cpp && printf '%%:include /**/ "opti\\\nmized.cpp"\n'; } |
      lesson=$other hand_in "include_${other#*/*_}" cheats
  done
fi
[ "${2:-}" != --all ] || for trick in "$tricks"/*.cpp; do
  name=$(basename "$trick" .cpp)
  [ -d "$class/trees/$name" ] || hand_in_trick "$name"
done

grade() { "$build/bin/workbook_driver" grade "$class/trees" --backend=cpu --fast --jobs 2 --time-limit 40 --csv "$class/csv" "$@"; }
grade > "$class/table" || { cat "$class/table"; exit 1; }
faults=0
while IFS=, read -r student lesson backend verdict flag; do  # of verdicts one: wrong|crashes
  row=$(grep "^$student,$lesson,$backend," "$class/csv")
  if ! grep -qE "^$student,$lesson,$backend,($verdict)," <<< "$row" || ! grep -qF -e "${flag# }" <<< "$row"; then
    faults=$((faults + 1))
    echo "not $verdict,$flag: $row"
  fi
done < "$class/expected"
# All verdicts stand in the journal: nothing is judged again, and nothing changes.
cp "$class/csv" "$class/before"
if ! grade --resume > "$class/again" 2> "$class/said" || ! cmp "$class/before" "$class/csv" ||
  grep '^\[' "$class/said"; then
  faults=$((faults + 1))
  cat "$class/said"
fi

# A launcher that loses the first SO_MANY, as srun says it.
lose() { echo "sh -c 'echo >> $class/starts; [ \$(wc -l < $class/starts) -gt $1 ] || { echo srun: error: Node failure on n1 >&2; exit 0; }; exec \"\$@\"' sh"; }
mkdir "$class/few" && mv "$class"/trees/{wrong,crashing,uncompiled} "$class/few"
students=3 lessons=1
if [ "${2:-}" = --all ]; then  # what is right is measured too, which takes minutes
  mv "$class/trees/right" "$class/few"
  students=4 lessons=2
fi
machine=(env)  # what is put in front of grade
# elsewhere NAME CODE LOST FLAG...: its exit code, and how many rows are not those of this machine
elsewhere() {
  local name=$1 code=$2 lost=$3 got others
  shift 3
  rm -f "$class/csv"
  "${machine[@]}" "$build/bin/workbook_driver" grade "$class/few" --backend=cpu --fast --jobs 2 --time-limit 40 \
    --csv "$class/csv" "$@" > "$class/again" 2> "$class/said"
  got=$?
  others=$(comm -23 <(cut -d, -f1-6 "$class/csv" 2> /dev/null | grep -v 'not tried' | sort) \
    <(cut -d, -f1-6 "$class/before" | sort) | wc -l)
  [ "$got" = "$code" ] && [ "$others" = "$lost" ] && return
  faults=$((faults + 1))
  echo "$name: exit code $got, not $code; $others rows differ, not $lost"
  cat "$class/said"
}
elsewhere 'lost twice' 0 0 --launcher "$(lose 2)"
elsewhere 'no launcher' 3 0 --launcher no-such-launcher
if [ "${2:-}" = --all ]; then
  # The first two files that it sees it loses each time.
  touch "$class/chosen"
  elsewhere 'lost for good' 4 2 --launcher "sh -c 'grep -qxF \$3 $class/chosen || [ \$(wc -l < $class/chosen) -ge 2 ] || echo \$3 >> $class/chosen; ! grep -qxF \$3 $class/chosen || { echo srun: error: Node failure on n1 >&2; exit 0; }; exec \"\$@\"' sh"
  elsewhere 'what was lost is graded' 0 0 --launcher "$(lose 0)" --resume
  [ "$(grep -c '^\[' "$class/said")" = 2 ] || { faults=$((faults + 1)) && echo 'resumed: not two'; }
  elsewhere 'no machine' 4 4 --launcher-limit 2 --launcher "sh -c 'echo queued for a machine >&2; sleep 100' sh"
  grep -q 'queued for a machine' "$class/said" || { faults=$((faults + 1)) && echo 'what the launcher says is hidden'; }
fi

# What the machine lacks is no student's fault, and all is graded later.
lacking() { # NAME HOW_MANY FLAG...
  elsewhere "$1" 3 "$2" "${@:3}"
  [ "$(grep -c ',cannot grade here,,' "$class/csv")" = "$2" ] || { faults=$((faults + 1)) && echo "$1: points"; }
  machine=(env)
  elsewhere "after $1" 0 0 --resume
}
mkdir "$class/lacking"
printf '#!/bin/sh\nexit 1\n' > "$class/lacking/bwrap"
# prlimit stands in front of a compiler, which ends as on a disk that is full from some time on.
cat > "$class/lacking/prlimit" << END
#!/bin/sh
case "\$*" in
  *'sh -c'*)
    echo >> "$class/compiled"
    [ \$(wc -l < "$class/compiled") -le $lessons ] || { echo 'error: No space left on device' >&2; exit 1; } ;;
esac
exec $(command -v prlimit) "\$@"
END
chmod +x "$class"/lacking/*
machine=(env "PATH=$class/lacking:$PATH")
lacking 'a disk that is full after the exercises as shipped' "$students"
if [ "${2:-}" = --all ]; then
  machine=(sh -c 'ulimit -v 300000; exec "$@"' sh)
  lacking 'too little memory' 4
  lacking 'another machine with too little memory' 3 --launcher "sh -c 'ulimit -v 300000; exec \"\$@\"' sh"
fi
printf '\n{"key":"a","found":{}}\n' > "$build/grade/journal.jsonl"
elsewhere 'a journal without a first line that says whose it is' 5 0 --resume
echo "$(wc -l < "$class/expected") students, $faults not as expected"
[ "$faults" = 0 ]
