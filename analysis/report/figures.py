# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of one scenario: chooses what is drawn, on which axes, and says so in a caption."""

from __future__ import annotations

import math
import re
import shutil
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

import tables
from artist import Artist, Trace, beyond, healthy, key_of, near
from canvas import EXACT, Drawing, Entry, Figure, Gnuplot, Layout, run_gnuplot
from curves import (POINTS, LogAxis, Range, log_axis, markers, robust_range, thin,
                    tick_distance)
from overlay import overlay
from ropelab.results import ITERATIONS, Scenario, mapping
from solver_style import SolverStyle
from svg import tidy
from units import divided_by, probe_unit, significant

PANELS = 6  # most panels of probes in one figure
ROUND_OFF = 1e-15  # of a stretch: some units in the last place of 1


def logarithmic(artist: Artist, name: str, most: int, signed: bool, least: float = 1e-300
                ) -> tuple[list[Trace], LogAxis, dict[str, object]]:
    """Variables for one column of all runs on a logarithmic axis with a zero."""
    traces = artist.with_column(name)
    values = [v for t in healthy(traces) for v in t.column(name)]
    axis = log_axis(values, most, signed, least)
    highest = max((v for t in traces for v in t.column(name) if math.isfinite(v)), default=0)
    if highest > axis.top:  # a diverged run: show the beginning of its rise
        axis.above += min(2, math.ceil(math.log10(highest / axis.top)))
    limits = (-axis.floor * 10.0 ** axis.below if signed else 0.0, axis.top)
    variables = artist.common(traces) | {
        "file": [artist.curve(t, name, i, limits) for i, t in enumerate(traces)],
        "floor": axis.floor, "low": axis.low, "high": axis.high, "ticks": axis.ticks}
    return traces, axis, variables


def energy(artist: Artist) -> Drawing | None:
    traces, axis, variables = logarithmic(artist, "energy_error_J", 6, signed=True)
    if not traces:
        return None
    caption = ("Energy that no term of the ledger explains: what the method itself added (above "
               "the middle line) or lost (below), on a logarithmic scale both ways; errors "
               f"smaller than {significant(axis.floor, 1)} J are drawn on the line."
               + artist.ended_early(traces))
    figure = artist.figure("energy", "energy error", caption, "energy error over time, by solver")
    layout = Layout(1, 1, 330, key_of(traces), right=30)
    return Drawing(figure, "energy.gp", variables | layout.variables)


def stretch(artist: Artist) -> Drawing | None:
    traces, axis, variables = logarithmic(artist, "stretch_max", 9, signed=False, least=ROUND_OFF)
    if not traces:
        return None
    elastic = any("stiffness" in mapping(rope)
                  for rope in mapping(artist.scenario.definition.get("ropes")).values())
    meaning = ("This rope is elastic: part of the stretch is physical." if elastic else
               "This rope is inextensible: every stretch is error.")
    caption = (f"Largest stretch of any element or span. {meaning} Values below "
               f"{significant(axis.floor, 1)} are drawn at the 0 mark."
               + artist.ended_early(traces))
    figure = artist.figure("stretch", "largest stretch", caption,
                           "largest stretch over time, by solver")
    layout = Layout(1, 1, 300, key_of(traces))
    return Drawing(figure, "stretch.gp", variables | layout.variables)


def exact(artist: Artist) -> Drawing | None:
    if not artist.with_column("exact_error"):
        return None
    traces, axis, variables = logarithmic(artist, "exact_error", 9, signed=False)
    named = tables.counted_probes(traces[0].run)
    units = {probe_unit(probe) for probe in named}
    y_name = "largest error" + (divided_by(units.pop()) if len(units) == 1
                                else " / unit of the probe")
    caption = ("Distance from the closed form: the largest error of "
               f"{', '.join(named) or 'any probe'}{', each in its own unit' * bool(units)}. "
               "Curves end where the "
               "closed form's assumptions end; values below "
               f"{significant(axis.floor, 1)} are drawn at the 0 mark."
               + artist.ended_early(traces))
    figure = artist.figure("exact", "error against the closed form", caption,
                           "error against the closed form over time, by solver")
    layout = Layout(1, 1, 300, key_of(traces))
    return Drawing(figure, "exact.gp", variables | layout.variables | {"y_name": y_name})


