# SPDX-License-Identifier: GPL-3.0-or-later
# Curves on logarithmic axes both ways, in panels that share their x axis.
# Reads the variables of panel.gp, and: panel_low[], panel_high[] (a panel where small y are above
# has the ends of its axis in that order), x_low, x_high, slopes[] (how many triangles a panel has),
# triangle_file[] and the variables of triangles.gp, panel after panel, count, style[], floor[]
# (files, or ""), and line_width[(panel - 1) * count + i] and file[...]: block 0 the curve, block 1
# its symbols, block 2 points that failed or are outside the axes, on the margin, block 3 points at
# 0.
load plots."style.gp"
load plots."key.gp"
set logscale xy
set xrange [x_low:x_high]
last_triangle = 0
do for [p=1:panels] {
  load plots."panel.gp"
  set yrange [panel_low[p]:panel_high[p]]
  do for [k=1:last_triangle] { unset label 500 + k }
  first_triangle = last_triangle + 1
  last_triangle = last_triangle + slopes[p]
  load plots."triangles.gp"
  n = (p - 1) * count
  f = (floor[p] eq "") ? "none.dat" : floor[p]
  plot f index 0 using 1:2 with lines lt 31 notitle, \
       for [k=first_triangle:last_triangle] triangle_file[k] index 0 using 1:2 with lines lw 1.2 dt 1 \
           lc rgb "#777777" notitle, \
       for [i=1:count] file[n + i] index 0 using 1:2 with lines lt style[i] lw line_width[n + i] \
           notitle, \
       for [i=1:count] file[n + i] index 1 using 1:2 with points lt style[i] dt 1 notitle, \
       for [i=1:count] file[n + i] index 3 using 1:2 with points lt style[i] dt 1 notitle, \
       for [i=1:count] file[n + i] index 2 using 1:2 with points @broken notitle, \
       for [i=1:count] file[n + i] index 2 using 1:2 with points lt style[i] @cross notitle
}
unset multiplot
unset output
