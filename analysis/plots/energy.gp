# SPDX-License-Identifier: GPL-3.0-or-later
# The energy that the method itself makes (above zero) or loses (below), over time.
# Reads besides curves.gp: time_end, floor, low, high, ticks.
load plots."style.gp"
set xrange [0:time_end]
set yrange [low:high]
set xlabel "time / s" offset 0,0.5
set label 4 "energy error / J" \
    at screen y_name_at(1, 66.0), graph 0.5 center rotate noenhanced
eval "set ytics (".ticks.")"
set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead lw 1 lc rgb "#777777" back
set label 2 "gained" at screen right + 14.0 / width, first high / 2 \
    center rotate textcolor rgb "#666666"
set label 3 "lost" at screen right + 14.0 / width, first low / 2 \
    center rotate textcolor rgb "#666666"
shown(v) = signed_decades(v, floor)
load plots."curves.gp"
unset output