def residual(artist: Artist) -> Drawing | None:
    """Residual against iteration in the last traced step of each run."""
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
    good = [h for h in histories if h[0].whole] or histories
    axis = log_axis([r for _, _, residuals in good for r in residuals], 12)
    # Counting starts at 1, whether the first iteration was written as 0 or as 1.
    files, longest = [], 1.0
    for index, (trace, iterations, residuals) in enumerate(histories):
        count = [i - min(iterations) + 1 for i in iterations]
        longest = max(longest, max(count))
        symbols = list(zip(count, residuals)) if len(count) <= 24 else markers(
            count, residuals, max(count), index, len(histories), 14)
        files.append(artist.data([thin(count, residuals), symbols, []]))
    traces = [h[0] for h in histories]
    alone = [t.label for t, iterations, _ in histories if len(iterations) == 1]
    caption = ("Largest violation of any row after each iteration of the last recorded step; the "
               "same definition for every method."
               + (f" A single symbol: {', '.join(alone)}, with one "
                  "iteration there." if alone else ""))
    figure = artist.figure("residual", "residual by iteration", caption,
                           "residual against iteration, by solver")
    layout = Layout(1, 1, 300, key_of(traces))
    variables = artist.common(traces) | layout.variables | {
        "file": files, "floor": axis.floor, "low": axis.low, "high": axis.high,
        "ticks": axis.ticks, "iteration_end": longest * (1.3 if longest > 60 else 1.0),
        "logarithmic": longest > 60}
    return Drawing(figure, "residual.gp", variables)


LEDGER = (("kinetic", 21, (("kinetic_J", 1),)), ("gravity", 22, (("gravity_J", 1),)),
          ("elastic + bending", 23, (("elastic_J", 1), ("bending_J", 1))),
          ("work done on it", 24, (("work_J", 1),)), ("dissipated", 25, (("dissipated_J", 1),)),
          ("energy error", 26, (("energy_error_J", 1),)))


