# SPDX-License-Identifier: GPL-3.0-or-later
"""Helps kinds of study that record no runs: finds their tables and facts and makes sections."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, Callable, Sequence

import tables
from artist import Easel
from canvas import Drawing, Gnuplot
from figures import draw_all
from page import anchor
from ropelab.results import Results, Scenario, mapping, read_rows
from section import Section, Table
from solver_style import SolverStyle
from units import in_units

NOTHING = "No figure: there is no value that a logarithmic axis could show."
Builder = Callable[[Easel], Drawing | None]


def study_folder(easel: Easel, kind: str) -> Path | None:
    """Returns the folder of the tables if the runs belong to a study of this kind; else None."""
    for run in easel.scenario.runs:
        if run.folder and mapping(run.info.get(kind)):
            return run.folder.parent.parent
    return None


def study_facts(easel: Easel, kind: str) -> dict[str, Any]:
    return next((mapping(run.info.get(kind)) for run in easel.scenario.runs
                 if mapping(run.info.get(kind))), {})


def summary_curves(folder: Path) -> list[tuple[str, str]]:
    """Returns label and solver of every row of summary.csv."""
    return list(dict.fromkeys((row["label"], row["solver"])
                              for row in read_rows(folder / "summary.csv")))


def summary_table(scenario: Scenario, caption: str) -> Table:
    """Makes a table of solvers with the status and numbers of summary.csv."""
    found = tables.scenario_table(scenario)
    headings = ["solver", "status"] + [metric.heading + in_units(metric.unit)
                                       for metric in found.metrics]
    rows = [[row.run.label, row.status, *(cell.text for cell in row.cells)] for row in found.rows]
    return Table(caption, headings, rows)


def make_sections(results: Results, styles: dict[str, SolverStyle], target: Path, gnuplot: Gnuplot,
                  builders: Sequence[Builder], caption: str, elsewhere: bool = False
                  ) -> list[Section]:
    """Makes a section for each scenario with the figures of the builders and the summary.
    `elsewhere`: another section has the figures and the tables of errors."""
    made = []
    with tempfile.TemporaryDirectory(prefix="ropelab-figures-") as temporary:
        folder = Path(temporary)
        drawings: list[Drawing] = []
        for scenario in results.scenarios:
            easel = Easel(scenario, re.sub(r"[^A-Za-z0-9_-]", "_", scenario.name), styles, folder)
            found = [drawing for build in builders if (drawing := build(easel)) is not None]
            drawings += found
            made.append(Section(anchor(scenario.name), scenario.name, scenario.title,
                                scenario.about, tables.facts(scenario),
                                [drawing.figure for drawing in found],
                                [] if elsewhere else [summary_table(scenario, caption)],
                                tables.failures(scenario),
                                [f"{label}: {refusal.reason}"
                                 for refusal in tables.refusals(scenario)
                                 for label in refusal.labels],
                                [] if found or elsewhere else [NOTHING]))
        if drawings:
            draw_all(drawings, folder, target, gnuplot, styles)
    return made
