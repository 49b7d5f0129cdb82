# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the page of a study from the sections of each kind whose table is in the folder."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import consistency
import convergence
import onestep
import precision
import tables
from canvas import Gnuplot
from ropelab.results import Results
from section import Section
from solver_style import SolverStyle, assign_styles
from templates import fill, sheet

# A kind of study is a module with TABLE, the name of its file; HEADING, for studies without a
# title; curves(folder); and sections(results, styles, target, gnuplot), which draws into target. It
# may have names(folder), the solvers in the head of the page if these are not all labels of curves,
# and restyle(folder, styles), styles of labels that differ from those of their solvers. Orders of
# convergence that another kind writes follow it.
KINDS: tuple[ModuleType, ...] = (precision, onestep, consistency, convergence)


@dataclass(frozen=True)
class Curve:
    """The label and solver of a curve, for assign_styles."""

    label: str
    solver_name: str


@dataclass
class About:
    """The facts of study.json; studies from the command line have no title."""

    title: str
    text: str
    commands: list[str]


def read_about(results: Results) -> About:
    try:
        found = json.loads((results.folder / "study.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = {}
    command = found.get("command")
    return About(str(found.get("title") or ""), str(found.get("about") or ""),
                 [str(command)] if command else tables.commands(results.runs))


def is_study(folder: Path) -> bool:
    return any((folder / kind.TABLE).is_file() for kind in KINDS)


def make_page(results: Results, target: Path, gnuplot: Gnuplot) -> str:
    """Draws the figures into `target` and returns the page."""
    folder = results.folder
    kinds = [kind for kind in KINDS if (folder / kind.TABLE).is_file()]
    names = dict.fromkeys(pair for kind in kinds for pair in kind.curves(folder))
    styles = assign_styles([Curve(label, solver) for label, solver in names])
    for kind in kinds:
        if hasattr(kind, "restyle"):
            styles |= kind.restyle(folder, styles)
    sections = [section for kind in kinds
                for section in kind.sections(results, styles, target, gnuplot)]
    if len(kinds) > 1:  # the same scenarios once more
        for section in sections[len(sections) // 2:]:
            section.title, section.about, section.facts = f"{section.title}: orders", "", tables.Facts([], [])
    labels = (kinds[0].names(folder) if hasattr(kinds[0], "names")
              else [label for label, _ in names])
    scenarios = list(dict.fromkeys(section.name for section in sections))
    subject = sections[0].title if len(scenarios) == 1 else f"{len(scenarios)} scenarios"
    return render(results, styles, labels, sections, f"{kinds[0].HEADING}: {subject}", target)


def render(results: Results, styles: dict[str, SolverStyle], labels: list[str],
           sections: list[Section], heading: str, target: Path) -> str:
    counts: dict[str, int] = {}
    for run in results.runs:
        word = tables.STATUS_WORDS.get(run.status, run.status)
        counts[word] = counts.get(word, 0) + 1
    values: dict[str, Any] = {
        "folder": str(results.folder), "quoted_folder": shlex.quote(str(results.folder)),
        "heading": heading, "styles": styles, "labels": labels, "sections": sections, "counts": list(counts.items()),
        "run_count": len(results.runs), "period": tables.period(results),
        "status_words": tables.STATUS_WORDS, "about": read_about(results),
        "environments": tables.environments(results),
        "sheets": {figure.name: sheet(figure, target)
                   for section in sections for figure in section.figures},
    }
    return fill("study.html.j2", **values)
