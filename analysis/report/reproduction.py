# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the page of `ropelab reproduce`: published numbers beside ours, and figures."""

from __future__ import annotations

import csv
import json
import math
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Sequence

from axes import Tick, counts, linear, logarithmic
from canvas import Drawing, Entry, Figure, Gnuplot, Layout, entries, write_blocks
from curves import markers
from figures import draw_all
from slopes import Triangle, place_all, straight_piece, triangle_variables
from solver_style import SolverStyle, assign_styles, known_styles
from templates import Sheet, fill, sheet
from units import significant

CURVES = "curves"
THEORY, THEORY_LINE = "theory: ", 31  # prefix of curves that were not simulated; their line type
SYMBOLS = 24    # a curve with more points has symbols only at some
ENDS = 2        # number of points at each end of a long curve that slopes leave out
OTHER_LINES = (15, 16, 17, 18)  # line types of curves that belong to no solver
COUNTS = 12     # most points of a logarithmic x axis that are labelled
MARGIN = 0.04   # share of the range, on linear axes
HEIGHT = 330    # px
SIGNS = {"equals": "", "at most": "≤ ", "at least": "≥ ", "drawn": ""}
MEANINGS = {
    "matches": "within the tolerance of the claim, or on the right side of its bound",
    "same order": "within a factor of 3.16 (half a power of ten) of the published number",
    "not reproduced": "further away, or not measured; the remark says why",
    "figure only": "the source has a curve and no numbers: ours is drawn",
}
EVIDENCE = {
    "read": "read in the source",
    "quoted": "read in another work that quotes it",
    "derived": "follows from what the source says, by our derivation in the note",
    "computed": "the source has no number: an independent computation",
}

Curve = list[tuple[float, float]]


@dataclass
class Row:
    claim: dict[str, Any]
    published: str
    ours: str
    difference: str


@dataclass
class Section:
    """A paper as the page shows it."""

    name: str
    citation: str
    note: str
    rows: list[Row]
    figures: list[Sheet]
    failures: list[str]


def shown(value: float | None, unit: str, sign: str = "") -> str:
    if value is None:
        return "–"
    text = f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.7g}"
    return sign + text.replace("-", "−") + (f" {unit}" if unit != "1" else "")


def row(claim: dict[str, Any]) -> Row:
    off = claim["difference"]
    difference = "–"
    if off is not None and claim["relation"] == "equals":
        tiny = abs(off) < 5e-8
        difference = ("0" if tiny else significant(off, 2) if claim["published"] == 0
                      else significant(100 * off, 2) + " %")
    published = ("curve" if claim["relation"] == "drawn"
                 else shown(claim["published"], claim["unit"], SIGNS[claim["relation"]]))
    return Row(claim, published, shown(claim["ours"], claim["unit"]), difference)


def read_curves(path: Path, plot: dict[str, Any]) -> dict[str, Curve]:
    """Reads the curves by name, in the order in which they begin, without points that a logarithmic
    axis cannot show."""
    curves: dict[str, Curve] = {}
    with open(path, encoding="utf-8", newline="") as file:
        for name, x, y in list(csv.reader(file))[1:]:
            point = float(x), float(y)
            if (all(map(math.isfinite, point)) and not (plot["log_x"] and point[0] <= 0)
                    and not (plot["log_y"] and point[1] <= 0)):
                curves.setdefault(name, []).append(point)
    return {name: curve for name, curve in curves.items() if curve}


def limits(values: list[float], logarithmic: bool) -> tuple[float, float]:
    low, high = min(values), max(values)
    if logarithmic:
        return low / 1.3, high * 1.3
    room = MARGIN * (high - low) or 1.0
    return 0.0 if 0 <= low <= high / 2 else low - room, high + room


def x_ticks(places: list[float], ends: tuple[float, float], is_log: bool, width: float
            ) -> list[Tick]:
    """Returns the ticks of the x axis; on a logarithmic one at the points, if these are few
    counts."""
    if not is_log:
        return linear(*ends, width, across=True)
    return (counts(places) if len(places) <= COUNTS else []) or logarithmic(*ends)


@dataclass(frozen=True)
class Named:
    """A named curve for assign_styles: "pbd, 20 sweeps" is a curve of pbd."""

    label: str

    @property
    def solver_name(self) -> str:
        return self.label.partition(",")[0]


def curve_styles(names: Iterable[str]) -> dict[str, SolverStyle]:
    """Returns the styles of curves named like a solver, or like a solver followed by a comma."""
    known = known_styles()
    return assign_styles(named for name in names if (named := Named(name)).solver_name in known)


def line_types(names: list[str], styles: dict[str, SolverStyle]) -> list[int]:
    """Returns the line types: one for theory, and grey ones in order for curves of no solver."""
    others = [name for name in names if not name.startswith(THEORY) and name not in styles]
    return [THEORY_LINE if name.startswith(THEORY) else styles[name].linetype if name in styles
            else OTHER_LINES[others.index(name) % len(OTHER_LINES)] for name in names]


