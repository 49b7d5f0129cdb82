# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepares curves for drawing: thinning that keeps peaks, symbols, and ranges of the axes."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Sequence

from axes import LINE as NUMBER_LINE, Tick, linear, power

POINTS = 500  # most points of a drawn curve, as two ends of each bin narrower than the line
MARKERS = 9   # symbols along a curve, which tell curves apart without colour

LARGEST = 1e150  # largest number of a logarithmic axis; ratios of such numbers do not overflow

Point = tuple[float, float]


def drawable(value: float) -> bool:
    """Whether a logarithmic axis can show the value."""
    return 1 / LARGEST <= value <= LARGEST


def finite_points(x: Sequence[float], y: Sequence[float]) -> list[Point]:
    return [(a, b) for a, b in zip(x, y) if math.isfinite(a) and math.isfinite(b)]


def thin(x: Sequence[float], y: Sequence[float], most: int = POINTS) -> list[Point | None]:
    """Thins a curve to about `most` points: least and greatest value of equal bins, so that no peak
    is lost, and both ends. None marks a gap, a bin that is mostly nan."""
    count = min(len(x), len(y))
    size = 1 if count <= most else math.ceil(2 * count / most)
    values = list(y[:count])  # a list gives out its numbers faster than an array does
    points: list[Point | None] = []
    for start in range(0, count, size):
        bin_ = good = values[start:start + size]
        if not math.isfinite(sum(bin_)):
            good = [v for v in bin_ if math.isfinite(v)]
            if 2 * len(good) <= len(bin_) and points and points[-1] is not None:
                points.append(None)
        if good:
            chosen = {start + bin_.index(min(good)), start + bin_.index(max(good))}
            if start == 0 or start + size >= count:
                chosen |= {i for i in (0, count - 1) if i - start in range(len(bin_))
                           and math.isfinite(values[i])}
            points += [(x[i], values[i]) for i in sorted(chosen)]
    return points


def markers(x: Sequence[float], y: Sequence[float], end: float, index: int, count: int,
            number: int = MARKERS) -> list[Point]:
    """Returns points of the curve for symbols at equal distances, shifted from one curve to the
    next, so that symbols of coincident curves stay visible. `x` must ascend."""
    chosen: list[Point] = []
    position, stop = 0, min(len(x), len(y))
    for k in range(number):
        wanted = end * (k + (index + 0.5) / max(count, 1)) / number
        position = bisect_left(x, wanted, position, stop)
        while position < stop and not math.isfinite(y[position]):
            position += 1
        if position == stop:
            break
        chosen.append((x[position], y[position]))
    return list(dict.fromkeys(chosen))


def quantile(values: Sequence[float], share: float) -> float:
    """Returns a quantile of sorted values; nan if there are none."""
    return values[round(share * (len(values) - 1))] if values else math.nan


@dataclass
class LogAxis:
    """A logarithmic axis with a place for zero: magnitudes up to `floor` are drawn at 0,
    floor * 10^n at n, -floor * 10^n at -n (the mapping is in style.gp). `low` and `high` are in
    these coordinates."""

    floor: float
    above: int  # decades above the floor
    below: int  # decades of negative values; 0: none

    @property
    def top(self) -> float:
        return self.floor * 10.0 ** self.above

    @property
    def low(self) -> float:
        return -float(self.below) if self.below else -0.25

    @property
    def high(self) -> float:
        return float(self.above)

    @property
    def scale(self) -> float:
        return 1.0

    def ticks(self, height: float) -> list[Tick]:
        exponent = round(math.log10(self.floor))
        every = max(1, math.ceil((self.above + self.below) / (height / NUMBER_LINE)))
        found = [Tick(0.0, "0")]
        for n in (n for n in range(-self.below, self.above + 1) if n):
            shown = n % every == 0
            label = ("−" if n < 0 else "") + power(exponent + abs(n)) if shown else ""
            found.append(Tick(float(n), label, not shown))
        return found


