# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the tables of the report as plain data: the cells, and which of them are best."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

from ropelab.results import SERIES, Results, Run, Scenario, mapping, number
from units import counted, plain, probe_unit, significant


@dataclass(frozen=True)
class Metric:
    name: str         # in run.json and summary.csv
    heading: str
    unit: str         # "" for a pure number
    smaller_is_better: bool
    definition: str
    count: bool = False


METRICS = (
    Metric("exact_error_max", "error to closed form", "unit of the probe", True,
           "Largest distance of any place or length among the probes from its closed form, over "
           "the whole run while the form holds; of a form of rest to which the run has to come "
           "first, that at the end. Where no such probe is known: of the others, each in its own "
           "unit."),
    Metric("energy_error_max_J", "energy error", "J", True,
           "Largest |energy(t) − energy(0) − work + dissipated|: what the method itself made or "
           "lost. The sum of kinetic, gravity, elastic and bending energy counts as energy; "
           "dissipated counts only what physics dissipates (damping, drag, friction, inelastic "
           "impacts)."),
    Metric("energy_error_relative", "energy error, relative", "", True,
           "The energy error divided by all the energy that the scene can hold: kinetic and "
           "elastic energy at the start, and that of its masses falling as far as their ropes let "
           "them."),
    Metric("length_error_max_m", "length error", "m", True,
           "Largest excess of an inextensible element or span over its rest length."),
    Metric("stretch_max", "stretch", "", False,
           "Largest length / rest − 1 of any element or span, never below zero (for links that "
           "resist being shortened too: its magnitude). Error for an inextensible rope, partly "
           "physics for an elastic one."),
    Metric("penetration_max_m", "penetration", "m", True,
           "Greatest depth of a rope's node inside a body."),
    Metric("residual_m", "residual", "m", True,
           "Largest violation of any row at the end of a step: |min(−C, w λ)|, where C is the "
           "excess of a path over its rest length, λ the row's force and w the square of the step "
           "divided by the mass that the row feels. Zero when no row is violated and none that is "
           "slack pulls. One definition for all methods; those that work on velocities use "
           "C + step · dC/dt. The table has the last step's."),
    Metric("position_rms_m", "position error", "m", True,
           "Distance from the reference a step later, root mean square over what moves and over "
           "the states that were started from; with the most iterations."),
    Metric("velocity_rms_m_s", "velocity error", "m/s", True, "The same of velocities."),
    Metric("tension_rms_N", "tension error", "N", True,
           "The same of the tensions, which are means over the step."),
    Metric("iterations_settled", "settled at", "", True,
           "Fewest iterations from which on the position error stays within twice that with the "
           "most iterations."),
    Metric("largest_step_s", "largest step", "s", False,
           "The largest step with which it did not diverge; the numbers beside are of that step."),
    Metric("error_m", "inconsistency", "m", True,
           "Mean distance from the run in very small steps, over a piece that is started from a "
           "state of that run."),
    Metric("energy_drift", "energy drift", "", True,
           "Largest energy error over the whole run, as a share of the energy there is."),
    Metric("angular_drift", "angular drift", "", True,
           "Largest change of the angular momentum about the origin, as a share of it."),
    Metric("times_real_time", "times real time", "", False,
           "Simulated seconds in a second of one core."),
    Metric("error_estimate_m", "error estimate", "m", False,
           "How far the positions may be from the truth at the end, in the method's own estimate: "
           "only the reference has one. Differences from it that are smaller mean nothing."),
    Metric("tension_max_N", "greatest tension", "N", False,
           "Largest tension anywhere in a rope: total impulse of a step divided by the step."),
    Metric("momentum_drift", "momentum drift", "", True,
           "Largest change of the total momentum, divided by the sum of mass × speed. Only where "
           "nothing acts from outside, so that momentum has to stay."),
    Metric("iterations", "iterations", "", False,
           "Iterations over all steps and substeps.", True),
    Metric("row_evals", "row evaluations", "", True,
           "How often a row (one rope element, span or contact) was evaluated by the method: the "
           "cost that does not depend on the computer.", True),
    Metric("seconds", "time", "s", True,
           "Wall-clock time spent in the steps: depends on the computer and on what else it did."),
)

ROUNDING = 1e-12  # share of its scale below which a value says nothing
STEPS_NAMED = 3  # most time steps that are listed

OVERVIEW = ("exact_error_max", "energy_error_max_J", "length_error_max_m")
SHORT = {"exact_error_max": "to closed form", "energy_error_max_J": "energy",
         "length_error_max_m": "length", "stretch_max": "stretch"}

