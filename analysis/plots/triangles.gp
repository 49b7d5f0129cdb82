# SPDX-License-Identifier: GPL-3.0-or-later
# The numbers of triangles that show slopes, each beside its upright edge.
# Reads: first_triangle, last_triangle, and of those triangle_label[], triangle_x[], triangle_y[]
# (the middle of the edge), triangle_side[] (1: right of it, -1: left).
do for [k=first_triangle:last_triangle] {
  if (triangle_side[k] > 0) {
    set label 500 + k triangle_label[k] at first triangle_x[k],triangle_y[k] left offset 0.7,0 \
        textcolor rgb "#555555" font font("", 11)
  } else {
    set label 500 + k triangle_label[k] at first triangle_x[k],triangle_y[k] right offset -0.7,0 \
        textcolor rgb "#555555" font font("", 11)
  }
}
