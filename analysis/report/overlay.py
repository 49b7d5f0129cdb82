# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the overlay figure: ropes and bodies of all solvers at a few times, in one plane."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable, Sequence

from artist import Artist, Trace, decisive_traces, healthy, key_of, outside_sentence
from canvas import EXACT, Drawing, Entry, Layout
from axes import Tick, few
from curves import Point
from geometry import (AXES, Definition, Snapshot, View, body_outlines, choose_view, clip,
                      half_spaces, read_snapshots, vector)
from ropelab.results import mapping

PANELS = 5
Line = Sequence[Point]


@dataclass
class Scene:
    """The drawn part of a scenario's definition."""

    bodies: dict[str, Definition]
    closed: dict[str, int]  # number of elements of closed ropes
    view: View

    def fixed(self, name: str) -> bool:
        return self.bodies.get(name, {}).get("motion") == "fixed"

    def still_outlines(self) -> list[Line]:
        return [outline for name, body in self.bodies.items() if self.fixed(name)
                for outline in body_outlines(body, vector(body.get("position")), self.view)]

    def planes(self) -> list[tuple[Point, Point]]:
        return [plane for body in self.bodies.values() for plane in half_spaces(body, self.view)]


@dataclass
class Picture:
    """A run, or its closed form, at one time."""

    ropes: list[Line] = field(default_factory=list)
    drawn: list[Line] = field(default_factory=list)     # ropes as the solver draws them
    outlines: list[Line] = field(default_factory=list)  # of moving bodies
    centres: list[Point] = field(default_factory=list)  # of moving bodies without a shape

    def points(self) -> list[Point]:
        lines = [point for line in [*self.ropes, *self.drawn, *self.outlines]
                 for point in line]
        return [p for p in [*lines, *self.centres] if all(map(math.isfinite, p))]


def take_picture(scene: Scene, snapshot: Snapshot | None, exact: bool) -> Picture:
    """Returns the picture of a run (or its closed form) in a snapshot; empty without one."""
    picture = Picture()
    if snapshot is None:
        return picture
    for name, rope in (snapshot.exact_ropes if exact else snapshot.ropes).items():
        line = [scene.view.flat(p) for p in rope]
        # A closed rope that can part is recorded with both ends of each element.
        is_loop = scene.closed.get(name, 0) == snapshot.last.get(name, -1) + 1 > 0
        picture.ropes.append(line + line[:1] if is_loop else line)
    if not exact:
        picture.drawn = [[scene.view.flat(p) for p in line] for line in snapshot.drawn.values()]
    for name, position in (snapshot.exact_bodies if exact else snapshot.bodies).items():
        if scene.fixed(name):
            continue
        outlines = body_outlines(scene.bodies.get(name, {}), position, scene.view,
                                 snapshot.rotations.get(name))
        picture.outlines += outlines
        if not outlines and all(map(math.isfinite, position)):
            picture.centres.append(scene.view.flat(position))
    return picture


def at_time(snapshots: list[Snapshot], time: float, tolerance: float) -> Snapshot | None:
    nearest = min(snapshots, key=lambda s: abs(s.time - time), default=None)
    return nearest if nearest and abs(nearest.time - time) <= tolerance else None


def before_divergence(trace: Trace, snapshots: list[Snapshot]) -> list[Snapshot]:
    """Returns the snapshots without the state of a divergence, which can be anywhere."""
    return snapshots[:-1] if trace.run.status == "diverged" and len(snapshots) > 1 else snapshots


def number_of_elements(rope: Definition) -> int:
    lengths, count = rope.get("rest_lengths"), rope.get("segments")
    return len(lengths) if isinstance(lengths, list) else count if isinstance(count, int) else 0


def make_scene(artist: Artist, series: Sequence[list[Snapshot]]) -> Scene:
    definition = artist.scenario.definition
    everything = [point for snapshots in series for snapshot in snapshots
                  for line in [*snapshot.ropes.values(), snapshot.bodies.values()]
                  for point in line]
    bodies = {name: mapping(body) for name, body in mapping(definition.get("bodies")).items()}
    closed = {name: number_of_elements(mapping(rope))
              for name, rope in mapping(definition.get("ropes")).items()
              if mapping(rope).get("closed") is True}
    return Scene(bodies, closed, choose_view(definition.get("gravity"), everything))


