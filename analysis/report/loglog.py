# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures with logarithmic axes both ways: curves of solvers in panels that share their x axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

from artist import Easel
from canvas import Drawing, Layout
from curves import Point, drawable
from slopes import Triangle, place_all, straight_piece

DECADES = 18  # most decades of an axis
SAME_PLACE = 0.05  # decades, between two points that one note can stand at
SAME = 0.05        # curves whose values differ by a smaller share lie on each other
NOTE_ROOM = 0.03   # of the axes: enough for a note
NOTE_SIDES = (0.75, -0.75)  # characters, of a note above or below its point
END_DISTANCE = 0.035  # of the axis, between curves that have no place of their own on it
ROOM = 1.35   # how far axes go beyond the outermost points, as a factor
FLOOR_REACH = 1e3  # a floor further below the lowest point than this is left out: it squeezes the curves


@dataclass
class Curve:
    """Points of a solver; `lost` are places on the x axis at which it has no value to show: these
    are drawn on the margin, on the side of large errors. At an infinite one it has no cost either:
    such curves have places in order at the end of the margin."""

    label: str
    points: Sequence[Point]
    lost: Sequence[float] = ()
    family: str = ""  # the label whose colour and symbol it has, with the others of the family
    note: str = ""    # stands at its first point

    @property
    def style(self) -> str:
        return self.family or self.label


@dataclass
class Panel:
    title: str
    unit: str  # name of the y axis
    curves: list[Curve]
    floor: float = math.nan  # a level below which differences mean nothing


def at_least(points: Sequence[Point], least: float) -> list[Point]:
    """Smaller values, which are rounding or nothing at all, drawn at the least."""
    return [(x, max(y, least)) for x, y in points]


def positive(points: Sequence[Point]) -> list[Point]:
    """Those that a logarithmic axis can show."""
    return [(x, y) for x, y in points if drawable(x) and drawable(y)]


