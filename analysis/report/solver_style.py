# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives each solver label its line type of plots/style.gp: the same in every figure and table."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterable

from ropelab.results import Run

PLOTS = Path(__file__).resolve().parent.parent / "plots"
LINE = re.compile(r'^set linetype\s+(\d+) lc rgb "(#[0-9A-Fa-f]{6})" lw ([\d.]+) dt (1|\([\d.,]+\))'
                  r'\s+pt\s+(\d+) ps ([\d.]+)\s+#\s*([\w-]+)\s*$')

# Variants of a solver, one after the other: how far its colour goes to black (below 0) or white,
# and their dashes. Dark colours only go to white.
SHADES = (0.42, -0.45, 0.58, -0.7, 0.2)
DARK_SHADES = (0.4, 0.62, 0.22, 0.72, 0.52)
DASHES = ((8, 6), (3, 5), (16, 6, 3, 6), (10, 6, 3, 6, 3, 6), (5, 5))
DARK = 60  # of 255
FIRST_VARIANT = 101  # line type


@dataclass(frozen=True)
class SolverStyle:
    linetype: int
    colour: str
    dash: tuple[float, ...] = ()  # lengths of strokes and gaps; none: a whole line
    symbol: int = 7               # gnuplot's number of a point type
    width: float = 2.2
    size: float = 0.75            # of the symbol

    @property
    def hollow(self) -> int:
        """gnuplot's symbols come in pairs, the hollow one first."""
        return self.symbol - 1

    @property
    def gnuplot(self) -> str:
        """The command that defines its line type."""
        dash = f"({','.join(f'{length:g}' for length in self.dash)})" if self.dash else "1"
        return (f'set linetype {self.linetype} lc rgb "{self.colour}" lw {self.width:g} dt {dash} '
                f"pt {self.symbol} ps {self.size:g}")


def dash_lengths(text: str) -> tuple[float, ...]:
    """Of gnuplot's `dt`: (stroke,gap,...), or 1 for a whole line."""
    return () if text == "1" else tuple(float(length) for length in text.strip("()").split(","))


def known_styles() -> dict[str, SolverStyle]:
    """Solver name -> line type, as written in style.gp."""
    styles: dict[str, SolverStyle] = {}
    for line in (PLOTS / "style.gp").read_text(encoding="utf-8").splitlines():
        match = LINE.match(line)
        if match:
            styles[match[7]] = SolverStyle(int(match[1]), match[2], dash_lengths(match[4]),
                                           int(match[5]), float(match[3]), float(match[6]))
    return styles


def shaded(colour: str, share: float) -> str:
    """A colour on its way to white, or, below 0, to black."""
    parts = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    end = 255 if share > 0 else 0
    return "#" + "".join(f"{round(part + abs(share) * (end - part)):02X}" for part in parts)


def is_dark(colour: str) -> bool:
    return sum(int(colour[i:i + 2], 16) for i in (1, 3, 5)) / 3 < DARK


def variant(style: SolverStyle, number: int, linetype: int) -> SolverStyle:
    """The style of a solver's variant, counted from 1: its symbol, a shade of its colour."""
    k = (number - 1) % len(SHADES)
    shades = DARK_SHADES if is_dark(style.colour) else SHADES
    return replace(style, linetype=linetype, colour=shaded(style.colour, shades[k]),
                   dash=DASHES[k])


def short_label(label: str) -> str:
    """"pbd, 20" for "pbd-iterations=20", which a key has no room for."""
    return label.replace("-iterations=", ", ")


def assign_styles(runs: Iterable[Run]) -> dict[str, SolverStyle]:
    """Each label has the style of its solver: that under the solver's own name, or else the first,
    as it is, the others as variants. Solvers that style.gp does not know have the free ones."""
    known = known_styles()
    solver_of: dict[str, str] = {}
    for run in runs:
        solver_of.setdefault(run.label, run.solver_name)
    free = [style for name, style in known.items() if name not in solver_of.values()]
    chosen: dict[str, SolverStyle] = {}
    next_type, strangers = FIRST_VARIANT, 0
    for solver in dict.fromkeys(solver_of.values()):
        style = known.get(solver)
        if style is None:
            pool = free or list(known.values())
            style = pool[strangers % len(pool)]
            strangers += 1
        labels = [label for label, name in solver_of.items() if name == solver]
        labels.sort(key=lambda label: label != solver)
        for number, label in enumerate(labels):
            chosen[label] = variant(style, number, next_type) if number else style
            next_type += 1 if number else 0
    return {label: chosen[label] for label in solver_of}
