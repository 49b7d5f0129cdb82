# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles that show whole slopes on logarithmic axes, where they cross no line of the figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

from curves import Point

ENOUGH_ROOM, LEAST_ROOM = 0.03, 0.012  # of the y axis, between a triangle and the lines of the figure;
                                       # with less there is none
EDGE = 8            # points of each of its edges that are looked at
BAND = 0.25         # in which the local slopes of a straight piece lie (order_fit.c)
NEAR = 0.3          # of a whole number: a slope that a triangle may stand for
LEAST = 3           # points of a straight piece
NUMBER = 1.12       # how far beside its edge a number is, as a factor
SYMBOL = 1.05       # how far beyond the end of a line its symbol reaches, likewise


@dataclass
class Triangle:
    """A slope to compare with: of the line through two points, drawn a bit below a curve."""

    order: int
    corners: list[Point]
    label: Point  # of the edge that the number stands beside
    side: int     # 1: to its right; -1: to its left


def triangle_variables(placed: Sequence[Triangle], files: Sequence[str]) -> dict[str, list[Any]]:
    """What ../plots/triangles.gp reads, and the files of the triangles themselves. The last file is
    for gnuplot, which looks at the first of an empty range too."""
    return {"triangle_file": [*files, "none.dat"],
            "triangle_label": [str(one.order) for one in placed],
            "triangle_x": [one.label[0] for one in placed],
            "triangle_y": [one.label[1] for one in placed],
            "triangle_side": [one.side for one in placed]}


def triangle(order: int, begin: Point, end: Point, low: float, high: float,
             lines: Sequence[Sequence[Point]] = ()) -> Triangle | None:
    """Beside a line from one point to the other, on axes of which y has that range: below its
    middle, or elsewhere along it, and farther away, where that leaves more room to the lines of the
    figure. None where there is too little anywhere."""
    places = [place_triangle(order, begin, end, low, high, side, share, far)
              for far in (1, 1.5, 2.2, 3.3) for side in (-1, 1)
              for share in (0.5, 0.35, 0.65, 0.2, 0.8)]
    best = max(places, key=lambda place: min(room(place, lines, low, high), ENOUGH_ROOM))
    return best if room(best, lines, low, high) >= LEAST_ROOM else None


def place_triangle(order: int, begin: Point, end: Point, low: float, high: float, side: int,
                   share: float, far: float) -> Triangle:
    """At a share of the line, below it (side -1) or above."""
    sense = 1 if (end[1] > begin[1]) == (end[0] > begin[0]) else -1
    (left, left_error), (right, right_error) = sorted((begin, end))
    middle = left * (right / left) ** share
    width = min(max(2.0, (right / left) ** 0.2), (right / left) ** 0.4)
    a, b = middle / math.sqrt(width), middle * math.sqrt(width)
    rise = width ** (abs(order) / 2)
    # The right angle is below: above a line all of the triangle's height is in between.
    away = 0.07 * far if side < 0 else 0.04 * far + 2 * math.log10(rise) / math.log10(high / low)
    height = (left_error * (right_error / left_error) ** share
              * 10 ** (side * away * math.log10(high / low)))
    at_a, at_b = (height / rise, height * rise) if sense > 0 else (height * rise, height / rise)
    corner = (b, at_a) if sense > 0 else (a, at_b)
    return Triangle(abs(order), [(a, at_a), corner, (b, at_b), (a, at_a)],
                    (corner[0], math.sqrt(at_a * at_b)), sense)


def height_at(line: Sequence[Point], x: float) -> float:
    """Of a line on logarithmic axes; nan beyond the symbols at its ends."""
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
    """Points along them."""
    return [(x0 * (x1 / x0) ** (k / EDGE), y0 * (y1 / y0) ** (k / EDGE))
            for (x0, y0), (x1, y1) in zip(place.corners, place.corners[1:]) for k in range(EDGE)]


def room(place: Triangle, lines: Sequence[Sequence[Point]], low: float, high: float) -> float:
    """Between a triangle with its number and the nearest line, as a share of the y axis; 0: a line
    runs through it, or it is not on the axes."""
    marks = [*edges(place), (place.label[0] * NUMBER ** place.side, place.label[1])]
    nearest = min(math.log(min(y for _, y in marks) / low), math.log(high / max(y for _, y in marks)))
    for line in lines:
        gaps = [math.log(y / at) for x, y in marks if math.isfinite(at := height_at(line, x))]
        if gaps and min(gaps) < 0 < max(gaps):
            return 0.0
        nearest = min([nearest, *map(abs, gaps)])
    return max(nearest, 0.0) / math.log(high / low)


def straight_piece(points: Sequence[Point]) -> Sequence[Point]:
    """The most neighbouring points whose local slopes agree, of equally many those with the least
    errors; none where there are fewer than LEAST, or where it is level."""
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
    """One for each whole number that the slope of a straight piece is near to, at the lowest."""
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
