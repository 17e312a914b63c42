#!/bin/bash
# The driver under a real Slurm with four simulated nodes (cluster.sh), as root: nodes, tasks and the
# driver itself are killed, time runs out, a job is requeued; nothing is lost, and what was found is
# what one machine finds.
#
#   slurm_test.sh BUILD [PART]    a build folder with the driver; builds what it needs. PART: only
#                                 `search`, `compare`, `grade` or `requeue`.
#
# WB_TIME_LIMIT=SECONDS   of a submission's tests, where others use this machine, too (default: 40)
# shellcheck disable=SC2317  # functions that expect and wait_for call
set -u
case ${2:-search} in
  search | compare | grade | requeue) ;;
  *) echo "slurm_test.sh: no part $2: search, compare, grade or requeue" >&2; exit 2 ;;
esac
build=$(realpath "${1:?a build folder}")
here=$(cd "$(dirname "$0")" && pwd)
WB_CLUSTER=$(mktemp -d)
work=$WB_CLUSTER/work
export WB_CLUSTER SLURM_CONF=$WB_CLUSTER/slurm.conf XDG_CACHE_HOME=$work/cache
launcher='srun --quiet --exclusive -N1 -n1'
failed=0
end() { "$here/cluster.sh" down "$WB_CLUSTER"; [ "$failed" = 0 ] && rm -rf "$WB_CLUSTER"; }
trap end EXIT
expect() {  # expect WHAT COMMAND...
  local what=$1
  shift
  if "$@"; then echo "ok: $what"; else failed=1 && echo "FAILED: $what (see $work)"; fi
}
says() { grep -q -- "$2" "$work/$1"; }
is() { [ "$1" = "$2" ]; }
wait_for() {  # wait_for SECONDS COMMAND...
  local end=$((SECONDS + $1))
  shift
  until "$@"; do [ "$SECONDS" -lt "$end" ] || return 1; sleep 0.3; done
}
judged() { [ "$(grep -c '^\[' "$work/$1")" -ge "$2" ]; }
lines() { [ "$(wc -l 2> /dev/null < "$work/$1")" -ge "$2" ] 2> /dev/null; }
free() { [ -z "$(squeue -h)" ]; }
verdicts() { sed 1d "$work/$1" | jq -r '.configuration + ": " + .status' | sort; }

command -v jq > /dev/null || { echo 'needs jq: apt-get install jq' >&2; exit 3; }
ninja -C "$build" workbook_driver workbook_classroom tune_block_size tune_twice peaks coalescing \
  data_layout transpose add > /dev/null || exit 1
"$here/cluster.sh" up "$WB_CLUSTER" || exit
mkdir -p "$XDG_CACHE_HOME"
"$build/bin/peaks" 2> /dev/null || exit  # or the first programs measure the ceilings, all at once
driver=$build/bin/workbook_driver
search=("$build/bin/tune_block_size" --backend=cpu --strategy=exhaustive --budget=200 --seed=7
  --axis=op=columns --axis=rows=8 --axis=columns=20000)

# 200 trials: two nodes go away, then the driver; the same command goes on.
try_search() {
  "${search[@]}" --journal="$work/one" > "$work/one.out" 2>&1
  expect 'a search on one machine' is $? 0
  many=("${search[@]}" --journal="$work/many" --resume --jobs=4 --launcher="$launcher")
  "${many[@]}" > "$work/many.out" 2>&1 &
  search_id=$!
  wait_for 120 lines many 60
  "$here/cluster.sh" kill n2
  "$here/cluster.sh" freeze n3
  wait_for 120 says many.out 'a worker was lost'
  wait_for 120 lines many 130
  kill -INT "$search_id"
  wait "$search_id"
  expect 'Ctrl-C ends it with 130' is $? 130
  expect 'it says how to go on' says many.out 'the same command with --resume goes on after'
  "${many[@]}" > "$work/resumed.out" 2>&1
  expect 'the same command ends it' is $? 0
  expect 'all 200 trials are there, each once' is \
    "$(sed 1d "$work/many" | jq -r .configuration | sort | uniq -c | awk '$1 == 1' | wc -l)" 200
  expect 'all have the verdicts of one machine' is "$(verdicts many)" "$(verdicts one)"
  # Timed where workers shared the cores of this machine; so again here, in turn with the default.
  winner=$(sed -n 's/^Winner: //p' "$work/resumed.out")
  { head -n 2 "$work/one" && tail -n +3 "$work/many" | grep -F "\"$winner\""; } > "$work/again"
  "${search[@]/budget=200/budget=2}" --journal="$work/again" --resume > "$work/again.out" 2>&1
  expect 'its winner is no slower here than the default' \
    grep -qE "^(Winner|(As fast within noise|Perhaps faster or slower, for the times vary) \\((0\.|1\.0)[0-9]*x, .*\\)): $winner\$" "$work/again.out"
  "$here/cluster.sh" back n2 n3

  # Candidates that are wrong, crash, hang: through Slurm the same.
  "$build/bin/tune_twice" --backend=cpu --strategy=exhaustive --time-limit=5 --journal="$work/twice_one" \
    > "$work/twice_one.out" 2>&1
  "$build/bin/tune_twice" --backend=cpu --strategy=exhaustive --time-limit=5 --journal="$work/twice" \
    --jobs=3 --launcher="$launcher" > "$work/twice.out" 2>&1
  # KIND=6 is as right and as fast as KIND=0.
  expect 'one of the two fastest that are right wins' says twice.out '^Winner: KIND=[06] PASSES=1$'
  expect 'as on one machine' says twice_one.out '^Winner: KIND=[06] PASSES=1$'
  expect 'wrong candidates get the verdicts of one machine' is "$(verdicts twice)" "$(verdicts twice_one)"
}