STATUS_WORDS = {
    "done": "done", "diverged": "diverged", "unsupported": "unsupported", "failed": "failed",
    "interrupted": "interrupted", "running": "not finished", "timeout": "past the time limit",
    "capped": "more iterations than allowed", "unknown": "unknown",
}
STATUS_MEANINGS = {
    "done": "the run reached its end",
    "diverged": "the state was no longer finite, or had more energy than there can be; what was "
                "recorded before is shown",
    "unsupported": "the solver says that it cannot do what the scenario asks for",
    "failed": "the run could not be carried out",
    "timeout": "the run took more processor time than it was given",
    "interrupted": "stopped from outside; what was recorded before is shown",
    "running": "the run had not ended when this report was made",
}


@dataclass
class Cell:
    text: str
    best: bool = False


@dataclass
class RunRow:
    run: Run
    status: str
    cells: list[Cell]


@dataclass
class ScenarioTable:
    metrics: list[Metric]
    rows: list[RunRow]


@dataclass
class OverviewCell:
    status: str
    reason: str
    cells: list[Cell]


@dataclass
class OverviewRow:
    """A scenario with the headings of its numbers and a cell per solver; None: not run."""

    scenario: Scenario
    headings: list[str]
    solvers: list[OverviewCell | None]


@dataclass
class Refusal:
    """Solvers that do not support a scenario for the same reason."""

    reason: str
    labels: list[str]


def shown(metric: Metric, value: float) -> str:
    return counted(value) if metric.count else significant(value)


def finished(run: Run) -> bool:
    return run.status == "done"


def rounding(metric: Metric, scenario: Scenario) -> float:
    """Returns the value below which those of a metric differ by rounding only: a share of all
    energy, of the ropes' length, or of 1."""
    if metric.unit == "J":
        shares = ((run.metric("energy_error_max_J", math.nan),
                   run.metric("energy_error_relative", math.nan)) for run in scenario.runs)
        return ROUNDING * max((error / share for error, share in shares if share > 0), default=0.0)
    if metric.unit == "m":
        ropes = mapping(scenario.definition.get("ropes")).values()
        lengths = (number(mapping(rope).get("length")) for rope in ropes)
        return ROUNDING * max(1.0, *(length for length in lengths if math.isfinite(length)), 0.0)
    return ROUNDING if metric.unit == "" and not metric.count else 0.0


@dataclass(frozen=True)
class Judge:
    """Says which values of a metric are the best of a scenario."""

    metric: Metric
    rounding: float
    best: str | None  # as it is judged; None: nothing is better than all else

    def judged(self, value: float) -> str:
        """Returns a value as it is shown, 0 if it is rounding."""
        return shown(self.metric, 0.0 if abs(value) < self.rounding else abs(value))

    def rounded(self, run: Run) -> Cell:
        """Returns the value of a run as it is judged."""
        text = self.judged(run.metric(self.metric.name, math.nan))
        return Cell(text, self.best is not None and finished(run) and text == self.best)

    def cell(self, run: Run) -> Cell:
        value = run.metric(self.metric.name, math.nan)
        return Cell(shown(self.metric, value), self.rounded(run).best)


def judge(metric: Metric, scenario: Scenario) -> Judge:
    """Judges by the finished runs; if all show the same, none is the best."""
    values = [run.metric(metric.name, math.nan) for run in scenario.runs if finished(run)]
    values = [abs(value) for value in values if math.isfinite(value)]
    found = Judge(metric, rounding(metric, scenario), None)
    if not metric.smaller_is_better or len(set(map(found.judged, values))) < 2:
        return found
    return replace(found, best=found.judged(min(values)))


def with_unit(metric: Metric, scenario: Scenario) -> Metric:
    """Returns the metric with its unit: `exact_error_max` has that of the probes that count."""
    if metric.name != "exact_error_max":
        return metric
    probes = next((found for run in scenario.runs if (found := counted_probes(run))), [])
    units = {probe_unit(probe) for probe in probes}
    return replace(metric, unit=units.pop() or metric.unit) if len(units) == 1 else metric


def counted_probes(run: Run) -> list[str]:
    """Returns the probes whose largest error is `exact_error`: positions and lengths, or all if
    none of these is known (record.c)."""
    series = run.table(SERIES)
    known = [name.removesuffix(".error") for name in series
             if name.endswith(".error") and any(map(math.isfinite, series[name]))]
    return [probe for probe in known if probe_unit(probe) == "m"] or known