def symbols(curve: Curve, index: int, count: int) -> Curve:
    """Returns the points with symbols: all points, or some that differ from curve to curve."""
    x, y = [point[0] for point in curve], [point[1] for point in curve]
    return curve if len(curve) <= SYMBOLS else markers(x, y, max(x), index, count)


def slope_triangles(curves: Sequence[Curve], low: float, high: float) -> list[Triangle]:
    """Returns slope triangles of the curves whose points have symbols."""
    pieces = [straight_piece(curve[ENDS:-ENDS] if len(curve) > 3 * ENDS else curve)
              for curve in curves if len(curve) <= SYMBOLS]
    return place_all(pieces, [sorted(curve) for curve in curves], low, high)


def experiment_curves(experiment: dict[str, Any], source: Path) -> dict[str, Curve]:
    path = source / CURVES / f"{experiment['paper']}-{experiment['name']}.csv"
    plot = experiment["plot"]
    return read_curves(path, plot) if plot and path.is_file() else {}


def drawing(experiment: dict[str, Any], source: Path, target: Path,
            styles: dict[str, SolverStyle]) -> Drawing | None:
    plot = experiment["plot"]
    name = f"{experiment['paper']}-{experiment['name']}"
    curves = experiment_curves(experiment, source)
    if not curves:
        return None
    labels = [label.removeprefix(THEORY) for label in curves]
    points = [point for curve in curves.values() for point in curve]
    x_low, x_high = limits([x for x, _ in points], plot["log_x"])
    y_low, y_high = limits([y for _, y in points], plot["log_y"])
    figure = Figure(name, "curves", f"{experiment['paper']}: {plot['title']}", plot["caption"],
                    plot["title"])
    slopes = (slope_triangles(list(curves.values()), y_low, y_high)
              if plot["log_x"] and plot["log_y"] else [])
    types = line_types(list(curves), styles)
    key = [Entry(entry.label, entry.line, entry.symbol if own != THEORY_LINE else "")
           for entry, own in zip(entries(labels, types), types)]
    y_ticks = logarithmic(y_low, y_high) if plot["log_y"] else linear(y_low, y_high, HEIGHT, False)
    layout = Layout(1, 1, HEIGHT, key, [y_ticks], right=30)
    axis = x_ticks(sorted({x for x, _ in points}), (x_low, x_high), plot["log_x"],
                   layout.panel_width)
    triangles = [write_blocks(target / f"{name}-triangle-{i}.dat", [t.corners])
                 for i, t in enumerate(slopes)]
    variables = layout.variables(plot["x"], axis, [plot["y"]]) | {
        "triangles": len(slopes), "count": len(curves), "style": types,
        "file": [write_blocks(target / f"{name}-{i}.dat", [curve, symbols(curve, i, len(curves))])
                 for i, curve in enumerate(curves.values())],
        "log_x": plot["log_x"], "log_y": plot["log_y"],
        "x_low": x_low, "x_high": x_high, "y_low": y_low, "y_high": y_high}
    return Drawing(figure, "xy.gp", variables | triangle_variables(slopes, triangles))


def sections(experiments: list[dict[str, Any]], figures: dict[str, Figure], target: Path
             ) -> list[Section]:
    found: dict[str, Section] = {}
    for experiment in experiments:
        name = experiment["paper"]
        part = found.setdefault(name, Section(name, experiment["citation"], experiment["note"],
                                              [], [], []))
        part.rows += [row(claim) for claim in experiment["claims"]]
        if experiment["message"]:
            part.failures.append(f"{experiment['name']}: {experiment['message']}")
        figure = figures.get(f"{name}-{experiment['name']}")
        if figure:
            part.figures.append(sheet(figure, target))
    return list(found.values())


def draw(experiments: list[dict[str, Any]], folder: Path, target: Path, gnuplot: Gnuplot
         ) -> dict[str, Figure]:
    """Draws the figures of all experiments into `target` and returns them by experiment."""
    with tempfile.TemporaryDirectory(prefix="ropelab-figures-") as name:
        styles = curve_styles(dict.fromkeys(
            name for e in experiments for name in experiment_curves(e, folder)))
        found = (drawing(e, folder, Path(name), styles) for e in experiments)
        drawings = [d for d in found if d]
        if drawings:
            draw_all(drawings, Path(name), target, gnuplot, styles)
    return {item.figure.name: item.figure for item in drawings}


def render(folder: Path, target: Path, gnuplot: Gnuplot) -> str:
    """Returns the whole page and leaves the files of its figures in `target`."""
    result = json.loads((folder / "reproduce.json").read_text(encoding="utf-8"))
    experiments = result["experiments"]
    figures = draw(experiments, folder, target, gnuplot)
    parts = sections(experiments, figures, target)
    verdicts = [row.claim["verdict"] for part in parts for row in part.rows]
    return fill(
        "reproduce.html.j2", sections=parts, result=result, quoted_folder=shlex.quote(str(folder)),
        counts=[(word, verdicts.count(word)) for word in MEANINGS if word in verdicts],
        meanings=MEANINGS, evidence=EVIDENCE)
