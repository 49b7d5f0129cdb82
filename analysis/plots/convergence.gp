# SPDX-License-Identifier: GPL-3.0-or-later
# Errors over what is varied, one colour and symbol for each solver: points, the fitted lines with
# their confidence bands, and triangles that show slopes.
# Reads the variables of panel.gp, for one panel, and: count, file[], style[], hollow[] (symbols of
# points that do not count), line_width[], symbol_size[], x_low, x_high, y_low, y_high, logarithmic
# (1: the x axis too), triangles (their number), triangle_file[] and the variables of triangles.gp.
# In each file of a curve: block 0 the points in the range, block 1 those outside, block 2 the
# fitted line, block 3 its band (x low high), block 4 the places of runs that failed, on the upper
# margin.
load plots."style.gp"
if (logarithmic) { set logscale x }
set logscale y
set xrange [x_low:x_high]
set yrange [y_low:y_high]
p = 1
load plots."panel.gp"
first_triangle = 1
last_triangle = triangles
load plots."triangles.gp"
plot for [i=1:count] file[i] index 3 using 1:2:3 with filledcurves lt style[i] fs transparent solid 0.14 noborder notitle, \
     for [i=1:triangles] triangle_file[i] using 1:2 with lines lw 1.2 dt 1 lc rgb "#777777" notitle, \
     for [i=1:count] file[i] index 2 using 1:2 with lines lt style[i] lw line_width[i] notitle, \
     for [i=1:count] file[i] index 1 using 1:2 with points lt style[i] dt 1 lw 1.3 pt hollow[i] notitle, \
     for [i=1:count] file[i] index 0 using 1:2 with points lt style[i] dt 1 \
         ps symbol_size[i] notitle, \
     for [i=1:count] file[i] index 4 using 1:2 with points @broken notitle, \
     for [i=1:count] file[i] index 4 using 1:2 with points lt style[i] @cross notitle
unset output
