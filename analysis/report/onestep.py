# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the figures of `ropelab onestep`: errors of single steps from equal states."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Sequence

import loglog
from artist import Easel
from canvas import Drawing, Gnuplot
from loglog import Curve, Panel
from ropelab.results import Results, number, read_rows
from section import Section
from solver_style import SolverStyle
from study_files import make_sections, study_facts, study_folder, summary_curves
from units import counted, in_units, significant

TABLE = "onestep.csv"
HEADING = "Single steps"
STEP = "-step="  # precedes the step in the labels of summary.csv
SETTLED = 1e-16  # m: smaller distances count as none
QUANTITIES = (("position_rms_m", "positions", "m"), ("velocity_rms_m_s", "velocities", "m/s"),
              ("tension_rms_N", "tensions", "N"))


def mean_square(values: list[float]) -> float:
    return math.sqrt(sum(v * v for v in values) / len(values)) if values else math.nan


class Steps:
    """The rows of onestep.csv, by solver and number of iterations, over all starts."""

    def __init__(self, path: Path, step: float | None = None) -> None:
        rows = [row for row in read_rows(path) if step is None or number(row["step_s"]) == step]
        self.steps = sorted({number(row["step_s"]) for row in rows})
        self.labels = list(dict.fromkeys(row["label"] for row in rows
                                         if row["status"] != "uncertainty"))
        self.uncertainty = [r for r in rows if r["status"] == "uncertainty"]
        self.groups: dict[str, dict[str, list[dict[str, str]]]] = {}
        for row in rows:
            if row["status"] != "uncertainty":
                group = self.groups.setdefault(row["label"], defaultdict(list))
                group[row["asked"]].append(row)

    def curve(self, label: str, x: str, y: str) -> Curve:
        """Returns the curve of a solver: root mean squares of `y` over the starts, at means of `x`.
        Steps that diverged are in `lost`."""
        points, lost = [], []
        for rows in self.groups.get(label, {}).values():
            place = sum(number(r[x]) for r in rows) / len(rows)
            value = mean_square([number(r[y]) for r in rows])
            if any(r["status"] == "diverged" for r in rows):
                lost.append(place)
            elif math.isfinite(value):
                points.append((place, value))
        # A solver that stops by itself has equal rows for all larger numbers of iterations.
        return Curve(label, sorted(dict(points).items()), lost)

    def floor(self, y: str) -> float:
        """Returns the uncertainty of the reference, as root mean square over the starts."""
        return mean_square([number(r[y]) for r in self.uncertainty
                            if math.isfinite(number(r[y]))])


def panels(steps: Steps, labels: list[str], x: str) -> list[Panel]:
    found = []
    for column, title, unit in QUANTITIES:
        curves = [steps.curve(label, x, column) for label in labels]
        shown = [c for c in curves if c.label not in rounded(curves)]
        found.append(Panel("", f"error of {title}" + in_units(unit), shown, steps.floor(column)))
    return found


def rounded(curves: Sequence[Curve]) -> dict[str, float]:
    """Returns label and largest error of curves so far below the others that these would be
    flattened, such as the reference itself."""
    highest = {c.label: max(y for _, y in loglog.positive(c.points))
               for c in curves if loglog.positive(c.points)}
    lowest = {c.label: min(y for _, y in loglog.positive(c.points))
              for c in curves if loglog.positive(c.points)}
    return {label: value for label, value in highest.items()
            if all(value * loglog.FLOOR_REACH ** 2 < least
                   for other, least in lowest.items() if other != label) and len(lowest) > 1}


def rounded_sentence(steps: Steps, labels: list[str], x: str) -> str:
    left_out = rounded([steps.curve(label, x, QUANTITIES[0][0]) for label in labels])
    return "".join(f" Not drawn: {label}, whose positions are within {significant(value, 1)} m."
                   for label, value in left_out.items())


def best(panel: Panel) -> tuple[str, float]:
    """Returns the label of the curve nearest to the reference, and its least error."""
    ends = [(min(y for _, y in loglog.positive(c.points)), c.label)
            for c in panel.curves if loglog.positive(c.points)]
    return (min(ends)[1], min(ends)[0]) if ends else ("", math.nan)


def settling(easel: Easel, steps: Steps) -> str:
    """Returns the sentence on the iterations beyond which more of them do not help."""
    words = []
    for run in easel.scenario.runs:
        value = run.metric("iterations_settled", math.nan)
        if len(steps.groups.get(run.label, {})) > 1 and math.isfinite(value):
            words.append(f"{run.label} {counted(value)}")
    return (" A level part is the error of the step itself, which iterations do not change; it "
            "begins (within a factor of 2) at iterations: " + ", ".join(words) + ".") if words else ""


