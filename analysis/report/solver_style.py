# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives each solver label its line type of plots/style.gp, the same in all figures and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterable

from ropelab.results import Run

PLOTS = Path(__file__).resolve().parent.parent / "plots"
LINE = re.compile(r'^set linetype\s+(\d+) lc rgb "(#[0-9A-Fa-f]{6})" lw ([\d.]+) dt (1|\([\d.,]+\))'
                  r'\s+pt\s+(\d+) ps ([\d.]+)\s+#\s*([\w-]+)\s*$')

# Variants of a solver in order: the share by which its colour is mixed with black (negative) or
# white, and their dashes. Dark colours are only mixed with white.
SHADES = (0.42, -0.45, 0.58, -0.7, 0.2)
DARK_SHADES = (0.4, 0.62, 0.22, 0.72, 0.52)
DASHES = ((8, 6), (3, 5), (16, 6, 3, 6), (10, 6, 3, 6, 3, 6), (5, 5))
DARK = 60  # largest mean of red, green and blue, of 255
FIRST_VARIANT = 101  # line type of the first variant


@dataclass(frozen=True)
class SolverStyle:
    linetype: int
    colour: str
    dash: tuple[float, ...] = ()  # lengths of strokes and gaps; (): solid
    symbol: int = 7               # gnuplot's number of the point type
    width: float = 2.2
    size: float = 0.75            # of the symbol

    @property
    def hollow(self) -> int:
        """Returns the hollow symbol, which precedes the filled one in gnuplot's numbering."""
        return self.symbol - 1

    @property
    def gnuplot(self) -> str:
        """Returns the gnuplot command that defines the line type."""
        dash = f"({','.join(f'{length:g}' for length in self.dash)})" if self.dash else "1"
        return (f'set linetype {self.linetype} lc rgb "{self.colour}" lw {self.width:g} dt {dash} '
                f"pt {self.symbol} ps {self.size:g}")


def dash_lengths(text: str) -> tuple[float, ...]:
    """Parses gnuplot's `dt`: (stroke,gap,...), or 1 for a solid line."""
    return () if text == "1" else tuple(float(length) for length in text.strip("()").split(","))


def known_styles() -> dict[str, SolverStyle]:
    """Reads the line types of the solvers from style.gp."""
    styles: dict[str, SolverStyle] = {}
    for line in (PLOTS / "style.gp").read_text(encoding="utf-8").splitlines():
        match = LINE.match(line)
        if match:
            styles[match[7]] = SolverStyle(int(match[1]), match[2], dash_lengths(match[4]),
                                           int(match[5]), float(match[3]), float(match[6]))
    return styles


def shaded(colour: str, share: float) -> str:
    """Mixes a colour with white, or for a negative share with black."""
    parts = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    end = 255 if share > 0 else 0
    return "#" + "".join(f"{round(part + abs(share) * (end - part)):02X}" for part in parts)


def is_dark(colour: str) -> bool:
    return sum(int(colour[i:i + 2], 16) for i in (1, 3, 5)) / 3 < DARK


def variant(style: SolverStyle, number: int, linetype: int) -> SolverStyle:
    """Returns the style of a solver's variant, counted from 1: its symbol and a shade of its
    colour."""
    k = (number - 1) % len(SHADES)
    shades = DARK_SHADES if is_dark(style.colour) else SHADES
    return replace(style, linetype=linetype, colour=shaded(style.colour, shades[k]),
                   dash=DASHES[k])


def short_label(label: str) -> str:
    """Returns a label short enough for a key: "pbd, 20" for "pbd-iterations=20"."""
    return label.replace("-iterations=", ", ")


def assign_styles(runs: Iterable[Run]) -> dict[str, SolverStyle]:
    """Gives each label a style of its solver: the solver's own style to the label that equals its
    name, or else to its first label; variants of it to the others. Solvers that are not in style.gp
    get the unused styles, of the published systems first: the others are more often compared."""
    known = known_styles()
    solver_of: dict[str, str] = {}
    for run in runs:
        solver_of.setdefault(run.label, run.solver_name)
    free = [style for name, style in reversed(known.items()) if name not in solver_of.values()]
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