def log_axis(values: Sequence[float], most: int, signed: bool = False, least: float = 1e-300
             ) -> LogAxis:
    """Returns an axis that covers the largest magnitude and, in `most` decades below it, the bulk
    of the others; in twice as many if otherwise a third of the values would be at the floor, which
    is at least `least`."""
    finite = [value for value in values if math.isfinite(value) and value != 0]
    sizes = sorted(map(abs, finite))
    if not sizes:
        return LogAxis(1e-16, 3, 1 if signed else 0)
    top = decade(sizes[-1])
    bulk = math.floor(math.log10(quantile(sizes, 0.1 if signed else 0.02)))
    if quantile(sizes, 1 / 3) < 10.0 ** max(top - most, -300):
        most *= 2
    bottom = max(decade(least), min(top - 3, max(bulk, top - most)))
    top = max(top, bottom + 3)
    if not signed:
        return LogAxis(10.0 ** bottom, top - bottom, 0)
    greatest, least = max(finite), min(finite)
    above = decade(greatest) - bottom if greatest > 0 else 1
    below = decade(-least) - bottom if least < 0 else 1
    return LogAxis(10.0 ** bottom, max(above, 1), max(below, 1))


def decade(size: float) -> int:
    """Returns the exponent of the power of ten at or above a positive number."""
    return max(-300, min(300, math.ceil(math.log10(size) - 1e-9)))


def drawn(value: float) -> float:
    """Rounds an end of an axis to the precision of the data files."""
    return float(f"{value:.6g}")


@dataclass
class Range:
    """A linear axis from `bottom` to `top`, in the unit of its quantity."""

    bottom: float
    top: float

    def inside(self, value: float) -> bool:
        return self.bottom <= value <= self.top

    @property
    def exponent(self) -> int:
        """Returns the exponent, a multiple of three, of the power of ten by which the labels are
        divided; 0 unless they would be long."""
        size = max(abs(self.bottom), abs(self.top))
        if 1e-2 <= self.top - self.bottom and size < 1e4:
            return 0
        return 3 * math.floor(math.log10(size) / 3 + 1e-9)

    @property
    def scale(self) -> float:
        return 10.0 ** self.exponent

    @property
    def low(self) -> float:
        return self.bottom / self.scale

    @property
    def high(self) -> float:
        return self.top / self.scale

    def ticks(self, height: float) -> list[Tick]:
        return linear(self.low, self.high, height, across=False)


def bulk(values: Sequence[float]) -> tuple[float, float]:
    """Returns the ends of sorted values without a hundredth at each, which may be spikes."""
    return quantile(values, 0.01), quantile(values, 0.99)


NOISE = 1e-4  # share of the largest magnitude; smaller changes are drawn as a constant
LINE = 0.05   # share of an axis; a smaller change looks like a line


def outliers(series: Sequence[Sequence[float]]) -> set[int]:
    """Returns the indices of curves that would flatten the others on a common axis: those that
    leave the range of three quarters of them by more than twice its width. None if there are fewer
    than four, or if half of them would be flat without these, too."""
    finite = [sorted(v for v in values if math.isfinite(v)) for values in series]
    ends = {i: bulk(values) for i, values in enumerate(finite) if values}
    if not ends:
        return set()
    lows, highs = zip(*ends.values())
    low, high = -quantile(sorted(-v for v in lows), 0.75), quantile(sorted(highs), 0.75)
    span = high - low
    change = quantile(sorted(greatest - least for least, greatest in ends.values()), 0.5)
    if change <= max(LINE * span, NOISE * (max(highs) - min(lows))):
        return set()
    return {i for i, (least, greatest) in ends.items()
            if least < low - 2 * span or greatest > high + 2 * span}


def robust_range(values: Sequence[float], zero: bool = False) -> Range:
    """Returns the range of the values with a margin, without a few spikes that would flatten all
    others."""
    finite = sorted(value for value in values if math.isfinite(value))
    if not finite:
        return Range(0.0, 1.0)
    low, high = finite[0], finite[-1]
    inner_low, inner_high = bulk(finite)
    span = inner_high - inner_low
    if span > 0 and high - inner_high > 3 * span:
        high = inner_high + 0.5 * span
    if span > 0 and inner_low - low > 3 * span:
        low = inner_low - 0.5 * span
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    size = max(abs(low), abs(high))
    if high - low < NOISE * size or size == 0:  # nearly constant
        middle, half = (low + high) / 2, 0.05 * size or 1.0
        return Range(middle - half, middle + half)
    margin = 0.06 * (high - low)
    return Range(low if zero and low == 0 else low - margin,
                 high if zero and high == 0 else high + margin)
