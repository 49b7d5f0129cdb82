# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills report.html.j2."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import tables
from canvas import Figure, files
from player import Player, missing_module
from ropelab.results import Results, Run, Scenario
from solver_style import SolverStyle
from svg import inline


@dataclass
class InlineFigure:
    figure: Figure
    svg: Markup
    files: str


@dataclass
class Section:
    """A scenario as the page shows it."""

    scenario: Scenario
    anchor: str
    facts: list[tuple[str, str]]
    table: tables.ScenarioTable
    figures: list[InlineFigure]
    player: Player
    failures: list[Run]
    refusals: list[tables.Refusal]
    happenings: list[str]
    commands: list[str]


def anchor(name: str) -> str:
    return "scenario-" + re.sub(r"[^A-Za-z0-9_-]", "_", name)


def section(scenario: Scenario, figures: list[Figure], player: Player, folder: Path) -> Section:
    drawn = [InlineFigure(figure, Markup(inline(
        (folder / f"{figure.name}.svg").read_text(encoding="utf-8"), figure.alt)),
        files(figure, folder)) for figure in figures]
    return Section(scenario, anchor(scenario.name), tables.facts(scenario),
                   tables.scenario_table(scenario), drawn, player,
                   tables.failures(scenario), tables.refusals(scenario),
                   tables.happenings(scenario), tables.commands(scenario.runs))


def counts(results: Results) -> list[tuple[str, int]]:
    """How many runs ended in which way."""
    found: dict[str, int] = {}
    for run in results.runs:
        word = tables.STATUS_WORDS.get(run.status, run.status)
        found[word] = found.get(word, 0) + 1
    return list(found.items())


def player_script() -> Markup:
    """The script is part of the page; nothing in it may end the element that it stands in."""
    script = (Path(__file__).resolve().parent / "player.js").read_text(encoding="utf-8")
    return Markup(script.replace("</", "<\\/"))


def no_players() -> str:
    """Why the page has no player anywhere; empty if it can have one."""
    missing = missing_module()
    return (f"Without players: the Python that made this report has no {missing} "
            f"(Debian package python3-{missing}).") if missing else ""


def render(results: Results, styles: dict[str, SolverStyle],
           shown: dict[str, tuple[list[Figure], Player]], folder: Path) -> str:
    """The whole page. `folder` holds the SVG files of the figures."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).resolve().parent), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    sections = [section(s, *shown[s.name], folder) for s in results.scenarios]
    used = {metric.name for own in sections for metric in own.table.metrics}
    statuses = {run.status for run in results.runs}
    values: dict[str, Any] = {
        "folder": str(results.folder), "quoted_folder": shlex.quote(str(results.folder)), "results": results, "styles": styles,
        "period": tables.period(results), "counts": counts(results),
        "overview": tables.overview(results), "anchor": anchor,
        "status_words": tables.STATUS_WORDS,
        "status_meanings": {k: v for k, v in tables.STATUS_MEANINGS.items() if k in statuses},
        "metrics": [metric for metric in tables.METRICS if metric.name in used],
        "sections": sections,
        "player_script": player_script(), "no_players": no_players(),
        "any_player": any(player.data for _, player in shown.values()),
        "cards": tables.solver_cards(results), "environments": tables.environments(results),
    }
    return environment.get_template("report.html.j2").render(values)
