# SPDX-License-Identifier: GPL-3.0-or-later
# Begins a figure of several panels with an empty plot over its whole width, which carries the
# title and the key.
set multiplot
set border 0
unset tics
unset grid
set xrange [0:1]
set yrange [0:1]
plot NaN notitle
unset label
unset arrow
