# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the sections of a convergence study: errors over what is varied, and fitted orders."""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Sequence

import tables
from axes import counts, logarithmic
from canvas import Drawing, Figure, Gnuplot, Layout, entries, write_blocks
from curves import LARGEST, Point, drawable, drawn
from figures import draw_all
from page import anchor
from ropelab.results import Results, Run, Scenario, number, read_rows
from section import Section, Table
from slopes import Triangle, place_all, triangle_variables
from solver_style import SolverStyle, short_label
from study_files import NOTHING
from units import counted, in_units, probe_unit, significant

TABLE = "convergence.csv"
HEADING = "Convergence"
Row = dict[str, str]

NORMS = {"max": "largest error over time", "l2": "root mean square error over time",
         "end": "error at the end"}
YARDSTICKS = {"exact": "the closed form", "self": "the limit of finer runs",
              "reference": "the reference"}
# Quantities of a single step, whose distance from the reference is measured, and their units.
OF_A_STEP = {"positions": "m", "velocities": "m/s", "tensions": "N"}
OF_A_STEP_AXIS = {name: f"root mean square error of {name}" for name in OF_A_STEP}
SAME = 0.05  # curves whose errors differ by a smaller share coincide
BROADER = 0.7  # share by which a line is broadened for each that coincides with it; of a symbol
LARGER = 0.4
ROOM_BELOW, ROOM_ABOVE = 0.13, 0.04  # margins as shares of the range; triangles are below
LEAST_BELOW, LEAST_ABOVE = 0.3, 0.12  # least margins [decades]
AXES = {"step": "time step (s)", "iterations": "iterations", "segments": "segments",
        "substeps": "substeps"}
# Units of scenario keys, by the last word of a varied path.
KEY_UNITS = {"mass": "kg", "length": "m", "radius": "m", "stiffness": "N", "rate": "m/s"}


@dataclass
class Curve:
    """A solver in one figure: its errors and the fit to them; an empty `fit`: none."""

    label: str
    rows: list[Row]
    order: Row
    fit: list[Row]
    norm: str
    axis: str = ""  # what the values are, in words, where the study says so

    def error(self, row: Row) -> float:
        return number(row.get(f"error_{self.norm}"))

    def points(self, in_range: bool) -> list[Point]:
        found = [(number(row["value"]), self.error(row)) for row in self.rows
                 if (row["in_range"] == "1") == in_range]
        return [p for p in found if drawable(p[0]) and drawable(p[1])]

    @property
    def failed(self) -> list[float]:
        """Returns the values at which there is no error to show."""
        return [value for row in self.rows if row["status"] not in ("done", "unsupported")
                if drawable(value := number(row["value"]))]

    @property
    def beyond(self) -> list[float]:
        """Returns the values of runs that have no place in the figure."""
        return [value for row in self.rows if row["status"] != "unsupported"
                if not drawable(value := number(row["value"])) or self.error(row) > LARGEST]

    def has_runs_that(self, capped: bool) -> bool:
        """Whether a run failed or, with `capped`, needed more iterations than it was given."""
        return any((row["status"] == "capped") == capped for row in self.rows
                   if row["status"] not in ("done", "unsupported"))

    @property
    def is_rounding(self) -> bool:
        """Whether all errors are round-off."""
        points = [(self.error(row), number(row["floor"])) for row in self.rows
                  if row["status"] == "done"]
        return bool(points) and all(error <= floor for error, floor in points)

    @property
    def is_supported(self) -> bool:
        return any(row["status"] != "unsupported" for row in self.rows)

    @property
    def is_exponential(self) -> bool:
        return self.order.get("law") == "exponential"

    @property
    def has_fit(self) -> bool:
        return bool(self.fit)

    @property
    def text(self) -> str:
        """Returns the order with two decimals, or the factor of an exponential with four."""
        if not self.has_fit:
            return "no order"
        digits = 4 if self.is_exponential else 2
        rounded = round(number(self.order["order"]), digits) + 0.0  # not -0
        return f"{rounded:.{digits}f}".replace("-", "−")


