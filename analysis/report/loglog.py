# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws figures with two logarithmic axes: curves of solvers in panels with a common x axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

from artist import Easel
from axes import Tick, logarithmic
from canvas import Drawing, Entry, Layout, entries
from curves import Point, drawable, drawn
from slopes import Triangle, place_all, straight_piece, triangle_variables

DECADES = 18  # most decades of an axis
BROADER = 0.7      # share by which a curve is broadened for each that coincides with it
SAME = 0.05        # curves whose values differ by a smaller share coincide
END_DISTANCE = 0.035  # share of the axis between curves without a place on it
LEAST_RANGE = 5.0  # least ratio of an axis' ends, so that it has two of 1, 2 and 5
ZERO_ROOM = 0.08   # share of the axis between the least value and the margin for zeros
ZERO_ALONE = 0.04  # share of the axis beside 0 without labels
ROOM, ROOM_SHARE = 1.35, 0.03  # least factor between axis ends and outermost points, and share of
                               # their distance, so that no symbol is cut
FLOOR_REACH = 1e3  # largest ratio of the lowest point to a floor that is drawn


@dataclass
class Curve:
    """Points of a solver; points at 0 are drawn on the margin of small values. `lost` are places on
    the x axis without a value, drawn on the margin of large values. At an infinite place there is
    no cost either: such curves are put at the end of that margin."""

    label: str
    points: Sequence[Point]
    lost: Sequence[float] = ()
    name: str = ""  # in the key, instead of the label

    @property
    def zeros(self) -> list[float]:
        return [x for x, y in self.points if y == 0 and drawable(x)]


@dataclass
class Panel:
    title: str
    unit: str  # name of the y axis
    curves: list[Curve]
    floor: float = math.nan  # a level below which differences mean nothing


def zero_below(points: Sequence[Point], least: float) -> list[Point]:
    """Replaces values below `least`, which are round-off, by 0."""
    return [(x, y if y >= least else 0.0) for x, y in points]


def positive(points: Sequence[Point]) -> list[Point]:
    """Returns the points that a logarithmic axis can show."""
    return [(x, y) for x, y in points if drawable(x) and drawable(y)]


def limits(values: Sequence[float]) -> tuple[float, float]:
    """Returns the ends of an axis for the values, limited to the largest DECADES of them."""
    if not values:
        return 0.1, 10.0
    room = max(ROOM, min(max(values) / min(values), 10.0 ** DECADES) ** ROOM_SHARE)
    high = max(values) * room
    low = max(min(values) / room, high / 10.0 ** DECADES)
    if high < LEAST_RANGE * low:
        widen = math.sqrt(LEAST_RANGE * low / high)
        low, high = low / widen, high * widen
    return drawn(low), drawn(high)


def with_zero(low: float, high: float) -> tuple[float, float]:
    """Extends an axis by a place for 0 below all other values."""
    return drawn(low / (high / low) ** ZERO_ROOM), high


def ticks(ends: tuple[float, float], zero: bool) -> list[Tick]:
    low, high = ends
    alone = low * (high / low) ** ZERO_ALONE if zero else low
    others = [tick for tick in logarithmic(low, high) if tick.place >= alone]
    return [Tick(low, "0"), *others] if zero else others


def coincide(a: Curve, b: Curve) -> bool:
    """Whether one curve hides the other: the same places with values that differ by little."""
    ours, theirs = dict(positive(a.points)), dict(positive(b.points))
    return len(ours) > 1 and ours.keys() == theirs.keys() and all(
        abs(math.log(ours[x] / theirs[x])) < SAME for x in ours)


def widths(easel: Easel, panel: Panel, labels: Sequence[str]) -> list[float]:
    """Returns the line widths; a curve is broader for each later one that coincides with it."""
    curves = {curve.label: curve for curve in panel.curves}
    shown = [curves.get(label, Curve(label, [])) for label in labels]
    return [easel.styles[curve.label].width * (1 + BROADER * sum(coincide(curve, other)
                                                                 for other in shown[i + 1:]))
            for i, curve in enumerate(shown)]


def coincidences(panels: Sequence[Panel]) -> str:
    """Returns the sentence of a caption on curves that coincide in all panels."""
    groups: list[list[str]] = []
    of = [{curve.label: curve for curve in panel.curves} for panel in panels]
    for label in dict.fromkeys(curve.label for panel in panels for curve in panel.curves):
        for group in groups:
            pairs = [(curves[group[0]], curves[label]) for curves in of
                     if group[0] in curves and label in curves]
            if pairs and all(coincide(a, b) for a, b in pairs):
                group.append(label)
                break
        else:
            groups.append([label])
    words = [", ".join(group) for group in groups if len(group) > 1]
    return f" On each other, the first the broadest: {'; '.join(words)}." if words else ""


