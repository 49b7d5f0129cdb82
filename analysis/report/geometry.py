# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads snapshots of a run and computes outlines of bodies in the plane of view."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Iterable

from ropelab.results import LARGEST, Run, mapping, number

Definition = dict[str, Any]
Vector = tuple[float, float, float]
Flat = tuple[float, float]
AXES = "xyz"
ROUND = 48  # corners of a drawn circle


@dataclass(frozen=True)
class View:
    """A plane of view: the coordinates that point to the right and upwards."""

    across: int
    up: int

    def flat(self, point: Vector) -> Flat:
        return point[self.across], point[self.up]


@dataclass
class Snapshot:
    time: float
    ropes: dict[str, list[Vector]] = field(default_factory=dict)
    bodies: dict[str, Vector] = field(default_factory=dict)
    rotations: dict[str, Vector] = field(default_factory=dict)  # rotation vectors [rad]
    drawn: dict[str, list[Vector]] = field(default_factory=dict)  # ropes as the solver draws them
    exact_ropes: dict[str, list[Vector]] = field(default_factory=dict)
    exact_bodies: dict[str, Vector] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)  # index of a rope's last vertex


def read_snapshots(run: Run) -> list[Snapshot]:
    """Reads the run's snapshots, in order of time."""
    by_time: dict[float, Snapshot] = {}
    indexed: dict[tuple[float, str, str], list[tuple[int, Vector]]] = {}
    for row in run.snapshot_rows():
        time = number(row.get("time_s"))
        place = [number(row.get(axis)) for axis in AXES]
        point = tuple(c if abs(c) < LARGEST else math.nan for c in place)
        index = number(row.get("index"))
        if not math.isfinite(time):
            continue
        snapshot = by_time.setdefault(time, Snapshot(time))
        kind, item = row.get("kind", ""), row.get("item", "")
        exact = kind.startswith("exact_")
        if kind.removeprefix("exact_") == "rotation":
            if not exact:
                snapshot.rotations[item] = point
        elif kind.removeprefix("exact_") == "body":
            (snapshot.exact_bodies if exact else snapshot.bodies)[item] = point
        else:
            order = int(index) if math.isfinite(index) else 0
            line = ("drawn" if kind == "drawn" else
                    ("exact_" if exact else "") + ("paths" if kind.endswith("path") else "ropes"))
            indexed.setdefault((time, line, item), []).append((order, point))
    paths: list[tuple[dict[str, list[Vector]], str, list[Vector]]] = []
    for (time, line, item), vertices in indexed.items():
        vertices.sort(key=lambda pair: pair[0])
        points = [point for _, point in vertices]
        if line == "ropes":
            by_time[time].last[item] = vertices[-1][0]
        if line.endswith("paths"):  # the path over bodies replaces the line between the ends
            paths.append((getattr(by_time[time], line.replace("paths", "ropes")), item, points))
        else:
            getattr(by_time[time], line)[item] = points
    for ropes, item, points in paths:
        ropes[item] = points
    return [by_time[time] for time in sorted(by_time)]


def choose_view(gravity: Any, points: Iterable[Vector]) -> View:
    """Chooses a view with gravity downwards (without gravity, y upwards) and the wider of the other
    two axes across."""
    pull = [abs(number(g)) for g in gravity] if isinstance(gravity, list) else []
    up = pull.index(max(pull)) if len(pull) == 3 and max(pull) > 0 else 1
    finite = [p for p in points if all(map(math.isfinite, p))]
    extents = [max(p[a] for p in finite) - min(p[a] for p in finite) if finite else 0.0
               for a in range(3)]
    others = [axis for axis in range(3) if axis != up]
    return View(max(others, key=lambda axis: (extents[axis] > 1e-9, extents[axis], -axis)), up)


def vector(value: Any, default: Vector = (0.0, 0.0, 0.0)) -> Vector:
    if isinstance(value, list) and len(value) == 3:
        numbers = tuple(number(item) for item in value)
        if all(map(math.isfinite, numbers)):
            return numbers  # type: ignore[return-value]
    return default


