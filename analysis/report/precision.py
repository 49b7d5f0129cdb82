# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the sections of a work-precision study: error over cost, and the Pareto front."""

from __future__ import annotations

import math
import re
import tempfile
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import loglog
import tables
from artist import Easel
from canvas import Drawing, Figure, Gnuplot
from convergence import NORMS, meaning
from figures import draw_all
from loglog import Curve, Panel
from page import anchor
from ropelab.results import Results, Scenario, number, read_rows
from section import Section, Table
from solver_style import SolverStyle, short_label, variant
from study_files import NOTHING
from units import counted, in_units, significant

TABLE = "precision.csv"
HEADING = "Work and precision"
Row = dict[str, str]

COSTS = (("row_evals", "pareto_row_evals", "row evaluations", "work"),
         ("seconds", "pareto_seconds", "time of the steps (s)", "time"))


def curves(folder: Path) -> list[tuple[str, str]]:
    """Returns label and solver of every curve."""
    rows = list(read_rows(folder / TABLE))
    return list(dict.fromkeys((row[name], row["solver"]) for name in ("family", "label")
                              for row in rows))


def names(folder: Path) -> list[str]:
    """Returns the labels for the head of the page, without numbers of iterations."""
    return list(dict.fromkeys(row["family"] for row in read_rows(folder / TABLE)))


def restyle(folder: Path, styles: dict[str, SolverStyle]) -> dict[str, SolverStyle]:
    """Returns the styles: a solver with its fewest iterations has its own colour and a solid line,
    with more, as a variant, a shade of the colour and dashes."""
    ranks: dict[str, list[str]] = {}
    found = {}
    for row in read_rows(folder / TABLE):
        own = ranks.setdefault(row["family"], [])
        if row["label"] == row["family"] or row["label"] in own:
            continue
        base, rank = styles[row["family"]], len(own)
        linetype = styles[row["label"]].linetype
        found[row["label"]] = (variant(base, rank, linetype) if rank
                               else replace(base, linetype=linetype, dash=()))
        own.append(row["label"])
    return found


def timing_remark(folder: Path) -> str:
    """Returns the table's remark on its times as a sentence."""
    for line in (folder / TABLE).read_text(encoding="utf-8").splitlines():
        if line.startswith("# seconds: "):
            remark = line.removeprefix("# seconds: ")
            if remark.endswith(": not idle"):
                remark = remark.replace(": not idle", ", so that the machine was NOT idle and may "
                                        "be faster than this")
            return f" Times: {remark}."
    return ""


def make_curves(rows: list[Row], cost: str) -> list[Curve]:
    """Makes curves with a point for each step; failed runs are in `lost`, at their estimated
    cost."""
    found = []
    for label in dict.fromkeys(row["label"] for row in rows):
        own = [row for row in rows if row["label"] == label]
        points = [(number(r[cost]), number(r["error"])) for r in own if r["status"] == "done"]
        points = [p for p in points if math.isfinite(p[0]) and math.isfinite(p[1])]
        lost = [number(r[cost]) for r in own if r["status"] not in ("done", "unsupported")]
        lost = [x for x in lost if math.isfinite(x)]
        if any(row["status"] == "unsupported" for row in own):
            lost.append(math.inf)
        found.append(Curve(label, sorted(points), lost, short_label(label)))
    return found


def failures_sentence(rows: list[Row]) -> str:
    failed = by_label([r for r in rows if r["status"] not in ("done", "unsupported")])
    refused = dict.fromkeys(r["label"] for r in rows if r["status"] == "unsupported")
    text = f" Crosses on the margin, at what they would have cost, failed: {failed}." if failed else ""
    return text + (f" At the end of the margin, unsupported: {', '.join(refused)}." if refused else "")


def front_of(rows: list[Row], mark: str, cost: str) -> list[Row]:
    return sorted((row for row in rows if row[mark] == "1"), key=lambda row: number(row[cost]))


