# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the files of ropelab's commands: run.json, the CSV files beside it, and summary.csv."""

from __future__ import annotations

import csv
import difflib
import json
import math
import os
from array import array
from collections import Counter
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Sequence

LARGEST = 1e100  # larger numbers belong to a divergence and are not drawn
SERIES, ITERATIONS, SNAPSHOTS = "series.csv", "iterations.csv", "snapshots.csv"
TRAJECTORY = "trajectory.h5"
FEW = 12  # most names that a message lists beside the nearest one
WORDS = frozenset({"item", "kind", "scenario", "label", "solver", "parameters", "status", "reason",
                   "state_hash"})  # columns of text


class NoResults(Exception):
    """The folder holds no readable result."""


class NoSuchName(KeyError):
    """There is nothing with that name; the message has the nearest name, or all of them."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError shows its repr


def no_such(what: str, name: object, names: Iterable[str], where: object) -> NoSuchName:
    known = list(names)
    near = difflib.get_close_matches(str(name), known, 1)
    hints = [f"did you mean {near[0]!r}?"] if near else []
    if not near or len(known) <= FEW:
        hints.append(f"there {'is' if len(known) < 2 else 'are'} {', '.join(known) or 'none'}")
    return NoSuchName(f"no {what} {name!r} in {where}: {' '.join(hints)}")


class Table(dict[str, Sequence[Any]]):
    """The columns of a table by name, each as long as the table has rows: numpy arrays if numpy is
    installed, else lists; columns of text are lists."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], where: str) -> None:
        super().__init__(columns)
        self.where = where  # where it was read, for messages

    def __missing__(self, name: str) -> Sequence[Any]:
        raise no_such("column", name, self, self.where)

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"<ropelab.Table {self.where}: {rows} rows of {', '.join(self) or 'nothing'}>"


