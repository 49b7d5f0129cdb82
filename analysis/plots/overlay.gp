# SPDX-License-Identifier: GPL-3.0-or-later
# The ropes of all solvers at a few times, on equal axes.
# Reads the variables of panel.gp, and: x_low, x_high, y_low, y_high, count, style[], broad[] (line
# widths), rope_colour[], and scene, ghost, rope[], drawn[], body[], point[]: files whose block p -
# 1 belongs to panel p. scene: outlines of bodies that do not move; ghost: the closed form; drawn:
# ropes as the original of their solver draws them; body and point: outlines of moving bodies, and
# centres of those without a shape.
load plots."style.gp"
load plots."key.gp"
set size ratio -1
set xrange [x_low:x_high]
set yrange [y_low:y_high]
do for [p=1:panels] {
  load plots."panel.gp"
  plot scene index p-1 using 1:2 with filledcurves closed fc rgb "#e9e9e9" notitle, \
       scene index p-1 using 1:2 with lines lw 1.4 lc rgb "#777777" dt 1 notitle, \
       ghost index p-1 using 1:2 with lines lt 31 lw 10 notitle, \
       for [i=1:count] body[i] index p-1 using 1:2 with lines lt style[i] lw 1.6 dt 1 notitle, \
       for [i=1:count] rope[i] index p-1 using 1:2 with lines lt style[i] lw broad[i] dt 1 \
           lc rgb rope_colour[i] notitle, \
       for [i=1:count] drawn[i] index p-1 using 1:2 with lines lt style[i] lw 1.2 dt 1 notitle, \
       for [i=1:count] point[i] index p-1 using 1:2 with points lt style[i] \
           ps 0.35 + 0.12 * broad[i] notitle
}
unset multiplot
unset output
