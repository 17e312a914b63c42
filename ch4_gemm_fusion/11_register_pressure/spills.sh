#!/bin/sh
# spills.sh PROGRAM: what the compiler made of each micro-kernel of a program of this lesson, read from
# the machine code of its loop along k: multiply-adds, loads of A and B, and how often it goes to the
# stack for values that do not fit into registers. x86, with objdump of binutils.
# Exit codes: 2 usage, 3 not on this machine, 5 no such file or no micro-kernel in it.
[ $# = 1 ] || { echo 'usage: spills.sh PROGRAM, e.g. build/cpu/bin/register_pressure' >&2; exit 2; }
[ -r "$1" ] || { echo "spills.sh: $1 can't be read: build it first" >&2; exit 5; }
command -v objdump > /dev/null || { echo 'spills.sh: needs objdump: install binutils' >&2; exit 3; }
objdump -f "$1" | grep -q x86-64 || { echo "spills.sh: $1 is no x86-64 program" >&2; exit 3; }

# A line of code: address, tab, instruction. The loop is the code between a jump back and its target,
# with multiply-adds in it. %rbp points to the stack where it was set from %rsp.
objdump -dC --no-show-raw-insn "$1" | awk -F '\t' '
  function finish(  i, j, at) {
    for (i = 1; i <= lines; ++i)
      if (code[i] ~ /^j/ && split(code[i], word, " ") && (word[2] in line) && line[word[2]] < i) {
        adds = loads = stack = 0
        for (j = line[word[2]]; j < i; ++j) {
          adds += code[j] ~ /^vfn?madd/
          if (code[j] !~ /[xyz]mm/ || code[j] !~ /\(/) continue
          if (code[j] ~ (frame ? "\\(%r[sb]p" : "\\(%rsp")) ++stack; else ++loads
        }
        if (adds) { printf "%6d %5d %8d %14d %6d %6d\n", of[1], of[2], of[3], adds, loads, stack; break }
      }
    lines = frame = 0; split("", line)
  }
  /^[0-9a-f]+ </ {
    finish()
    wanted = match($0, /tile<[0-9]+, [0-9]+, [0-9]+>/) && !seen[name = substr($0, RSTART, RLENGTH)]++
    if (wanted) split(substr(name, 6), of, /[^0-9]+/)
  }
  wanted && NF > 1 {
    address = $1; gsub(/[ :]/, "", address)
    code[++lines] = $2; line[address] = lines
    frame = frame || $2 ~ /^mov +%rsp,%rbp/
  }
  END { finish() }' | sort -n -k 1,1 -k 3,3 -k 2,2 | awk '
  NR == 1 { print "floats  rows  vectors  multiply-adds  loads  stack" }
  { print }
  END { if (!NR) { print "spills.sh: no micro-kernel found" > "/dev/stderr"; exit 5 } }'