def zeros_sentence(panels: Sequence[Panel]) -> str:
    names = dict.fromkeys(curve.name or curve.label for panel in panels for curve in panel.curves
                          if curve.zeros)
    return (f" Symbols at 0, on the margin: nothing, or only round-off ({', '.join(names)})."
            if names else "")


def find_triangles(panel: Panel, low: float, high: float) -> list[Triangle]:
    """Returns triangles for the whole slopes of straight pieces of the curves (slopes.py)."""
    lines = [sorted(positive(curve.points)) for curve in panel.curves]
    return place_all([straight_piece(line) for line in lines], lines, low, high)


def panel_files(easel: Easel, panel: Panel, labels: Sequence[str], low: float, high: float
                ) -> list[str]:
    curves = {curve.label: curve for curve in panel.curves}
    files = []
    for label in labels:
        curve = curves.get(label, Curve(label, []))
        points = positive(curve.points)
        inside = [p for p in points if low <= p[1] <= high]
        margin = [(x, high) for x in curve.lost] + [(x, high) for x, y in points if y > high]
        files.append(easel.data([inside, inside, margin, [(x, low) for x in curve.zeros]]))
    return files


def place_lost(panels: Sequence[Panel], low_x: float, high_x: float) -> None:
    """Gives curves without a cost their places at the end of the margin."""
    for panel in panels:
        nowhere = [curve for curve in panel.curves if math.inf in curve.lost]
        for k, curve in enumerate(reversed(nowhere)):
            place = high_x * (low_x / high_x) ** (END_DISTANCE * (k + 0.5))
            curve.lost = [x for x in curve.lost if math.isfinite(x)] + [place]


def draw(easel: Easel, kind: str, title: str, caption: str, alt: str, panels: Sequence[Panel],
         x_title: str, floor_name: str = "", downwards: bool = False, triangles: bool = False
         ) -> Drawing | None:
    """Draws a figure of the panels. `downwards`: small values are above; `triangles`: with those of
    whole slopes. None if no curve has anything to show."""
    used = {curve.label for panel in panels for curve in panel.curves
            if positive(curve.points) or curve.lost or curve.zeros}
    labels = [label for label in dict.fromkeys(c.label for panel in panels for c in panel.curves)
              if label in used]
    if not labels:
        return None
    shown = [curve for panel in panels for curve in panel.curves]
    name_of = {curve.label: curve.name or curve.label for curve in shown}
    names = [name_of[label] for label in labels]
    x = [x for curve in shown for x in [*(p[0] for p in positive(curve.points)), *curve.lost,
                                        *curve.zeros] if drawable(x)]
    low_x, high_x = limits(x)
    place_lost(panels, low_x, high_x)
    ranges = []
    for panel in panels:
        y = [y for curve in panel.curves for _, y in positive(curve.points)]
        if drawable(panel.floor) and y and panel.floor * FLOOR_REACH < min(y):
            panel.floor = math.nan
        ends = limits(y + [panel.floor] * drawable(panel.floor))
        ranges.append(with_zero(*ends) if any(c.zeros for c in panel.curves) else ends)
    zeros = [any(curve.zeros for curve in panel.curves) for panel in panels]
    slopes = [find_triangles(panel, *ends) if triangles else []
              for panel, ends in zip(panels, ranges)]
    columns = 1 if len(panels) < 4 else 2
    rows = math.ceil(len(panels) / columns)
    any_floor = any(drawable(panel.floor) for panel in panels)
    linetypes = [easel.styles[label].linetype for label in labels]
    layout = Layout(columns, rows, 360 if len(panels) == 1 else 200,
                    entries(names, linetypes) + [Entry(floor_name, "lt 31")] * any_floor,
                    [ticks(ends, zero) for ends, zero in zip(ranges, zeros)],
                    titled=any(panel.title for panel in panels))
    figure = easel.figure(kind, title, caption + coincidences(panels) + zeros_sentence(panels), alt)
    placed = [triangle for found in slopes for triangle in found]
    files = [easel.data([triangle.corners]) for triangle in placed]
    axes = layout.variables(x_title, logarithmic(low_x, high_x), [panel.unit for panel in panels],
                            [panel.title for panel in panels])
    variables = axes | triangle_variables(placed, files) | {
        "count": len(labels), "style": linetypes,
        "line_width": [width for panel in panels for width in widths(easel, panel, labels)],
        "slopes": [len(found) for found in slopes],
        "panel_low": [ends[downwards] for ends in ranges],
        "panel_high": [ends[not downwards] for ends in ranges],
        "x_low": low_x, "x_high": high_x,
        "floor": [easel.data([[(low_x, panel.floor), (high_x, panel.floor)]])
                  if drawable(panel.floor) else "" for panel in panels],
        "file": [name for panel, (low, high) in zip(panels, ranges)
                 for name in panel_files(easel, panel, labels, low, high)]}
    return Drawing(figure, "loglog.gp", variables)