def scenario_table(scenario: Scenario) -> ScenarioTable:
    """Makes the table of solvers and metrics, without metrics that no run has."""
    metrics = [with_unit(metric, scenario) for metric in METRICS
               if any(math.isfinite(run.metric(metric.name, math.nan)) for run in scenario.runs)]
    judges = [judge(metric, scenario) for metric in metrics]
    rows = [RunRow(run, STATUS_WORDS.get(run.status, run.status),
                   [own.cell(run) for own in judges])
            for run in scenario.runs]
    return ScenarioTable(metrics, rows)


def overview_metrics(scenario: Scenario) -> list[Metric]:
    """Returns the two or three most telling metrics of a scenario."""
    by_name = {metric.name: metric for metric in METRICS}
    names = [name for name in OVERVIEW if any(
        math.isfinite(run.metric(name, math.nan)) for run in scenario.runs)]
    elastic = any("stiffness" in mapping(rope)
                  for rope in mapping(scenario.definition.get("ropes")).values())
    if elastic:
        names = ["stretch_max" if name == "length_error_max_m" else name for name in names]
    return [with_unit(by_name[name], scenario) for name in names]


def overview_row(scenario: Scenario, labels: list[str]) -> OverviewRow:
    metrics = overview_metrics(scenario)
    judges = [judge(metric, scenario) for metric in metrics]
    by_label = {run.label: run for run in scenario.runs}
    row: list[OverviewCell | None] = []
    for label in labels:
        run = by_label.get(label)
        if run is None:
            row.append(None)
            continue
        cells = [own.rounded(run) for own in judges]
        row.append(OverviewCell(run.status, run.reason, cells if finished(run) else []))
    headings = [SHORT.get(metric.name, metric.heading) + (f", {metric.unit}" if metric.unit
                                                          else "") for metric in metrics]
    return OverviewRow(scenario, headings, row)


def failures(scenario: Scenario) -> list[Run]:
    """Returns the runs that did not finish."""
    return [run for run in scenario.runs if run.status not in ("done", "unsupported")]


def happenings(scenario: Scenario) -> list[str]:
    """Returns the notes of the runs: ropes that slipped off or parted, energy gained ..."""
    return [f"{run.label}: {'; '.join(run.notes)}" for run in scenario.runs if run.notes]


def refusals(scenario: Scenario) -> list[Refusal]:
    """Returns the solvers that do not support the scenario, by reason."""
    found: dict[str, Refusal] = {}
    for run in scenario.runs:
        if run.status == "unsupported":
            found.setdefault(run.reason, Refusal(run.reason, [])).labels.append(run.label)
    return list(found.values())


def step_words(steps: list[float]) -> str:
    """Lists up to STEPS_NAMED steps; of more, returns their number and range."""
    texts = list(dict.fromkeys(map(significant, steps)))
    if len(texts) > STEPS_NAMED:
        return f"{len(texts)}, from {texts[0]} to {texts[-1]} s"
    return ", ".join(texts[:-1]) + " and " * (len(texts) > 1) + texts[-1] + " s"


FOLDED = 8  # more facts of one kind than this are folded


@dataclass
class Facts:
    """The facts of a scenario for its section: names and values, and those that are folded under a
    heading, since they are many of one kind."""

    shown: list[tuple[str, str]]
    folded: list[tuple[str, list[tuple[str, str]]]]


def facts(scenario: Scenario) -> Facts:
    definition = scenario.definition
    found: list[tuple[str, str]] = []
    folded: list[tuple[str, list[tuple[str, str]]]] = []
    if "gravity" in definition:
        found.append(("gravity", f"{plain(definition['gravity'])} m/s²"))
    found.append(("duration", f"{significant(scenario.duration)} s"))
    steps = sorted({run.step for run in scenario.runs if math.isfinite(run.step)})
    if steps:
        found.append(("time step", step_words(steps)))
    for word, key, fact in (("body", "bodies", body_fact), ("rope", "ropes", rope_fact)):
        items = [(f"{word} {name}", fact([mapping(mapping(run.scenario.get(key)).get(name))
                                          for run in scenario.runs if run.scenario]))
                 for name in mapping(definition.get(key))]
        if len(items) > FOLDED:
            folded.append((f"{len(items)} {key}", items))
        else:
            found += items
    return Facts(found, folded)


def in_all(items: list[dict[str, Any]], key: str) -> str:
    """Returns the value that all items have, or the range of values; empty if all are 0 or
    missing."""
    values = sorted({value for item in items if math.isfinite(value := number(item.get(key)))})
    texts = list(dict.fromkeys(f"{int(value)}" if key == "segments" else significant(value)
                               for value in values))
    return " to ".join(texts[:1] + texts[1:][-1:]) if any(values) else ""