# Four lessons: a task is killed, a node goes away.
try_compare() {
  lessons=(01_coalescing 02_data_layout 03_transpose 01_add)
  $driver compare "${lessons[@]}" --first --fast --allow-suspect --backend=cpu --json "$work/r.json" \
    --jobs 4 --launcher "$launcher" > "$work/compare.out" 2>&1 &
  compare=$!
  wait_for 60 pgrep -f "^$build/bin/coalescing " > /dev/null
  pkill -KILL -f "^$build/bin/coalescing "
  wait_for 60 pgrep -f "^$build/bin/transpose " > /dev/null
  node=$(squeue -h --name=transpose -o %N)  # one that still works
  "$here/cluster.sh" kill "$node"
  wait "$compare"
  expect 'a comparison ends well' is $? 0
  expect 'what was killed is started again' says compare.out '01_coalescing was lost: .*: started again'
  expect 'a node that went away is told' says compare.out 'was lost: srun: error: Node failure'
  expect 'all four lessons are there' is 4 \
    "$(jq -r '.benchmarks[].name' "$work/r.json" | cut -d/ -f1-2 | sort -u | wc -l)"
  "$here/cluster.sh" back "$node"
}

# Sixty submissions: two nodes go away half-way, then the driver; the same command goes on. Four nodes
# share the cores of this machine, so that met and slow count as one.
try_grade() {
  local hand=$work/hand class
  $driver export "$work/tree" > /dev/null && "$here/../grade/submissions.sh" "$work/tree" "$hand" cpu
  class=("$driver" grade "$hand" --backend=cpu --time-limit="${WB_TIME_LIMIT:-40}" --jobs=4 --launcher="$launcher"
    --csv="$work/class.csv" --html="$work/class.html")
  "${class[@]}" > "$work/class.out" 2>&1 &
  local grade=$!
  wait_for 1200 judged class.out 30
  "$here/cluster.sh" kill n2
  "$here/cluster.sh" freeze n3
  wait_for 120 says class.out 'was lost: srun: error: Node failure'
  wait_for 600 judged class.out 40
  kill -INT "$grade"
  wait "$grade"
  expect 'Ctrl-C ends grading with 130' is $? 130
  expect 'and its jobs' wait_for 30 free
  "${class[@]}" --resume > "$work/class_resumed.out" 2>&1
  expect 'the same command ends it' is $? 0
  expect 'which grades what is left' is \
    $(($(grep -c '^\[' "$work/class.out") + $(grep -c '^\[' "$work/class_resumed.out"))) \
    "$(sed -n 's|^\[1/\([0-9]*\)\].*|\1|p' "$work/class.out")"  # not all hand in what can be graded
  expect 'all in a sandbox' eval '! says class.out "not held" && ! says class_resumed.out "not held"'
  "$here/../grade/unexpected.sh" "$hand.manifest" "$work/class.csv" no-speed | tee "$work/unexpected"
  expect 'all sixty have the verdicts of one machine' is "$(wc -l < "$work/unexpected")" 0
  "$here/cluster.sh" back n2 n3
}

# A search in a job that is requeued: its script says --resume.
try_requeue() {
  wait_for 30 free
  cat > "$work/job" << END
#!/bin/sh
exec ${search[*]/budget=200/budget=40} --journal=$work/job.journal --resume --launcher='srun --quiet -N1 -n1'
END
  job=$(sbatch --parsable --requeue --open-mode=append --output="$work/job.out" "$work/job")
  wait_for 60 lines job.journal 11
  scontrol requeue "$job"
  sleep 5
  scontrol update "jobid=$job" StartTime=now  # not after the two minutes that Slurm waits
  wait_for 240 says job.out '^Winner:'
  expect 'a job that is requeued goes on' says job.out '^continuing after'
  expect 'with all trials' is "$(sed 1d "$work/job.journal" | jq -r .configuration | sort -u | wc -l)" 40
}

# A time limit, beside all else: Slurm's shortest is a minute.
# Its code goes into a file: bash forgets that of a child whose number another one has got since.
{
  $driver compare 01_add --first --fast --backend=cpu --json "$work/limit.json" \
    --launcher "$launcher --overcommit --time=1 sh -c 'sleep 150; exec \"\$@\"' sh"
  echo $? > "$work/limit.code"
} > "$work/limit.out" 2>&1 &
for part in ${2:-search compare grade requeue}; do "try_$part"; done
expect 'a time limit ends a job' wait_for 300 lines limit.code 1
expect 'with code 4' is "$(cat "$work/limit.code")" 4
expect 'in one line that names it' says limit.out '^\[1/1\] ch2_elementwise/01_add .*DUE TO TIME LIMIT'

expect 'no job is left' wait_for 60 free
expect 'nor a process' is "$(pgrep -cf "^$build/bin/(tune_|coalescing|transpose|add |workbook_classroom grade-one)")" 0
exit "$failed"
