# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives each solver label its line type of plots/style.gp: the same in every figure and table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ropelab.results import Run

PLOTS = Path(__file__).resolve().parent.parent / "plots"
LINE = re.compile(r'^set linetype\s+(\d+) lc rgb "(#[0-9A-Fa-f]{6})".* dt (1|\([\d.,]+\))'
                  r'\s+pt\s+(\d+).*?#\s*([\w-]+)\s*$')


@dataclass(frozen=True)
class SolverStyle:
    linetype: int
    colour: str
    dash: tuple[float, ...] = ()  # lengths of strokes and gaps; none: a whole line
    symbol: int = 7               # gnuplot's number of a point type


def dash_lengths(text: str) -> tuple[float, ...]:
    """Of gnuplot's `dt`: (stroke,gap,...), or 1 for a whole line."""
    return () if text == "1" else tuple(float(length) for length in text.strip("()").split(","))


def known_styles() -> dict[str, SolverStyle]:
    """Solver name -> line type, as written in style.gp."""
    styles: dict[str, SolverStyle] = {}
    for line in (PLOTS / "style.gp").read_text(encoding="utf-8").splitlines():
        match = LINE.match(line)
        if match:
            styles[match[5]] = SolverStyle(int(match[1]), match[2], dash_lengths(match[3]),
                                           int(match[4]))
    return styles


def assign_styles(runs: list[Run]) -> dict[str, SolverStyle]:
    """A label that is a solver's name has that solver's style, and so has the first label of a
    solver that does not stand under its own name; further labels take the free ones in order."""
    known = known_styles()
    solver_of: dict[str, str] = {}
    for run in runs:
        solver_of.setdefault(run.label, run.solver_name)
    chosen: dict[str, str] = {label: label for label in solver_of if label in known}
    for label, solver in solver_of.items():
        if label not in chosen and solver in known and solver not in chosen.values():
            chosen[label] = solver
    free = [name for name in known if name not in chosen.values()] or list(known)
    rest = [label for label in solver_of if label not in chosen]
    chosen.update({label: free[k % len(free)] for k, label in enumerate(rest)})
    return {label: known[chosen[label]] for label in solver_of}
