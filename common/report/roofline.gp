# Log-log roofline; report/plot.cpp puts the variables and the data in front of this text.
# Rates are in UNIT, so a bandwidth times an intensity (FLOP per byte) is a rate. A bandwidth of 0
# was not measured, or bounds nothing here.
if (TERMINAL == 0) { set terminal dumb noenhanced mono size WIDTH, ROWS < 4 ? 20 : 30 }
if (TERMINAL == 1) { set terminal svg noenhanced size WIDTH, HEIGHT font "Helvetica,14" background "#ffffff" }
if (TERMINAL == 2) { set terminal pngcairo noenhanced size WIDTH, HEIGHT font "Helvetica,11" background "#ffffff" }

RIDGE = PEAK / MEMORY
set logscale xy
set xrange [XMIN:XMAX]
set yrange [YMIN:YMAX]
set format xy "%g"
set border 3 lw 1 lc rgb "#444444"
set tics nomirror textcolor rgb "#222222"
set ylabel UNIT
# By the bytes that went through them a point has an intensity at each level of the memory, too.
INTENSITY = "arithmetic intensity (FLOP/B)"
if (LEVELS > 0 && TERMINAL == 0) { INTENSITY = INTENSITY."; D: by DRAM's bytes, L: by L2's" }
set xlabel INTENSITY
set title TITLE
unset key