def common_caption(easel: Easel) -> str:
    facts = study_facts(easel, "onestep")
    step = next((run.step for run in easel.scenario.runs if math.isfinite(run.step)), math.nan)
    count = len(facts.get("times_s") or [])
    return (f"One step of {significant(step)} s from each of {count} states of the same run of "
            f"{facts.get('reference')}, and how far its end is from that run "
            f"({significant(number(facts.get('reference_step_s')))} s a step): root mean square "
            "over what moves, and over the states. The broad grey line, where it is near enough to "
            "be drawn, is how much the reference itself changes with half as many steps.")


def lost_sentence(found: list[Panel]) -> str:
    names = dict.fromkeys(c.label for panel in found for c in panel.curves if c.lost)
    return f" Crosses on the margin: diverged ({', '.join(names)})." if names else ""


def recorded(easel: Easel) -> Steps | None:
    folder = study_folder(easel, "onestep")
    return Steps(folder / TABLE) if folder and (folder / TABLE).is_file() else None


def single_step(easel: Easel) -> Steps | None:
    """Returns the steps if they have one size. For several sizes, errors are drawn over the size as
    in a convergence study (convergence.py)."""
    steps = recorded(easel)
    return steps if steps and len(steps.steps) == 1 else None


def has_several_steps(folder: Path) -> bool:
    return len({row["step_s"] for row in read_rows(folder / TABLE)}) > 1


def iterations(easel: Easel) -> Drawing | None:
    steps = single_step(easel)
    if steps is None:
        return None
    found = panels(steps, [run.label for run in easel.scenario.runs], "iterations")
    name, error = best(found[0])
    caption = common_caption(easel)
    if name:
        caption += f" Nearest in position: {name}, {significant(error)} m."
    caption += (settling(easel, steps) + lost_sentence(found)
                + rounded_sentence(steps, [run.label for run in easel.scenario.runs], "iterations"))
    return loglog.draw(easel, "onestep", "one step from equal states", caption,
                       "error of one step against iterations, by solver", found,
                       "iterations of the step, in all substeps", "reference's own")


def work(easel: Easel) -> Drawing | None:
    steps = single_step(easel)
    if steps is None:
        return None
    found = panels(steps, [run.label for run in easel.scenario.runs], "row_evals")[:1]
    caption = (common_caption(easel) + " Against what the step costs in evaluations of rows, a "
               "unit that no machine changes." + lost_sentence(found)
               + rounded_sentence(steps, [run.label for run in easel.scenario.runs], "row_evals"))
    return loglog.draw(easel, "onestep-work", "one step, error against work", caption,
                       "error of one step against row evaluations, by solver", found,
                       "row evaluations of the step", "reference's own")


def convergence(easel: Easel) -> Drawing | None:
    """Draws the distance from the solver's own step with the most iterations."""
    steps = single_step(easel)
    if steps is None:
        return None
    curves = [steps.curve(run.label, "iterations", "settled_rms_m")
              for run in easel.scenario.runs]
    for curve in curves:
        curve.points = loglog.zero_below(curve.points, SETTLED)
    if not any(len(loglog.positive(curve.points)) > 1 for curve in curves):
        return None
    caption = ("The same steps, but each against the same solver's own step with the most "
               "iterations: what the iterations have not solved yet, without the error of the "
               "step. A straight line here is convergence by a fixed factor for each doubling; a "
               f"bend downwards is faster than that. Below {significant(SETTLED, 1)} m a distance "
               "counts as none.")
    return loglog.draw(easel, "onestep-convergence", "convergence within one step", caption,
                       "distance from the converged step against iterations, by solver",
                       [Panel("", "distance (m)", curves)],
                       "iterations of the step, in all substeps")


def curves(folder: Path) -> list[tuple[str, str]]:
    """Returns label and solver of every curve."""
    rows = [row for row in read_rows(folder / TABLE) if row["status"] != "uncertainty"]
    found = list(dict.fromkeys((row["label"], row["solver"]) for row in rows))
    return found + [pair for pair in summary_curves(folder)
                    if pair not in found and not has_several_steps(folder)]


def restyle(folder: Path, styles: dict[str, SolverStyle]) -> dict[str, SolverStyle]:
    """Returns the styles of labels that end with the step, if there are several: those of the
    solvers without it."""
    if not has_several_steps(folder):
        return {}
    return {label: styles[label[:label.rindex(STEP)]] for label, _ in summary_curves(folder)
            if STEP in label}


def names(folder: Path) -> list[str]:
    """Returns the labels for the head of the page, without steps."""
    drawn = list(dict.fromkeys(row["label"] for row in read_rows(folder / TABLE)
                               if row["status"] != "uncertainty"))
    return drawn or [label for label, _ in summary_curves(folder)]


def sections(results: Results, styles: dict[str, SolverStyle], target: Path,
             gnuplot: Gnuplot) -> list[Section]:
    return make_sections(results, styles, target, gnuplot, (iterations, convergence, work),
                         "With the most iterations, over all states",
                         has_several_steps(results.folder))
