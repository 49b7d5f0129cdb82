# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what ropelab's commands write: run.json, the CSV files beside it, and summary.csv."""

from __future__ import annotations

import csv
import json
import math
import os
from array import array
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Sequence

LARGEST = 1e100  # larger numbers are the end of a run that diverged, and nothing to draw
SERIES, ITERATIONS, SNAPSHOTS = "series.csv", "iterations.csv", "snapshots.csv"
TRAJECTORY = "trajectory.h5"
WORDS = frozenset({"item", "kind", "scenario", "label", "solver", "parameters", "status", "reason",
                   "state_hash"})  # columns that do not hold numbers


class NoResults(Exception):
    """The folder holds no result that could be read."""


@dataclass
class Run:
    """One solver on one scenario: what run.json says, and the folder of its CSV files.

    The files are read when they are first asked for. Columns are numpy arrays if numpy is
    installed, else lists; those of words are lists.
    """

    folder: Path | None  # None: the run is known from summary.csv only
    info: dict[str, Any]
    row: dict[str, str] = field(default_factory=dict)  # its line of summary.csv

    @property
    def solver(self) -> dict[str, Any]:
        return mapping(self.info.get("solver"))

    @property
    def scenario(self) -> dict[str, Any]:
        return mapping(self.info.get("scenario"))

    @property
    def scenario_name(self) -> str:
        parent = self.folder.parent.name if self.folder else ""
        return str(self.scenario.get("name") or self.row.get("scenario") or parent or "scenario")

    @property
    def label(self) -> str:
        folder = self.folder.name if self.folder else ""
        solver = self.solver
        return str(solver.get("label") or self.row.get("label") or solver.get("name") or folder)

    @property
    def solver_name(self) -> str:
        return str(self.solver.get("name") or self.row.get("solver") or self.label)

    @property
    def status(self) -> str:
        return str(self.info.get("status") or self.row.get("status") or "unknown")

    @property
    def reason(self) -> str:
        """Why it ended as it did, where that says more than the status."""
        reason = str(self.info.get("reason") or self.row.get("reason") or "")
        return "" if reason == self.status else reason

    @property
    def changes(self) -> list[dict[str, Any]]:
        """What came apart, and the winches that ran out of rope."""
        changes = self.info.get("changes")
        return changes if isinstance(changes, list) else []

    @property
    def notes(self) -> list[str]:
        """What happened and is easily overlooked, in words."""
        notes = self.info.get("notes")
        return [str(note) for note in notes] if isinstance(notes, list) else []

    @property
    def step(self) -> float:
        value = number(self.info.get("step_s"))
        return value if math.isfinite(value) else number(self.row.get("step"))

    @property
    def duration(self) -> float:
        value = number(self.info.get("duration_s"))
        return value if math.isfinite(value) else number(self.scenario.get("duration"))

    def metric(self, name: str) -> float:
        """A summary number; nan where there is none."""
        if name == "seconds":
            value = number(self.info.get("seconds"))
        else:
            value = number(mapping(self.info.get("summary")).get(name))
        return value if math.isfinite(value) else number(self.row.get(name))

    def file(self, name: str) -> Path | None:
        """The path of one of its files; None if the run did not write it."""
        path = self.folder / name if self.folder else None
        return path if path and path.is_file() else None

    def table(self, name: str, largest: float = LARGEST) -> Mapping[str, array[float]]:
        """A CSV file of numbers, by column, limited to +-largest; empty if there is none."""
        known = self.__dict__.setdefault("tables", {})
        if (name, largest) not in known:
            path = self.file(name)
            known[name, largest] = read_numbers(path, largest) if path else {}
        return known[name, largest]

    def __getstate__(self) -> dict[str, Any]:
        """What was read from its files does not go with it to another process."""
        return {own.name: getattr(self, own.name) for own in fields(self)}

    @cached_property
    def series(self) -> dict[str, Sequence[float]]:
        """The columns of series.csv."""
        return {name: shown(column) for name, column in self.table(SERIES, math.inf).items()}

    @cached_property
    def iterations(self) -> dict[str, Sequence[float]]:
        """The columns of iterations.csv: step, iteration, residual_m."""
        return {name: shown(column) for name, column in self.table(ITERATIONS, math.inf).items()}

    def snapshot_rows(self) -> list[dict[str, str]]:
        path = self.file(SNAPSHOTS)
        return list(read_rows(path)) if path else []

    @cached_property
    def snapshots(self) -> dict[str, Sequence[Any]]:
        """The columns of snapshots.csv: time_s, item, kind, index, x, y, z."""
        return columns_of(self.snapshot_rows())

    @cached_property
    def trajectory(self) -> Any:
        """trajectory.h5, open for reading with h5py; None if the run did not write one."""
        path = self.file(TRAJECTORY)
        if path is None:
            return None
        import h5py  # needed for this alone

        return h5py.File(path, "r")


    def rope_at(self, rope: str, frame: int) -> tuple[Any, Any]:
        """The points of a rope at a frame of the trajectory, over the bodies on which it lies
        (n x 3), and the tension from each to the next (n - 1; of a closed rope n). Between the
        pieces of a rope that has parted there is a point of nan."""
        file = self.trajectory
        if file is None:
            raise NoResults(f"{self.folder}: no {TRAJECTORY}")
        names = [name.decode() for name in file["ropes/name"][:]]
        if rope not in names:
            raise KeyError(rope)
        r = names.index(rope)
        frame = range(int(file.attrs["frames"]))[frame]
        if "ropes/has_path" in file and file["ropes/has_path"][r]:
            first, end = file["paths/first"][frame, r:r + 2]
            return (file["paths/points_m"][first:end], file["paths/tension_N"][first:end - 1])
        first, end = file["ropes/first_point"][r:r + 2]
        points = file["ropes/points_m"][frame, first:end]
        first, end = file["ropes/first_element"][r:r + 2]
        tension = file["ropes/tension_N"][frame, first:end]
        if "ropes/parts" in file and file["ropes/parts"][r]:
            return join(points, tension)
        over_eyes = len(tension) == 1 and len(points) > 2  # one tension for all pieces
        return points, tension.repeat(len(points) - 1) if over_eyes else tension


