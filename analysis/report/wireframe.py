# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the shapes of bodies as lines in the body's own frame, for the player."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Sequence

from geometry import Definition, Vector, add, parts_of, rotate, vector
from ropelab.results import mapping, number

CORNERS = 32    # of a circle
GRID = 8        # squares along one side of a drawn plane
KINDS = ("sphere", "capsule", "cylinder", "box", "hull", "plane")
Line = list[Vector]


@dataclass
class Wires:
    """Lines of a shape, which of them form one convex part, and balls moved from a to b, whose
    outline depends on the view."""

    lines: list[Line] = field(default_factory=list)
    solids: list[tuple[int, int]] = field(default_factory=list)  # first line and number of lines
    rounds: list[tuple[Vector, Vector, float]] = field(default_factory=list)

    def points(self) -> list[Vector]:
        """Returns corners of boxes that contain the shape."""
        found = [point for line in self.lines for point in line]
        for a, b, radius in self.rounds:
            found += [add(p, (s * radius,) * 3) for p in (a, b) for s in (-1, 1)]
        return found

    def as_json(self) -> dict[str, Any]:
        return {"lines": [[short(c) for point in line for c in point] for line in self.lines],
                "solids": self.solids,
                "rounds": [{"a": [short(c) for c in a], "b": [short(c) for c in b],
                            "radius": short(radius)} for a, b, radius in self.rounds]}


def short(value: float) -> float:
    return float(f"{value:.5g}")


def arc(radius: float, height: float, start: float = 0.0, end: float = 2 * math.pi) -> Line:
    """Returns part of a circle about the z axis."""
    count = max(2, round(CORNERS * (end - start) / (2 * math.pi)))
    angles = (start + (end - start) * k / count for k in range(count + 1))
    return [(radius * math.cos(a), radius * math.sin(a), height) for a in angles]


def upright(line: Line) -> Line:
    """Moves a line from the x-y plane to the x-z plane."""
    return [(x, z, y) for x, y, z in line]


def sphere(radius: float) -> list[Line]:
    ring = arc(radius, 0.0)
    return [ring, upright(ring), [(0.0, 0.0, 0.0), (radius, 0.0, 0.0)]]


def cylinder(radius: float, half: float) -> list[Line]:
    """Returns the lines of a cylinder; a spoke in each end shows its rotation."""
    sides = [[(x, y, -half), (x, y, half)] for x, y, _ in arc(radius, 0.0)[::CORNERS // 4][:-1]]
    spokes = [[(0.0, 0.0, z), (radius, 0.0, z)] for z in (-half, half)]
    return [arc(radius, -half), arc(radius, half), *sides, *spokes]


def capsule(radius: float, half: float) -> list[Line]:
    cap = upright(arc(radius, 0.0, 0.0, math.pi))
    top = [(x, y, z + half) for x, y, z in cap]
    bottom = [(x, y, -z - half) for x, y, z in cap]
    return [top, bottom, *cylinder(radius, half)]


def box(size: Vector) -> list[Line]:
    corners = [tuple(s * c / 2 for s, c in zip(signs, size))
               for signs in itertools.product((-1, 1), repeat=3)]
    return [[a, b] for a, b in itertools.combinations(corners, 2)
            if sum(p != q for p, q in zip(a, b)) == 1]


def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(p * q for p, q in zip(a, b))


def unit(a: Vector) -> Vector:
    length = math.sqrt(dot(a, a)) or 1.0
    return a[0] / length, a[1] / length, a[2] / length


def across(direction: Vector) -> tuple[Vector, Vector]:
    """Returns two unit vectors perpendicular to a direction and to each other."""
    least = min(range(3), key=lambda k: abs(direction[k]))
    first = unit(cross(direction, tuple(float(k == least) for k in range(3))))
    return first, unit(cross(direction, first))


def is_edge(a: Vector, b: Vector, points: Any) -> bool:
    """Whether the line between two points is an edge of the convex hull: seen along it, all other
    points are in less than half a turn around it."""
    import numpy as np

    along = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    away = (points - np.array(a)) @ np.array(across(along)).T
    beside = away[np.hypot(*away.T) > 1e-9 * math.sqrt(dot(along, along))]
    if len(beside) == 0:
        return False
    angles = np.sort(np.arctan2(beside[:, 1], beside[:, 0]))
    gaps = np.append(np.diff(angles), 2 * math.pi + angles[0] - angles[-1])
    return bool(gaps.max() > math.pi + 1e-6)


@lru_cache
def hull(points: tuple[Vector, ...]) -> list[Line]:
    import numpy as np  # with so many pairs of points, much faster than Python alone

    array = np.array(points)
    return [[a, b] for a, b in itertools.combinations(dict.fromkeys(points), 2)
            if is_edge(a, b, array)]


def plane(normal: Vector, nearest: Vector, size: float) -> list[Line]:
    """Returns a square grid around `nearest`, a point of the plane."""
    u, v = across(normal)

    def at(i: float, j: float) -> Vector:
        return tuple(nearest[k] + size * (i * u[k] + j * v[k]) for k in range(3))

    steps = [2 * k / GRID - 1 for k in range(GRID + 1)]
    return [[at(s, -1), at(s, 1)] for s in steps] + [[at(-1, s), at(1, s)] for s in steps]


def back(turn: Vector, point: Vector) -> Vector:
    return rotate((-turn[0], -turn[1], -turn[2]), point)


def body_wires(body: Definition, middle: Vector | None = None, size: float = 1.0) -> Wires:
    """Returns the wires of all parts of a body; planes only around a `middle` of the view."""
    wires = Wires()
    for part in parts_of(body):
        kind = next((k for k in KINDS if k in part), "")
        about = mapping(part.get(kind))
        at, turn = vector(part.get("at")), vector(part.get("rotation"))
        radius, half = number(about.get("radius")), number(about.get("length")) / 2
        lines: list[Line] = []
        if kind == "sphere":
            lines = sphere(radius)
            wires.rounds.append((at, at, radius))
        elif kind == "capsule":
            lines = capsule(radius, half)
            ends = [add(at, rotate(turn, (0.0, 0.0, z))) for z in (-half, half)]
            wires.rounds.append((ends[0], ends[1], radius))
        elif kind == "cylinder":
            lines = cylinder(radius, half)
        elif kind == "box":
            lines = box(vector(about.get("size")))
        elif kind == "hull":
            lines = hull(tuple(vector(point) for point in about.get("points") or []))
        elif kind == "plane" and middle is not None:
            normal = unit(vector(about.get("normal"), (0.0, 1.0, 0.0)))
            seen = back(vector(body.get("rotation")),
                        add(middle, tuple(-c for c in vector(body.get("position")))))
            seen = back(turn, add(seen, tuple(-c for c in at)))
            depth = dot(seen, normal)
            lines = plane(normal, add(seen, tuple(-depth * c for c in normal)), size)
        if kind != "plane":
            wires.solids.append((len(wires.lines), len(lines)))
        wires.lines += [[add(at, rotate(turn, p)) for p in line] for line in lines]
    return wires
