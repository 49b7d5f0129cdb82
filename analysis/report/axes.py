# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the ticks of an axis: their places, their labels, and the room that these take."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Iterable, Sequence

from lettering import width

GAP, LEAST_GAP = 14.0, 8.0  # px between labels beside each other
LINE = 24.0        # px from one label to the next below

MOST = 8           # most labelled powers of ten
MOST_REGULAR = 11  # most labels of a linear axis
SHORT = 1.5        # up to this number of decades 2 and 5 of each power are labelled, too ...
LEAST = 2          # ... and wherever there are fewer powers of ten than this
FINE = 6           # up to this number of decades there are small ticks between powers of ten
PLAIN = 1e-3, 1e5  # numbers outside are written as multiples of powers of ten


@dataclass(frozen=True)
class Tick:
    place: float
    label: str = ""      # in gnuplot's enhanced text
    small: bool = False  # a short mark without a line of the grid


def power(exponent: int) -> str:
    return f"10^{{{exponent}}}".replace("-", "−")


def number(value: float) -> str:
    """Formats a number as 0.00125, 1000 or 2·10^{−5} in gnuplot's enhanced text."""
    if value == 0 or PLAIN[0] <= abs(value) < PLAIN[1]:
        return f"{value:g}".replace("-", "−")
    factor, exponent = f"{value:.5e}".split("e")
    shown = f"{float(factor):g}".replace("-", "−")
    return ("" if shown == "1" else f"{shown}·") + power(int(exponent))


def widest(ticks: Iterable[Tick]) -> float:
    return max((width(tick.label) for tick in ticks), default=0.0)


def marks(ticks: Sequence[Tick]) -> list[Tick]:
    """Returns the ticks without labels, which another panel has."""
    return [replace(tick, label="") for tick in ticks]


def command(ticks: Sequence[Tick]) -> str:
    """Returns the list of gnuplot's `set xtics (...)`."""
    return ", ".join(f'"{tick.label}" {tick.place!r} {int(tick.small)}' for tick in ticks)


def logarithmic(low: float, high: float) -> list[Tick]:
    """Returns ticks at powers of ten, of which every second, third ... is labelled if there are
    many; between few of them small ticks, and on a short axis also labels at 2 and 5."""
    decades = math.log10(high / low)
    every = math.ceil(decades / MOST)
    exponents = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    powers = sum(low <= float(f"1e{exponent}") <= high for exponent in exponents)
    ticks = []
    for exponent in exponents:
        for digit in range(1, 10):
            place = float(f"{digit}e{exponent}")
            if not low <= place <= high:
                continue
            if (decades < SHORT or powers < LEAST) and digit in (1, 2, 5):
                ticks.append(Tick(place, number(place)))
            elif digit == 1 and exponent % every == 0:
                ticks.append(Tick(place, power(exponent)))
            elif digit == 1 or decades <= FINE:
                ticks.append(Tick(place, small=True))
    return ticks


def counts(values: Sequence[float]) -> list[Tick]:
    """Returns ticks at whole numbers that are not all powers of ten, of which every second, third
    ... is labelled if there are many; none for other values, which logarithmic() serves."""
    whole = all(value == round(value) for value in values)
    if not whole or all(math.log10(value).is_integer() for value in values):
        return []
    every = math.ceil(len(values) / (MOST + 1))
    return [Tick(value, number(value) if i % every == 0 else "") for i, value in enumerate(values)]


def multiples(low: float, high: float, step: float) -> range:
    """Returns the multipliers of `step` that lie on the axis."""
    return range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)


def regular(low: float, high: float, step: float) -> list[Tick]:
    return [Tick(n * step, number(float(f"{n * step:.12g}")))
            for n in multiples(low, high, step)]


def fit(ticks: Sequence[Tick], scale: float, across: bool, gap: float) -> bool:
    """Whether the labels have `gap` px between them at `scale` px per unit."""
    room = gap + widest(ticks) if across else LINE
    return len(ticks) < 2 or (ticks[1].place - ticks[0].place) * scale >= room


def round_steps(span: float) -> list[float]:
    """Returns round distances up to about the span, the largest first."""
    top = math.ceil(math.log10(span))
    return [float(f"{digit}e{top - k}") for k in range(4) for digit in (10, 5, 2)]


def linear(low: float, high: float, length: float, across: bool) -> list[Tick]:
    """Returns ticks at the smallest round distance for which labels fit on `length` px, beside each
    other (`across`) or above each other, and at most MOST_REGULAR are needed."""
    scale = length / (high - low)
    found = (regular(low, high, step) for step in reversed(round_steps(high - low)))
    return next((ticks for ticks in found
                 if len(ticks) <= MOST_REGULAR and fit(ticks, scale, across, GAP)), [])


def few(low: float, high: float, length: float, across: bool) -> list[Tick]:
    """Returns ticks at the largest round distance with three ticks, or two if three do not fit;
    else the outermost ticks of a smaller distance; else one."""
    steps, scale = round_steps(high - low), length / (high - low)
    for least in (3, 2):
        for step in steps:
            ticks = regular(low, high, step)
            if len(ticks) >= least and fit(ticks, scale, across, LEAST_GAP):
                return ticks
    for step in steps:
        ends = regular(low, high, step)[::max(1, len(multiples(low, high, step)) - 1)]
        if len(ends) > 1 and fit(ends, scale, across, LEAST_GAP):
            return ends
    return next((ticks[:1] for step in steps if (ticks := regular(low, high, step))), [])
