# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the figures of one scenario: chooses curves and axes and explains them in captions."""

from __future__ import annotations

import math
import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Callable, Iterable, Mapping, Sequence

import tables
from artist import Artist, Column, Trace, decisive_traces, healthy, key_of, outside_sentence
from canvas import EXACT, Drawing, Entry, Figure, Gnuplot, Layout, run_gnuplot
from axes import Tick, linear
from axes import logarithmic as logarithmic_ticks
from curves import LINE, POINTS, LogAxis, Range, bulk, log_axis, markers, robust_range, thin
from overlay import overlay
from ropelab.results import ITERATIONS, Scenario, mapping
from solver_style import SolverStyle
from svg import tidy
from units import in_units, plain, probe_unit, significant

MANY = 60   # most iterations on a linear axis
PANELS = 6  # most panels of probes in one figure
ROUND_OFF = 1e-15  # of a stretch: some units in the last place of 1
SETTLED = 1e-16    # m: smaller residuals count as none
CONSTANT = 1e-9    # a quantity with a smaller relative change has no figure
NEARLY = 1e-3      # a quantity with a smaller relative change looks constant on any axis


@dataclass
class Panel:
    """One panel of a figure over time, with a curve for each run."""

    y_name: str
    axis: LogAxis | Range
    files: list[str]
    title: str = ""
    exact: str = ""   # data file of the closed form
    remark: str = ""  # sentence for the caption


@dataclass
class Across:
    """The x axis of all panels."""

    name: str
    low: float
    high: float
    logarithmic: bool = False

    def ticks(self, width: float) -> list[Tick]:
        if self.logarithmic:
            return logarithmic_ticks(self.low, self.high)
        return linear(self.low, self.high, width, across=True)


class Iterations(Across):
    """Iterations from 1, on a logarithmic axis if there are many."""

    def __init__(self, last: float) -> None:
        many = last > MANY
        low, high = (0.9, last * 1.3) if many else (0.5, last + 0.5)
        super().__init__("iteration", low, high, many)

    def ticks(self, width: float) -> list[Tick]:
        whole = [tick for tick in super().ticks(width) if tick.place == round(tick.place)]
        return whole if self.logarithmic else [Tick(1.0, "1"), *(t for t in whole if t.place > 1)]


def over_time(artist: Artist, figure: Figure, shown: Sequence[Panel], traces: Sequence[Trace],
              height: float, across: Across | None = None, signed: bool = False) -> Drawing:
    across = across or Across("time (s)", 0.0, artist.time_end)
    columns = 2 if len(shown) > 1 else 1
    any_exact = any(panel.exact for panel in shown)
    layout = Layout(columns, math.ceil(len(shown) / columns), height,
                    key_of(traces) + [EXACT] * any_exact,
                    [panel.axis.ticks(height) for panel in shown],
                    titled=any(panel.title for panel in shown), right=30 if signed else 14)
    order = sorted(range(len(traces)), key=lambda i: bool(traces[i].style.dash))  # dashed on top
    variables = layout.variables(across.name, across.ticks(layout.panel_width),
                                 [panel.y_name for panel in shown],
                                 [panel.title for panel in shown]) | {
        "x_low": across.low, "x_high": across.high, "log_x": across.logarithmic, "signed": signed,
        "panel_low": [panel.axis.low for panel in shown],
        "panel_high": [panel.axis.high for panel in shown],
        "panel_scale": [panel.axis.scale for panel in shown],
        "panel_floor": [panel.axis.floor if isinstance(panel.axis, LogAxis) else 0.0
                        for panel in shown],
        "exact": [panel.exact for panel in shown],
        "count": len(traces), "style": [traces[i].style.linetype for i in order],
        "file": [panel.files[i] for panel in shown for i in order]}
    return Drawing(figure, "panels.gp", variables)


def logarithmic(artist: Artist, traces: Sequence[Trace], column: Callable[[Trace], Column],
                most: int, y_name: str, signed: bool = False, least: float = 1e-300,
                points: int = POINTS) -> Panel:
    """Makes a panel of a quantity on a logarithmic axis with a zero."""
    columns = [column(t) for t in traces]
    values = [v for t in healthy(traces) for v in columns[traces.index(t)]]
    axis = log_axis(values, most, signed, least)
    highest = max((v for values in columns for v in values if math.isfinite(v)), default=0)
    if highest > axis.top:  # show the beginning of a divergence
        axis.above += min(2, math.ceil(math.log10(highest / axis.top)))
    limits = (-axis.floor * 10.0 ** axis.below if signed else 0.0, axis.top)
    return Panel(y_name, axis, [artist.curve(t, values, i, limits, points)
                                for i, (t, values) in enumerate(zip(traces, columns))])


