# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the data of a scenario's player: the motions in trajectory.h5, thinned and quantised.

Positions are 16-bit numbers on a grid over the visible box, without axes along which nothing moves.
Quaternions are 16-bit, too; tensions are 8-bit shares of the largest.
"""

from __future__ import annotations

import base64
import functools
import importlib
import itertools
import json
import math
import statistics
import zlib
from dataclasses import dataclass, field
from typing import Any, Sequence

from geometry import Vector, View, add, choose_view, rotate, vector
from overlay import breadths
from ropelab.results import NoResults, Run, Scenario, mapping
from solver_style import SolverStyle
from wireframe import body_wires, short

FRAMES = 120     # most frames of a run
DEEP = 0.25      # a scene with a larger ratio of depth to breadth or height is seen obliquely
FAR = 2.0        # a run that goes farther than most by this factor does not choose the window
ROOM = 4.0       # how far around the window positions are shown, in its sizes
POINTS = 200     # most points of a rope, and contacts of a frame
WHOLE = 2 ** 26  # bytes; larger datasets are read frame by frame
HALF = 32767     # codes of a position: -HALF ... HALF
GAP = -32768     # code of a position that is not finite or far outside
UNKNOWN = 255    # code of an unknown tension
# Kinds of marks: a contact; where a rope reaches or leaves a body, by its grip.
PUSHES, SLIDES, STICKS, UNJUDGED = "0123"
GRIPS = {1: STICKS, 4: UNJUDGED}  # of wraps/grip; the others slide
MODULES = ("numpy", "h5py")
Array = Any      # numpy.ndarray; numpy is imported only where it is needed


def missing_module() -> str | None:
    """Returns the first module that the player's data need and that is missing; None: none."""
    return next((name for name in MODULES if not can_import(name)), None)


def can_import(name: str) -> bool:
    try:
        return bool(importlib.import_module(name))
    except ImportError:
        return False


@dataclass
class Rope:
    points: int
    elements: int
    closed: bool
    parts: bool = False  # two points for each element
    radius: float = 0.0


@dataclass
class Motion:
    """A run, or its closed form, at F chosen frames; arrays are F x points x 3."""

    time: Array
    ropes: list[Rope] = field(default_factory=list)
    points: Array = None
    tension: Array = None
    centres: Array = None
    rotations: Array = None
    drawn_counts: list[int] = field(default_factory=list)
    drawn: Array = None
    contact_counts: list[int] = field(default_factory=list)
    contacts: Array = None
    contact_kinds: str = ""  # a digit for each contact: PUSHES, SLIDES, STICKS or UNJUDGED
    breaks: list[int] = field(default_factory=list)  # frames after which the path of a rope changes

    def places(self) -> list[Array]:
        return [a.reshape(-1, 3) for a in (self.points, self.centres, self.drawn, self.contacts)
                if a is not None]


