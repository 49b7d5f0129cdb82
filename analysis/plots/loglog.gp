# SPDX-License-Identifier: GPL-3.0-or-later
# Curves on logarithmic axes both ways, in panels that share their x axis.
# Reads: panels, columns, rows, spacing_x, spacing_y, panel_title[], panel_unit[] (names of the y
# axes), panel_low[], panel_high[], has_zero[] (1: the low end of the axis stands for 0), low_x, high_x,
# x_title, downwards (1: small y are above), slopes[] (how many triangles a panel has), triangle_file[]
# and what triangles.gp reads, panel after panel, count, style[], floor[] (files, or ""),
# and line_width[(panel - 1) * count + i] and file[...]: block 0 the curve, block 1 its
# symbols, block 2 what failed or lies beyond the axes, on the margin, block 3 what is 0.
load plots."style.gp"
load plots."key.gp"
y_gap = 70.0
shared_y = 0
set logscale xy
set xrange [low_x:high_x]
# Tick marks by hand: gnuplot's own are not at powers of ten for every range, and it finds none on
# an axis that is both logarithmic and reversed.
# Axes too short for powers of ten alone have numbers at 1, 2 and 5 of each.
short = 1.5
short_label(m, e) = e < -3 || e > 3 \
    ? (m == 1 ? "" : sprintf("%d·", m)).gprintf("10^{%T}", 10.0**e) : sprintf("%g", m * 10.0**e)
first_x = int(floor(log10(low_x)))
last_x = int(floor(log10(high_x) + 1e-9))
every_x = ceil((last_x - first_x) / 9.0)
short_x = log10(high_x / low_x) < short
last_triangle = 0
do for [p=1:panels] {
  y_name = panel_unit[p]
  load plots."panel.gp"
  bottom_row = p > panels - columns
  set xtics nomirror ()
  do for [e=first_x:last_x] {
    do for [m=1:9] {
      if (short_x && bottom_row && (m == 1 || m == 2 || m == 5)) {
        set xtics add (short_label(m, e) m * 10.0**e)
      } else { if (m > 1) {
        set xtics add ("" m * 10.0**e 1)
      } else { if (bottom_row && e % every_x == 0) {
        set xtics add (gprintf("10^{%T}", 10.0**e) 10.0**e)
      } else {
        set xtics add ("" 10.0**e)
      }}}
    }
  }
  every = ceil(log10(panel_high[p] / panel_low[p]) / 7.0)
  # Where the low end is 0, no other number stands beside it.
  first_y = has_zero[p] ? panel_low[p] * (panel_high[p] / panel_low[p])**0.04 : panel_low[p]
  short_y = log10(panel_high[p] / panel_low[p]) < short
  set ytics nomirror ()
  do for [e=int(floor(log10(panel_low[p]))):int(floor(log10(panel_high[p])))] {
    if (short_y) {
      do for [m in "1 2 5"] {
        if (m * 10.0**e >= first_y) { set ytics add (short_label(int(m), e) m * 10.0**e) }
      }
    } else { if (e % every == 0 && 10.0**e >= first_y) {
      set ytics add (gprintf("10^{%T}", 10.0**e) 10.0**e)
    } else {
      set ytics add ("" 10.0**e 1)
    }}
  }
  if (has_zero[p]) { set ytics add ("0" panel_low[p]) }
  if (downwards) {
    set yrange [panel_high[p]:panel_low[p]]
  } else {
    set yrange [panel_low[p]:panel_high[p]]
  }
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
       for [i=1:count] (inside[style[i]] ? file[n + i] : "none.dat") index 1 using 1:2 \
           with points lt style[i] @paper pt inside[style[i]] notitle, \
       for [i=1:count] file[n + i] index 1 using 1:2 with points lt style[i] dt 1 lw 1.3 notitle, \
       for [i=1:count] file[n + i] index 3 using 1:2 with points lt style[i] dt 1 lw 1.3 notitle, \
       for [i=1:count] file[n + i] index 2 using 1:2 with points @broken notitle, \
       for [i=1:count] file[n + i] index 2 using 1:2 with points lt style[i] @cross notitle
}
unset multiplot
unset output
