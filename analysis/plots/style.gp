# SPDX-License-Identifier: GPL-3.0-or-later
# The one style of all figures: terminal, fonts, colours, axes and key.
# Every figure script loads it first. Variables it reads:
#   kind "svg", "png" or "pdf"; output_file; figure_name (unique, used inside the SVG); title
#   width, height           size of the SVG [px] and the PDF [1/96 inch]; the PNG has twice as many
#                           pixels
#   left, right, bottom, top  the drawing area as fractions of the picture; key_left likewise
#   inside[]                of each line type whose symbol is hollow the symbol that fills it, else 0
#   key_entries, key_label[], key_line[], key_symbol[] (options of the line and of the symbol; "":
#   none), key_x[], key_y[], key_sample, key_gap  the key, likewise; none if not said
reset

if (kind eq "svg") {
  set terminal svg size width,height enhanced font "DejaVu Sans,12" background "white" rounded \
      name figure_name linewidth 1
  title_size = 13
} else { if (kind eq "pdf") {
  set terminal pdfcairo size width/96.0,height/96.0 enhanced font "DejaVu Sans,9" \
      background "white" rounded linewidth 0.75 pointscale 0.75
  title_size = 9.75
} else {
  set terminal pngcairo size 2*width,2*height enhanced font "DejaVu Sans,20" \
      background "white" rounded linewidth 1.8 pointscale 1.8
  title_size = 21.5
}}
set output output_file

# One colour, dash and symbol for each solver, everywhere. The comment after a line names the
# solver it belongs to (report/solver_style.py reads these lines, and gives variants of a solver
# shades of its colour, and other dashes). No two solvers have the same colour; the colours can be
# told apart by most of the colour-blind, dash and symbol tell them apart in grey. Where hollow
# symbols are points that do not count (convergence.gp), those of a pair are both filled. Symbol 2, the
# cross, marks what failed.
set linetype  1 lc rgb "#0072B2" lw 2.2 dt 1                  pt  7 ps 0.75  # penalty
set linetype  2 lc rgb "#D55E00" lw 2.2 dt (16,5)             pt  5 ps 0.70  # pbd
set linetype  3 lc rgb "#009E73" lw 2.2 dt (7,4)              pt  9 ps 0.85  # impulse
set linetype  4 lc rgb "#CC79A7" lw 2.2 dt (14,4,3,4)         pt 13 ps 0.75  # xpbd
set linetype  5 lc rgb "#6A3D9A" lw 2.2 dt (4,3.5)            pt  4 ps 0.70  # penalty-implicit
set linetype  6 lc rgb "#56B4E9" lw 2.2 dt 1                  pt 15 ps 0.80  # pbd-direct
set linetype  7 lc rgb "#0B5D3B" lw 2.2 dt (10,4,2,4,2,4)     pt 11 ps 0.85  # impulse-direct
set linetype  8 lc rgb "#8C564B" lw 2.2 dt (7,4)              pt  6 ps 0.75  # nehe
set linetype  9 lc rgb "#44AA99" lw 2.2 dt 1                  pt 10 ps 0.85  # source
set linetype 10 lc rgb "#882255" lw 2.2 dt (3,3)              pt  3 ps 1.00  # contraption
set linetype 11 lc rgb "#999933" lw 2.2 dt 1                  pt  8 ps 0.85  # impulse-soft
set linetype 12 lc rgb "#E69F00" lw 2.2 dt (12,4)             pt 14 ps 0.80  # convex
set linetype 13 lc rgb "#000000" lw 2.2 dt (7,4)              pt 12 ps 0.90  # rattle
set linetype 14 lc rgb "#7A7A7A" lw 2.2 dt 1                  pt  1 ps 1.00  # reference
set linetype 19 lc rgb "#1B2A8A" lw 2.2 dt (2,3,10,3)         pt 10 ps 0.85  # knyazyev

