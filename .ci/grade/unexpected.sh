#!/bin/sh
# unexpected.sh MANIFEST CSV [no-speed]: a line for each verdict in CSV that is not the manifest's
# (submissions.sh), and for each that is missing. With no-speed met and slow are one: what is right.
awk -F, -v no_speed="${3:-}" '
  function of(verdict) {
    if (no_speed) gsub(/met|slow/, "right", verdict)
    return verdict
  }
  NR == FNR { split($0, word, " "); sub(/^[^ ]* [^ ]* /, ""); wanted[word[1] "," word[2]] = $0; next }
  ($1 "," $2) in wanted && index("/" of(wanted[$1 "," $2]) "/", "/" of($4) "/") { delete wanted[$1 "," $2]; next }
  $4 != "not tried" && $1 != "student" { print $1, $2 ": " $4 ", " $0 }
  END { for (row in wanted) print row ": not " wanted[row] }
' "$1" "$2" 2>&1 | sort