def join(points: Any, tension: Any) -> tuple[Any, Any]:
    """The elements of a rope that can part, two points each, as one line with gaps of nan."""
    import numpy as np

    line, pulls = [points[0]], []
    for i, pull in enumerate(tension):
        start, end = points[2 * i], points[2 * i + 1]
        if i > 0 and not np.array_equal(start, line[-1]):
            line += [np.full(3, np.nan), start]
            pulls += [np.nan, np.nan]
        line.append(end)
        pulls.append(pull)
    return np.array(line), np.array(pulls)


@dataclass
class Scenario:
    name: str
    runs: list[Run]

    @property
    def definition(self) -> dict[str, Any]:
        return next((run.scenario for run in self.runs if run.scenario), {})

    @property
    def title(self) -> str:
        return str(self.definition.get("title") or self.name)

    @property
    def about(self) -> str:
        return str(self.definition.get("about") or "")

    @property
    def duration(self) -> float:
        known = [run.duration for run in self.runs if math.isfinite(run.duration)]
        return max(known, default=1.0)


@dataclass
class Results:
    """The runs of a comparison, by scenario, in the order in which they were asked for."""

    folder: Path
    scenarios: list[Scenario]

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __getitem__(self, key: tuple[str, str]) -> Run:
        """The run of a scenario and a label."""
        for run in self.runs:
            if (run.scenario_name, run.label) == key:
                return run
        raise KeyError(key)

    @property
    def summary(self) -> dict[str, Sequence[Any]]:
        """The columns of summary.csv; empty if there is none."""
        path = self.folder / "summary.csv"
        return columns_of(read_rows(path)) if path.is_file() else {}

    @property
    def runs(self) -> list[Run]:
        return [run for scenario in self.scenarios for run in scenario.runs]

    @cached_property
    def labels(self) -> list[str]:
        """Every solver label, in the order in which the runs were asked for."""
        return list(dict.fromkeys(run.label for run in self.runs))


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def number(value: Any) -> float:
    """The number that a JSON value or a CSV cell stands for; nan if it stands for none."""
    if isinstance(value, bool) or value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def content_lines(path: Path) -> Iterator[str]:
    """The lines of a CSV file without comments; a line cut off in the middle of a write is kept
    for the reader to judge."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield line


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    rows = csv.reader(content_lines(path))
    names = next(rows, [])
    for row in rows:
        yield (dict(zip(names, row)) if len(row) == len(names)
               else dict(zip_longest(names, row[:len(names)], fillvalue="")))


def shown(column: array[float]) -> Sequence[float]:
    """A column as a user of this module has it."""
    try:
        import numpy  # not at the top: reports do without it, and start sooner
    except ImportError:
        return list(column)
    return numpy.asarray(column)


def columns_of(rows: Iterable[dict[str, str]]) -> dict[str, Sequence[Any]]:
    """Rows of words and numbers, by column."""
    rows = list(rows)
    return {name: [row.get(name, "") for row in rows] if name in WORDS
            else shown(array("d", (number(row.get(name)) for row in rows)))
            for name in (rows[0] if rows else ())}


class Columns(Mapping[str, "array[float]"]):
    """A table of numbers: each column stays text until somebody asks for it."""

    def __init__(self, texts: dict[str, str], largest: float) -> None:
        self.texts, self.largest = texts, largest
        self.numbers: dict[str, array[float]] = {}

    def __getitem__(self, name: str) -> array[float]:
        if name not in self.numbers:
            cells = self.texts[name].split(",")
            self.numbers[name] = limited(as_numbers(cells[:-1]), self.largest)
            self.texts[name] = ""
        return self.numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


def read_numbers(path: Path, largest: float = LARGEST) -> Columns:
    """Columns of a numeric CSV file. Rows of the wrong width (a line cut short) are dropped."""
    lines = content_lines(path)
    names = next(csv.reader([next(lines, "")]), [])
    rows = [cells for line in lines if len(cells := line.split(",")) == len(names)]
    columns = zip(*rows) if rows else [()] * len(names)
    return Columns({name.strip(): ",".join([*column, ""]) for name, column in zip(names, columns)},
                   largest)


def as_numbers(cells: Sequence[str]) -> array[float]:
    try:
        return array("d", map(float, cells))
    except ValueError:
        return array("d", map(number, cells))


def limited(column: array[float], largest: float) -> array[float]:
    if not any(map(largest.__lt__, map(abs, column))):
        return column
    return array("d", (math.copysign(largest, value) if abs(value) > largest else value
                       for value in column))


def load_run(path: Path) -> Run | None:
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Run(path.parent, mapping(info))


def find_runs(folder: Path) -> list[Run]:
    """The run in the folder itself, or those up to three levels below it."""
    patterns = ["run.json"] if (folder / "run.json").is_file() else [
        "*/run.json", "*/*/run.json", "*/*/*/run.json"]
    paths = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
    visible = [path for path in paths
               if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    return [run for run in map(load_run, visible) if run is not None]


def load(folder: str | os.PathLike[str]) -> Run:
    """The result of `ropelab run` in a folder, or one of those of a comparison."""
    run = load_run(Path(folder) / "run.json")
    if run is None:
        raise NoResults(f"{folder}: no run.json that could be read")
    return run


def load_comparison(folder: str | os.PathLike[str]) -> Results:
    """What summary.csv lists, in its order; without one, every run in the folder."""
    folder = Path(folder)
    if not folder.is_dir():
        raise NoResults(f"{folder}: no such folder")
    runs = find_runs(folder)
    summary = folder / "summary.csv"
    rows = list(read_rows(summary)) if summary.is_file() else []
    order: dict[tuple[str, str], int] = {}
    known = {(run.scenario_name, run.label): run for run in runs}
    for row in rows:
        key = (row.get("scenario", ""), row.get("label", ""))
        order.setdefault(key, len(order))
        if key in known:
            known[key].row = row
        elif all(key):
            known[key] = Run(None, {}, row)
            runs.append(known[key])
    if rows:  # what an earlier comparison left in the folder is not part of this one
        runs = [run for run in runs if (run.scenario_name, run.label) in order]
    if not runs:
        raise NoResults(f"{folder}: no run.json and no summary.csv with runs in it")
    runs.sort(key=lambda run: order.get((run.scenario_name, run.label), len(order)))
    scenarios: dict[str, Scenario] = {}
    for run in runs:
        scenarios.setdefault(run.scenario_name, Scenario(run.scenario_name, [])).runs.append(run)
    return Results(folder, list(scenarios.values()))