def body_fact(bodies: list[dict[str, Any]]) -> str:
    body = bodies[0]
    shape = body.get("shape")
    parts = [mapping(part) for part in (shape if isinstance(shape, list) else [shape])]
    kinds = [kind for part in parts for kind in part
             if kind in ("sphere", "capsule", "cylinder", "box", "plane", "hull")]
    words = [str(body.get("motion") or "free"), " + ".join(kinds) or "point"]
    if mass := in_all(bodies, "mass"):
        words.append(f"{mass} kg")
    if friction := in_all(bodies, "friction"):
        words.append(f"friction {friction}")
    return ", ".join(words)


ROPE_FACTS = (("length", "{} m long"), ("slack", "longer than its way by {} m"), ("mass", "{} kg"),
              ("segments", "{} segments"),
              ("stiffness", "stiffness EA {} N"), ("bending", "bending EI {} N m²"),
              ("damping", "damping {} N s"), ("damping_ratio", "damping ratio {}"),
              ("drag", "drag {} N s/m a node"), ("radius", "radius {} m"),
              ("friction", "friction {}"),
              ("break_tension", "breaks at {} N"))


def rope_fact(ropes: list[dict[str, Any]]) -> str:
    rope = ropes[0]
    words = ["closed"] if rope.get("closed") is True else []
    for key, text in ROPE_FACTS:
        if value := in_all(ropes, key):
            words.append("1 segment" if (key, value) == ("segments", "1") else text.format(value))
    if number(rope.get("slack")) == 0 and not rope.get("length"):
        words.append("just taut")
    if not number(rope.get("mass")) > 0 and not number(rope.get("segments")) > 0 \
            and not rope.get("node_masses"):
        words.append("massless")
    if not number(rope.get("stiffness")) > 0:
        words.append("inextensible")
    if rope.get("compression") is True:
        words.append("resists being shortened")
    return ", ".join(words)


@dataclass
class SolverCard:
    """A solver as it was run: label, description and parameters."""

    label: str
    name: str
    family: str
    summary: str
    citation: str
    parameters: list[dict[str, Any]]
    scenarios: list[str]


def solver_cards(results: Results) -> list[SolverCard]:
    """Makes a card per label; several if its parameters differ between scenarios."""
    cards: dict[str, SolverCard] = {}
    for run in results.runs:
        solver = run.solver
        if not solver:
            continue
        parameters = [mapping(p) for p in solver.get("parameters") or []]
        values = [(p.get("name"), p.get("value")) for p in parameters]
        key = json.dumps([run.label, values], default=str)
        if key not in cards:
            rows = [{"name": str(p.get("name", "")), "value": plain(p.get("value")),
                     "unit": "" if p.get("unit") in (None, "1") else str(p.get("unit")),
                     "default": plain(p.get("default")), "help": str(p.get("help") or ""),
                     "changed": p.get("value") != p.get("default")} for p in parameters]
            cards[key] = SolverCard(run.label, run.solver_name, str(solver.get("family") or ""),
                                    str(solver.get("summary") or ""),
                                    str(solver.get("citation") or ""), rows, [])
        cards[key].scenarios.append(run.scenario_name)
    return list(cards.values())


def environments(results: Results) -> list[dict[str, str]]:
    """Returns the different programs and computers that made the runs."""
    found: dict[str, dict[str, str]] = {}
    for run in results.runs:
        info, host = run.info, mapping(run.info.get("host"))
        if not info:
            continue
        rows = {"ropelab": str(info.get("version") or ""), "commit": str(info.get("commit") or ""),
                "compiler": str(info.get("compiler") or ""), "flags": str(info.get("flags") or ""),
                "processor": str(host.get("cpu") or ""), "machine": str(host.get("machine") or ""),
                "cores": plain(host["cores"]) if host.get("cores") is not None else "",
                "system": str(host.get("os") or "")}
        rows = {key: value for key, value in rows.items() if value}
        found[json.dumps(rows)] = rows
    return list(found.values())


def commands(runs: list[Run]) -> list[str]:
    """Returns the command that repeats the whole comparison or, without one, a command per run."""
    comparisons = {str(run.info.get("comparison") or "") for run in runs}
    if len(comparisons) == 1 and "" not in comparisons:
        return list(comparisons)
    return list(dict.fromkeys(str(run.info["command"]) for run in runs if run.info.get("command")))


def period(results: Results) -> str:
    """Returns when the runs were started: a time, or the first and the last."""
    times = sorted(str(run.info["started"]).replace("-", "\u2011")  # no line ends within a date
                   for run in results.runs if run.info.get("started"))
    if not times:
        return ""
    return times[0] if times[0] == times[-1] else f"{times[0]} to {times[-1]}"