def in_words(over: str) -> str:
    """Returns what is varied in words: of a path into the scenario "KEY of NAME"."""
    path = over.split(".")
    return f"{path[-1]} of {path[1]}" if len(path) > 2 else over


def varied(shown: Sequence[Curve]) -> str:
    """Returns what is varied for the curves, which can differ between solvers."""
    return " or ".join(dict.fromkeys(curve.axis or in_words(curve.order["over"]) for curve in shown))


def axis_name(over: str) -> str:
    unit = KEY_UNITS.get(over.partition(" of ")[0], "") if " of " in over else ""
    return AXES.get(over, over + in_units(unit))


def curves(folder: Path) -> list[tuple[str, str]]:
    """Returns label and solver of every curve."""
    return list(dict.fromkeys((row["label"], row["solver"]) for row in read_rows(folder / TABLE)))


def selected(rows: list[Row], of: Row) -> list[Row]:
    keys = ("scenario", "quantity", "label")
    return [row for row in rows if all(row[key] == of[key] for key in keys)]


def read_axis(folder: Path) -> str:
    try:
        return str(json.loads((folder / "study.json").read_text(encoding="utf-8")).get("axis") or "")
    except (OSError, ValueError):
        return ""


def read_curves(folder: Path) -> dict[tuple[str, str], list[Curve]]:
    """Reads the curves of each (scenario, quantity)."""
    errors = list(read_rows(folder / TABLE))
    fits = [row for row in read_rows(folder / "fits.csv")
            if drawable(number(row["value"])) and drawable(number(row["error"]))]
    axis = read_axis(folder)
    found: dict[tuple[str, str], list[Curve]] = {}
    for order in read_rows(folder / "orders.csv"):
        curve = Curve(order["label"], selected(errors, order), order, selected(fits, order),
                      order["norm"], axis)
        found.setdefault((order["scenario"], order["quantity"]), []).append(curve)
    return found


# What is shown ------------------------------------------------------------------------------------

def meaning(quantity: str, scenario: Scenario, rows: Sequence[Row] = ()) -> tuple[str, str]:
    """Returns in words what a quantity measures, and its unit. If it is the largest of several
    probes, the rows of convergence.csv say of which, and the unit is that of the probe."""
    if quantity in OF_A_STEP:
        return (f"distance of {quantity} from the reference after one step, with the most "
                "iterations", OF_A_STEP[quantity])
    word, _, probe = quantity.partition(":")
    exact = bool(scenario.definition.get("exact"))
    what = {"exact": "distance from the closed form",
            "self": "distance from the limit, estimated from the next finer run",
            "reference": "distance from the reference run"}
    if quantity.startswith(tuple(f"{w}:" for w in what)) or quantity in what:
        if probe:
            return f"{what[word]} of {probe}", probe_unit(probe)
        largest = Counter(row["probe"] for row in rows if row.get("probe", "nan") != "nan")
        units = {probe_unit(name) for name in largest}
        of = ", the largest of all probes that count"
        if len(largest) == 1:
            of += f": it is that of {next(iter(largest))}"
        elif largest:
            of += ": it is that of " + ", ".join(
                f"{name} ({count} runs)" for name, count in largest.most_common())
        return what[word] + of, units.pop() if len(units) == 1 else "unit of the probe"
    if "." in quantity:
        return f"{what['exact' if exact else 'self']} of {quantity}", probe_unit(quantity)
    unit = re.search(r"_(m|J|N)$", quantity)
    words = (quantity[:unit.start()] if unit else quantity).replace("_", " ")
    return words, unit[1] if unit else ""


def title_of(scenario: Scenario, quantity: str, over: str) -> str:
    """Returns the title of a figure: the error of which probe, and against what it is measured."""
    if is_size(quantity) or quantity in OF_A_STEP:
        return f"{scenario.name}: {quantity} over {over}"
    word, _, probe = quantity.partition(":")
    if word not in YARDSTICKS:
        word, probe = "exact" if scenario.definition.get("exact") else "self", quantity
    return f"{scenario.name}: {probe or 'error'} over {over}, against {YARDSTICKS[word]}"


