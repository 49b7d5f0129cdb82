# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the tables of a command over several solvers are, and what its runs say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from artist import Artist
from ropelab.results import mapping


def study_folder(artist: Artist, kind: str) -> Path | None:
    """The folder with the tables, if the runs say that they belong to something of this kind."""
    for run in artist.scenario.runs:
        if run.folder and mapping(run.info.get(kind)):
            return run.folder.parent.parent
    return None


def study_facts(artist: Artist, kind: str) -> dict[str, Any]:
    return next((mapping(run.info.get(kind)) for run in artist.scenario.runs
                 if mapping(run.info.get(kind))), {})
