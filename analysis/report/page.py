# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the template of the report, report.html.j2."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tables
from canvas import Figure
from player import Player, missing_module
from ropelab.results import Results, Run, Scenario
from solver_style import SolverStyle
from templates import Sheet, fill, sheet


@dataclass
class Section:
    """A scenario as the page shows it."""

    scenario: Scenario
    anchor: str
    facts: tables.Facts
    table: tables.ScenarioTable
    overview: tables.OverviewRow
    figures: list[Sheet]
    notes: list[str]
    player: Player
    failures: list[Run]
    refusals: list[tables.Refusal]
    happenings: list[str]
    commands: list[str]


def anchor(name: str) -> str:
    return "scenario-" + re.sub(r"[^A-Za-z0-9_-]", "_", name)


def make_section(scenario: Scenario, labels: list[str], figures: list[Figure], notes: list[str],
                 player: Player, folder: Path) -> Section:
    """Makes the section of a scenario. `folder` has the SVG files of the figures; `notes` are on
    figures that are left out; `labels` are the columns of the overview."""
    return Section(scenario, anchor(scenario.name), tables.facts(scenario),
                   tables.scenario_table(scenario), tables.overview_row(scenario, labels),
                   [sheet(figure, folder) for figure in figures], notes, player,
                   tables.failures(scenario), tables.refusals(scenario),
                   tables.happenings(scenario), tables.commands(scenario.runs))


def counts(results: Results) -> list[tuple[str, int]]:
    """Counts the runs by status, in words."""
    found: dict[str, int] = {}
    for run in results.runs:
        word = tables.STATUS_WORDS.get(run.status, run.status)
        found[word] = found.get(word, 0) + 1
    return list(found.items())


def no_players() -> str:
    """Returns why the page has no players; empty if it can have them."""
    missing = missing_module()
    return (f"Without players: the Python that made this report has no {missing} "
            f"(Debian package python3-{missing}).") if missing else ""


def render(results: Results, styles: dict[str, SolverStyle], sections: list[Section]) -> str:
    """Returns the whole page."""
    used = {metric.name for own in sections for metric in own.table.metrics}
    statuses = {run.status for run in results.runs}
    values: dict[str, Any] = {
        "folder": str(results.folder), "quoted_folder": shlex.quote(str(results.folder)), "results": results, "styles": styles,
        "period": tables.period(results), "counts": counts(results),
        "anchor": anchor,
        "status_words": tables.STATUS_WORDS,
        "status_meanings": {k: v for k, v in tables.STATUS_MEANINGS.items() if k in statuses},
        "metrics": [metric for metric in tables.METRICS if metric.name in used],
        "sections": sections,
        "no_players": no_players(),
        "any_figure": any(own.figures or own.player.data for own in sections),
        "any_player": any(own.player.data for own in sections),
        "cards": tables.solver_cards(results), "environments": tables.environments(results),
    }
    return fill("report.html.j2", **values)
