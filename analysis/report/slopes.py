# SPDX-License-Identifier: GPL-3.0-or-later
"""Places triangles that show whole slopes on logarithmic axes where they cross no line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

from curves import Point

ENOUGH_ROOM, LEAST_ROOM = 0.03, 0.012  # share of the y axis between a triangle and the lines: aimed
                                       # at, and required
EDGE = 8            # points that are checked along each of its edges
BAND = 0.25         # largest spread of the local slopes of a straight piece (order_fit.c)
NEAR = 0.3          # largest distance of a slope from the whole number of its triangle
LEAST = 3           # points of a straight piece
NUMBER = 1.12       # distance of the number from its edge, as a factor
SYMBOL = 1.05       # reach of a symbol beyond the end of its line, as a factor


@dataclass
class Triangle:
    """A slope to compare with, drawn a little below or above a curve."""

    order: int
    corners: list[Point]
    label: Point  # point of the edge that the number is beside
    side: int     # 1: to its right; -1: to its left


def triangle_variables(placed: Sequence[Triangle], files: Sequence[str]) -> dict[str, list[Any]]:
    """Returns the variables of ../plots/triangles.gp. The last of the files is a dummy, since
    gnuplot also reads the first file of an empty range."""
    return {"triangle_file": [*files, "none.dat"],
            "triangle_label": [str(one.order) for one in placed],
            "triangle_x": [one.label[0] for one in placed],
            "triangle_y": [one.label[1] for one in placed],
            "triangle_side": [one.side for one in placed]}


def triangle(order: int, begin: Point, end: Point, low: float, high: float,
             lines: Sequence[Sequence[Point]] = ()) -> Triangle | None:
    """Places a triangle of a whole slope beside a line from `begin` to `end`, on a y axis from
    `low` to `high`: below its middle or, if that leaves more room to the lines of the figure,
    elsewhere along it or farther away. None if there is too little room."""
    places = [place_triangle(order, begin, end, low, high, side, share, far)
              for far in (1, 1.5, 2.2, 3.3) for side in (-1, 1)
              for share in (0.5, 0.35, 0.65, 0.2, 0.8)]
    best = max(places, key=lambda place: min(room(place, lines, low, high), ENOUGH_ROOM))
    return best if room(best, lines, low, high) >= LEAST_ROOM else None


def place_triangle(order: int, begin: Point, end: Point, low: float, high: float, side: int,
                   share: float, far: float) -> Triangle:
    """Places a triangle at a share of the line, below it (side -1) or above (1)."""
    sense = 1 if (end[1] > begin[1]) == (end[0] > begin[0]) else -1
    (left, left_error), (right, right_error) = sorted((begin, end))
    middle = left * (right / left) ** share
    width = min(max(2.0, (right / left) ** 0.2), (right / left) ** 0.4)
    a, b = middle / math.sqrt(width), middle * math.sqrt(width)
    rise = width ** (abs(order) / 2)
    # The right angle is below, so that above a line the triangle's whole height is in between.
    away = 0.07 * far if side < 0 else 0.04 * far + 2 * math.log10(rise) / math.log10(high / low)
    height = (left_error * (right_error / left_error) ** share
              * 10 ** (side * away * math.log10(high / low)))
    at_a, at_b = (height / rise, height * rise) if sense > 0 else (height * rise, height / rise)
    corner = (b, at_a) if sense > 0 else (a, at_b)
    return Triangle(abs(order), [(a, at_a), corner, (b, at_b), (a, at_a)],
                    (corner[0], math.sqrt(at_a * at_b)), sense)


def height_at(line: Sequence[Point], x: float) -> float:
    """Returns y of a line on logarithmic axes at x; nan beyond the symbols at its ends."""
    if line:
        first, last = min(line), max(line)
        for height, beyond in ((first[1], first[0] / x), (last[1], x / last[0])):
            if 1.0 <= beyond <= SYMBOL:
                return height
    for (x0, y0), (x1, y1) in zip(line, line[1:]):
        if x0 <= x <= x1 and x1 > x0:
            return math.exp(math.log(y0) + math.log(y1 / y0) * math.log(x / x0) / math.log(x1 / x0))
    return math.nan


def edges(place: Triangle) -> list[Point]:
    """Returns points along the edges of a triangle."""
    return [(x0 * (x1 / x0) ** (k / EDGE), y0 * (y1 / y0) ** (k / EDGE))
            for (x0, y0), (x1, y1) in zip(place.corners, place.corners[1:]) for k in range(EDGE)]


def room(place: Triangle, lines: Sequence[Sequence[Point]], low: float, high: float) -> float:
    """Returns the share of the y axis between a triangle with its number and the nearest line; 0 if
    a line crosses it or it is outside the axes."""
    marks = [*edges(place), (place.label[0] * NUMBER ** place.side, place.label[1])]
    nearest = min(math.log(min(y for _, y in marks) / low), math.log(high / max(y for _, y in marks)))
    for line in lines:
        gaps = [math.log(y / at) for x, y in marks if math.isfinite(at := height_at(line, x))]
        if gaps and min(gaps) < 0 < max(gaps):
            return 0.0
        nearest = min([nearest, *map(abs, gaps)])
    return max(nearest, 0.0) / math.log(high / low)


def straight_piece(points: Sequence[Point]) -> Sequence[Point]:
    """Returns the longest run of points whose local slopes agree, of equally long ones that with
    the least errors; empty if it has fewer than LEAST points or is level."""
    best: Sequence[Point] = ()
    for first in range(len(points)):
        for end in range(first + LEAST, len(points) + 1):
            piece = points[first:end]
            slopes = [math.log(y1 / y0) / math.log(x1 / x0)
                      for (x0, y0), (x1, y1) in zip(piece, piece[1:]) if x1 > x0]
            if len(slopes) < end - first - 1 or max(slopes) - min(slopes) > BAND:
                break
            longer = len(piece) > len(best)
            finer = len(piece) == len(best) and min(p[1] for p in piece) < min(p[1] for p in best)
            if max(map(abs, slopes)) > BAND and (longer or finer):
                best = piece
    return best


def mean_slope(piece: Sequence[Point]) -> float:
    (x0, y0), (x1, y1) = piece[0], piece[-1]
    return math.log(y1 / y0) / math.log(x1 / x0)


def place_all(pieces: Sequence[Sequence[Point]], lines: Sequence[Sequence[Point]], low: float,
              high: float) -> list[Triangle]:
    """Places a triangle for each whole number near the slope of a straight piece, at the lowest."""
    found: dict[int, Sequence[Point]] = {}
    for piece in pieces:
        slope = mean_slope(piece) if len(piece) > 1 else 0.0
        near = round(slope)
        if near == 0 or abs(slope - near) > NEAR:
            continue
        if near not in found or min(y for _, y in piece) < min(y for _, y in found[near]):
            found[near] = piece
    all_lines = list(lines)
    placed: list[Triangle] = []
    for order, piece in sorted(found.items()):
        one = triangle(order, piece[0], piece[-1], low, high, all_lines)
        if one is None:
            continue
        placed.append(one)
        (a, at_a), corner, (b, at_b), _ = one.corners
        all_lines += [[(a, at_a), (b, at_b)], [(a, corner[1]), (b, corner[1])]]
    return placed