def by_label(rows: list[Row]) -> str:
    """Describes runs by solver, each with the number of its steps, or with the only one."""
    steps: dict[str, list[str]] = {}
    for row in rows:
        steps.setdefault(row["label"], []).append(significant(number(row["step"])))
    return ", ".join(f"{label} ({f'{len(own)} steps' if len(own) > 1 else f'{own[0]} s'})"
                     for label, own in steps.items())


def drawing(easel: Easel, rows: list[Row], quantity: str, index: int, remark: str,
            errors: list[Row]) -> Drawing | None:
    cost, mark, x_title, word = COSTS[index]
    what, unit = meaning(quantity, easel.scenario, errors)
    norm = NORMS.get(rows[0]["norm"], rows[0]["norm"])
    best = front_of(rows, mark, cost)
    caption = (f"{what[0].upper()}{what[1:]}; {norm}, against "
               + ("evaluations of rows, a cost that no machine changes" if index == 0 else
                  "time of the steps alone") + "; along a curve to the right the step shrinks."
               + (f" Nothing is both cheaper and more accurate than {by_label(best)}."
                  if best else "")
               + (" Numbers behind names: iterations."
                  if any(row["family"] != row["label"] for row in rows) else "")
               + failures_sentence(rows) + (remark if index == 1 else ""))
    name = re.sub(r"[^A-Za-z0-9_-]", "_", quantity)
    y_name = norm + in_units(unit)
    return loglog.draw(easel, f"precision-{name}-{word}", f"{quantity}, {word} and precision",
                       caption, f"error against {word}, by solver",
                       [Panel("", y_name, make_curves(rows, cost))], x_title, triangles=True)


def front_table(rows: list[Row], quantity: str) -> Table:
    """Returns a table of the runs that no other surpasses in both error and cost."""
    chosen = [row for row in rows if "1" in (row["pareto_row_evals"], row["pareto_seconds"])]
    cells = [[row["label"], significant(number(row["step"])), significant(number(row["error"])),
              counted(number(row["row_evals"])), significant(number(row["seconds"])),
              "yes" if row["pareto_row_evals"] == "1" else "–",
              "yes" if row["pareto_seconds"] == "1" else "–"]
             for row in sorted(chosen, key=lambda row: number(row["error"]))]
    return Table(f"{quantity}: the Pareto front, the most accurate first",
                 ["solver", "step (s)", "error", "row evaluations", "time (s)",
                  "front by evaluations", "front by time"], cells)


def sections(results: Results, styles: dict[str, SolverStyle], target: Path,
             gnuplot: Gnuplot) -> list[Section]:
    """Makes a section for each scenario, with two figures and a table for each quantity."""
    rows = list(read_rows(results.folder / TABLE))
    errors = list(read_rows(results.folder / "convergence.csv"))
    remark = timing_remark(results.folder)
    by_name = {scenario.name: scenario for scenario in results.scenarios}
    made = []
    with tempfile.TemporaryDirectory(prefix="ropelab-figures-") as temporary:
        folder = Path(temporary)
        drawings: list[Drawing] = []
        for name, group in groupby(rows, key=lambda row: row["scenario"]):
            scenario = by_name.get(name) or Scenario(name, [])
            easel = Easel(scenario, re.sub(r"[^A-Za-z0-9_-]", "_", name), styles, folder)
            figures: list[Figure] = []
            shown: list[Table] = []
            notes: list[str] = []
            own = list(group)
            for quantity in dict.fromkeys(row["quantity"] for row in own):
                points = [row for row in own if row["quantity"] == quantity]
                measured = [row for row in errors
                            if (row["scenario"], row["quantity"]) == (name, quantity)]
                made_drawings = [drawing(easel, points, quantity, i, remark, measured)
                                 for i in range(len(COSTS))]
                found = [d for d in made_drawings if d]
                drawings += found
                figures += [d.figure for d in found]
                notes += [] if found else [f"{quantity}: {NOTHING}"]
                shown.append(front_table(points, quantity))
            made.append(Section(f"precision-{anchor(name)}", name, scenario.title, scenario.about,
                                tables.facts(scenario), figures, shown, tables.failures(scenario),
                                notes=notes))
        if drawings:
            draw_all(drawings, folder, target, gnuplot, styles)
    return made