def band(curve: Curve) -> str:
    """Returns the data block of a confidence band: x, low, high."""
    lines = [f"{number(row['value']):.9g} {number(row['low']):.9g} {number(row['high']):.9g}"
             for row in curve.fit]
    return "\n".join(lines) + "\n" if lines else "NaN NaN NaN\n"


def write_curve(path: Path, curve: Curve, top: float, straight: bool) -> str:
    line: list[Point | None] = [(number(r["value"]), number(r["error"])) for r in curve.fit]
    if straight:  # two points draw dashes without interruptions
        line = [line[0], line[-1]] if line else []
    failed: list[Point | None] = [(value, top) for value in curve.failed]
    write_blocks(path, [curve.points(True), curve.points(False), line])
    text = path.read_text(encoding="ascii") + "\n\n" + band(curve) + "\n\n"
    text += "".join(f"{x:.9g} {y:.9g}\n" for x, y in failed) or "NaN NaN\n"
    path.write_text(text, encoding="ascii")
    return path.name


def triangles(shown: Sequence[Curve], low: float, high: float) -> list[Triangle]:
    """Returns a slope triangle for each whole number nearest to an order, at the lowest curve."""
    fits = [[(number(r["value"]), number(r["error"])) for r in (curve.fit[0], curve.fit[-1])]
            for curve in shown if curve.has_fit and not curve.is_exponential]
    lines = [sorted(curve.points(True) + curve.points(False)) for curve in shown]
    return place_all(fits, lines, low, high)


def axis_range(shown: Sequence[Curve]) -> tuple[float, float]:
    errors = [error for curve in shown for error in
              [p[1] for inside in (True, False) for p in curve.points(inside)]]
    if not errors:
        return 1e-3, 1.0
    span = math.log10(max(errors) / min(errors))
    low = min(errors) / 10.0 ** max(LEAST_BELOW, ROOM_BELOW * span)
    high = max(errors) * 10.0 ** max(LEAST_ABOVE, ROOM_ABOVE * span)
    return drawn(low), drawn(high)


def coincide(a: Curve, b: Curve) -> bool:
    """Whether one curve hides part of the other: in the range of both fits the errors differ by
    little."""
    ours, theirs = dict(a.points(True)), dict(b.points(True))
    common = ours.keys() & theirs.keys()
    return len(common) > 1 and all(
        abs(math.log(ours[value] / theirs[value])) < SAME for value in common)


def on_top(curve: Curve, later: Sequence[Curve]) -> int:
    """Returns the number of later curves that coincide with this one, whose line and symbols are
    enlarged to stay visible beneath them."""
    return sum(coincide(curve, other) for other in later)


def coincidences(shown: Sequence[Curve]) -> str:
    """Returns the sentence of a caption on curves that coincide."""
    groups: list[list[Curve]] = []
    for curve in shown:
        group = next((g for g in groups if coincide(g[0], curve)), None)
        if group is None:
            groups.append([curve])
        else:
            group.append(curve)
    words = [", ".join(curve.label for curve in group) for group in groups if len(group) > 1]
    return f" On each other, the first the broadest: {'; '.join(words)}." if words else ""


def is_size(quantity: str) -> bool:
    """Whether the quantity is shown itself and not an error."""
    return ("." not in quantity and ":" not in quantity
            and quantity not in YARDSTICKS and quantity not in OF_A_STEP)


def norm_words(curve: Curve, quantity: str) -> str:
    if quantity in OF_A_STEP:
        return "root mean square over what moves and over the states"
    words = NORMS.get(curve.norm, curve.norm)
    return words.replace("error ", "") if is_size(quantity) else words


