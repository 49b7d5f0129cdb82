# SPDX-License-Identifier: GPL-3.0-or-later
# Makes ready for panel p of a figure of several panels.
# Reads: p, panels, columns, rows, panel_title[], y_name, y_gap, and shared_y: 1 if all panels have
# the same y axis, so that only the first of a row is numbered. The lowest panel of each column
# has the time axis (or x_title).
load plots."axes.gp"
set lmargin at screen panel_left(p)
set rmargin at screen panel_left(p) + cell_x
set tmargin at screen panel_top(p)
set bmargin at screen panel_top(p) - cell_y
set label 2 panel_title[p] at graph 0, graph 1 offset 0.3,0.65 left noenhanced front
if (shared_y && (p - 1) % columns != 0) {
  unset label 4
  set format y ""
} else {
  set label 4 y_name at screen y_name_at(p, y_gap), graph 0.5 center rotate noenhanced
  set format y "%g"
}
if (p > panels - columns) {
  set xlabel x_title offset 0,0.5
  set format x "%g"
} else {
  unset xlabel
  set format x ""
}
