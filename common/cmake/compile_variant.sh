#!/bin/sh
# compile_variant.sh NM C++-COMPILER COMMAND...: runs the command that compiles a variant and refuses
# an object that would replace what the program around it uses: a function without a C++ name
# (malloc, main), operator new or delete, or one of the harness or the standard library. What stands
# in the anonymous namespace replaces nothing; inline functions and templates of headers pass.
nm=$1
cxx=$2
shift 2
[ -n "$1" ] || shift  # there is no ccache
"$@" || exit
previous=
for argument; do
  [ "$previous" != -o ] || object=$argument
  [ "$previous" != -c ] || source=${argument##*/}
  previous=$argument
done

# Passed over: what compilers add for exceptions, OpenMP and sanitizers, <new>'s placement forms, and
# the anonymous namespace, of which nvcc makes names of its own.
# [VWu]: a definition that many objects may hold.
symbol=$("$nm" -gp --defined-only "$object" | awk '
  { type = $(NF - 1); name = $NF }
  name ~ /^(DW\.ref\.|__clang_call_terminate$|\.gomp_critical|__odr_asan\.)/ { next }
  name ~ /^_Z(n[wa][jm]Pv|d[la]PvS_)$|_GLOBAL__N_/ { next }
  name !~ /^_Z/ || name ~ /^_Z(n[wa]|d[la])/ { print name; exit }
  type !~ /[VWu]/ && name ~ /^_Z(N[VK]*)?(S[a-z]|2wb|7testing|9benchmark)/ { print name; exit }')
[ -n "$symbol" ] || exit 0
rm -f "$object"

holds() {  # holds LIBRARY: whether it defines the symbol
  "$nm" -D --defined-only "$("$cxx" -print-file-name="$1")" 2> /dev/null |
    grep -Eq " $symbol(@|\$)"
}
case $symbol in
  main | _ZN*2wb*) owner='the harness' ;;
  _ZN*7testing*) owner=GoogleTest ;;
  _ZN*9benchmark*) owner='Google Benchmark' ;;
  _Z*) owner='the C++ library' ;;
  cu[A-Z]* | cuda[A-Z]* | cublas[A-Z]*) owner=CUDA ;;
  *)
    owner=
    if holds libc.so.6 || holds libm.so.6; then owner='the C library'
    elif holds libstdc++.so.6; then owner='the C++ library'
    elif holds libgomp.so.1 || holds libomp.so.5; then owner=OpenMP
    fi ;;
esac
name=$(c++filt "$symbol" 2> /dev/null) || name=$symbol
if [ -n "$owner" ]; then
  what="$name, which belongs to $owner: give it another name or put it"
else
  what="$name for the whole program: put it"
fi
echo "workbook: $source defines $what into the anonymous namespace" >&2
exit 1
