# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats numbers and units for display."""

from __future__ import annotations

import math
from typing import Any

PROBE_UNITS = {
    "x": "m", "y": "m", "z": "m", "length": "m", "rest": "m", "sag": "m",
    "vx": "m/s", "vy": "m/s", "vz": "m/s", "speed": "m/s", "slip": "m/s",
    "angle": "rad", "wrap": "rad", "spin": "rad/s", "tension": "N", "force": "N",
}
# Units of the invariants of closed forms (`ropelab list exact`).
INVARIANT_UNITS = {"wave-front": "m", "swinging-atwood": "m³/s²"}


SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def in_units(unit: str, exponent: int = 0) -> str:
    """Returns the suffix of an axis or column name: " (10^EXPONENT UNIT)" or empty."""
    power = "10" + str(exponent).translate(SUPERSCRIPT) if exponent else ""
    named = f"{power} {unit}".strip()
    return f" ({named})" if named else ""


def probe_unit(probe: str) -> str:
    """Returns the unit of a probe by the last word of its name that has one; "" for a pure
    number."""
    form, _, invariant = probe.rpartition(".invariant")
    if form and not invariant:
        return INVARIANT_UNITS.get(form, "")
    for word in reversed(probe.split(".")[1:]):
        if word in PROBE_UNITS:
            return PROBE_UNITS[word]
    return ""


def significant(value: float, digits: int = 3) -> str:
    """Formats a number with three significant digits: 0.00123, 12.3, 1230 and 1.23e-7."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if -4 < power < 5:
        return f"{float(f'{mantissa}e{exponent}'):.{max(0, digits - 1 - power)}f}".replace("-", "−")
    return f"{mantissa}e{power}".replace("-", "−")


def counted(value: float) -> str:
    """Formats a count: integers below 1e7 in full, in groups of three."""
    if math.isfinite(value) and value == round(value) and abs(value) < 1e7:
        return f"{int(value):,}".replace(",", "\u202f")
    return significant(value)


def plain(value: Any) -> str:
    """Formats a value of a JSON file on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"{value:.6g}".replace("-", "−")
    if isinstance(value, list):
        return "(" + ", ".join(plain(item) for item in value) + ")"
    return "–" if value is None else str(value)
