# SPDX-License-Identifier: GPL-3.0-or-later
# Small multiples over time: one panel a quantity, one curve a solver, the closed form behind.
# Reads: panels, columns, rows, spacing_x, spacing_y, panel_title[], panel_low[], panel_high[],
# panel_unit[] (names of the y axes), panel_scale[] (what their numbers are multiples of), exact[]
# (a file, or ""), count, style[], time_end, tick_time, and file[(panel - 1) * count + i] with the
# blocks that curves.gp describes.
load plots."style.gp"
load plots."key.gp"
set xrange [0:time_end]
set xtics tick_time
set ytics autofreq
x_title = "time / s"
y_gap = 69.0
shared_y = 0
do for [p=1:panels] {
  y_name = panel_unit[p]
  load plots."panel.gp"
  scale = panel_scale[p]
  set yrange [panel_low[p]/scale:panel_high[p]/scale]
  n = (p - 1) * count
  e = (exact[p] eq "") ? "none.dat" : exact[p]
  plot e index 0 using 1:($2/scale) with lines lt 31 notitle, \
       for [i=1:count] file[n + i] index 0 using 1:($2/scale) with lines lt style[i] notitle, \
       for [i=1:count] (inside[style[i]] ? file[n + i] : "none.dat") index 1 using 1:($2/scale) \
           with points lt style[i] @paper pt inside[style[i]] notitle, \
       for [i=1:count] file[n + i] index 1 using 1:($2/scale) with points lt style[i] dt 1 notitle, \
       for [i=1:count] file[n + i] index 2 using 1:($2/scale) with points @broken notitle, \
       for [i=1:count] file[n + i] index 2 using 1:($2/scale) with points lt style[i] @cross notitle
}
unset multiplot
unset output
