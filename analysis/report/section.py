# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what a kind of study passes to the page."""

from __future__ import annotations

from dataclasses import dataclass, field

from canvas import Figure
from ropelab.results import Run
from tables import Facts


@dataclass
class Table:
    """A table of the page: cells are texts; with `labelled` the first of a row is a solver's label
    and has its colour."""

    caption: str
    headings: list[str]
    rows: list[list[str]]
    labelled: bool = True


@dataclass
class Section:
    """A scenario of a study as the page shows it."""

    anchor: str
    name: str
    title: str
    about: str
    facts: Facts
    figures: list[Figure]
    tables: list[Table]
    failures: list[Run] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)  # "LABEL: reason"
    notes: list[str] = field(default_factory=list)  # sentences, such as why there is no figure