def window(points: Sequence[Point]) -> tuple[Point, Point]:
    """Returns the box around the points, with a margin."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    margin = 0.07 * max(max(xs) - min(xs), max(ys) - min(ys), 1e-3)
    return (min(xs) - margin, min(ys) - margin), (max(xs) + margin, max(ys) + margin)


def near_planes(planes: Sequence[tuple[Point, Point]], points: Sequence[Point]) -> list[Point]:
    """Returns points that extend the window to planes close to it."""
    low, high = window(points)
    size = max(high[0] - low[0], high[1] - low[1])
    found = []
    for point, normal in planes:
        length = math.hypot(*normal)
        n = (normal[0] / length, normal[1] / length)
        heights = [(p[0] - point[0]) * n[0] + (p[1] - point[1]) * n[1] for p in points]
        height, lowest = min(zip(heights, points))
        if abs(height) < size:
            depth = height + 0.06 * size
            found.append((lowest[0] - depth * n[0], lowest[1] - depth * n[1]))
    return found


def fit(low: Point, high: Point, panels: int, key: Sequence[Entry]
        ) -> tuple[Layout, Point, Point]:
    """Chooses columns for the window's shape and widens the window to the panels' shape."""
    aspect = (high[0] - low[0]) / (high[1] - low[1])
    columns = min(panels, 5 if aspect < 0.8 else 3 if aspect < 2.2 else 2)

    def laid_out(height: float) -> Layout:
        ticks = few(low[1], high[1], height, across=False)
        return Layout(columns, math.ceil(panels / columns), height, key, [ticks] * panels,
                      titled=True, shared_y=True, gap_y=32)

    width = laid_out(100).panel_width
    height = min(max(width / aspect, 55), 380)
    wanted = width / height
    if aspect < wanted:
        extra = ((high[1] - low[1]) * wanted - (high[0] - low[0])) / 2
        low, high = (low[0] - extra, low[1]), (high[0] + extra, high[1])
    else:
        extra = ((high[0] - low[0]) / wanted - (high[1] - low[1])) / 2
        low, high = (low[0], low[1] - extra), (high[0], high[1] + extra)
    return laid_out(height), low, high


def line_set(lines: Sequence[Line]) -> list[Point | None]:
    """Joins several lines into one block."""
    joined: list[Point | None] = []
    for line in lines:
        joined += [p if all(map(math.isfinite, p)) else None for p in line]
        joined.append(None)
    return joined


def axes(layout: Layout, low: Point, high: Point, view: View, times: Sequence[float]
         ) -> dict[str, object]:
    x_ticks = few(low[0], high[0], layout.panel_width, across=True)
    return layout.variables(f"{AXES[view.across]} (m)", x_ticks,
                            [f"{AXES[view.up]} (m)"] * len(times),
                            [f"t = {time:.4g} s" for time in times]) | {
        "x_low": low[0], "x_high": high[0], "y_low": low[1], "y_high": high[1]}


def breadths(count: int, any_drawn: bool) -> list[float]:
    """Returns line widths from broad to fine, so that coincident ropes and what is drawn over them
    stay visible."""
    if count == 1:
        return [5.2 if any_drawn else 2.4]
    return [1.6 + 3.6 * (count - 1 - i) / (count - 1) for i in range(count)]


def paler(colour: str) -> str:
    """Mixes a colour with as much white."""
    return "#" + "".join(f"{(int(colour[k:k + 2], 16) + 255) // 2:02X}" for k in (1, 3, 5))


def write_caption(times: Sequence[float], count: int, view: View, drawn: Sequence[str],
                  any_exact: bool, any_still: bool, late: Sequence[str]) -> str:
    axes_names = f"on equal axes ({AXES[view.across]}, {AXES[view.up]})"
    if count == 1:
        text = f"The rope at {len(times)} times, {axes_names}."
    else:
        text = (f"The ropes of all solvers at {len(times)} times, one over the other {axes_names}. "
                "The first solver is drawn broadest, so that those that agree stay visible.")
    if drawn:
        text += (f" Thin, over pale nodes and elements: the rope as the original of "
                 f"{' and '.join(drawn)} draws it.")
    if any_exact:
        text += " Broad grey: the closed form."
    if any_still:
        text += " Light grey: what does not move."
    if late:
        text += f" Not in every panel, since it stopped before: {', '.join(late)}."
    return text


def overlay(artist: Artist) -> Drawing | None:
    found = [(t, read_snapshots(t.run)) for t in artist.traces]
    found = [(t, snapshots) for t, snapshots in found if snapshots]
    if not found:
        return None
    traces = [t for t, _ in found]
    scene = make_scene(artist, [before_divergence(*pair) for pair in found])
    # The times of the longest run; those of others may differ by rounding.
    times = [s.time for s in max((s for _, s in found), key=lambda s: s[-1].time)][:PANELS]
    tolerance = 0.02 * (max(times) - min(times)) + 1e-9
    chosen = [[at_time(snapshots, time, tolerance) for time in times] for _, snapshots in found]
    pictures = [[take_picture(scene, snapshot, False) for snapshot in row] for row in chosen]
    with_exact = next((row for row in chosen if any(s and s.exact_ropes for s in row)), chosen[0])
    ghosts = [take_picture(scene, s, True) for s in with_exact]
    any_exact = any(ghost.ropes for ghost in ghosts)
    still = scene.still_outlines()

    places = {t.label: [p for s in before_divergence(t, snapshots)
                        for p in take_picture(scene, s, False).points()] for t, snapshots in found}
    near_across = decisive_traces(traces, lambda t: [p[0] for p in places[t.label]])
    near_up = decisive_traces(traces, lambda t: [p[1] for p in places[t.label]])
    decisive = [t for t in near_across if t in near_up] or healthy(traces)
    seen = [p for t in decisive for p in places[t.label]]
    seen += [p for ghost in ghosts for p in ghost.points()]
    seen += [p for outline in still for p in outline]
    if not seen:
        return None
    seen += near_planes(scene.planes(), seen)
    drawn = [any(picture.drawn for picture in row) for row in pictures]
    broad = breadths(len(traces), any(drawn))
    key = [Entry(entry.label, f"{entry.line} lw {breadth:g} dt 1", entry.symbol)
           for entry, breadth in zip(key_of(traces), broad)]
    layout, low, high = fit(*window(seen), len(times), key + [EXACT] * any_exact)
    ground = [polygon for point, normal in scene.planes()
              if (polygon := clip(point, normal, low, high))]

    late = [t.label for t, row in zip(traces, chosen) if None in row]
    caption = write_caption(times, len(traces), scene.view,
                            [t.label for t, own in zip(traces, drawn) if own], any_exact,
                            bool(still or ground), late)
    caption += outside_sentence([t.label for t in healthy(traces) if t not in decisive])
    figure = artist.figure("overlay", "shape at chosen times", caption,
                           "ropes of all solvers at chosen times")
    variables = axes(layout, low, high, scene.view, times) | {
        "count": len(traces), "style": [t.style.linetype for t in traces], "broad": broad,
        "scene": artist.data([line_set([*still, *ground]) for _ in times]),
        "ghost": artist.data([line_set([*g.ropes, *g.outlines]) for g in ghosts]),
        "rope_colour": [paler(t.style.colour) if own else t.style.colour
                        for t, own in zip(traces, drawn)],
        "drawn": [artist.data([line_set(p.drawn) for p in row]) for row in pictures],
        "rope": [artist.data([line_set(p.ropes) for p in row]) for row in pictures],
        "body": [artist.data([line_set(p.outlines) for p in row]) for row in pictures],
        "point": [artist.data([p.centres for p in row]) for row in pictures]}
    return Drawing(figure, "overlay.gp", variables)
