# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers along an axis: where they stand, what they say, and how much room they take."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Iterable, Sequence

from lettering import width

GAP, LEAST_GAP = 14.0, 8.0  # px between numbers beside each other
LINE = 24.0        # px from one number to the next below

MOST = 8           # powers of ten with a number
MOST_REGULAR = 11  # numbers on a linear axis
SHORT = 1.5        # decades of an axis on which 2 and 5 of each power have numbers too
FINE = 6           # decades of an axis that has marks between powers of ten
PLAIN = 1e-3, 1e5  # numbers outside are written as multiples of powers of ten


@dataclass(frozen=True)
class Tick:
    place: float
    label: str = ""      # in gnuplot's enhanced text
    small: bool = False  # a short mark without a line of the grid


def power(exponent: int) -> str:
    return f"10^{{{exponent}}}".replace("-", "−")


def number(value: float) -> str:
    """0.00125, 1000, 2·10^{−5}"""
    if value == 0 or PLAIN[0] <= abs(value) < PLAIN[1]:
        return f"{value:g}".replace("-", "−")
    factor, exponent = f"{value:.5e}".split("e")
    shown = f"{float(factor):g}".replace("-", "−")
    return ("" if shown == "1" else f"{shown}·") + power(int(exponent))


def widest(ticks: Iterable[Tick]) -> float:
    return max((width(tick.label) for tick in ticks), default=0.0)


def marks(ticks: Sequence[Tick]) -> list[Tick]:
    """Without the numbers, which another panel has."""
    return [replace(tick, label="") for tick in ticks]


def command(ticks: Sequence[Tick]) -> str:
    """The list of gnuplot's `set xtics (...)`."""
    return ", ".join(f'"{tick.label}" {tick.place!r} {int(tick.small)}' for tick in ticks)


def logarithmic(low: float, high: float) -> list[Tick]:
    """Powers of ten, every second, third ... with its number if there are many; between them small
    marks, if there are few; on a short axis also the numbers 2 and 5."""
    decades = math.log10(high / low)
    every = math.ceil(decades / MOST)
    ticks = []
    for exponent in range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1):
        for digit in range(1, 10):
            place = float(f"{digit}e{exponent}")
            if not low <= place <= high:
                continue
            if decades < SHORT and digit in (1, 2, 5):
                ticks.append(Tick(place, number(place)))
            elif digit == 1 and exponent % every == 0:
                ticks.append(Tick(place, power(exponent)))
            elif digit == 1 or decades <= FINE:
                ticks.append(Tick(place, small=True))
    return ticks


def counts(values: Sequence[float]) -> list[Tick]:
    """At whole numbers that are not all powers of ten: each of them, or every second, third ...;
    none for others, which a logarithmic axis has marks of its own for."""
    whole = all(value == round(value) for value in values)
    if not whole or all(math.log10(value).is_integer() for value in values):
        return []
    every = math.ceil(len(values) / (MOST + 1))
    return [Tick(value, number(value) if i % every == 0 else "") for i, value in enumerate(values)]


def multiples(low: float, high: float, step: float) -> range:
    """What multiples of `step` an axis holds."""
    return range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)


def regular(low: float, high: float, step: float) -> list[Tick]:
    return [Tick(n * step, number(float(f"{n * step:.12g}")))
            for n in multiples(low, high, step)]


def fit(ticks: Sequence[Tick], scale: float, across: bool, gap: float) -> bool:
    """Whether there is as much between numbers with `scale` px a unit."""
    room = gap + widest(ticks) if across else LINE
    return len(ticks) < 2 or (ticks[1].place - ticks[0].place) * scale >= room


def round_steps(span: float) -> list[float]:
    """Round distances, the largest first."""
    top = math.ceil(math.log10(span))
    return [float(f"{digit}e{top - k}") for k in range(4) for digit in (10, 5, 2)]


def linear(low: float, high: float, length: float, across: bool) -> list[Tick]:
    """At the smallest round distance at which there is room for numbers on `length` px, beside each
    other (`across`) or above each other, and there are not too many to read."""
    scale = length / (high - low)
    found = (regular(low, high, step) for step in reversed(round_steps(high - low)))
    return next((ticks for ticks in found
                 if len(ticks) <= MOST_REGULAR and fit(ticks, scale, across, GAP)), [])


def few(low: float, high: float, length: float, across: bool) -> list[Tick]:
    """At the largest round distance with three ticks, or two if so many do not fit; else the
    outermost of closer ones; else one."""
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
