#!/bin/sh
# compile.sh TRANSLATE COMPILER OPTION...: a compiler that takes CUDA C++ for the emulated GPU. CMake
# calls it in front of the compiler's whole command line, with -o OBJECT.
set -u
translate=$1
compiler=$2
shift 2
object=
previous=
for word; do  # all but -o OBJECT: each word goes to the end once
  shift
  case $previous in
    -o) object=$word ;;
    *) [ "$word" = -o ] || set -- "$@" "$word" ;;
  esac
  previous=$word
done
# What the preprocessor makes has the lines of all files; it writes what they depend on, too. nvcc
# includes that header by itself.
"$compiler" "$@" -include cuda_runtime.h -E -o "$object.in" || exit
"$translate" < "$object.in" > "$object.ii" || exit
# No variable is split into its parts, so that a load of 16 bytes stays one access.
# shellcheck disable=SC2046
$(command -v ccache) "$compiler" -std=c++20 -O1 -g1 -fno-tree-sra -fno-ipa-sra -fno-reorder-blocks -fsanitize=thread \
  --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1 -w \
  -fpreprocessed -x c++ -c "$object.ii" -o "$object"
result=$?
rm -f "$object.in" "$object.ii"
exit "$result"
