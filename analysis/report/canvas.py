# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepares data files, variables and panel positions for the gnuplot scripts in ../plots."""

from __future__ import annotations

import math
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Sequence

import interruption
from axes import Tick, command, marks, widest
from curves import Point
from lettering import plain_width
from solver_style import PLOTS, SolverStyle

WIDTH = 700            # of an SVG [px]; all lengths here are in these px
KEY_LEFT, KEY_TOP, KEY_LINE = 16, 26, 19
KEY_SAMPLE, KEY_GAP, KEY_SPACE = 36, 6, 18  # line sample, gap to its label, gap after the label
KINDS = ("svg", "png", "pdf")
NUMBERS, NAME = 13, 13 # from an axis to its labels; from these to the middle of its name
EDGE = 12              # from the name to the edge of the figure
TIMEOUT = 300          # s for the figures of one scenario


class PlotError(Exception):
    """gnuplot is missing or failed."""


@dataclass
class Figure:
    """A drawn figure, in files NAME.svg and others of the KINDS."""

    name: str
    kind: str
    title: str
    caption: str
    alt: str

    @property
    def id(self) -> str:
        """Returns the prefix of all ids in the SVG, of letters, digits and _ as gnuplot needs."""
        return "ropelab_" + re.sub(r"[^A-Za-z0-9]", "_", self.name)


@dataclass
class Drawing:
    """A figure before it is drawn, as a script and its variables."""

    figure: Figure
    script: str
    variables: dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """An entry of a key: gnuplot's options of its line and of its symbol ("": none)."""

    label: str
    line: str
    symbol: str = ""


EXACT = Entry("exact", "lt 31")


def entries(labels: Sequence[str], linetypes: Sequence[int]) -> list[Entry]:
    return [Entry(label, f"lt {own}", f"lt {own}") for label, own in zip(labels, linetypes)]


def key_places(key: Sequence[Entry]) -> list[tuple[float, int]]:
    """Returns for each entry where it begins [px] and its line; lines are filled up."""
    places: list[tuple[float, int]] = []
    x, line = float(KEY_LEFT), 0
    for entry in key:
        width = KEY_SAMPLE + KEY_GAP + plain_width(entry.label)
        if places and x + width > WIDTH - KEY_LEFT:
            x, line = float(KEY_LEFT), line + 1
        places.append((x, line))
        x += width + KEY_SPACE
    return places


@dataclass
class Layout:
    """Panels of equal size in rows and columns, under a title and a key. The widest label of a y
    axis determines the room beside them."""

    columns: int
    rows: int
    panel_height: float
    key: Sequence[Entry]
    y_ticks: Sequence[Sequence[Tick]]  # by panel
    titled: bool = False    # panels have titles of their own
    shared_y: bool = False  # all panels have the same y axis, labelled at the first of a row
    gap_y: float = 30
    right: float = 14
    bottom: float = 50

    def __post_init__(self) -> None:
        self.y_gap = NUMBERS + max(map(widest, self.y_ticks), default=0.0) + NAME
        self.left = self.y_gap + EDGE
        self.gap_x = 28.0 if self.shared_y else self.left + self.right

    @property
    def panel_width(self) -> float:
        inner = WIDTH - self.left - self.right - (self.columns - 1) * self.gap_x
        return inner / self.columns

    def variables(self, x_name: str, x_ticks: Sequence[Tick], y_names: Sequence[str],
                  titles: Sequence[str] = ("",)) -> dict[str, Any]:
        """Returns the variables of style.gp and panel.gp."""
        places = key_places(self.key)
        lines = places[-1][1] + 1 if places else 0
        top = KEY_TOP + KEY_LINE * lines + (32 if self.titled else 17)
        height = (top + self.bottom + self.rows * self.panel_height
                  + (self.rows - 1) * self.gap_y)
        panels = len(self.y_ticks)
        lowest = [p + self.columns >= panels for p in range(panels)]
        numbered = [not self.shared_y or p % self.columns == 0 for p in range(panels)]
        return {
            "width": WIDTH, "height": round(height),
            "left": self.left / WIDTH, "right": 1 - self.right / WIDTH,
            "bottom": self.bottom / height, "top": 1 - top / height,
            "key_left": KEY_LEFT / WIDTH, "key_sample": KEY_SAMPLE / WIDTH,
            "key_gap": KEY_GAP / WIDTH, "key_entries": len(self.key),
            "key_label": [entry.label for entry in self.key],
            "key_line": [entry.line for entry in self.key],
            "key_symbol": [entry.symbol for entry in self.key],
            "key_x": [x / WIDTH for x, _ in places],
            "key_y": [1 - (KEY_TOP + KEY_LINE * (line + 0.65)) / height for _, line in places],
            "columns": self.columns, "rows": self.rows,
            "spacing_x": self.gap_x / WIDTH, "spacing_y": self.gap_y / height,
            "panels": panels, "panel_title": list(titles), "x_name": x_name, "y_gap": self.y_gap,
            "y_name": [name if own else "" for name, own in zip(y_names, numbered)],
            "x_ticks": [command(x_ticks if own else marks(x_ticks)) for own in lowest],
            "y_ticks": [command(ticks if own else marks(ticks))
                        for ticks, own in zip(self.y_ticks, numbered)],
        }


