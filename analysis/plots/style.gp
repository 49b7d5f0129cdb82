# SPDX-License-Identifier: GPL-3.0-or-later
# The one style of all figures: terminal, fonts, colours, axes and key.
# Every figure script loads it first. Variables it reads:
#   kind "svg", "png" or "pdf"; output_file; figure_name (unique, used inside the SVG); title
#   width, height           size of the SVG [px] and the PDF [1/96 inch]; the PNG has twice as many
#                           pixels
#   left, right, bottom, top  the drawing area as fractions of the picture; key_left likewise
#   key_entries, key_label[], key_line[], key_symbol[] (options of the line and of the symbol; "":
#   none), key_x[], key_y[], key_sample, key_gap  the key, likewise; no key by default
reset

# Text, lines, symbols and dashes are equally large in all kinds (measured in what they draw).
if (kind eq "svg") {
  set terminal svg size width,height enhanced font "DejaVu Sans,12" background "white" rounded \
      name figure_name linewidth 1
} else { if (kind eq "pdf") {
  set terminal pdfcairo size width/96.0,height/96.0 enhanced font "DejaVu Sans,13.5" \
      background "white" rounded linewidth 1.5 pointscale 0.92 dashlength 1.83
} else {
  set terminal pngcairo size 2*width,2*height enhanced font "DejaVu Sans,18" \
      background "white" rounded linewidth 2 pointscale 2.4 dashlength 2
}}
# The name of the font with a size [px of the SVG].
font(name, size) = sprintf("%s,%g", name, size * (kind eq "svg" ? 1 : kind eq "pdf" ? 1.125 : 1.5))
set output output_file

# One colour, dash and symbol for each solver, everywhere. The comment after a line names the
# solver it belongs to (report/solver_style.py reads these lines, and gives variants of a solver
# shades of its colour, and other dashes). No two solvers have the same symbol and dash, which tell
# them apart in grey; those with the same symbol have colours that are far apart for the
# colour-blind as well. Symbols are filled, and each has a hollow partner for points that do not
# count (convergence.gp). Symbol 2, the cross, marks what failed.
set linetype  1 lc rgb "#0072B2" lw 2.2 dt 1                  pt  7 ps 0.80  # penalty
set linetype  2 lc rgb "#D55E00" lw 2.2 dt (16,8)             pt  5 ps 0.70  # pbd
set linetype  3 lc rgb "#009E73" lw 2.2 dt (8,6)              pt  9 ps 0.82  # impulse
set linetype  4 lc rgb "#CC79A7" lw 2.2 dt (16,6,3,6)         pt 13 ps 0.82  # xpbd
set linetype  5 lc rgb "#6A3D9A" lw 2.2 dt (3,5)              pt  9 ps 0.82  # penalty-implicit
set linetype  6 lc rgb "#56B4E9" lw 2.2 dt 1                  pt 15 ps 0.80  # pbd-direct
set linetype  7 lc rgb "#0B5D3B" lw 2.2 dt (10,6,3,6,3,6)     pt 11 ps 0.82  # impulse-direct
set linetype  8 lc rgb "#8C564B" lw 2.2 dt (8,6)              pt  7 ps 0.80  # nehe
set linetype  9 lc rgb "#44AA99" lw 2.2 dt 1                  pt 11 ps 0.82  # source
set linetype 10 lc rgb "#882255" lw 2.2 dt (3,5)              pt 15 ps 0.80  # contraption
set linetype 11 lc rgb "#999933" lw 2.2 dt 1                  pt 13 ps 0.82  # impulse-soft
set linetype 12 lc rgb "#E69F00" lw 2.2 dt (16,8)             pt  9 ps 0.82  # convex
set linetype 13 lc rgb "#000000" lw 2.2 dt (10,6,3,6)         pt  7 ps 0.80  # rattle
set linetype 14 lc rgb "#7A7A7A" lw 2.2 dt 1                  pt  5 ps 0.70  # reference
set linetype 19 lc rgb "#1B2A8A" lw 2.2 dt (3,6,10,6)         pt  5 ps 0.70  # knyazyev

# Curves that belong to no solver: grey.
set linetype 15 lc rgb "#222222" lw 2.0 dt 1                  pt  7 ps 0.74
set linetype 16 lc rgb "#666666" lw 2.0 dt (8,6)              pt  5 ps 0.64
set linetype 17 lc rgb "#999999" lw 2.0 dt 1                  pt  9 ps 0.76
set linetype 18 lc rgb "#444444" lw 2.0 dt (3,5)              pt 13 ps 0.76

# The terms of the energy ledger: other colours than the solvers', since they mean something else.
set linetype 21 lc rgb "#332288" lw 2.0 dt 1
set linetype 22 lc rgb "#117733" lw 2.0 dt (10,6)
set linetype 23 lc rgb "#AA4499" lw 2.0 dt (5,5)
set linetype 24 lc rgb "#999933" lw 2.0 dt (14,6,3,6)
set linetype 25 lc rgb "#882255" lw 2.0 dt (2,5)
set linetype 26 lc rgb "#000000" lw 3.0 dt 1

# The closed form: a broad grey line behind everything.
set linetype 31 lc rgb "#BDBDBD" lw 6.5 dt 1

set encoding utf8
load plots."axes.gp"

# The drawing areas: panel p of columns x rows, counted along the rows.
cell_x = (right - left - (columns - 1) * spacing_x) / columns
cell_y = (top - bottom - (rows - 1) * spacing_y) / rows
panel_left(p) = left + ((p - 1) % columns) * (cell_x + spacing_x)
panel_top(p) = top - ((p - 1) / columns) * (cell_y + spacing_y)

set label 1 title at screen key_left, screen 1 - 17.0 / height left noenhanced \
    font font("DejaVu Sans:Bold", 13) textcolor rgb "#111111"
# The key: gnuplot's own has equally wide columns, which takes twice the room.
unset key
first_key = 1000 # of labels and arrows
do for [i=1:key_entries] {
  k = first_key + 3 * i
  eval sprintf("set arrow %d from screen %g,%g rto screen %g,0 nohead %s", k, key_x[i], key_y[i], \
      key_sample, key_line[i])
  if (strlen(key_symbol[i])) {
    eval sprintf("set label %d '' at screen %g,%g front point %s", k + 1, key_x[i] + key_sample / 2, \
        key_y[i], key_symbol[i])
  }
  set label k + 2 key_label[i] at screen key_x[i] + key_sample + key_gap, key_y[i] left noenhanced
}
set style fill noborder

# Logarithm of the magnitude with a place for zero: 0 up to `floor`, then one unit a decade, with
# the sign of v; and the same for quantities without a sign.
signed_decades(v, floor) = abs(v) <= floor ? 0 : sgn(v) * log10(abs(v) / floor)
decades(v, floor) = abs(v) <= floor ? 0 : log10(abs(v) / floor)

# The mark of a run that diverged or failed: a cross in the solver's colour, on a broader white one
# that keeps it apart from the curves.
cross = "dt 1 pt 2 ps 0.9 lw 2.4"
broken = "lc rgb '#ffffff' dt 1 pt 2 ps 1.0 lw 5"