def choose_frames(time: Array, end: float) -> Array:
    """Returns the frames next to equally spaced times, equal for all runs, and the last frame."""
    import numpy as np

    wanted = np.linspace(0.0, end, FRAMES)
    wanted = wanted[wanted <= time[-1]]
    after = np.clip(np.searchsorted(time, wanted), 1, max(len(time) - 1, 1))
    after = np.minimum(after, len(time) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(wanted - time[before] <= time[after] - wanted, before, after)
    return np.unique(np.append(nearest, len(time) - 1))


def take(file: Any, name: str, frames: Array) -> Array | None:
    """Returns the chosen frames of a dataset; None if it is missing or empty."""
    import numpy as np

    dataset = file.get(name)
    if dataset is None or 0 in dataset.shape:
        return None
    if dataset.size * dataset.dtype.itemsize <= WHOLE:
        return dataset[: int(frames[-1]) + 1][frames]
    return np.stack([dataset[int(frame)] for frame in frames])


def kept(count: int) -> Array:
    """Returns the indices of at most POINTS of `count` points in a line."""
    import numpy as np

    return np.unique(np.round(np.linspace(0, count - 1, min(count, POINTS))).astype(int))


def thin_lines(points: Array | None, first: Sequence[int]) -> tuple[Array | None, list[int]]:
    import numpy as np

    if points is None:
        return None, []
    chosen = [start + kept(stop - start) for start, stop in zip(first, first[1:]) if stop > start]
    return points[:, np.concatenate(chosen)], [len(own) for own in chosen]


def thin_tension(tension: Array, points: int, closed: bool) -> Array:
    """Returns the largest tension between neighbours of the points that are kept."""
    import numpy as np

    if tension.shape[1] != (points if closed else points - 1):
        return tension  # a massless rope: one over all points
    keep = kept(points)
    return np.fmax.reduceat(tension, keep if closed else keep[:-1], axis=1)


def thin_parts(points: Array, tension: Array) -> tuple[Array, Array]:
    """Thins a rope that can part, with two points per element: several elements become one, which
    is nan at frames at which the rope is apart among them."""
    import numpy as np

    starts, ends = points[:, 0::2], points[:, 1::2]
    chosen = np.append(kept(tension.shape[1]), tension.shape[1])
    begin, last = chosen[:-1], chosen[1:] - 1
    own = np.stack([starts[:, begin], ends[:, last]], axis=2)
    apart = np.any(starts[:, 1:] != ends[:, :-1], axis=2)
    for k, (a, b) in enumerate(zip(begin, last)):
        own[np.any(apart[:, a:b], axis=1), k] = math.nan
    return own.reshape(len(points), -1, 3), np.fmax.reduceat(tension, begin, axis=1)


@dataclass
class Path:
    """The path of a rope over bodies at one frame."""

    points: Array   # n x 3
    tension: Array  # n - 1
    bends: tuple[tuple[int, int], ...]  # first and last point on each body or in each eye


@functools.lru_cache(maxsize=4096)
def find_bends(bend: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Returns the groups of equal numbers, without the two ends of the path."""
    inner = range(1, len(bend) - 1)
    groups = [list(own) for _, own in itertools.groupby(inner, key=bend.__getitem__)]
    return tuple((own[0], own[-1]) for own in groups)


def path_lists(file: Any, prefix: str) -> list[Array]:
    """Returns the lists first, points, tensions and bends of all paths (analysis/README.md)."""
    names = [f"paths/{prefix}{name}" for name in ("first", "points_m", "tension_N", "bend")]
    lists = [file[name] for name in names]
    small = lists[1].size * 8 <= WHOLE
    return [values[:] for values in lists] if small else lists


def read_paths(all_of_them: Sequence[Array], frames: Array, rope: int) -> list[Path | None]:
    """Returns the paths of a rope at the frames; None where the closed form has no value."""
    first, *lists = all_of_them
    found: list[Path | None] = []
    for frame in frames:
        start, end = map(int, first[int(frame), rope:rope + 2])
        points, tension, bend = (values[start:end] for values in lists)
        found.append(Path(points, tension[:-1], find_bends(tuple(bend.ravel().tolist())))
                     if end > start else None)
    return found


@functools.lru_cache(maxsize=4096)
def even_places(count: int, own: tuple[tuple[int, int], ...], bends: int, corners: int
                ) -> tuple[Array, Array, Array]:
    """Returns how to resample a path of `count` points: for each new point the point before it and
    the share of the distance to the next, and for each new piece the old one."""
    import numpy as np

    places = [np.linspace(first, last, corners) for first, last in own]
    places += [np.full(corners, float(own[-1][-1]) if own else 0.0)] * (bends - len(own))
    where = np.concatenate([[0.0], *places, [count - 1.0]])
    below = np.minimum(where.astype(int), count - 2)
    middle = np.minimum(((where[:-1] + where[1:]) / 2).astype(int), count - 2)
    return below, (where - below)[:, None], middle


def even_path(path: Path | None, bends: int, corners: int) -> tuple[Array, Array]:
    """Resamples a path to `corners` points on each of `bends` bends. Missing bends have no length,
    so that all frames have equally many points."""
    import numpy as np

    count = 2 + bends * corners
    if path is None:
        return np.full((count, 3), math.nan), np.full(count - 1, math.nan)
    below, share, middle = even_places(len(path.points), path.bends, bends, corners)
    points = (1 - share) * path.points[below] + share * path.points[below + 1]
    return points, path.tension[middle]


def even_paths(paths: Sequence[Path | None]) -> tuple[Array, Array]:
    """Resamples the paths of all frames: frames x points x 3, and frames x tensions."""
    import numpy as np

    bends = max((len(p.bends) for p in paths if p), default=0)
    longest = max((last - first + 1 for p in paths if p for first, last in p.bends), default=0)
    corners = min(longest, max(2, (POINTS - 2) // max(bends, 1)))
    made = [even_path(path, bends, corners) for path in paths]
    return np.stack([points for points, _ in made]), np.stack([tension for _, tension in made])


def read_ropes(file: Any, motion: Motion, frames: Array, prefix: str) -> None:
    import numpy as np

    points = take(file, f"ropes/{prefix}points_m", frames)
    if points is None:
        return
    first, element = file["ropes/first_point"][:], file["ropes/first_element"][:]
    closed = file["ropes/closed"][:]
    has_path = file["ropes/has_path"][:] if f"paths/{prefix}first" in file else 0 * closed
    all_paths = path_lists(file, prefix) if any(has_path) else []
    parts = file["ropes/parts"][:] if "ropes/parts" in file else 0 * closed
    radius = file["ropes/radius_m"][:] if "ropes/radius_m" in file else 0.0 * closed
    tension = take(file, f"ropes/{prefix}tension_N", frames)
    if tension is None:
        tension = np.full((len(frames), int(element[-1])), math.nan)
    lines, tensions, shapes = [], [], []
    for r, loop in enumerate(map(bool, closed)):
        if has_path[r]:
            paths = read_paths(all_paths, frames, r)
            own, pulls = even_paths(paths)
            shapes.append([len(p.bends) if p else -1 for p in paths])
        elif parts[r]:
            own, pulls = thin_parts(points[:, first[r]:first[r + 1]],
                                    tension[:, element[r]:element[r + 1]])
        else:
            count = int(first[r + 1] - first[r])
            own = points[:, int(first[r]) + kept(count)]
            pulls = thin_tension(tension[:, element[r]:element[r + 1]], count, loop)
        lines.append(own)
        tensions.append(pulls)
        motion.ropes.append(Rope(own.shape[1], pulls.shape[1], loop, bool(parts[r]),
                                 float(radius[r])))
    motion.points, motion.tension = np.concatenate(lines, axis=1), np.concatenate(tensions, axis=1)
    motion.breaks = find_breaks(list(zip(*shapes)))


def find_breaks(shapes: Sequence[Any]) -> list[int]:
    """Returns the frames after which a rope lies on other bodies, so that it is not
    interpolated."""
    return [k for k, (a, b) in enumerate(zip(shapes, shapes[1:])) if a != b]


def listed(file: Any, group: str, name: str, frames: Array) -> list[Array]:
    """Returns the records of a list that belong to each frame."""
    import numpy as np

    if f"{group}/{name}" not in file or file[f"{group}/{name}"].shape[0] == 0:
        return [np.zeros((0, 3))] * len(frames)
    first, count = file[f"{group}/first"][:], file[f"{group}/count"][:]
    all_of_them = file[f"{group}/{name}"]
    if all_of_them.size * 8 <= WHOLE:
        all_of_them = all_of_them[:]
    return [all_of_them[int(first[frame]):int(first[frame] + count[frame])] for frame in frames]


def read_contacts(file: Any, motion: Motion, frames: Array) -> None:
    """Reads contacts with a force, and the points at which ropes reach and leave bodies."""
    import numpy as np

    places, kinds = [], []
    for pushing, entry, leave, grip in zip(*(listed(file, *what, frames) for what in (
            ("contacts", "position_m"), ("wraps", "entry_m"), ("wraps", "exit_m"),
            ("wraps", "grip")))):
        own = np.concatenate([pushing[kept(len(pushing))] if len(pushing) else pushing, entry, leave])
        grips = [GRIPS.get(int(g), SLIDES) for g in grip.ravel()]
        places.append(own)
        kinds.append(PUSHES * (len(own) - 2 * len(grips)) + "".join(grips) * 2)
    motion.contact_counts = [len(own) for own in places]
    if any(motion.contact_counts):
        motion.contacts = np.concatenate(places)
        motion.contact_kinds = "".join(kinds)
    bodies = [own.ravel().tolist() for own in listed(file, "wraps", "body", frames)]
    motion.breaks = sorted({*motion.breaks, *find_breaks(bodies)})


def read_motion(file: Any, frames: Array, exact: bool) -> Motion:
    prefix = "exact_" if exact else ""
    motion = Motion(file["time_s"][:][frames])
    read_ropes(file, motion, frames, prefix)
    motion.centres = take(file, f"bodies/{prefix}position_m", frames)
    motion.rotations = take(file, f"bodies/{prefix}rotation", frames)
    if not exact:
        drawn = take(file, "ropes/drawn_m", frames)
        first = file["ropes/first_drawn"][:] if drawn is not None else []
        motion.drawn, motion.drawn_counts = thin_lines(drawn, first)
        read_contacts(file, motion, frames)
    return motion


def complete_time(file: Any) -> Array:
    """Returns the times of the complete frames."""
    return file["time_s"][: int(file.attrs["frames"])]


@dataclass
class Played:
    run: Run
    motion: Motion


def read_runs(scenario: Scenario) -> tuple[list[Played], Motion | None, list[str]]:
    """Reads the motions of all runs and that of the closed form, and returns the labels of runs
    whose file cannot be read."""
    opened, unreadable = [], []
    for run in scenario.runs:
        try:
            file = run.trajectory
            if file is not None and len(complete_time(file)):
                opened.append((run, file))
        except (NoResults, OSError, KeyError, ValueError):
            unreadable.append(run.label)
    end = max((float(complete_time(file)[-1]) for _, file in opened), default=0.0)
    played: list[Played] = []
    ghost: Motion | None = None
    for run, file in opened:
        frames = choose_frames(complete_time(file), end)
        try:
            played.append(Played(run, read_motion(file, frames, False)))
            if ghost is None or ghost.time[-1] < file["time_s"][int(frames[-1])]:
                if "ropes/exact_points_m" in file or "bodies/exact_position_m" in file:
                    ghost = read_motion(file, frames, True)
        except (OSError, KeyError, ValueError):
            unreadable.append(run.label)
        finally:
            file.close()
            del run.__dict__["trajectory"]  # it is opened again when needed
    return played, ghost, unreadable


def extent(places: Sequence[Array]) -> tuple[Array, Array] | None:
    import numpy as np

    points = np.concatenate([np.zeros((0, 3)), *places])
    points = points[np.isfinite(points).all(axis=1)]
    return (points.min(axis=0), points.max(axis=0)) if len(points) else None


def breadth(places: Sequence[Array]) -> float:
    found = extent(places)
    return float(max(found[1] - found[0])) if found else 0.0


def healthy(played: Sequence[Played]) -> list[Played]:
    """Returns the finished runs without those that go much farther than most."""
    done = [p for p in played if p.run.status == "done"]
    usual = statistics.median([breadth(p.motion.places()) for p in done] or [0.0])
    return [p for p in done if breadth(p.motion.places()) <= FAR * usual]


def healthy_places(played: Sequence[Played], ghost: Motion | None) -> list[Array]:
    """Returns the points that determine the window: of healthy runs, or else of the first half of
    the others."""
    good = [p.motion.places() for p in healthy(played)]
    if not good:
        good = [[a[: max(1, len(a) // 2)] for a in p.motion.places()] for p in played]
    if ghost is not None:
        good.append(ghost.places())
    return [places for motion in good for places in motion]


@dataclass
class Grid:
    """The box of all positions and their encoding as numbers."""

    low: Array
    high: Array

    @property
    def axes(self) -> list[int]:
        """Returns the axes along which positions differ."""
        size = max(self.high - self.low)
        return [a for a in range(3) if self.high[a] - self.low[a] > 1e-9 * size]

    def encode(self, places: Array) -> str:
        import numpy as np

        axes = self.axes
        low, high = self.low[axes], self.high[axes]
        share = (places[..., axes] - low) / (high - low)
        slack = 0.5 / (2 * HALF)
        inside = np.isfinite(share) & (share > -slack) & (share < 1 + slack)
        inside &= np.isfinite(places).all(axis=-1, keepdims=True)
        code = np.round(np.where(inside, np.clip(share, 0, 1), 0.5) * 2 * HALF) - HALF
        return packed(np.where(inside, code, GAP).astype("<i2"))


def packed(array: Array) -> str:
    """Encodes the differences between frames (the first axis), which are small, as deflated
    base64."""
    differences = array.copy()
    differences[1:] -= array[:-1]  # modulo 2^16 or 2^8
    return base64.b64encode(zlib.compress(differences.tobytes())).decode("ascii")


def make_grid(played: Sequence[Played], ghost: Motion | None, window: tuple[Array, Array]) -> Grid:
    """Returns a grid over all positions, but no farther than ROOM sizes around the window."""
    import numpy as np

    places = [a for p in played for a in p.motion.places()]
    places += ghost.places() if ghost is not None else []
    whole = extent(places) or window
    room = ROOM * max(float(max(window[1] - window[0])), 1e-3)
    return Grid(np.maximum(whole[0], window[0] - room), np.minimum(whole[1], window[1] + room))


def tension_limit(played: Sequence[Played]) -> float:
    """Returns the tension at the top of the scale, exceeded only by the highest peaks."""
    import numpy as np

    good = [p.motion.tension for p in played if p.run.status == "done"] or [
        p.motion.tension for p in played]
    values = np.concatenate([np.zeros(0), *(t.ravel() for t in good if t is not None)])
    values = values[np.isfinite(values) & (values > 0)]
    return short(float(np.quantile(values, 0.99))) if len(values) else 0.0


def encode_tension(tension: Array, limit: float) -> str:
    import numpy as np

    share = np.clip(np.nan_to_num(tension, nan=0.0, posinf=limit) / (limit or 1.0), 0, 1)
    return packed(np.where(np.isnan(tension), UNKNOWN,
                           np.round(share * (UNKNOWN - 1))).astype("u1"))


def encode_motion(motion: Motion, grid: Grid, limit: float) -> dict[str, Any]:
    import numpy as np

    coded: dict[str, Any] = {"time": [float(f"{t:.6g}") for t in motion.time]}
    if motion.points is not None:
        coded["ropes"] = [{"points": r.points, "elements": r.elements, "closed": r.closed,
                           **({"parts": True} if r.parts else {}),
                           **({"radius": r.radius} if r.radius > 0 else {})}
                          for r in motion.ropes]
        coded["points"] = grid.encode(motion.points)
        coded["tension"] = encode_tension(motion.tension, limit)
        if motion.breaks:
            coded["breaks"] = motion.breaks
    if motion.drawn is not None:
        coded["drawnRopes"] = motion.drawn_counts
        coded["drawn"] = grid.encode(motion.drawn)
    if motion.centres is not None:
        coded["centres"] = grid.encode(motion.centres)
    if motion.rotations is not None:
        coded["rotations"] = packed(np.round(np.nan_to_num(motion.rotations) * HALF)
                                    .astype("<i2"))
    if motion.contacts is not None:
        coded["contactCounts"] = motion.contact_counts
        coded["contacts"] = grid.encode(motion.contacts)
        if motion.contact_kinds.strip(PUSHES):
            coded["contactKinds"] = motion.contact_kinds
    return coded


def ending(run: Run, motion: Motion) -> str:
    """Returns the legend's remark on a run that did not finish."""
    return "" if run.status == "done" else f"{run.status} at {float(motion.time[-1]):.3g} s"


def still_places(bodies: dict[str, dict[str, Any]]) -> list[Vector]:
    return [add(vector(body.get("position")), rotate(vector(body.get("rotation")), point))
            for body in bodies.values() if body.get("motion") == "fixed"
            for point in body_wires(body).points()]


def moving_reach(bodies: dict[str, dict[str, Any]], played: Sequence[Played]) -> list[Array]:
    """Returns the positions of moving bodies, and those plus and minus the reach of their
    shapes."""
    import numpy as np

    found = []
    good = healthy(played)
    for k, body in enumerate(bodies.values()):
        reach = max((math.hypot(*point) for line in body_wires(body).lines for point in line),
                    default=0.0)
        if body.get("motion") != "fixed" and reach > 0:
            centres = [p.motion.centres[:, k] for p in good
                       if p.motion.centres is not None and p.motion.centres.shape[1] > k]
            found += [c + np.full(3, s * reach) for c in centres for s in (-1, 1)]
    return found


def coded_runs(played: Sequence[Played], styles: dict[str, SolverStyle], grid: Grid,
               limit: float) -> list[dict[str, Any]]:
    widths = breadths(len(played), any(p.motion.drawn is not None for p in played))
    runs = []
    for p, width in zip(played, widths):
        style = styles[p.run.label]
        runs.append({"label": p.run.label, "colour": style.colour, "dash": list(style.dash),
                     "symbol": style.symbol, "width": short(width),
                     "ending": ending(p.run, p.motion), **encode_motion(p.motion, grid, limit)})
    return runs


def coded_bodies(bodies: dict[str, dict[str, Any]], window: tuple[Array, Array]
                 ) -> list[dict[str, Any]]:
    """Encodes the bodies; planes extend a little beyond the window."""
    middle: Vector = tuple(map(float, (window[0] + window[1]) / 2))
    size = 0.75 * float(max(window[1] - window[0])) or 1.0
    return [{"name": name, "fixed": body.get("motion") == "fixed",
             **body_wires(body, middle, size).as_json()} for name, body in bodies.items()]


def is_deep(core: tuple[Array, Array], view: View) -> bool:
    """Whether the moving parts are too deep to be seen well from the front."""
    size = core[1] - core[0]
    depth = size[3 - view.across - view.up]
    return bool(depth > DEEP * max(size[view.across], size[view.up]))


def build(scenario: Scenario, styles: dict[str, SolverStyle], played: Sequence[Played],
          ghost: Motion | None) -> dict[str, Any] | None:
    """Returns all data of player.js; None if nothing finite was recorded."""
    import numpy as np

    places = healthy_places(played, ghost)
    core = extent(places)
    if core is None:
        return None
    definition = scenario.definition
    bodies = {name: mapping(body) for name, body in mapping(definition.get("bodies")).items()}
    solid = [np.array(still_places(bodies)).reshape(-1, 3), *moving_reach(bodies, played)]
    window = extent([*places, *solid]) or core
    grid = make_grid(played, ghost, window)
    limit = tension_limit(played)
    view = choose_view(definition.get("gravity"), [tuple(map(float, c)) for c in core])
    return {"format": 1, "title": scenario.title, "across": view.across, "up": view.up,
            "tilted": is_deep(core, view),
            "low": list(map(float, grid.low)), "high": list(map(float, grid.high)),
            "axes": grid.axes, "window": [[short(float(c)) for c in corner] for corner in window],
            "tensionLimit": limit, "bodies": coded_bodies(bodies, window),
            "runs": coded_runs(played, styles, grid, limit),
            "exact": encode_motion(ghost, grid, limit) if ghost is not None else None}


@dataclass
class Player:
    """The data of a scenario's player as text for the page, or a note why there is none."""

    data: str = ""
    caption: str = ""
    note: str = ""


def write_caption(played: Sequence[Played], ghost: Motion | None) -> str:
    whose = "the solver" if len(played) == 1 else "all solvers"
    text = (f"The motion of {whose}: at most {FRAMES} of the recorded frames; between two of them "
            "everything moves straight on.")
    drawn = [p.run.label for p in played if p.motion.drawn is not None]
    if drawn:
        text += (f" Thin, over pale nodes and elements: the rope as the original of "
                 f"{' and '.join(drawn)} draws it.")
    if ghost is not None:
        text += " Broad grey: the closed form."
    kinds = {kind for p in played for kind in p.motion.contact_kinds}
    if PUSHES in kinds:
        text += " Dark dots: contacts that push."
    if kinds & {SLIDES, STICKS}:
        text += (" Rings: where a rope comes on to a body and leaves it; dark squares instead: it "
                 "sticks there.")
    if UNJUDGED in kinds:
        text += " Dots there at t = 0: whether it sticks is not known before the first step."
    slipped = [f"{p.run.label} ({p.run.metric('slipped_off'):.0f} times)" for p in played
               if p.run.metric("slipped_off", math.nan) > 0]
    if slipped:
        text += f" A rope slipped off a body: {', '.join(slipped)}."
    parted = [f"{p.run.label} ({p.run.metric('parted'):.0f} times)" for p in played
              if p.run.metric("parted", math.nan) > 0]
    if parted:
        text += f" Something came apart: {', '.join(parted)}."
    empty = [f"{p.run.label} (rope '{c['rope']}' at {c['time_s']:.6g} s, {c['length_m']:.3g} m left)"
             for p in played for c in p.run.changes if c["change"] == "no rope left"]
    if empty:
        text += f" A winch stopped for want of rope: {', '.join(empty)}."
    ended = [f"{p.run.label} ({words})" for p in played if (words := ending(p.run, p.motion))]
    if ended:
        text += f" Pale from its last frame on: {', '.join(ended)}."
    return text


def make_player(scenario: Scenario, styles: dict[str, SolverStyle]) -> Player:
    if missing_module():
        return Player()  # the page says so once
    played, ghost, unreadable = read_runs(scenario)
    built = build(scenario, styles, played, ghost) if played else None
    note = (f"Not in the player, since trajectory.h5 cannot be read: {', '.join(unreadable)}."
            if unreadable else "")
    if built is None:
        return Player(note=note or "No run has a trajectory.h5, so there is no player.")
    text = json.dumps(built, separators=(",", ":"), allow_nan=False)
    return Player(text.replace("<", "\\u003c"), write_caption(played, ghost), note)