# Curves that belong to no solver: grey.
set linetype 15 lc rgb "#222222" lw 2.0 dt 1                  pt  7 ps 0.70
set linetype 16 lc rgb "#666666" lw 2.0 dt (7,4)              pt  5 ps 0.65
set linetype 17 lc rgb "#999999" lw 2.0 dt 1                  pt  9 ps 0.80
set linetype 18 lc rgb "#444444" lw 2.0 dt (3,3)              pt 13 ps 0.75

# The terms of the energy ledger: other colours than the solvers', since they mean something else.
set linetype 21 lc rgb "#332288" lw 2.0 dt 1
set linetype 22 lc rgb "#117733" lw 2.0 dt (9,3)
set linetype 23 lc rgb "#AA4499" lw 2.0 dt (4,2.5)
set linetype 24 lc rgb "#999933" lw 2.0 dt (12,3,3,3)
set linetype 25 lc rgb "#882255" lw 2.0 dt (2,2)
set linetype 26 lc rgb "#000000" lw 3.0 dt 1

# The closed form: a broad grey line behind everything.
set linetype 31 lc rgb "#BDBDBD" lw 6.5 dt 1

set encoding utf8
set format "%g" # gnuplot's own begins with a space, so that numbers are beside their marks
set minussign
load plots."axes.gp"

# The drawing areas: panel p of columns x rows, counted along the rows; one panel if not said.
if (!exists("columns")) { columns = 1; rows = 1; spacing_x = 0; spacing_y = 0 }
cell_x = (right - left - (columns - 1) * spacing_x) / columns
cell_y = (top - bottom - (rows - 1) * spacing_y) / rows
panel_left(p) = left + ((p - 1) % columns) * (cell_x + spacing_x)
panel_top(p) = top - ((p - 1) / columns) * (cell_y + spacing_y)
set lmargin at screen left
set rmargin at screen right
set bmargin at screen bottom
set tmargin at screen top

set label 1 title at screen key_left, screen 1 - 17.0 / height left noenhanced \
    font sprintf("DejaVu Sans:Bold,%g", title_size) textcolor rgb "#111111"
# The key: gnuplot's own has equally wide columns, which takes twice the room.
unset key
first_key = 1000 # of labels and arrows
do for [i=1:key_entries] {
  k = first_key + 3 * i
  eval sprintf("set arrow %d from screen %g,%g rto screen %g,0 nohead %s", k, key_x[i], key_y[i], \
      key_sample, key_line[i])
  if (strlen(key_symbol[i])) {
    own = key_symbol[i]
    fill = words(own) == 2 ? inside[int(word(own, 2))] : 0
    if (fill) {
      eval sprintf("set label %d '' at screen %g,%g front point %s %s pt %d", k, \
          key_x[i] + key_sample / 2, key_y[i], own, "lc rgb '#ffffff'", fill)
    }
    eval sprintf("set label %d '' at screen %g,%g front point %s", k + 1, key_x[i] + key_sample / 2, \
        key_y[i], own)
  }
  set label k + 2 key_label[i] at screen key_x[i] + key_sample + key_gap, key_y[i] left noenhanced
}
set style fill noborder
# Names of the y axes stand at a fixed distance, whatever the numbers' width: label 4.
y_name_at(p, gap) = panel_left(p) - gap / width

# Logarithm of the magnitude with a place for zero: 0 up to `floor`, then one unit a decade, with
# the sign of v; and the same for what has no sign.
signed_decades(v, floor) = abs(v) <= floor ? 0 : sgn(v) * log10(abs(v) / floor)
decades(v, floor) = abs(v) <= floor ? 0 : log10(abs(v) / floor)

# What marks the end of a run that diverged, or one that failed: a cross in the solver's colour, on a
# broader white one that keeps it apart from the curves.
cross = "dt 1 pt 2 ps 1.5 lw 2.6"
# What keeps a line out of a hollow symbol.
paper = "dt 1 lc rgb '#ffffff'"
broken = "lc rgb '#ffffff' dt 1 pt 2 ps 1.65 lw 5"
