# SPDX-License-Identifier: GPL-3.0-or-later
# Border, tick marks and grid of a panel.
set border 3 lw 1 lc rgb "#333333"
set tics nomirror out scale 0.6,0.35 textcolor rgb "#222222"
set grid lt 1 lw 0.8 lc rgb "#e4e4e4" dt 1
