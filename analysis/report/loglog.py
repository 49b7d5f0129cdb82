# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures with logarithmic axes both ways: curves of solvers in panels that share their x axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

from artist import Easel
from canvas import Drawing, Layout
from curves import Point

DECADES = 18  # most decades of an axis
SAME_PLACE = 0.05  # decades, between two points that one note can stand at
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
    return [(x, y) for x, y in points if 0 < x < math.inf and 0 < y < math.inf]


def known(value: float) -> bool:
    return 0 < value < math.inf


def limits(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis that holds the values, the largest DECADES of them."""
    if not values:
        return 0.1, 10.0
    high = max(values) * ROOM
    low = max(min(values) / ROOM, high / 10.0 ** DECADES)
    if high < 10 * low:  # at least one number stands at the axis
        low, high = 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))
    return low, high


def find_notes(panel: Panel) -> list[tuple[Point, str]]:
    """The notes of a panel and where they stand; those of a family at one place are one."""
    found: list[tuple[Point, str, str]] = []
    for curve in panel.curves:
        points = positive(curve.points)
        if not points or not curve.note:
            continue
        for i, (place, family, text) in enumerate(found):
            if family == curve.style and all(abs(math.log10(a / b)) < SAME_PLACE
                                             for a, b in zip(place, points[0])):
                found[i] = (place, family, f"{text}, {curve.note}")
                break
        else:
            found.append((points[0], curve.style, curve.note))
    return [(place, text) for place, _, text in found]


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
         x_title: str, floor_name: str = "", downwards: bool = False, height: float = 0
         ) -> Drawing | None:
    """A figure of the panels; `downwards`: small values, which are the good ones, are above. None
    where no curve has anything to show."""
    used = {curve.label for panel in panels for curve in panel.curves
            if positive(curve.points) or curve.lost}
    labels = [label for label in dict.fromkeys(c.label for panel in panels for c in panel.curves)
              if label in used]
    if not labels:
        return None
    shown = [curve for panel in panels for curve in panel.curves]
    style_of = {curve.label: curve.style for curve in shown}
    noted = [find_notes(panel) for panel in panels]
    # A family stands in the key once.
    names = [style_of[label] if style_of[label] not in [style_of[before] for before in labels[:i]]
             else "" for i, label in enumerate(labels)]
    x = [x for panel in panels for curve in panel.curves
         for x in [*(p[0] for p in positive(curve.points)), *curve.lost] if 0 < x < math.inf]
    low_x, high_x = limits(x)
    place_lost(panels, low_x, high_x)
    ranges = []
    for panel in panels:
        y = [y for curve in panel.curves for _, y in positive(curve.points)]
        if known(panel.floor) and y and panel.floor * FLOOR_REACH < min(y):
            panel.floor = math.nan
        ranges.append(limits(y + [panel.floor] * known(panel.floor)))
    columns = 1 if len(panels) < 4 else 2
    rows = math.ceil(len(panels) / columns)
    any_floor = any(known(panel.floor) for panel in panels)
    layout = Layout(columns, rows, height or (360 if len(panels) == 1 else 200),
                    [name for name in names if name] + [floor_name] * any_floor,
                    titled=len(panels) > 1, gap_x=86)
    figure = easel.figure(kind, title, caption, alt)
    variables = layout.variables | {
        "count": len(labels), "label": names,
        "style": [easel.styles[style_of[label]].linetype for label in labels],
        "notes": [len(found) for found in noted],
        "note": [text for found in noted for _, text in found],
        "note_x": [point[0] for found in noted for point, _ in found],
        "note_y": [point[1] for found in noted for point, _ in found],
        "panels": len(panels), "panel_title": [panel.title for panel in panels],
        "panel_unit": [panel.unit for panel in panels],
        "panel_low": [low for low, _ in ranges], "panel_high": [high for _, high in ranges],
        "low_x": low_x, "high_x": high_x, "x_title": x_title, "downwards": downwards,
        "floor": [easel.data([[(low_x, panel.floor), (high_x, panel.floor)]])
                  if known(panel.floor) else "" for panel in panels],
        "floor_name": floor_name if any_floor else "",
        "file": [name for panel, (low, high) in zip(panels, ranges)
                 for name in panel_files(easel, panel, labels, low, high)]}
    return Drawing(figure, "loglog.gp", variables)
