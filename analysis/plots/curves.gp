# SPDX-License-Identifier: GPL-3.0-or-later
# One curve for each solver in one panel, through the function shown(value) of the caller.
# Reads: count, file[], style[]. In each file: block 0 the curve, block 1 its symbols,
# block 2 the last point of a run that diverged.
plot for [i=1:count] file[i] index 0 using 1:(shown($2)) with lines lt style[i] notitle, \
     for [i=1:count] (inside[style[i]] ? file[i] : "none.dat") index 1 using 1:(shown($2)) \
         with points lt style[i] @paper pt inside[style[i]] notitle, \
     for [i=1:count] file[i] index 1 using 1:(shown($2)) with points lt style[i] dt 1 notitle, \
     for [i=1:count] file[i] index 2 using 1:(shown($2)) with points @broken notitle, \
     for [i=1:count] file[i] index 2 using 1:(shown($2)) with points lt style[i] @cross notitle