def energy(artist: Artist) -> Drawing | None:
    traces = artist.with_column("energy_error_J")
    if not traces:
        return None
    panel = logarithmic(artist, traces, lambda t: t.column("energy_error_J"), 6,
                        "energy error (J)", signed=True)
    caption = ("Energy that no term of the ledger explains: what the method itself added (above "
               "the middle line) or lost (below), on a logarithmic scale both ways; errors "
               f"smaller than {significant(panel.axis.floor, 1)} J are drawn on the line."
               + artist.ended_early(traces))
    figure = artist.figure("energy", "energy error", caption, "energy error over time, by solver")
    return over_time(artist, figure, [panel], traces, 330, signed=True)


def stretch(artist: Artist) -> Drawing | None:
    traces = artist.with_column("stretch_max")
    if not traces:
        return None
    panel = logarithmic(artist, traces, lambda t: t.column("stretch_max"), 9,
                        "largest stretch, length / rest − 1", least=ROUND_OFF)
    elastic = any("stiffness" in mapping(rope)
                  for rope in mapping(artist.scenario.definition.get("ropes")).values())
    meaning = ("This rope is elastic: part of the stretch is physical." if elastic else
               "This rope is inextensible: every stretch is error.")
    caption = (f"Largest stretch of any element or span. {meaning} Values below "
               f"{significant(panel.axis.floor, 1)} are drawn at the 0 mark."
               + artist.ended_early(traces))
    figure = artist.figure("stretch", "largest stretch", caption,
                           "largest stretch over time, by solver")
    return over_time(artist, figure, [panel], traces, 300)


def exact(artist: Artist) -> Drawing | None:
    traces = artist.with_column("exact_error")
    if not traces:
        return None
    named = tables.counted_probes(traces[0].run)
    units = {probe_unit(probe) for probe in named}
    unit = units.pop() if len(units) == 1 else "unit of the probe"
    panel = logarithmic(artist, traces, lambda t: t.column("exact_error"), 9,
                        "largest error" + in_units(unit))
    caption = ("Distance from the closed form: the largest error of "
               f"{', '.join(named) or 'any probe'}{', each in its own unit' * bool(units)}. "
               "Curves end where the "
               "closed form's assumptions end; values below "
               f"{significant(panel.axis.floor, 1)} are drawn at the 0 mark."
               + artist.ended_early(traces))
    figure = artist.figure("exact", "error against the closed form", caption,
                           "error against the closed form over time, by solver")
    return over_time(artist, figure, [panel], traces, 300)


def residual(artist: Artist) -> Drawing | None:
    """Draws the residual over iterations of each run's last traced step."""
    histories: list[tuple[Trace, list[float], list[float]]] = []
    for trace in artist.traces:
        table = trace.run.table(ITERATIONS)
        steps = [s for s in table.get("step", []) if math.isfinite(s)]
        if not steps or "residual_m" not in table:
            continue
        rows = [(i, r) for s, i, r in zip(table["step"], table["iteration"], table["residual_m"])
                if s == max(steps) and math.isfinite(r) and math.isfinite(i)]
        if rows:
            histories.append((trace, [i for i, _ in rows], [r for _, r in rows]))
    if not histories:
        return None
    if not any(max(own) > 2 * max(min(own), SETTLED) for _, _, own in histories):
        artist.notes.append("Residual by iteration: no figure, since none changes after the first "
                            "iteration of the last recorded step; the table has them.")
        return None
    good = [h for h in histories if h[0].whole] or histories
    axis = log_axis([r for _, _, residuals in good for r in residuals], 12, least=SETTLED)
    # Iterations are drawn from 1, whether the first was recorded as 0 or 1.
    files, longest = [], 1.0
    for index, (trace, iterations, residuals) in enumerate(histories):
        count = [i - min(iterations) + 1 for i in iterations]
        longest = max(longest, max(count))
        symbols = list(zip(count, residuals)) if len(count) <= 24 else markers(
            count, residuals, max(count), index, len(histories), 14)
        files.append(artist.data([thin(count, residuals), symbols, []]))
    alone = [t.label for t, iterations, _ in histories if len(iterations) == 1]
    caption = ("Largest violation of any row after each iteration of the last recorded step; the "
               "same definition for every method."
               + (f" A single symbol: {', '.join(alone)}, with one "
                  "iteration there." if alone else ""))
    figure = artist.figure("residual", "residual by iteration", caption,
                           "residual against iteration, by solver")
    return over_time(artist, figure, [Panel("residual (m)", axis, files)],
                     [trace for trace, _, _ in histories], 300, Iterations(longest))


