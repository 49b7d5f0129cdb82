# SPDX-License-Identifier: GPL-3.0-or-later
# The energy ledger: one panel a solver, one line a term, all panels on the same axes.
# Reads the variables of panel.gp, and: file[], terms, term_style[], time_end, low, high, scale
# (factor of the labels). Block k of a file is term k + 1.
load plots."style.gp"
load plots."key.gp"
set xrange [0:time_end]
set yrange [low:high]
set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead lw 1 lc rgb "#777777" back
do for [p=1:panels] {
  load plots."panel.gp"
  plot for [k=1:terms] file[p] index k-1 using 1:($2/scale) with lines lt term_style[k] notitle
}
unset multiplot
unset output
