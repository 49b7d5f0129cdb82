# SPDX-License-Identifier: GPL-3.0-or-later
# Curves over any quantity, on linear or logarithmic axes.
# Reads the variables of panel.gp, for one panel, and: count, file[] (block 0 the curve, block 1 its
# symbols), style[], log_x, log_y, x_low, x_high, y_low, y_high, and slope triangles: triangles
# (their number), triangle_file[], and the variables of triangles.gp. Line type 31, theory, is a
# broad line behind.
load plots."style.gp"
if (log_x) { set logscale x }
if (log_y) { set logscale y }
set xrange [x_low:x_high]
set yrange [y_low:y_high]
p = 1
load plots."panel.gp"
first_triangle = 1
last_triangle = triangles
load plots."triangles.gp"
plot for [i=1:triangles] triangle_file[i] using 1:2 with lines lw 1.2 dt 1 lc rgb "#777777" notitle, \
     for [i=1:count] (style[i] == 31 ? file[i] : "none.dat") index 0 using 1:2 with lines lt 31 notitle, \
     for [i=1:count] (style[i] != 31 ? file[i] : "none.dat") index 0 using 1:2 \
         with lines lt style[i] notitle, \
     for [i=1:count] (style[i] != 31 ? file[i] : "none.dat") index 1 using 1:2 \
         with points lt style[i] dt 1 notitle
unset output
