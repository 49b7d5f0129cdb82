# SPDX-License-Identifier: GPL-3.0-or-later
# Curves on logarithmic axes both ways, in panels that share their x axis.
# Reads: panels, columns, rows, spacing_x, spacing_y, panel_title[], panel_unit[] (names of the y
# axes), panel_low[], panel_high[], low_x, high_x, x_title, downwards (1: small y are above), count,
# label[], style[], floor[] (files, or ""), floor_name, and file[(panel - 1) * count + i]: block 0
# the curve, block 1 its symbols, block 2 what failed or lies beyond the axes, on the margin.
load plots."style.gp"
load plots."key.gp"
plot for [i=1:count] NaN with linespoints lt style[i] title label[i], \
     NaN with lines lt 31 title floor_name
y_gap = 66.0
shared_y = 0
set logscale xy
set xrange [low_x:high_x]
set xtics 10
set mxtics 10
do for [p=1:panels] {
  y_name = panel_unit[p]
  load plots."panel.gp"
  if (p > panels - columns) { set format x "10^{%T}" }
  # Tick marks by hand: gnuplot finds none on an axis that is both logarithmic and reversed.
  every = ceil((log10(panel_high[p]) - log10(panel_low[p])) / 7.0)
  set ytics nomirror ()
  do for [e=int(ceil(log10(panel_low[p]))):int(floor(log10(panel_high[p])))] {
    if (e % every == 0) {
      set ytics add (gprintf("10^{%T}", 10.0**e) 10.0**e)
    } else {
      set ytics add ("" 10.0**e 1)
    }
  }
  if (downwards) {
    set yrange [panel_high[p]:panel_low[p]]
  } else {
    set yrange [panel_low[p]:panel_high[p]]
  }
  n = (p - 1) * count
  f = (floor[p] eq "") ? "none.dat" : floor[p]
  plot f index 0 using 1:2 with lines lt 31 notitle, \
       for [i=1:count] file[n + i] index 0 using 1:2 with lines lt style[i] notitle, \
       for [i=1:count] file[n + i] index 1 using 1:2 with points lt style[i] dt 1 notitle, \
       for [i=1:count] file[n + i] index 2 using 1:2 with points lt style[i] dt 1 notitle, \
       for [i=1:count] file[n + i] index 2 using 1:2 with points lt 32 notitle
}
unset multiplot
unset output