LEDGER = (("kinetic", 21, (("kinetic_J", 1),)), ("gravity", 22, (("gravity_J", 1),)),
          ("elastic + bending", 23, (("elastic_J", 1), ("bending_J", 1))),
          ("work done on it", 24, (("work_J", 1),)), ("dissipated", 25, (("dissipated_J", 1),)),
          ("energy error", 26, (("energy_error_J", 1),)))


def ledger_term(trace: Trace, columns: Sequence[tuple[str, int]]) -> list[float]:
    """Returns the change of a term of the energy ledger since the start."""
    present = [trace.column(name) for name, _ in columns if len(trace.column(name))]
    total = present[0] if len(present) == 1 else list(map(sum, zip(*present)))
    start = next((v for v in total if math.isfinite(v)), 0.0)
    return [v - start for v in total]


def ledger(artist: Artist) -> Drawing | None:
    traces = artist.with_column("energy_J")
    if not traces:
        return None
    terms = {name: [ledger_term(t, columns) for t in traces] for name, _, columns in LEDGER}
    values = {t.label: [v for series in terms.values() for v in series[i]]
              for i, t in enumerate(traces)}
    decisive = decisive_traces(traces, lambda t: values[t.label])
    span = robust_range([v for t in decisive for v in values[t.label]], zero=True)
    far = [t.label for t in healthy(traces) if t not in decisive]
    size = max(abs(span.bottom), abs(span.top))
    shown = [(name, style) for name, style, _ in LEDGER if name == "energy error" or any(
        abs(v) > 1e-3 * size for column in terms[name] for v in column if math.isfinite(v))]
    most = max(200, 5000 // (len(traces) * len(shown)))
    columns = min(len(traces), 2 if len(traces) in (2, 4) else 3)
    rows = math.ceil(len(traces) / columns)
    height = 190 if rows > 1 else 240
    layout = Layout(columns, rows, height, [Entry(name, f"lt {style}") for name, style in shown],
                    [span.ticks(height)] * len(traces), titled=True, shared_y=True)
    hidden = [name for name, _, _ in LEDGER if name not in dict(shown)]
    caption = ("Where the energy goes, as change since the start. Kinetic + gravity + elastic + "
               "bending - work + dissipated should stay zero; the black line is what it is instead."
               .replace(" - ", " − ")
               + (f" Not drawn, being too small to see beside the others: {', '.join(hidden)}." if hidden else "")
               + outside_sentence(far))
    figure = artist.figure("ledger", "energy ledger", caption,
                           "terms of the energy ledger over time, one panel for each solver")
    files = [artist.data([thin(t.time, terms[name][i], most) for name, _ in shown])
             for i, t in enumerate(traces)]
    x_ticks = linear(0.0, artist.time_end, layout.panel_width, across=True)
    variables = layout.variables("time (s)", x_ticks,
                                 ["energy" + in_units("J", span.exponent)] * len(traces),
                                 [panel_title(t) for t in traces]) | {
        "file": files, "terms": len(shown), "term_style": [style for _, style in shown],
        "time_end": artist.time_end, "low": span.low, "high": span.high, "scale": span.scale}
    return Drawing(figure, "ledger.gp", variables)


def panel_title(trace: Trace) -> str:
    return trace.label if trace.whole else f"{trace.label} ({trace.run.status})"


def panels(artist: Artist, kind: str, title: str, names: Sequence[str], zero: bool,
           sentence: str) -> Drawing | None:
    """Draws one panel over time for each name."""
    traces = [t for t in artist.traces if any(len(t.column(name)) for name in names)]
    most = min(POINTS, max(240, 5000 // (len(names) * max(len(traces), 1))))
    drawn = [(name, history(artist, traces, name, zero, most)) for name in names]
    shown = [panel for _, panel in drawn if panel]
    constants = "".join(constant_sentence(traces, name) for name, panel in drawn if not panel)
    if not shown:
        artist.notes += [f"{title.capitalize()}: no figure.{constants}"] if traces else []
        return None
    caption = (sentence + " Grey: the closed form." * any(panel.exact for panel in shown)
               + "".join(panel.remark for panel in shown)
               + constants + artist.ended_early(traces))
    figure = artist.figure(kind, title, caption, f"{title} over time, by solver")
    return over_time(artist, figure, shown, traces, 300 if len(shown) == 1 else 165)


def spread(values: Iterable[float]) -> float:
    """Returns the difference between largest and smallest value relative to the largest magnitude;
    0 if there are no values."""
    finite = [v for v in values if math.isfinite(v)]
    size = max(map(abs, finite), default=0.0)
    return (max(finite) - min(finite)) / size if size else 0.0


def constant_level(values: Iterable[float], form: Sequence[float] | None) -> float | None:
    """Returns the value of a quantity that is constant, by the closed form or nearly so by the
    median of its values; None if it changes visibly."""
    finite = sorted(v for v in values if math.isfinite(v))
    known = [v for v in form or finite if math.isfinite(v)]
    if not finite or not known or (form and spread(known) > CONSTANT):
        return None
    level = median(known)
    near = all(abs(end - level) < (LINE if form else NEARLY) * abs(level) for end in bulk(finite))
    return level if near or (form and level == 0) else None


def unit_of(name: str) -> str:
    return "N" if name == "tension_max_N" else probe_unit(name)


def history(artist: Artist, traces: Sequence[Trace], name: str, zero: bool, most: int
            ) -> Panel | None:
    """Makes a panel of a quantity over time, with the closed form behind it; for a constant, of the
    distance from it on a logarithmic axis. None if it is the same in all runs."""
    decisive = decisive_traces(traces, lambda t: t.column(name))
    values = [v for t in decisive for v in t.column(name)]
    solution = next((t for t in traces if len(t.column(name + ".exact"))), None)
    form = solution.column(name + ".exact") if solution else []
    if spread(v for t in traces for v in [*t.column(name), *form]) <= CONSTANT:
        return None
    level = constant_level(values, form)
    if level is not None:
        panel = logarithmic(artist, traces, lambda t: [abs(v - level) for v in t.column(name)], 9,
                            "distance" + in_units(unit_of(name)),
                            least=max(CONSTANT * abs(level), 1e-300), points=most)
        shown = f"{plain(level)} {unit_of(name)}".rstrip()
        why = "is, by the closed form," if form else "is nearly always"
        return replace(panel, title=f"{name}: distance from {shown}", remark=(
            f" {name} {why} {shown}: shown is how far it is from that, from "
            f"{significant(panel.axis.floor, 1)} on."))
    span = robust_range([*values, *form], zero)
    files = [artist.curve(t, t.column(name), i, (span.bottom, span.top), most)
             for i, t in enumerate(traces)]
    titles = [] if name == "tension_max_N" else [name]
    return Panel(axis_title(name, span.exponent), span, files,
                 "; ".join(titles + cut_words(name, span, traces)),
                 artist.data([thin(solution.time, form)]) if solution else "",
                 cut_sentence(name, span, traces))


def constant_sentence(traces: Sequence[Trace], name: str) -> str:
    values = [v for t in traces for v in t.column(name) if math.isfinite(v)]
    if not values:
        return f" {name} has no value in any run."
    level = f"{plain(values[0])} {unit_of(name)}".rstrip()
    share = significant(spread(values), 1)
    return f" {name} is {level} in all runs and at all times" + (
        f", within {share} of it." if spread(values) else ".")


def axis_title(name: str, exponent: int) -> str:
    if name == "tension_max_N":
        return "largest tension" + in_units("N", exponent)
    word, unit = name.split(".")[-1], probe_unit(name)
    words = [w for w in name.split(".")[1:] if probe_unit("." + w)]
    word = words[-1] if words else word
    return word + in_units(unit, exponent)


def beyond(name: str, span: Range, traces: Sequence[Trace]) -> dict[str, float]:
    """Returns the largest value of each finished run that leaves the axis, the largest first."""
    peaks = {t.label: max((v for v in t.column(name) if math.isfinite(v)), key=abs)
             for t in healthy(traces)
             if any(math.isfinite(v) and not span.inside(v) for v in t.column(name))}
    return dict(sorted(peaks.items(), key=lambda item: -abs(item[1])))


def with_unit(name: str, value: float) -> str:
    return f"{significant(value)} {unit_of(name)}".rstrip()


def cut_words(name: str, span: Range, traces: Sequence[Trace]) -> list[str]:
    """Returns what the title of a panel says of values that are outside its axis."""
    peaks = list(beyond(name, span, traces).values())
    return [f"cut off, to {with_unit(name, peaks[0])}"] if peaks else []


def cut_sentence(name: str, span: Range, traces: Sequence[Trace]) -> str:
    """Returns the sentence of a caption on values of finished runs that are outside the axis."""
    peaks = beyond(name, span, traces)
    if not peaks:
        return ""
    label, peak = next(iter(peaks.items()))
    shown = [t.label for t in traces if t.label in peaks]
    whose = "all" if len(peaks) == len(healthy(traces)) > 1 else ", ".join(shown)
    return f" What of {name} is beyond the axis is cut off ({whose}; largest: {label}, {with_unit(name, peak)})."


def probe_names(artist: Artist) -> list[str]:
    """Returns the columns of probes, without those of the closed form."""
    names: dict[str, None] = {}
    for trace in artist.traces:
        for name in trace.series:
            if "." in name and not name.endswith((".exact", ".error")):
                names[name] = None
    return list(names)


def tension(artist: Artist) -> Drawing | None:
    names = [n for n in probe_names(artist) if "tension" in n.split(".")][:4]
    if names:
        sentence = "Tension at the scenario's probes: impulse of a step divided by the step."
    else:
        names = ["tension_max_N"] if artist.with_column("tension_max_N") else []
        sentence = "Largest tension anywhere: impulse of a step divided by the step."
    return panels(artist, "tension", "tension", names, True, sentence) if names else None


def probes(artist: Artist) -> Drawing | None:
    names = [n for n in probe_names(artist) if "tension" not in n.split(".")]
    shown = names[:PANELS]
    sentence = "The scenario's probes over time."
    if len(names) > PANELS:
        sentence = (f"The first {PANELS} of the scenario's probes; series.csv has also "
                    f"{', '.join(names[PANELS:])}.")
    return panels(artist, "probes", "probes", shown, False, sentence) if shown else None


BUILDERS = (overlay, exact, energy, ledger, stretch, tension, probes, residual)


def file_names(scenarios: Sequence[Scenario]) -> dict[str, str]:
    """Returns the beginning of the file names of each scenario: plain characters, unique also when
    dashes become underscores in the ids of an SVG."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for scenario in scenarios:
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", scenario.name)
        name, number = plain, 2
        while name.replace("-", "_").lower() in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name.replace("-", "_").lower())
        names[scenario.name] = name
    return names


def without_date(pdf: bytes) -> bytes:
    """Replaces the date of a PDF without moving anything, so that equal figures are equal files."""
    return re.sub(rb"(/CreationDate \(D:)\d{14}", rb"\g<1>20000101000000", pdf)


def draw_scenario(scenario: Scenario, file_name: str, styles: dict[str, SolverStyle],
                  target: Path, gnuplot: Gnuplot) -> tuple[list[Figure], list[str]]:
    """Draws all figures of a scenario into `target` and returns them, with sentences on those that
    are left out."""
    with tempfile.TemporaryDirectory(prefix="ropelab-figures-") as name:
        folder = Path(name)
        artist = Artist(scenario, file_name, styles, folder)
        drawings = [drawing for build in BUILDERS if (drawing := build(artist)) is not None]
        if drawings:
            draw_all(drawings, folder, target, gnuplot, styles)
        return [drawing.figure for drawing in drawings], artist.notes


def draw_all(drawings: Sequence[Drawing], folder: Path, target: Path, gnuplot: Gnuplot,
             styles: Mapping[str, SolverStyle]) -> None:
    """Draws in `folder`, which has the data, and puts the finished figures into `target`."""
    run_gnuplot(gnuplot, folder, drawings, styles.values())
    for drawing in drawings:
        figure = drawing.figure
        text = (folder / f"{figure.name}.svg").read_text(encoding="utf-8")
        (target / f"{figure.name}.svg").write_text(tidy(text, figure.id), encoding="utf-8")
        if "png" in gnuplot.kinds:
            shutil.copyfile(folder / f"{figure.name}.png", target / f"{figure.name}.png")
        if "pdf" in gnuplot.kinds:
            (target / f"{figure.name}.pdf").write_bytes(
                without_date((folder / f"{figure.name}.pdf").read_bytes()))