def limits(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis that holds the values, the largest DECADES of them."""
    if not values:
        return 0.1, 10.0
    high = max(values) * ROOM
    low = max(min(values) / ROOM, high / 10.0 ** DECADES)
    if high < 10 * low:  # at least one number stands at the axis
        low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
    return low, high


@dataclass
class Note:
    at: Point
    text: str
    side: float


def find_notes(panel: Panel, low_x: float, high_x: float, low: float, high: float) -> list[Note]:
    """The notes of a panel: at the first point of their curve or at its last, above or below, where
    there is most room to points and to other notes. Those of a family at one place are one."""
    def apart(a: Point, b: Point) -> float:
        return math.hypot(math.log(a[0] / b[0]) / math.log(high_x / low_x),
                          math.log(a[1] / b[1]) / math.log(high / low))
    shift = (high / low) ** 0.03, (high_x / low_x) ** 0.015
    taken = [point for curve in panel.curves for point in filled(positive(curve.points))]
    placed: list[Note] = []
    for points, text in grouped_notes(panel):
        choices = [(Note(end, text, side),
                    (end[0] * shift[1], end[1] * (shift[0] if side > 0 else 1 / shift[0])))
                   for end in (points[0], points[-1]) for side in NOTE_SIDES]
        note, centre = max(choices, key=lambda choice: min(
            [NOTE_ROOM, *(apart(choice[1], other) for other in taken)]))
        placed.append(note)
        taken += [centre, (centre[0] * shift[1], centre[1])]
    return placed


def filled(points: Sequence[Point]) -> list[Point]:
    """Points along a curve, not only at its symbols."""
    between = [(a[0] ** (1 - share) * b[0] ** share, a[1] ** (1 - share) * b[1] ** share)
               for a, b in zip(points, points[1:]) for share in (0.2, 0.4, 0.6, 0.8)]
    return [*points, *between]


def grouped_notes(panel: Panel) -> list[tuple[Sequence[Point], str]]:
    """The points that a note stands for, and its text."""
    found: list[tuple[Sequence[Point], str, str]] = []
    for curve in panel.curves:
        points = positive(curve.points)
        if not points or not curve.note:
            continue
        for i, (places, family, text) in enumerate(found):
            if family == curve.style and all(abs(math.log10(a / b)) < SAME_PLACE
                                             for a, b in zip(places[0], points[0])):
                found[i] = (places, family, f"{text}, {curve.note}")
                break
        else:
            found.append((points, curve.style, curve.note))
    return [(places, text) for places, _, text in found]


def coincide(a: Curve, b: Curve) -> bool:
    """Whether one hides the other: the same places, with values that differ by little."""
    ours, theirs = dict(positive(a.points)), dict(positive(b.points))
    return len(ours) > 1 and ours.keys() == theirs.keys() and all(
        abs(math.log(ours[x] / theirs[x])) < SAME for x in ours)


def widths(easel: Easel, panel: Panel, labels: Sequence[str]) -> list[float]:
    """A curve that others lie upon is broader, so that it is seen beside them."""
    curves = {curve.label: curve for curve in panel.curves}
    shown = [curves.get(label, Curve(label, [])) for label in labels]
    return [easel.styles[curve.style].width * (1 + sum(coincide(curve, other)
                                                       for other in shown[i + 1:]))
            for i, curve in enumerate(shown)]


def coincidences(panels: Sequence[Panel]) -> str:
    """The sentence of a caption about curves that lie on each other in all panels."""
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


def find_triangles(panel: Panel, low: float, high: float) -> list[Triangle]:
    """For the whole slopes of straight pieces of the curves (slopes.py)."""
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
        files.append(easel.data([inside, inside, margin]))
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
    """A figure of the panels; `downwards`: small values, which are the good ones, are above;
    `triangles`: with those of whole slopes. None where no curve has anything to show."""
    used = {curve.label for panel in panels for curve in panel.curves
            if positive(curve.points) or curve.lost}
    labels = [label for label in dict.fromkeys(c.label for panel in panels for c in panel.curves)
              if label in used]
    if not labels:
        return None
    shown = [curve for panel in panels for curve in panel.curves]
    style_of = {curve.label: curve.style for curve in shown}
    # A family stands in the key once.
    names = [style_of[label] if style_of[label] not in [style_of[before] for before in labels[:i]]
             else "" for i, label in enumerate(labels)]
    x = [x for panel in panels for curve in panel.curves
         for x in [*(p[0] for p in positive(curve.points)), *curve.lost] if drawable(x)]
    low_x, high_x = limits(x)
    place_lost(panels, low_x, high_x)
    ranges = []
    for panel in panels:
        y = [y for curve in panel.curves for _, y in positive(curve.points)]
        if drawable(panel.floor) and y and panel.floor * FLOOR_REACH < min(y):
            panel.floor = math.nan
        ranges.append(limits(y + [panel.floor] * drawable(panel.floor)))
    noted = [find_notes(panel, low_x, high_x, *ends) for panel, ends in zip(panels, ranges)]
    slopes = [find_triangles(panel, *ends) if triangles else []
              for panel, ends in zip(panels, ranges)]
    columns = 1 if len(panels) < 4 else 2
    rows = math.ceil(len(panels) / columns)
    any_floor = any(drawable(panel.floor) for panel in panels)
    layout = Layout(columns, rows, 360 if len(panels) == 1 else 200,
                    [name for name in names if name] + [floor_name] * any_floor,
                    titled=len(panels) > 1, gap_x=86)
    figure = easel.figure(kind, title, caption + coincidences(panels), alt)
    variables = layout.variables | {
        "count": len(labels), "label": names,
        "style": [easel.styles[style_of[label]].linetype for label in labels],
        "notes": [len(found) for found in noted],
        "note": [note.text for found in noted for note in found],
        "note_x": [note.at[0] for found in noted for note in found],
        "note_y": [note.at[1] for found in noted for note in found],
        "note_side": [note.side for found in noted for note in found],
        "line_width": [width for panel in panels for width in widths(easel, panel, labels)],
        "slopes": [len(found) for found in slopes],
        "slope": [str(slope.order) for found in slopes for slope in found],
        "slope_x": [slope.label[0] for found in slopes for slope in found],
        "slope_y": [slope.label[1] for found in slopes for slope in found],
        # The last one is for gnuplot, which looks at the first of an empty range too.
        "slope_file": [easel.data([slope.corners]) for found in slopes for slope in found]
                      + ["none.dat"],
        "panels": len(panels), "panel_title": [panel.title for panel in panels],
        "panel_unit": [panel.unit for panel in panels],
        "panel_low": [low for low, _ in ranges], "panel_high": [high for _, high in ranges],
        "low_x": low_x, "high_x": high_x, "x_title": x_title, "downwards": downwards,
        "floor": [easel.data([[(low_x, panel.floor), (high_x, panel.floor)]])
                  if drawable(panel.floor) else "" for panel in panels],
        "floor_name": floor_name if any_floor else "",
        "file": [name for panel, (low, high) in zip(panels, ranges)
                 for name in panel_files(easel, panel, labels, low, high)]}
    return Drawing(figure, "loglog.gp", variables)
