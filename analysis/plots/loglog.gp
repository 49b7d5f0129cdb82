# SPDX-License-Identifier: GPL-3.0-or-later
# Curves on logarithmic axes both ways, in panels that share their x axis.
# Reads: panels, columns, rows, spacing_x, spacing_y, panel_title[], panel_unit[] (names of the y
# axes), panel_low[], panel_high[], low_x, high_x, x_title, downwards (1: small y are above), notes[]
# (how many a panel has) and note[], note_x[], note_y[], note_side[] (texts beside points, panel after
# panel), slopes[] (how many triangles a panel has) and slope[], slope_x[], slope_y[], slope_file[],
# count, label[] ("": not in the key), style[], floor[] (files, or ""), floor_name, and
# line_width[(panel - 1) * count + i] and file[...]: block 0 the curve, block 1 its symbols, block 2 what failed or lies
# beyond the axes, on the margin.
load plots."style.gp"
load plots."key.gp"
plot for [i=1:count] NaN with linespoints lt style[i] title label[i], \
     NaN with lines lt 31 title floor_name
y_gap = 66.0
shared_y = 0
set logscale xy
set xrange [low_x:high_x]
# Tick marks by hand: gnuplot's own are not at powers of ten for every range, and it finds none on
# an axis that is both logarithmic and reversed.
first_x = int(ceil(log10(low_x) - 1e-9))
last_x = int(floor(log10(high_x) + 1e-9))
every_x = ceil((last_x - first_x + 1) / 9.0)
noted = 0
sloped = 0
do for [p=1:panels] {
  y_name = panel_unit[p]
  load plots."panel.gp"
  bottom_row = p > panels - columns
  set xtics nomirror ()
  do for [e=first_x - 1:last_x] {
    do for [m=1:9] {
      if (m > 1) {
        set xtics add ("" m * 10.0**e 1)
      } else { if (e % every_x == 0 && bottom_row) {
        set xtics add (gprintf("10^{%T}", 10.0**e) 10.0**e)
      } else {
        set xtics add ("" 10.0**e)
      }}
    }
  }
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
  do for [k=1:noted] { unset label 100 + k }
  do for [k=noted + 1:noted + notes[p]] {
    set label 100 + k note[k] at first note_x[k],note_y[k] left offset 0.3,note_side[k] noenhanced \
        textcolor rgb "#333333"
  }
  noted = noted + notes[p]
  do for [k=1:sloped] { unset label 500 + k }
  do for [k=sloped + 1:sloped + slopes[p]] {
    set label 500 + k slope[k] at first slope_x[k],slope_y[k] center textcolor rgb "#555555" \
        font ",".((kind eq "svg") ? 11 : (kind eq "pdf") ? 8 : 18)
  }
  first_slope = sloped + 1
  sloped = sloped + slopes[p]
  n = (p - 1) * count
  f = (floor[p] eq "") ? "none.dat" : floor[p]
  plot f index 0 using 1:2 with lines lt 31 notitle, \
       for [k=first_slope:sloped] slope_file[k] index 0 using 1:2 with lines lw 1.2 dt 1 \
           lc rgb "#777777" notitle, \
       for [i=1:count] file[n + i] index 0 using 1:2 with lines lt style[i] lw line_width[n + i] \
           notitle, \
       for [i=1:count] file[n + i] index 1 using 1:2 with points lt style[i] dt 1 notitle, \
       for [i=1:count] file[n + i] index 2 using 1:2 with points lt style[i] dt 1 pt 2 ps 1.5 \
           lw 2.6 notitle
}
unset multiplot
unset output
