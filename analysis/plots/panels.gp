# SPDX-License-Identifier: GPL-3.0-or-later
# Curves over time, or over iterations: one curve a solver, the closed form behind, in panels.
# Reads the variables of panel.gp, and: x_low, x_high, log_x, panel_low[], panel_high[] (ends of the
# y axes), panel_scale[] (factor of the labels) or panel_floor[] (if it is not 0: the axis is
# logarithmic, with a place for zero, as style.gp has it), signed (1: with a place for negative
# values, too), exact[] (a file, or ""), count, style[], and file[(panel - 1) * count + i]: block 0
# the curve, block 1 its symbols, block 2 the last point of a run that diverged.
load plots."style.gp"
load plots."key.gp"
if (log_x) { set logscale x }
set xrange [x_low:x_high]
do for [p=1:panels] {
  load plots."panel.gp"
  set yrange [panel_low[p]:panel_high[p]]
  if (signed) {
    set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead lw 1 lc rgb "#777777" back
    set label 5 "gained" at screen right + 14.0 / width, first panel_high[p] / 2 \
        center rotate textcolor rgb "#666666"
    set label 6 "lost" at screen right + 14.0 / width, first panel_low[p] / 2 \
        center rotate textcolor rgb "#666666"
  }
  shown(v) = panel_floor[p] == 0 ? v / panel_scale[p] \
      : signed ? signed_decades(v, panel_floor[p]) : decades(v, panel_floor[p])
  n = (p - 1) * count
  e = (exact[p] eq "") ? "none.dat" : exact[p]
  plot e index 0 using 1:(shown($2)) with lines lt 31 notitle, \
       for [i=1:count] file[n + i] index 0 using 1:(shown($2)) with lines lt style[i] notitle, \
       for [i=1:count] file[n + i] index 1 using 1:(shown($2)) with points lt style[i] dt 1 notitle, \
       for [i=1:count] file[n + i] index 2 using 1:(shown($2)) with points @broken notitle, \
       for [i=1:count] file[n + i] index 2 using 1:(shown($2)) with points lt style[i] @cross notitle
}
unset multiplot
unset output