def caption(every: Sequence[Curve], shown: Sequence[Curve], what: str, quantity: str) -> str:
    norm = norm_words(shown[0], quantity)
    over = varied(shown)
    text = f"{what[0].upper()}{what[1:]}; {norm}, over {over}."
    fitted = [curve for curve in shown if curve.has_fit]
    if fitted and fitted[0].is_exponential:
        found = ", ".join(f"{curve.label} {curve.text}" for curve in fitted)
        text += f" Factor by which one more shrinks it: {found}."
    elif fitted:
        found = ", ".join(f"{curve.label} {curve.text}" for curve in fitted)
        word = "Orders" if all(curve.order["over"] in AXES for curve in fitted) else "Slopes"
        text += (f" {word}: {found}; the shaded bands are as wide as the scatter (95 %) and the next "
                 "term of the expansion make them.")
    if any(curve.points(False) for curve in shown):
        text += " Hollow points are outside the range in which the local slopes agree, or no larger than round-off."
    if any(short_label(curve.label) != curve.label for curve in shown):
        text += " Numbers behind names: iterations."
    text += coincidences(shown)
    missing = [curve.label for curve in shown if not curve.has_fit]
    if missing:
        text += f" No such range: {', '.join(missing)}."
    for capped, why in ((False, "runs that did not finish"),
                        (True, "runs that ended at the most iterations that they were given")):
        labels = [curve.label for curve in shown if curve.has_runs_that(capped)]
        text += f" Crosses on the upper margin: {why} ({', '.join(labels)})." if labels else ""
    beyond = sorted({value for curve in shown for value in curve.beyond})
    if beyond:
        text += f" Too far off, and not drawn: {over} {', '.join(map(shown_value, beyond))}."
    rounding = [curve.label for curve in every if curve not in shown]
    if rounding:
        text += f" Nothing but round-off, and not drawn: {', '.join(rounding)}."
    return text


def drawing(every: Sequence[Curve], scenario: Scenario, name: str, quantity: str,
            styles: dict[str, SolverStyle], folder: Path) -> Drawing:
    shown = [curve for curve in every if not curve.is_rounding] or every
    over = varied(shown)
    what, unit = meaning(quantity, scenario, [row for curve in shown for row in curve.rows])
    values = sorted({value for curve in shown for value in
                     [*curve.failed, *(x for x, _ in curve.points(True) + curve.points(False))]})
    low, high = axis_range(shown)
    logarithmic_x = not shown[0].is_exponential or values[-1] / values[0] > 1e3
    margin = (max(1.1, (values[-1] / values[0]) ** 0.06) if logarithmic_x
              else 0.05 * (values[-1] - values[0] or values[0]))
    labels = [f"{short_label(curve.label)}: {curve.text}" for curve in shown]
    above = [on_top(curve, shown[i + 1:]) for i, curve in enumerate(shown)]
    slopes = triangles(shown, low, high) if logarithmic_x else []
    triangle_files = [write_blocks(folder / f"{name}-triangle-{i}.dat", [triangle.corners])
                      for i, triangle in enumerate(slopes)]
    figure = Figure(name, "convergence", title_of(scenario, quantity, over),
                    caption(every, shown, what, quantity), f"{scenario.title}: errors over {over}, by solver")
    own = [styles[curve.label] for curve in shown]
    layout = Layout(1, 1, 380, entries(labels, [style.linetype for style in own]),
                    [logarithmic(low, high)], right=24)
    x_low = values[0] / margin if logarithmic_x else values[0] - margin
    x_high = values[-1] * margin if logarithmic_x else values[-1] + margin
    x_ticks = counts(values) or logarithmic(x_low, x_high)
    y_name = what if is_size(quantity) else OF_A_STEP_AXIS.get(quantity) or NORMS[shown[0].norm]
    axes = layout.variables(axis_name(over), x_ticks, [y_name + in_units(unit)])
    variables: dict[str, Any] = axes | triangle_variables(slopes, triangle_files) | {
        "count": len(shown),
        "file": [write_curve(folder / f"{name}-{i}.dat", curve, high,
                             curve.is_exponential != logarithmic_x)
                 for i, curve in enumerate(shown)],
        "style": [styles[curve.label].linetype for curve in shown],
        "line_width": [styles[curve.label].width * (1 + BROADER * count)
                       for curve, count in zip(shown, above)],
        "symbol_size": [styles[curve.label].size * (1 + LARGER * count)
                        for curve, count in zip(shown, above)],
        "hollow": [styles[curve.label].hollow for curve in shown],
        "x_low": x_low, "x_high": x_high, "y_low": low, "y_high": high,
        "logarithmic": logarithmic_x,
        "triangles": len(slopes)}
    return Drawing(figure, "convergence.gp", variables)


