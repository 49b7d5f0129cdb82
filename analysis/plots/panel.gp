# SPDX-License-Identifier: GPL-3.0-or-later
# Prepares panel p.
# Reads: p, panels, columns, rows, panel_title[], x_name, x_ticks[] and y_ticks[] (lists of `set
# xtics`), y_name[] and y_gap (from an axis to its name [px]). The lowest panel of each column has
# the name of the x axis.
load plots."axes.gp"
set lmargin at screen panel_left(p)
set rmargin at screen panel_left(p) + cell_x
set tmargin at screen panel_top(p)
set bmargin at screen panel_top(p) - cell_y
set label 2 panel_title[p] at graph 0, graph 1 offset 0.3,0.65 left noenhanced front
set label 4 y_name[p] at screen panel_left(p) - y_gap / width, graph 0.5 center rotate noenhanced
eval "set xtics nomirror (".x_ticks[p].")"
eval "set ytics nomirror (".y_ticks[p].")"
if (p > panels - columns) { set xlabel x_name offset 0,0.5 noenhanced } else { unset xlabel }