def ledger_term(trace: Trace, columns: Sequence[tuple[str, int]]) -> list[float]:
    """A term of the ledger as its change since the start."""
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
    decisive = near(traces, lambda t: values[t.label])
    span = robust_range([v for t in decisive for v in values[t.label]], zero=True)
    far = [t.label for t in healthy(traces) if t not in decisive]
    size = max(abs(span.low), abs(span.high))
    shown = [(name, style) for name, style, _ in LEDGER if name == "energy error" or any(
        abs(v) > 1e-3 * size for column in terms[name] for v in column if math.isfinite(v))]
    most = max(200, 5000 // (len(traces) * len(shown)))
    columns = min(len(traces), 2 if len(traces) in (2, 4) else 3)
    rows = math.ceil(len(traces) / columns)
    layout = Layout(columns, rows, 190 if rows > 1 else 240,
                    [Entry(name, f"lt {style}") for name, style in shown], titled=True)
    hidden = [name for name, _, _ in LEDGER if name not in dict(shown)]
    caption = ("Where the energy goes, as change since the start. Kinetic + gravity + elastic + "
               "bending - work + dissipated should stay zero; the black line is what it is instead."
               .replace(" - ", " − ")
               + (f" Not drawn, being too small to see beside the others: {', '.join(hidden)}." if hidden else "")
               + beyond(far))
    figure = artist.figure("ledger", "energy ledger", caption,
                           "terms of the energy ledger over time, one panel for each solver")
    files = [artist.data([thin(t.time, terms[name][i], most) for name, _ in shown])
             for i, t in enumerate(traces)]
    variables = layout.variables | {
        "panels": len(traces), "panel_title": [panel_title(t) for t in traces], "file": files,
        "terms": len(shown),
        "term_style": [style for _, style in shown],
        "time_end": artist.time_end, "tick_time": tick_distance(artist.time_end, layout.panel_width),
        "low": span.low, "high": span.high, "scale": 10.0 ** span.exponent,
        "y_name": "energy" + divided_by("J", span.exponent)}
    return Drawing(figure, "ledger.gp", variables)


def panel_title(trace: Trace) -> str:
    return trace.label if trace.whole else f"{trace.label} ({trace.run.status})"


def panels(artist: Artist, kind: str, title: str, names: Sequence[str], zero: bool,
           sentence: str) -> Drawing | None:
    """Small multiples over time: one panel for each name, the closed form behind the curves."""
    traces = [t for t in artist.traces if any(len(t.column(name)) for name in names)]
    if not traces:
        return None
    columns = 2 if len(names) > 1 else 1
    rows = math.ceil(len(names) / columns)
    ranges, files, exact_files, cuts = [], [], [], []
    most = min(POINTS, max(240, 5000 // (len(names) * len(traces))))
    for name in names:
        decisive = near(traces, lambda t: t.column(name))
        values = [v for t in decisive for v in t.column(name)]
        solution = next((t for t in traces if len(t.column(name + ".exact"))), None)
        form = solution.column(name + ".exact") if solution else []
        span = robust_range([*values, *form], zero)
        ranges.append(span)
        exact_files.append(artist.data([thin(solution.time, form)]) if solution else "")
        files += [artist.curve(t, name, i, (span.low, span.high), most)
                  for i, t in enumerate(traces)]
        cuts += cut_sentence(name, span, traces)
    any_exact = any(exact_files)
    layout = Layout(columns, rows, 300 if len(names) == 1 else 165,
                    key_of(traces) + [EXACT] * any_exact, titled=names != ["tension_max_N"], gap_x=90)
    caption = (sentence + (" Grey: the closed form." if any_exact else "") + "".join(cuts)
               + artist.ended_early(traces))
    figure = artist.figure(kind, title, caption, f"{title} over time, by solver")
    variables = artist.common(traces) | layout.variables | {
        "panels": len(names), "tick_time": tick_distance(artist.time_end, layout.panel_width),
        "panel_title": ["" if len(names) == 1 and name == "tension_max_N" else name
                        for name in names],
        "panel_unit": [axis_title(name, span.exponent) for name, span in zip(names, ranges)],
        "panel_scale": [10.0 ** span.exponent for span in ranges],
        "panel_low": [span.low for span in ranges], "panel_high": [span.high for span in ranges],
        "file": files, "exact": exact_files}
    return Drawing(figure, f"{kind}.gp", variables)


def axis_title(name: str, exponent: int) -> str:
    if name == "tension_max_N":
        return "largest tension" + divided_by("N", exponent)
    word, unit = name.split(".")[-1], probe_unit(name)
    words = [w for w in name.split(".")[1:] if probe_unit("." + w)]
    word = words[-1] if words else word
    return word + divided_by(unit, exponent)


def cut_sentence(name: str, span: Range, traces: Sequence[Trace]) -> list[str]:
    """Of a caption, about what of the runs that finished the axis does not hold."""
    peaks = {t.label: max((v for v in t.column(name) if math.isfinite(v)), key=abs)
             for t in healthy(traces)
             if any(math.isfinite(v) and not span.inside(v) for v in t.column(name))}
    if not peaks:
        return []
    label = max(peaks, key=lambda key: abs(peaks[key]))
    unit = "N" if name == "tension_max_N" else probe_unit(name)
    largest = f"{label}, {significant(peaks[label])} {unit}".rstrip()
    whose = "all" if len(peaks) == len(healthy(traces)) > 1 else ", ".join(peaks)
    return [f" What of {name} is beyond the axis is cut off ({whose}; largest: {largest})."]


def probe_names(artist: Artist) -> list[str]:
    """Columns after the fixed ones, without those of the closed form."""
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
    """The beginning of the names of each scenario's files: plain characters, each once, also
    after the dashes of the names became underscores (ids inside an SVG)."""
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


def undated(pdf: bytes) -> bytes:
    """The same figure is the same file, whenever it was drawn; nothing in it may move."""
    return re.sub(rb"(/CreationDate \(D:)\d{14}", rb"\g<1>20000101000000", pdf)


def draw_scenario(scenario: Scenario, file_name: str, styles: dict[str, SolverStyle],
                  target: Path, gnuplot: Gnuplot) -> list[Figure]:
    """Draws all figures of a scenario into `target`."""
    with tempfile.TemporaryDirectory(prefix="ropelab-figures-") as name:
        folder = Path(name)
        artist = Artist(scenario, file_name, styles, folder)
        drawings = [drawing for build in BUILDERS if (drawing := build(artist)) is not None]
        if not drawings:
            return []
        draw_all(drawings, folder, target, gnuplot, styles)
        return [drawing.figure for drawing in drawings]


def draw_all(drawings: Sequence[Drawing], folder: Path, target: Path, gnuplot: Gnuplot,
             styles: Mapping[str, SolverStyle]) -> None:
    """Draws in `folder`, where the data are, and puts the figures into `target`."""
    run_gnuplot(gnuplot, folder, drawings, styles.values())
    for drawing in drawings:
        figure = drawing.figure
        text = (folder / f"{figure.name}.svg").read_text(encoding="utf-8")
        (target / f"{figure.name}.svg").write_text(tidy(text, figure.id), encoding="utf-8")
        if "png" in gnuplot.kinds:
            shutil.copyfile(folder / f"{figure.name}.png", target / f"{figure.name}.png")
        if "pdf" in gnuplot.kinds:
            (target / f"{figure.name}.pdf").write_bytes(
                undated((folder / f"{figure.name}.pdf").read_bytes()))
