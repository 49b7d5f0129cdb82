# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the figures of `ropelab consistency`: consistency, speed and drift of each solver."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Sequence

import loglog
from artist import Easel
from canvas import Drawing, Gnuplot
from curves import Point
from loglog import Curve, Panel
from ropelab.results import Results, number, read_rows
from section import Section
from solver_style import SolverStyle
from study_files import make_sections, study_facts, study_folder, summary_curves
from units import significant

KIND, TABLE = "consistency", "consistency.csv"
HEADING = "Consistency"
DRIFTS = (("energy_drift", "energy", "energy error / energy"),
          ("momentum_drift", "momentum", "change / sum of m v"),
          ("angular_drift", "angular momentum", "change / its size"))

UNIT = 2.0 ** -52  # unit in the last place of 1
ROUNDING = 1e-12   # m: a curve below is round-off


def recorded(easel: Easel) -> list[dict[str, str]]:
    folder = study_folder(easel, KIND)
    path = folder / TABLE if folder else None
    return list(read_rows(path)) if path and path.is_file() else []


def points_of(easel: Easel, rows: list[dict[str, str]], x: str, y: str) -> list[Curve]:
    """Returns a curve per run with a point for each step; diverged steps are in `lost`."""
    found = []
    for run in easel.scenario.runs:
        own = [row for row in rows if row["label"] == run.label]
        points = [(number(r[x]), number(r[y])) for r in own if math.isfinite(number(r[y]))]
        lost = [number(r[x]) for r in own
                if r["status"] == "diverged" and not math.isfinite(number(r[y]))]
        found.append(Curve(run.label, sorted(points), [x for x in lost if math.isfinite(x)]))
    return found


def about(facts: dict[str, Any]) -> str:
    reference = facts.get("reference")
    own = ("its own run" if reference == "self" else f"a run of {reference}")
    return (f"Mean distance from {own} with steps of "
            f"{significant(1e3 * number(facts.get('reference_step_s')))} ms, from whose states each "
            f"of {facts.get('pieces')} pieces of {significant(number(facts.get('piece_s')))} s is "
            "started again with a longer step; mean over the pieces.")


def lost_sentence(panels: list[Panel]) -> str:
    names = dict.fromkeys(c.label for panel in panels for c in panel.curves if c.lost)
    return f" Crosses on the margin: diverged ({', '.join(names)})." if names else ""


def is_rounding(points: Sequence[Point], duration: float) -> bool:
    """Whether a relative drift is round-off at all steps: at most a unit in the last place per
    step, or a thousand in all."""
    return bool(points) and all(y <= UNIT * max(1e3, duration / x) for x, y in points)


def is_exact(curve: Curve) -> bool:
    return bool(curve.points) and max(y for _, y in curve.points) < ROUNDING


def exact_sentence(labels: list[str]) -> str:
    return (f" Within {significant(ROUNDING, 1)} m at every step, and not drawn: "
            f"{', '.join(labels)}." if labels else "")


def kept_sentence(kept: list[tuple[str, str]]) -> str:
    """Returns the sentence on solvers that conserve a quantity to rounding and have no curve."""
    titles = dict.fromkeys(title for title, _ in kept)
    words = [f"{title} by {', '.join(label for of, label in kept if of == title)}"
             for title in titles]
    return (" Kept to rounding (a unit in the last place a step, or a thousand in all) and not "
            f"drawn: {'; '.join(words)}." if words else "")


def fastest(found: list[Curve], error: float) -> str:
    """Returns the sentence on the fastest solver with at most this error among the points."""
    speeds = [(x, c.label) for c in found for x, y in loglog.positive(c.points) if y <= error]
    if not speeds:
        return ""
    speed, label = max(speeds)
    return (f" Fastest with an error of at most {significant(error, 1)} m: {label}, "
            f"{significant(speed)} times real time.")


def idle_sentence(facts: dict[str, Any]) -> str:
    share = number(facts.get("others_load"))
    repeats = facts.get("repeats")
    told = f" Times are the least of {repeats}, in turn."
    if facts.get("idle") is True:
        return told + " The machine was idle beside."
    if math.isfinite(share):
        return told + (f" The machine was NOT idle: others used {significant(100 * share, 2)} % of "
                       "it meanwhile, so that it may be faster than this.")
    return told + " What else the machine did is not known."


def speed(easel: Easel) -> Drawing | None:
    rows = recorded(easel)
    if not rows:
        return None
    facts = study_facts(easel, KIND)
    found = points_of(easel, rows, "times_real_time", "error_m")
    best = fastest(found, 1e-4)
    for curve in found:  # round-off errors would stretch the axis; only their speeds are shown
        if is_exact(curve):
            curve.points = [(x, 0.0) for x, _ in curve.points]
    panels = [Panel("", "inconsistency (m)", found)]
    caption = (about(facts) + " Against speed: right is faster, up is more accurate, and along a "
               "curve from the left to the right the step grows." + best
               + lost_sentence(panels) + idle_sentence(facts))
    return loglog.draw(easel, "consistency", "speed and consistency", caption,
                       "inconsistency against speed, by solver", panels,
                       "times faster than real time", downwards=True)


def steps(easel: Easel) -> Drawing | None:
    rows = recorded(easel)
    if not rows:
        return None
    found = points_of(easel, rows, "step_s", "error_m")
    exact = [c.label for c in found if is_exact(c)]
    panels = [Panel("", "inconsistency (m)", [c for c in found if c.label not in exact])]
    caption = (about(study_facts(easel, KIND)) + " A line that falls by the square of the step "
               "belongs to a method of second order in its positions, one that falls with the step "
               "to one of first order." + exact_sentence(exact) + lost_sentence(panels))
    return loglog.draw(easel, "consistency-step", "consistency against step", caption,
                       "inconsistency against step, by solver", panels, "step (s)", triangles=True)


def drift(easel: Easel) -> Drawing | None:
    """Draws the drift of each conserved quantity."""
    rows = recorded(easel)
    facts = study_facts(easel, KIND)
    duration = number(facts.get("pieces")) * number(facts.get("piece_s"))
    panels: list[Panel] = []
    kept: list[tuple[str, str]] = []
    for column, title, unit in DRIFTS:
        found = points_of(easel, rows, "step_s", column)
        kept += [(title, c.label) for c in found if is_rounding(c.points, duration)]
        found = [c for c in found if not is_rounding(c.points, duration)]
        if any(curve.points for curve in found):
            panels.append(Panel(title, unit, found))
    if not panels:
        return None
    caption = ("Largest change over the whole run of what nothing changes here: energy, as a share "
               "of all there is; momentum, of the sum of mass times speed; angular momentum about "
               "the origin, of its size. What is not conserved by the scenario has no panel."
               + kept_sentence(kept) + lost_sentence(panels))
    return loglog.draw(easel, "consistency-drift", "drift", caption,
                       "drift of energy and momentum against step, by solver", panels, "step (s)",
                       triangles=True)


curves = summary_curves


def sections(results: Results, styles: dict[str, SolverStyle], target: Path,
             gnuplot: Gnuplot) -> list[Section]:
    return make_sections(results, styles, target, gnuplot, (speed, steps, drift),
                         "With the longest step below the first that diverged")
