# SPDX-License-Identifier: GPL-3.0-or-later
# What is left of the constraints after each iteration of one step.
# Reads besides curves.gp: iteration_end, logarithmic (0 or 1), floor, low, high, ticks.
load plots."style.gp"
if (logarithmic) {
  set logscale x
  set xrange [0.9:iteration_end]
  set xtics add ("1" 1)
} else {
  set xrange [0.5:iteration_end + 0.5]
  if (iteration_end > 12) { set xtics autofreq; set xtics add ("1" 1) } else { set xtics 1,1 }
}
set yrange [low:high]
set xlabel "iteration" offset 0,0.5
set label 4 "residual / m" \
    at screen y_name_at(1, 66.0), graph 0.5 center rotate noenhanced
eval "set ytics (".ticks.")"
shown(v) = decades(v, floor)
load plots."curves.gp"
unset output