def interval(curve: Curve) -> str:
    """Formats a confidence interval with as many decimals as tell its ends apart."""
    low, high = number(curve.order["ci_low"]), number(curve.order["ci_high"])
    if not curve.has_fit:
        return "–"
    decimals = min(9, max(3, 1 - math.floor(math.log10(max(high - low, 1e-9)))))
    return f"{low:.{decimals}f} to {high:.{decimals}f}".replace("-", "−")


def order_table(shown: Sequence[Curve], quantity: str) -> Table:
    over = varied(shown)
    word = "factor" if shown[0].is_exponential else "order"
    rows = [[curve.label, curve.text if curve.has_fit else "–", interval(curve),
             f"{curve.order['points']} of {len(curve.rows)}",
             f"{significant(number(curve.order['from']))} to "
             f"{significant(number(curve.order['to']))}" if curve.has_fit else "–"]
            for curve in shown]
    return Table(f"{quantity}: {word} fitted over {over}",
                 ["solver", word, "interval", "points", over], rows)


def error_table(shown: Sequence[Curve], quantity: str) -> Table:
    values = list(dict.fromkeys(row["value"] for curve in shown for row in curve.rows))
    rows = [[curve.label] + [significant(curve.error(row)) if row["status"] == "done"
                             else tables.STATUS_WORDS.get(row["status"], row["status"])
                             for value in values for row in curve.rows if row["value"] == value]
            for curve in shown]
    return Table(f"{quantity}: {norm_words(shown[0], quantity)}, by {varied(shown)}",
                 ["solver"] + [shown_value(number(value)) for value in values], rows)


def shown_value(value: float) -> str:
    return counted(value) if value >= 1 and value == round(value) else significant(value)


def refusals(scenario: Scenario, found: dict[tuple[str, str], list[Curve]]) -> list[str]:
    """Returns "LABEL: reason" for each solver that does not support the scenario."""
    reasons = {run.label: run.reason for run in scenario.runs}
    said = {curve.label: reasons.get(curve.rows[0]["run"], "")
            for (name, _), group in found.items() if name == scenario.name
            for curve in group if not curve.is_supported}
    return [f"{label}: {reason or 'not supported'}" for label, reason in said.items()]


def sections(results: Results, styles: dict[str, SolverStyle], target: Path,
             gnuplot: Gnuplot) -> list[Section]:
    """Makes a section for each scenario, with a figure for each quantity."""
    found = read_curves(results.folder)
    by_name = {scenario.name: scenario for scenario in results.scenarios}
    made = []
    with tempfile.TemporaryDirectory(prefix="ropelab-figures-") as temporary:
        folder = Path(temporary)
        drawings = []
        for name, group in groupby(found.items(), key=lambda item: item[0][0]):
            scenario = by_name.get(name) or Scenario(name, [])
            figures, shown_tables, notes = [], [], []
            for (_, quantity), found_curves in group:
                shown = [curve for curve in found_curves if curve.is_supported]
                if not shown:
                    continue
                plain = re.sub(r"[^A-Za-z0-9_-]", "_", f"{name}-{quantity}-{len(drawings)}")
                if any(curve.points(True) + curve.points(False) for curve in shown):
                    drawings.append(drawing(shown, scenario, plain, quantity, styles, folder))
                    figures.append(drawings[-1].figure)
                else:
                    notes.append(f"{quantity}: {NOTHING}")
                shown_tables += [order_table(shown, quantity), error_table(shown, quantity)]
            failures: list[Run] = tables.failures(scenario)
            made.append(Section(anchor(name), name, scenario.title, scenario.about,
                                tables.facts(scenario), figures, shown_tables, failures,
                                refusals(scenario, found), notes))
        if drawings:
            draw_all(drawings, folder, target, gnuplot, styles)
    return made