if (TERMINAL == 0) {
  set samples 500
  set title TITLE."\n".MEMORY_TEXT.", ".PEAK_TEXT.", ".RIDGE_TEXT.(LINK > 0 ? ", ".LINK_TEXT." (:)" : "")
  plot (LINK > 0 && x * LINK <= PEAK ? x * LINK : NaN) with points pt ":", \
       (x < RIDGE ? x * MEMORY : PEAK) with points pt ".", \
       $points using 1:2:(0):($3 != $2 ? $3 - $2 : NaN) with vectors nohead, \
       $points using 1:2 with points pt "o", \
       $levels using ($4 == 1 ? $3 : NaN):2 with points pt "D", \
       $levels using ($4 == 2 ? $3 : NaN):2 with points pt "L", \
       $points using 1:3:4 with labels
} else {
  LEFT = 0.065; RIGHT = 0.55; BOTTOM = 0.14 + (LEVELS > 0 ? 30.0 / HEIGHT : 0); TOP = 0.90
  RED = "#c0392b"; BLUE = "#1f4e79"; GREY = "#808080"; BROWN = "#8a5a00"; GREEN = "#00695c"; PURPLE = "#6a1b9a"
  set style arrow 1 head filled size screen 0.008, 20 lw 2 lc rgb RED
  set multiplot
  set lmargin at screen LEFT
  set rmargin at screen RIGHT
  set bmargin at screen BOTTOM
  set tmargin at screen TOP
  set grid xtics ytics lt 1 lw 0.5 lc rgb "#dddddd"

  # Each roof is straight on these axes, so its ends are enough.
  enter(bandwidth) = XMIN * bandwidth > YMIN ? XMIN : YMIN / bandwidth
  set print $roof
  print enter(MEMORY), enter(MEMORY) * MEMORY
  print RIDGE, PEAK
  print XMAX, PEAK
  set print $band
  print enter(MEMORY), enter(MEMORY) * MEMORY
  print RIDGE, PEAK
  print PEAK / MEMORY_LOW, PEAK
  print enter(MEMORY_LOW), enter(MEMORY_LOW) * MEMORY_LOW
  set print

  # Text lies along its diagonal, near the peak, where few lessons are: of the cache above its line, of
  # memory below, so that the other line crosses neither. The link ends far to the right, so its text
  # is at the begin.
  SLOPE = atan2((TOP - BOTTOM) * HEIGHT / log10(YMAX / YMIN), (RIGHT - LEFT) * WIDTH / log10(XMAX / XMIN))
  ANGLE = SLOPE * 180 / pi
  UP = 0.75 * cos(SLOPE)
  BACK = -1.5 * sin(SLOPE)
  set label 1 MEMORY_TEXT at RIDGE / 1.5, PEAK / 1.5 right offset -BACK, -UP rotate by ANGLE tc rgb BLUE
  if (CACHE > 0) {
    set arrow 2 from enter(CACHE), enter(CACHE) * CACHE to PEAK / CACHE, PEAK nohead lw 1.5 dt 2 lc rgb GREY
    set label 2 CACHE_TEXT at PEAK / CACHE / 1.5, PEAK / 1.5 right offset BACK, UP rotate by ANGLE tc rgb GREY
  }
  if (LINK > 0) {
    X = PEAK / LINK < XMAX ? PEAK / LINK : XMAX
    set arrow 3 from enter(LINK), enter(LINK) * LINK to X, X * LINK nohead lw 1.5 dt 4 lc rgb BROWN
    set label 3 LINK_TEXT at enter(LINK) * 1.3, enter(LINK) * LINK * 1.3 offset BACK, UP rotate by ANGLE tc rgb BROWN
  }
  if (SECOND > 0) {
    set arrow 4 from SECOND / MEMORY, SECOND to XMAX, SECOND nohead lw 1.5 dt 2 lc rgb GREY
    set label 4 SECOND_TEXT at XMAX / 1.1, SECOND right offset 0, 0.7 tc rgb GREY
  }
  set label 5 PEAK_TEXT at XMAX / 1.1, PEAK right offset 0, 0.7 tc rgb BLUE
  set label 6 RIDGE_TEXT at RIDGE, YMIN offset 0.7, 0.8 tc rgb "#555555"
  set arrow 1 from RIDGE, YMIN to RIDGE, PEAK nohead lw 1 dt 3 lc rgb GREY
  # A triangle is larger than a circle, so that both are seen where the bytes are the least.
  if (LEVELS > 0) {
    BELOW = BOTTOM - 80.0 / HEIGHT
    set label 7 "by the least bytes" at screen LEFT + 0.02, BELOW left offset 1.5, -0.3 point pt 7 ps 0.9 lc rgb RED
    set label 8 "by DRAM's bytes" at screen LEFT + 0.19, BELOW left offset 1.5, -0.3 point pt 8 ps 1.7 lw 2 lc rgb GREEN
    set label 9 "by L2's bytes" at screen LEFT + 0.35, BELOW left offset 1.5, -0.3 point pt 4 ps 1.2 lw 2 lc rgb PURPLE
  }
  plot $band with filledcurves closed fc rgb "#9dc3e6" fs solid 0.5 noborder, \
       $roof with lines lw 2.5 lc rgb BLUE, \
       $points using 1:2:(0):($3 != $2 ? $3 - $2 : NaN) with vectors arrowstyle 1, \
       $points using 1:2 with points pt 6 ps 0.9 lw 2 lc rgb RED, \
       $points using 1:3 with points pt 7 ps 0.9 lc rgb RED, \
       $levels using 1:2:($3 - $1):(0) with vectors nohead lw 1 dt 3 lc rgb GREY, \
       $levels using ($4 == 1 ? $3 : NaN):2 with points pt 8 ps 1.7 lw 2 lc rgb GREEN, \
       $levels using ($4 == 2 ? $3 : NaN):2 with points pt 4 ps 1.2 lw 2 lc rgb PURPLE, \
       $points using 1:3:4 with labels left offset 0.7, 0 tc rgb RED

  # Beside it every row's share of its own roof, rows without floating-point work included.
  unset logscale
  unset label
  unset arrow
  unset ylabel
  set title "baseline (open) to optimized (filled)"
  set lmargin at screen 0.76
  set rmargin at screen 0.975
  set border 1
  set grid xtics noytics
  set xlabel "% of roof"
  set xrange [0:105<*]  # a suspect row lies past 100
  set xtics 0, 25, 100
  set yrange [0.4:ROWS + 0.6]
  set ytics scale 0
  plot $standings using 2:1:($3 != $2 ? $3 - $2 : NaN):(0):ytic(4) with vectors arrowstyle 1, \
       $standings using 2:1 with points pt 6 ps 0.9 lw 2 lc rgb RED, \
       $standings using 3:1 with points pt 7 ps 0.9 lc rgb RED
  unset multiplot
}