def add(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def rotate(turn: Vector, point: Vector) -> Vector:
    """Rotates a point by a rotation vector (Rodrigues' formula)."""
    angle = math.sqrt(sum(c * c for c in turn))
    if angle == 0:
        return point
    k = tuple(c / angle for c in turn)
    cross = (k[1] * point[2] - k[2] * point[1], k[2] * point[0] - k[0] * point[2],
             k[0] * point[1] - k[1] * point[0])
    along = sum(a * b for a, b in zip(k, point)) * (1 - math.cos(angle))
    c, s = math.cos(angle), math.sin(angle)
    return (point[0] * c + cross[0] * s + k[0] * along, point[1] * c + cross[1] * s + k[1] * along,
            point[2] * c + cross[2] * s + k[2] * along)


def circle(centre: Flat, radius: float) -> list[Flat]:
    angles = (2 * math.pi * k / ROUND for k in range(ROUND + 1))
    return [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles]


def convex_outline(points: list[Flat]) -> list[Flat]:
    """Returns the closed convex hull (monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def half(sequence: Iterable[Flat]) -> list[Flat]:
        chain: list[Flat] = []
        for p in sequence:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    hull = half(ordered) + half(reversed(ordered))
    return hull + hull[:1]


def part_points(kind: str, size: Definition) -> list[Vector]:
    """Returns points of a part in its own frame whose projected hull is the outline of the part."""
    radius, half = number(size.get("radius")), number(size.get("length")) / 2
    if kind == "box":
        x, y, z = (c / 2 for c in vector(size.get("size")))
        return [(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    if kind == "hull":
        return [vector(point) for point in size.get("points") or []]
    if kind == "cylinder":
        return [(x, y, end) for x, y in circle((0, 0), radius) for end in (-half, half)]
    return []


def part_outline(part: Definition, position: Vector, turn: Vector, view: View) -> list[Flat]:
    """Returns the outline of one part of a body's shape; empty for planes and unknown shapes."""
    kind = next((k for k in ("sphere", "capsule", "cylinder", "box", "hull") if k in part), "")
    size = mapping(part.get(kind))

    def place(point: Vector) -> Vector:
        inner = add(vector(part.get("at")), rotate(vector(part.get("rotation")), point))
        return add(position, rotate(turn, inner))

    if kind in ("sphere", "capsule"):
        half = number(size.get("length")) / 2 if kind == "capsule" else 0.0
        ends = [view.flat(place((0, 0, end))) for end in ((-half, half) if half else (0.0,))]
        points = [p for end in ends for p in circle(end, number(size.get("radius")))]
    else:
        points = [view.flat(place(point)) for point in part_points(kind, size)]
    points = [p for p in points if all(map(math.isfinite, p))]
    return convex_outline([(round(x, 9), round(y, 9)) for x, y in points])


def spoke(part: Definition, position: Vector, turn: Vector, view: View) -> list[Flat]:
    """Returns a line from the centre of a round part to its side, which shows its rotation."""
    kind = next((k for k in ("sphere", "capsule", "cylinder") if k in part), "")
    radius = number(mapping(part.get(kind)).get("radius"))
    if not kind or not math.isfinite(radius):
        return []
    ends = (add(vector(part.get("at")), rotate(vector(part.get("rotation")), (x, 0, 0)))
            for x in (0.0, radius))
    return [view.flat(add(position, rotate(turn, end))) for end in ends]


def parts_of(body: Definition) -> list[dict[str, Any]]:
    shape = body.get("shape")
    return [mapping(part) for part in (shape if isinstance(shape, list) else [shape]) if part]


def body_outlines(body: Definition, position: Vector, view: View,
                  rotation: Vector | None = None) -> list[list[Flat]]:
    """Returns the outlines of a body's parts. `rotation` is that of a body that turns; without it
    the scenario's counts."""
    turn = rotation or vector(body.get("rotation"))
    outlines = [part_outline(part, position, turn, view) for part in parts_of(body)]
    spokes = [spoke(part, position, turn, view) for part in parts_of(body)] if rotation else []
    return [line for line in outlines if len(line) > 2] + [line for line in spokes if line]


def half_spaces(body: Definition, view: View) -> list[tuple[Flat, Flat]]:
    """Returns (point, outward normal) in the view for each plane that is seen edge-on."""
    found = []
    turn, position = vector(body.get("rotation")), vector(body.get("position"))
    for part in parts_of(body):
        if "plane" not in part:
            continue
        point = add(position, rotate(turn, vector(part.get("at"))))
        own = vector(mapping(part["plane"]).get("normal"), (0.0, 1.0, 0.0))
        normal = view.flat(rotate(turn, rotate(vector(part.get("rotation")), own)))
        if math.hypot(*normal) > 1e-6:
            found.append((view.flat(point), normal))
    return found


def clip(point: Flat, normal: Flat, low: Flat, high: Flat) -> list[Flat]:
    """Returns the polygon of a half-space, behind its normal, in the window from low to high."""
    corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]

    def depth(p: Flat) -> float:
        return (p[0] - point[0]) * normal[0] + (p[1] - point[1]) * normal[1]

    polygon: list[Flat] = []
    for a, b in zip(corners, corners[1:] + corners[:1]):
        da, db = depth(a), depth(b)
        if da <= 0:
            polygon.append(a)
        if (da < 0 < db) or (db < 0 < da):
            s = da / (da - db)
            polygon.append((a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])))
    return polygon + polygon[:1] if len(polygon) > 2 else []