@dataclass(repr=False)
class Run:
    """One solver on one scenario: the contents of run.json and the folder of its CSV files, which
    are read on first use."""

    folder: Path | None  # None: known only from summary.csv
    info: dict[str, Any]  # run.json
    row: dict[str, str] = field(default_factory=dict)  # its row of summary.csv
    own_label: str = ""  # where other runs beside it have the label of its solver, too

    def __repr__(self) -> str:
        return f"<ropelab.Run {self.scenario_name}, {self.label}: {self.status}, {self.folder}>"

    @property
    def solver(self) -> dict[str, Any]:
        """Returns `solver` of run.json: `name`, `label`, `parameters` ..."""
        return mapping(self.info.get("solver"))

    @property
    def scenario(self) -> dict[str, Any]:
        """Returns `scenario` of run.json: the scenario with all defaults filled in."""
        return mapping(self.info.get("scenario"))

    @property
    def scenario_name(self) -> str:
        """Returns the name of the scenario; if it is unknown, that of its folder."""
        parent = self.folder.parent.name if self.folder else ""
        return str(self.scenario.get("name") or self.row.get("scenario") or parent or "scenario")

    @property
    def label(self) -> str:
        """Returns the label of the solver and its curve: `fine` of fine=pbd,iterations=100."""
        folder = self.folder.name if self.folder else ""
        solver = self.solver
        return str(self.own_label or solver.get("label") or self.row.get("label")
                   or solver.get("name") or folder)

    @property
    def solver_name(self) -> str:
        """Returns the name of the method: `pbd` of fine=pbd,iterations=100."""
        return str(self.solver.get("name") or self.row.get("solver") or self.label)

    @property
    def status(self) -> str:
        """Returns how the run ended: done, diverged, unsupported, timeout, interrupted, failed; or
        running."""
        return str(self.info.get("status") or self.row.get("status") or "unknown")

    @property
    def reason(self) -> str:
        """Returns why it ended so, if that says more than the status."""
        reason = str(self.info.get("reason") or self.row.get("reason") or "")
        return "" if reason == self.status else reason

    @property
    def changes(self) -> list[dict[str, Any]]:
        """Returns the events at which ropes parted, ends were released or winches ran out of
        rope."""
        changes = self.info.get("changes")
        return changes if isinstance(changes, list) else []

    @property
    def notes(self) -> list[str]:
        """Returns notes, in words, on what is easily overlooked."""
        notes = self.info.get("notes")
        return [str(note) for note in notes] if isinstance(notes, list) else []

    @property
    def step(self) -> float:
        """Returns the time step [s]; nan if it is unknown."""
        value = number(self.info.get("step_s"))
        return value if math.isfinite(value) else number(self.row.get("step"))

    @property
    def duration(self) -> float:
        """Returns the planned duration [s]; nan if it is unknown."""
        value = number(self.info.get("duration_s"))
        return value if math.isfinite(value) else number(self.scenario.get("duration"))

    def metric(self, name: str, absent: float | None = None) -> float:
        """Returns a number of the summary by its column of summary.csv, whose name has the unit;
        nan if this run has no value. Raises NoSuchName if no such column exists, unless `absent` is
        given, which is returned then."""
        summary = mapping(self.info.get("summary"))
        known = {**self.row, **summary}
        if known and name not in known and name != "seconds":
            if absent is None:
                raise no_such("number", name, known, f"the summary of {self.label}")
            return absent
        value = number(self.info.get(name) if name == "seconds" else summary.get(name))
        return value if math.isfinite(value) else number(self.row.get(name))

    def file(self, name: str) -> Path | None:
        """Returns the path of one of its files; None if the run did not write it."""
        path = self.folder / name if self.folder else None
        return path if path and path.is_file() else None

    def table(self, name: str, largest: float = LARGEST) -> Mapping[str, array[float]]:
        """Returns a CSV file of numbers by column, limited to +-largest; empty if there is none."""
        known = self.__dict__.setdefault("tables", {})
        if (name, largest) not in known:
            path = self.file(name)
            known[name, largest] = read_numbers(path, largest) if path else {}
        return known[name, largest]

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state for another process, without what was read from files."""
        return {own.name: getattr(self, own.name) for own in fields(self)}

    @cached_property
    def series(self) -> Table:
        """Returns the columns of series.csv: time_s, energy_J ..., and the probes; empty if the run
        was refused."""
        return self.shown_table(SERIES)

    @cached_property
    def iterations(self) -> Table:
        """Returns the columns of iterations.csv: step, iteration, residual_m."""
        return self.shown_table(ITERATIONS)

    def shown_table(self, name: str) -> Table:
        """Returns a CSV file of numbers for the user, with a message for columns that do not
        exist."""
        columns = self.table(name, math.inf)
        where = self.folder / name if self.folder else name
        why = "" if columns else f", which has none (the run: {self.status} {self.reason})"
        return Table({own: shown(column) for own, column in columns.items()}, f"{where}{why}")

    def snapshot_rows(self) -> list[dict[str, str]]:
        """Returns the rows of snapshots.csv as text."""
        path = self.file(SNAPSHOTS)
        return list(read_rows(path)) if path else []

    @cached_property
    def snapshots(self) -> Table:
        """Returns the columns of snapshots.csv: time_s, item, kind, index, and x, y, z [m]."""
        return Table(columns_of(self.snapshot_rows()), str(self.folder and self.folder / SNAPSHOTS))

    @cached_property
    def trajectory(self) -> Any:
        """Opens trajectory.h5 for reading with h5py; None if the run did not write it. Shapes and
        units of its datasets are in analysis/README.md. Raises ImportError without h5py."""
        path = self.file(TRAJECTORY)
        if path is None:
            return None
        try:
            import h5py  # needed only here
        except ImportError as error:
            raise ImportError(f"to read {path} takes h5py (Debian package python3-h5py)") from error
        try:
            return h5py.File(path, "r")
        except OSError as error:
            raise NoResults(f"{path}: cannot be read: {error}") from error

    def rope_at(self, rope: str, frame: int) -> tuple[Any, Any]:
        """Returns a rope at a frame of the trajectory; negative frames count from the end. The
        result is its points [m], n x 3, along the bodies on which it lies, and the tension from
        each to the next [N], n - 1, or n of a closed rope; nan at the first frame. Between the
        pieces of a parted rope there is a point of nan. `trajectory["time_s"][frame]` is the time.
        Raises NoResults without a trajectory and NoSuchName for an unknown rope."""
        file = self.trajectory
        if file is None:
            raise NoResults(f"{self.folder}: no {TRAJECTORY} (the run: {self.status})")
        names = [name.decode() for name in file["ropes/name"][:]] if "ropes/name" in file else []
        if rope not in names:
            raise no_such("rope", rope, names, file.filename)
        count = int(file.attrs["frames"])
        if not -count <= frame < count:
            raise IndexError(f"no frame {frame} in {file.filename}: there are {count}, from 0")
        r = names.index(rope)
        frame = range(count)[frame]
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
    """Joins the elements of a rope that can part, two points each, into a line with gaps of nan."""
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


@dataclass(repr=False)
class Scenario:
    """A scenario of a comparison with the runs of all solvers on it."""

    name: str
    runs: list[Run]

    def __repr__(self) -> str:
        return f"<ropelab.Scenario {self.name}: {', '.join(run.label for run in self.runs)}>"

    @property
    def definition(self) -> dict[str, Any]:
        """Returns the scenario with all defaults filled in; empty if no run has it."""
        return next((run.scenario for run in self.runs if run.scenario), {})

    @property
    def title(self) -> str:
        """Returns the title of the scenario; without one, its name."""
        return str(self.definition.get("title") or self.name)

    @property
    def about(self) -> str:
        """Returns the scenario's description of itself."""
        return str(self.definition.get("about") or "")

    @property
    def duration(self) -> float:
        """Returns the duration of the longest run [s]."""
        known = [run.duration for run in self.runs if math.isfinite(run.duration)]
        return max(known, default=1.0)


