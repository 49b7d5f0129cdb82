# SPDX-License-Identifier: GPL-3.0-or-later
# The largest distance of a probe from its closed form, over time, in the unit of that probe.
# Reads besides curves.gp: time_end, floor, low, high, ticks, y_name.
load plots."style.gp"
set xrange [0:time_end]
set yrange [low:high]
set xlabel "time / s" offset 0,0.5
set label 4 y_name \
    at screen y_name_at(1, 66.0), graph 0.5 center rotate noenhanced
eval "set ytics (".ticks.")"
shown(v) = decades(v, floor)
load plots."curves.gp"
unset output