def files(figure: Figure, folder: Path) -> str:
    """Lists the files of a figure for the page: figures/NAME.svg, .png"""
    kinds = [f".{kind}" for kind in KINDS if (folder / f"{figure.name}.{kind}").is_file()]
    return f"figures/{figure.name}{', '.join(kinds)}"


def quoted(text: str) -> str:
    """Quotes a gnuplot string in single quotes, in which nothing is expanded."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"


def literal(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN"
    return repr(int(value) if isinstance(value, bool) else value)


def assignments(variables: dict[str, Any]) -> list[str]:
    lines = []
    for name, value in variables.items():
        if isinstance(value, list):
            content = ", ".join(literal(item) for item in value)
            filled = f" = [{content}]" if value else ""
            lines.append(f"array {name}[{max(len(value), 1)}]{filled}")
        else:
            lines.append(f"{name} = {literal(value)}")
    return lines


def block(points: Sequence[Point | None]) -> str:
    """Formats one block of a data file; None breaks the line. Several breaks become one, since
    gnuplot reads two empty lines as the end of a block. An empty block becomes a gap."""
    lines: list[str] = []
    for point in points:
        if point is not None:
            lines.append(f"{point[0]:.9g} {point[1]:.9g}")
        elif lines and lines[-1]:
            lines.append("")
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n" if lines else "NaN NaN\n"


def write_blocks(path: Path, blocks: Sequence[Sequence[Point | None]]) -> str:
    path.write_text("\n\n".join(block(points) for points in blocks), encoding="ascii")
    return path.name


@dataclass(frozen=True)
class Gnuplot:
    """The gnuplot program, the number of concurrent processes, and the kinds of files to draw."""

    program: str
    jobs: int
    kinds: Sequence[str] = KINDS

    def run(self, folder: Path, script: str) -> subprocess.CompletedProcess[str]:
        end = time.monotonic() + TIMEOUT
        with subprocess.Popen([self.program, "-d", script], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              errors="replace") as process:
            while True:
                try:
                    said = process.communicate(timeout=interruption.POLL)[1]
                    return subprocess.CompletedProcess(process.args, process.returncode, "", said)
                except subprocess.TimeoutExpired as late:
                    if not interruption.signals and time.monotonic() < end:
                        continue
                    process.kill()
                    interruption.check()
                    late.timeout = TIMEOUT
                    raise


def script_text(drawings: Sequence[Drawing], styles: Sequence[SolverStyle], kind: str) -> str:
    """Returns a gnuplot script that draws all figures as one kind of file. Line types survive
    `reset session`."""
    lines = [style.gnuplot for style in styles]
    for drawing in drawings:
        lines.append("reset session")
        lines += assignments({
            "plots": f"{PLOTS}/", "kind": kind, "title": drawing.figure.title,
            "figure_name": drawing.figure.id,
            "output_file": f"{drawing.figure.name}.{kind}", **drawing.variables})
        lines.append(f'load plots."{drawing.script}"')
    return "\n".join(lines) + "\n"


def run_gnuplot(gnuplot: Gnuplot, folder: Path, drawings: Sequence[Drawing],
                styles: Iterable[SolverStyle]) -> None:
    """Draws in `folder`, which has the data files, all kinds of files at the same time. Raises
    PlotError if gnuplot is missing or fails."""
    program, used = gnuplot.program, list(styles)
    (folder / "none.dat").write_text("NaN NaN\n", encoding="ascii")
    for kind in gnuplot.kinds:
        (folder / f"figures-{kind}.gp").write_text(script_text(drawings, used, kind),
                                                   encoding="utf-8")
    try:
        with ThreadPoolExecutor(max(1, gnuplot.jobs)) as pool:
            ends = list(pool.map(lambda kind: gnuplot.run(folder, f"figures-{kind}.gp"),
                                 gnuplot.kinds))
    except FileNotFoundError:
        raise PlotError(f"cannot find '{program}': install the Debian package gnuplot-nox, or "
                        "name the program with --gnuplot") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PlotError(f"cannot run '{program}' (Debian package gnuplot-nox): {error}") from None
    interruption.check()  # gnuplot received the signal, too
    missing = [f"{drawing.figure.name}.{kind}" for drawing in drawings
               for kind in gnuplot.kinds
               if not (folder / f"{drawing.figure.name}.{kind}").is_file()]
    failed = next((end for end in ends if end.returncode != 0), ends[0])
    if failed.returncode != 0 or missing:
        said = "\n".join(line for line in failed.stderr.splitlines()
                         if "warning" not in line.lower())
        raise PlotError(f"'{program}' failed (it should be the gnuplot of the Debian package "
                        f"gnuplot-nox, 5.4 or later): exit {failed.returncode}, "
                        f"{len(missing)} figures missing\n{said[-1500:]}".rstrip())