@dataclass(repr=False)
class Results:
    """The runs of a comparison in the order of the command; iterate over them, or get one by
    results[scenario, label]."""

    folder: Path
    scenarios: list[Scenario]

    def __repr__(self) -> str:
        names = [scenario.name for scenario in self.scenarios]
        what = names[0] if len(names) == 1 else f"{len(names)} scenarios"
        return f"<ropelab.Results {self.folder}: {len(self)} runs of {what}>"

    def __len__(self) -> int:
        return len(self.runs)

    def keys(self) -> list[tuple[str, str]]:
        """Returns scenario and label of every run."""
        return [(run.scenario_name, run.label) for run in self.runs]

    _ipython_key_completions_ = keys

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __getitem__(self, key: tuple[str, str]) -> Run:
        """Returns the run of a scenario and a label. Raises NoSuchName if there is none."""
        if key in self.keys():
            return self.runs[self.keys().index(key)]
        if not (isinstance(key, tuple) and len(key) == 2):
            raise NoSuchName(f"[{key!r}]: expected a scenario and a label, as in {self.keys()[0]}")
        names = [scenario.name for scenario in self.scenarios]
        if key[0] not in names:
            raise no_such("scenario", key[0], names, self.folder)
        labels = [run.label for run in self.runs if run.scenario_name == key[0]]
        raise no_such(f"run of {key[0]} with the label", key[1], labels, self.folder)

    @cached_property
    def summary(self) -> Table:
        """Returns the columns of summary.csv; empty if there is none."""
        path = self.folder / "summary.csv"
        return Table(columns_of(read_rows(path)) if path.is_file() else {}, str(path))

    @property
    def runs(self) -> list[Run]:
        """Returns all runs, scenario by scenario."""
        return [run for scenario in self.scenarios for run in scenario.runs]

    @cached_property
    def labels(self) -> list[str]:
        """Returns every solver label, in the order of the command."""
        return list(dict.fromkeys(run.label for run in self.runs))


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def number(value: Any) -> float:
    """Converts a JSON value or CSV cell to a number; nan if it is none."""
    if isinstance(value, bool) or value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def content_lines(path: Path) -> Iterator[str]:
    """Yields the lines of a CSV file without comments. An incomplete last line is included; the
    caller has to check its width."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield line


def damaged_line(path: Path) -> int:
    """Returns the number of the first line of a CSV file that has not as many cells as its header,
    from 1; 0 if there is none."""
    commas = None
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for number_of_line, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                commas = line.count(",") if commas is None else commas
                if line.count(",") != commas:
                    return number_of_line
    return 0


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    rows = csv.reader(content_lines(path))
    names = next(rows, [])
    for row in rows:
        yield (dict(zip(names, row)) if len(row) == len(names)
               else dict(zip_longest(names, row[:len(names)], fillvalue="")))


def shown(column: array[float]) -> Sequence[float]:
    """Converts a column to the form that users get."""
    try:
        import numpy  # not at the top, since reports start sooner without it
    except ImportError:
        return list(column)
    return numpy.asarray(column)


def columns_of(rows: Iterable[dict[str, str]]) -> dict[str, Sequence[Any]]:
    """Converts rows of text to columns of text and numbers."""
    rows = list(rows)
    return {name: [row.get(name, "") for row in rows] if name in WORDS
            else shown(array("d", (number(row.get(name)) for row in rows)))
            for name in (rows[0] if rows else ())}


class Columns(Mapping[str, "array[float]"]):
    """A table of numbers whose columns are converted from text on first use."""

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
    """Reads the columns of a numeric CSV file. Rows of the wrong width are dropped."""
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


def read_run(path: Path) -> Run:
    """Reads a run from its run.json. Raises OSError or ValueError if that cannot be read."""
    return Run(path.parent, mapping(json.loads(path.read_text(encoding="utf-8"))))


def load_run(path: Path) -> Run | None:
    try:
        return read_run(path)
    except (OSError, ValueError):
        return None


def find_runs(folder: Path) -> list[Run]:
    """Returns the run in the folder itself, or those up to three levels below it."""
    patterns = ["run.json"] if (folder / "run.json").is_file() else [
        "*/run.json", "*/*/run.json", "*/*/*/run.json"]
    paths = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
    visible = [path for path in paths
               if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    return [run for run in map(load_run, visible) if run is not None]


def expect_folder(folder: Path) -> None:
    if not folder.is_dir():
        kind = "a file; expected the folder of a result" if folder.exists() else "no such folder"
        raise NoResults(f"{folder}: {kind}")


def load(folder: str | os.PathLike[str]) -> Run:
    """Loads the run in a folder of `ropelab run`, or of one run of a comparison. Raises NoResults
    if it cannot be read."""
    folder = Path(folder)
    expect_folder(folder)
    try:
        return read_run(folder / "run.json")
    except FileNotFoundError:
        several = "; it holds several runs, which load_comparison reads" if find_runs(folder) else ""
        raise NoResults(f"{folder}: no run.json{several}") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise NoResults(f"{folder / 'run.json'}: cannot be read: {why}") from error


def tell_apart(runs: list[Run]) -> None:
    """Gives runs of one scenario and one label labels of their own: with the names of their
    folders."""
    counts = Counter((run.scenario_name, run.label) for run in runs)
    for run in runs:
        if run.folder and counts[run.scenario_name, run.label] > 1:
            run.own_label = f"{run.label}, {run.folder.name}"


def load_comparison(folder: str | os.PathLike[str]) -> Results:
    """Loads the runs of `ropelab compare`, of a study or the like: those in summary.csv, in its
    order; without that file every run in the folder, where runs of one scenario and label are told
    apart by their folders. A run with an unreadable run.json has only its
    row. Raises NoResults if there are none."""
    folder = Path(folder)
    expect_folder(folder)
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
    if rows:  # runs of an earlier comparison in the folder are left out
        runs = [run for run in runs if (run.scenario_name, run.label) in order]
    else:
        tell_apart(runs)
    if not runs and (folder / "run.json").exists():
        load(folder)  # raises the reason
    if not runs:
        raise NoResults(f"{folder}: no run.json and no summary.csv with runs in it")
    runs.sort(key=lambda run: order.get((run.scenario_name, run.label), len(order)))
    scenarios: dict[str, Scenario] = {}
    for run in runs:
        scenarios.setdefault(run.scenario_name, Scenario(run.scenario_name, [])).runs.append(run)
    return Results(folder, list(scenarios.values()))
