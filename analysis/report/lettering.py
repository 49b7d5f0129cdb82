# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the width of text in figures: DejaVu Sans of 12 px, by the font's own table."""

from __future__ import annotations

import re

GROUPS = {
    3.4: "'ijlIJ", 3.8: " ,.·", 4.0: "/:;\\|", 4.3: "f-", 4.7: "()[]t!", 4.9: "r", 6.0: "\"*_`",
    6.4: "szc?", 6.9: "FkL", 7.1: "vxyPTYo", 7.4: "ae", 7.6: "$0123456789ESbdghnpqu{}",
    8.2: "ABCKRVXZ", 9.0: "DHNUG", 9.4: "&OQ", 10.1: "#+<=>^~−Mw", 11.7: "%mW@",
}
WIDTHS = {letter: width for width, letters in GROUPS.items() for letter in letters}
OTHER = 7.6    # width of characters that are not in the table
RAISED = 0.8   # size of an exponent


def plain_width(text: str) -> float:
    """Returns the width of a text without exponents [px]."""
    return sum(WIDTHS.get(letter, OTHER) for letter in text)


def width(text: str) -> float:
    """Returns the width [px] of a text with exponents in gnuplot's form, 10^{−3}."""
    line = re.sub(r"\^\{.*?\}", "", text)
    return plain_width(line) + RAISED * plain_width("".join(re.findall(r"\^\{(.*?)\}", text)))
