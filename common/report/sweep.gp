# Curves along an axis, log-log; report/sweep.cpp puts the variables and the data in front of this.
if (TERMINAL == 0) { set terminal dumb noenhanced mono size WIDTH, 26 }
if (TERMINAL == 1) { set terminal svg noenhanced size WIDTH, 520 font "Helvetica,14" background "#ffffff" }
if (TERMINAL == 2) { set terminal pngcairo noenhanced size WIDTH, 520 font "Helvetica,11" background "#ffffff" }

set logscale x 2
if (!LINEAR) { set logscale y }
set xrange [XMIN:XMAX * 1.000001]  # a logarithmic axis leaves out a label at its very end
set yrange [YMIN:YMAX]
set format y YFORMAT
set border 3 lw 1 lc rgb "#444444"
set tics nomirror textcolor rgb "#222222"
set xlabel XLABEL offset 0, (TERMINAL == 0 ? 0 : 0.5)  # there a key of two lines would hide it
set ylabel YLABEL
set title TITLE
set grid xtics ytics lt 1 lw 0.5 lc rgb "#dddddd"
if (!LINEAR && YMAX / YMIN < 100) {  # too few powers of ten to read values by
  do for [power = floor(log10(YMIN)):ceil(log10(YMAX))] {
    set ytics add (1.0 * 10**power, 2.0 * 10**power, 5.0 * 10**power)
  }
}
set key below horizontal height 1
set style line 1 lc rgb "#808080" lw 2 pt 5 ps 0.6
set style line 2 lc rgb "#c0392b" lw 2.5 pt 7 ps 0.7
set style line 3 lc rgb "#2e7d32" lw 2 pt 9 ps 0.7
set style line 4 lc rgb "#b07aa1" lw 2 pt 13 ps 0.7
set style line 5 lc rgb "#b8860b" lw 2 pt 11 ps 0.6
set style line 6 lc rgb "#00838f" lw 2 pt 11 ps 0.6
set style line 7 lc rgb "#5c6bc0" lw 2 pt 11 ps 0.6
set style line 8 lc rgb "#d2691e" lw 2 pt 11 ps 0.6
set style line 9 lc rgb "#222222" lw 2 pt 11 ps 0.6
named(name) = name eq "baseline" ? 1 : name eq "optimized" ? 2 : name eq "library" ? 3 : \
              name[1:4] eq "step" ? 4 + int(name[5:5]) % 4 : \
              name eq "solution" || name[1:7] eq "pytorch" ? 4 : 0
# So that a name has the same colour whatever others stand beside it.
others(i) = sum [j = 1:i] named(word(NAMES, j)) == 0
style(name, i) = named(name) ? named(name) : 8 + others(i) % 2
if (BOUNDED) {
  set key outside right center vertical  # twice as many names would take half of the height below
  do for [i = 1:words(NAMES)] {  # curves may coincide: the points of one show around the other's
    set style line style(word(NAMES, i), i) lw 1.5 ps 0.4 + 0.15 * (words(NAMES) - i)
  }
}

if (TERMINAL == 0) {
  unset grid
  # A letter a variant: baseline b, steps 1 to 9, optimized o, library l, exercise e, solution s; or
  # v, w, x, y, z. Bounds have no room here: the table has them.
  known(name) = strstrt("baseline optimized library exercise solution pytorch", name) > 0
  other(i) = substr("vwxyz", 1 + i % 5, 1 + i % 5)
  sign(name, i) = name[1:4] eq "step" ? name[5:5] : known(name) ? name[1:1] : other(i)
  plot for [i = 1:ROOF] $roof using 1:2 with points pt "." title ROOFNAME, \
       for [i = 1:words(NAMES)] $curves index i - 1 using 1:2 with points pt sign(word(NAMES, i), i) title word(NAMES, i)
} else {
  plot for [i = 1:ROOF] $roof using 1:2 with lines lw 2 dt 2 lc rgb "#1f4e79" title ROOFNAME, \
       for [i = 1:words(NAMES)] $curves index i - 1 using 1:2 with linespoints ls style(word(NAMES, i), i) title word(NAMES, i), \
       for [i = 1:BOUNDED * words(NAMES)] $bounds index i - 1 using 1:2 with lines ls style(word(NAMES, i), i) lw 1 dt 2 title "bound of ".word(NAMES, i)
}
