# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds what the figures of one scenario share: recorded runs, styles, and data files."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from canvas import Entry, Figure, entries, write_blocks
from curves import POINTS, Point, finite_points, markers, outliers, thin
from ropelab.results import SERIES, Run, Scenario
from solver_style import SolverStyle

Column = Sequence[float]
REFERENCE = "reference"  # the solver that others are compared with


@dataclass(eq=False)
class Trace:
    """A run that recorded a series."""

    run: Run
    style: SolverStyle
    series: dict[str, Column]

    @property
    def label(self) -> str:
        return self.run.label

    @property
    def whole(self) -> bool:
        return self.run.status == "done"

    @property
    def time(self) -> Column:
        return self.series["time_s"]

    def column(self, name: str) -> Column:
        return self.series.get(name, [])


class Easel:
    """The name, styles and data folder that every figure of a scenario needs."""

    def __init__(self, scenario: Scenario, file_name: str, styles: dict[str, SolverStyle],
                 folder: Path) -> None:
        self.scenario, self.file_name, self.styles = scenario, file_name, styles
        self.folder = folder
        self.files = 0

    def figure(self, kind: str, title: str, caption: str, alt: str) -> Figure:
        return Figure(f"{self.file_name}-{kind}", kind, f"{self.scenario.name}: {title}", caption,
                      f"{self.scenario.title}: {alt}")

    def data(self, blocks: Sequence[Sequence[Point | None]]) -> str:
        self.files += 1
        return write_blocks(self.folder / f"{self.file_name}-data-{self.files}.dat", blocks)


class Artist(Easel):
    """The recorded runs of one scenario and the data that its figures share."""

    def __init__(self, scenario: Scenario, file_name: str, styles: dict[str, SolverStyle],
                 folder: Path) -> None:
        super().__init__(scenario, file_name, styles, folder)
        self.traces = self.load_traces()
        self.notes: list[str] = []  # sentences on what has no figure
        self.time_end = self.scenario.duration

    def load_traces(self) -> list[Trace]:
        traces = []
        for run in self.scenario.runs:
            series = run.table(SERIES)
            if len(series.get("time_s", [])) > 0:
                traces.append(Trace(run, self.styles[run.label], series))
        return traces

    def curve(self, trace: Trace, y: Column, index: int, limits: tuple[float, float],
              most: int = POINTS) -> str:
        """Writes the data file of one curve over time and returns its name: the line, its symbols,
        and a point where a run that did not finish left the axes or stopped."""
        x = trace.time
        end: list[Point] = []
        if not trace.whole:
            points = finite_points(x, y)
            last = points[-1:]
            if last and not limits[0] <= last[0][1] <= limits[1]:
                last = [next(p for p in points if not limits[0] <= p[1] <= limits[1])]
            end = [(t, min(max(v, limits[0]), limits[1])) for t, v in last]
        symbols = markers(x, y, self.time_end, index, len(self.traces))
        return self.data([thin(x, y, most), symbols, end])

    def with_column(self, name: str) -> list[Trace]:
        return [t for t in self.traces if any(map(math.isfinite, t.column(name)))]

    def ended_early(self, traces: Sequence[Trace]) -> str:
        """Returns the sentence of a caption on runs that stopped early."""
        names = [f"{t.label} ({t.run.status})" for t in traces if not t.whole]
        return (f" The cross marks where a run left the axes or stopped: {', '.join(names)}."
                if names else "")


def key_of(traces: Sequence[Trace]) -> list[Entry]:
    return entries([t.label for t in traces], [t.style.linetype for t in traces])


def healthy(traces: Sequence[Trace]) -> list[Trace]:
    """Returns the runs that determine the axes: those that finished, or all if there are none."""
    return [t for t in traces if t.whole] or list(traces)


def decisive_traces(traces: Sequence[Trace], values: Callable[[Trace], Sequence[float]]
                    ) -> list[Trace]:
    """Returns the runs that determine a linear axis: of the healthy ones those beside whose values
    the others can be told apart, and always the reference."""
    good = healthy(traces)
    far = outliers([values(t) for t in good])
    return [t for i, t in enumerate(good) if i not in far or t.run.solver_name == REFERENCE]


def outside_sentence(labels: Sequence[str]) -> str:
    """Returns the sentence of a caption on runs outside the axes."""
    return (f" So that the others can be told apart, the axes do not hold {', '.join(labels)}."
            if labels else "")
