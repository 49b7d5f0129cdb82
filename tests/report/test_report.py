# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on synthetic results: what the page holds, and what happens when something is missing.

Run with: python3 -m unittest tests/report/test_report.py
"""

from __future__ import annotations

import base64
import html
import itertools
import json
import math
import operator
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import Any, Callable

import h5py
import numpy as np

sys.dont_write_bytecode = True
REPORT = Path(__file__).resolve().parents[2] / "analysis" / "report"
sys.path[:0] = [str(REPORT), str(REPORT.parent / "python")]

import artist  # noqa: E402
import axes  # noqa: E402
import canvas  # noqa: E402
import curves  # noqa: E402
import figures  # noqa: E402
import geometry  # noqa: E402
import lettering  # noqa: E402
import overlay  # noqa: E402
import player  # noqa: E402
import slopes  # noqa: E402
import svg  # noqa: E402
import tables  # noqa: E402
import units  # noqa: E402
import wireframe  # noqa: E402
from ropelab import NoResults, NoSuchName, load, load_comparison  # noqa: E402
from ropelab.results import Run, Scenario  # noqa: E402
from solver_style import assign_styles, known_styles  # noqa: E402
from study import Curve as solver_style_curve  # noqa: E402

PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
COLUMNS = ("time_s,kinetic_J,gravity_J,elastic_J,bending_J,work_J,dissipated_J,energy_J,"
           "energy_error_J,stretch_max,stretch_rms,length_error_m,penetration_max_m,tension_max_N,"
           "residual_m,iterations,row_evals").split(",")
SCENARIO = {
    "name": "swing", "title": "A <rope> & a ball", "about": "It asks \"how far\".",
    "gravity": [0, -9.81, 0], "duration": 1.0, "step": 0.01,
    "bodies": {"ground": {"motion": "fixed", "position": [0, -2, 0],
                          "shape": [{"plane": {"normal": [0, 1, 0]}}]},
               "crate": {"motion": "fixed", "position": [1, -1, 0], "rotation": [0, 0, 0.3],
                         "shape": [{"box": {"size": [0.4, 0.4, 0.4]}}]},
               "ball": {"motion": "free", "mass": 2.0, "position": [1, 0, 0],
                        "shape": [{"sphere": {"radius": 0.1}}]}},
    "ropes": {"line": {"length": 1.0, "segments": 4, "mass": 0.1}},
}


def run_report(*arguments: object, program: str = PYTHON) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, str(REPORT / "report.py"), *map(str, arguments)],
                          capture_output=True, text=True, check=False, timeout=60)


def write_csv(path: Path, header: str, rows: list[list[object]]) -> None:
    lines = ["# a comment", header] + [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_series(folder: Path, steps: int, size: float) -> None:
    rows: list[list[object]] = []
    for i in range(steps + 1):
        t = i / 100
        error = size * math.sin(5 * t)
        values = [t, math.sin(t), -math.sin(t), 0, 0, 0, 0, error, error, abs(error), "nan", "nan",
                  0, 13.5 + error, abs(error), i, 4 * i]
        rows.append(values + [math.cos(t) + error, math.cos(t), error,
                              "nan" if i > 60 else abs(error), "nan"])
    header = ",".join(COLUMNS) + ",ball.x,ball.x.exact,ball.x.error,exact_error,ball.y"
    write_csv(folder / "series.csv", header, rows)


def write_run(folder: Path, label: str, status: str = "done", name: str = "swing",
              reason: str = "", size: float = 1e-3) -> None:
    """One run as the program writes it; without CSV files if it is unsupported."""
    folder.mkdir(parents=True)
    recorded = status != "unsupported"
    summary = {"energy_error_max_J": size, "length_error_max_m": size / 7, "exact_error_max": None,
               "stretch_max": size / 3, "row_evals": 400} if recorded else {}
    info = {"format": 1, "scenario": SCENARIO | {"name": name}, "status": status, "reason": reason,
            "solver": {"label": label, "name": label, "family": "PBD", "summary": "moves nodes",
                       "citation": "key", "parameters": [
                           {"name": "omega", "value": 1.25, "unit": "1", "default": 1.0,
                            "help": "relaxation"}]},
            "step_s": 0.01, "steps": 100, "duration_s": 1.0, "version": "0.0.1", "commit": "c0ffee",
            "compiler": "cc 1", "flags": "-O2", "host": {"cpu": "a cpu", "cores": 2}, "seed": 0,
            "started": "2001-02-03T04:05:06Z", "seconds": 0.25,
            "command": f"ropelab run {name} --solver {label}", "summary": summary}
    (folder / "run.json").write_text(json.dumps(info), encoding="utf-8")
    if not recorded:
        return
    write_series(folder, 40 if status == "diverged" else 100, 1e9 if status == "diverged" else size)
    write_csv(folder / "iterations.csv", "step,iteration,residual_m",
              [[s, k, 10.0 ** -k] for s in (50, 100) for k in range(1, 6)])
    places = [[t / 4, "line", "node", k, 0.25 * k, -0.1 * k * t, 0]
              for t in range(5) for k in range(5)]
    places += [[t / 4, "ball", "body", 0, 1, -0.4 * t, 0] for t in range(5)]
    write_csv(folder / "snapshots.csv", "time_s,item,kind,index,x,y,z", places)


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LONG, LOOP = 301, 3  # points of the ropes in a trajectory: a long one, and a massless loop
EXACT = (0.9, 0.8, 1)  # what is scaled of the motion for the closed form
DRAWN = (0.01, 0, 0)   # how far off the original draws it


def write_trajectory(folder: Path, frames: int = 300, flies_off: bool = False,
                     original: bool = False) -> None:
    """trajectory.h5 as the program writes it, with one frame more than is complete."""
    time = np.arange(frames + 1) / frames
    along = np.linspace(0, 1, LONG + LOOP)
    points = np.stack([np.cos(2 * time)[:, None] + along, np.sin(2 * time)[:, None] * along,
                       np.full((frames + 1, LONG + LOOP), 0.25)], axis=2)
    if flies_off:
        points[frames // 2:] *= 1e6
    points[frames] = 1e9  # not complete
    tension = 10 + np.sin(3 * time)[:, None] + np.linspace(0, 5, LONG)
    tension[0] = math.nan
    angle = 7 * time
    turn = np.stack([0 * time, 0 * time, np.sin(angle / 2), np.cos(angle / 2)], axis=1)
    with h5py.File(folder / "trajectory.h5", "w") as file:
        file.attrs["format"], file.attrs["frames"] = 1, frames
        names = {"name": [b"line", b"loop"], "closed": np.array([0, 1], "u1"), "radius_m": [0, 0.02],
                 "first_point": [0, LONG, LONG + LOOP], "first_element": [0, LONG - 1, LONG],
                 "first_drawn": [0, LONG, LONG + LOOP] if original else [0, 0, 0]}
        file["time_s"] = time
        for name, value in names.items():
            file[f"ropes/{name}"] = value
        file["ropes/points_m"], file["ropes/tension_N"] = points, tension
        file["ropes/exact_points_m"] = points * EXACT
        file["ropes/exact_tension_N"] = tension
        if original:
            file["ropes/drawn_m"] = points + DRAWN
        file["bodies/position_m"] = np.stack([points[:, k] for k in (0, 9, 30)], axis=1)
        file["bodies/rotation"] = np.stack([turn] * 3, axis=1)
        count = np.arange(frames + 1) % 3
        file["contacts/count"], file["contacts/first"] = count, np.cumsum(count) - count
        file["contacts/position_m"] = np.repeat(points[:, 5], count, axis=0)


def write_parting(folder: Path) -> None:
    """trajectory.h5 of a rope of three hundred elements that parts in its middle."""
    x = np.arange(301) / 300
    ends = np.stack([x[:-1], x[1:]], axis=1).ravel()  # of each element
    points = np.zeros((3, 600, 3))
    points[:, :, 0] = ends
    points[2, 302:, 1] = 0.5
    with h5py.File(folder / "trajectory.h5", "w") as file:
        file.attrs["format"], file.attrs["frames"] = 1, 3
        file["time_s"] = np.linspace(0, 1, 3)
        for name, value in {"name": [b"line"], "closed": [0], "has_path": [0], "parts": [1],
                            "radius_m": [0.0], "first_point": [0, 600], "first_element": [0, 300],
                            "first_drawn": [0, 0]}.items():
            file[f"ropes/{name}"] = value
        file["ropes/points_m"], file["ropes/tension_N"] = points, np.full((3, 300), 5.0)
        file["bodies/position_m"] = np.zeros((3, 1, 3))
        file["bodies/rotation"] = np.tile([0.0, 0, 0, 1], (3, 1, 1))
        file["contacts/first"] = file["contacts/count"] = np.zeros(3, int)


ARC = (0, 9, 9, 5)  # points of a rope on a drum, by frame


def write_drum(folder: Path) -> None:
    """trajectory.h5 of a massless rope that comes on to a drum, slips over it, and sticks."""
    frames = len(ARC)
    points, tension, bend, first = [], [], [], [0]
    for count in ARC:
        angles = np.linspace(math.pi, 0, count)
        points += [(-0.5, -1, 0), *((0.5 * math.cos(a), 0.5 * math.sin(a), 0) for a in angles),
                   (0.5, -2, 0)]
        tension += [3.0, *np.linspace(3.0, 5.0, count), math.nan]
        bend += [-1, *[0] * count, -1]
        first.append(len(points))
    with h5py.File(folder / "trajectory.h5", "w") as file:
        file.attrs["format"], file.attrs["frames"] = 1, frames
        file["time_s"] = np.linspace(0, 1, frames)
        for name, value in {"name": [b"line"], "closed": [0], "has_path": [1], "radius_m": [0.0],
                            "first_point": [0, 2], "first_element": [0, 1],
                            "first_drawn": [0, 0]}.items():
            file[f"ropes/{name}"] = value
        file["ropes/points_m"] = np.tile([[-0.5, -1, 0], [0.5, -2, 0]], (frames, 1, 1))
        file["ropes/tension_N"] = np.full((frames, 1), 5.0)
        file["paths/first"] = np.stack([first[:-1], first[1:]], axis=1)
        file["paths/points_m"], file["paths/tension_N"] = np.array(points), tension
        file["paths/bend"] = bend
        file["bodies/position_m"] = np.zeros((frames, 1, 3))
        file["bodies/rotation"] = np.tile([0.0, 0, 0, 1], (frames, 1, 1))
        file["contacts/first"] = file["contacts/count"] = np.zeros(frames, int)
        file["wraps/first"], file["wraps/count"] = [0, 0, 1, 2], [0, 1, 1, 1]
        file["wraps/body"], file["wraps/grip"] = [0, 0, 0], [4, 2, 1]
        file["wraps/entry_m"] = np.tile([-0.5, 0, 0], (3, 1))
        file["wraps/exit_m"] = np.tile([0.5, 0, 0], (3, 1))


def player_data(page: str) -> list[dict[str, Any]]:
    return [json.loads(text) for text in
            re.findall(r'<script type="application/json">(.*?)</script>', page)]


def sheets(page: str) -> list[str]:
    """The SVG elements that figures.js puts into the page."""
    return [zlib.decompress(base64.b64decode(text)).decode("utf-8") for text in
            re.findall(r'<script type="text/plain">(.*?)</script>', page)]


def unpack(text: str, kind: str, rows: int) -> np.ndarray:
    codes = np.frombuffer(zlib.decompress(base64.b64decode(text)), kind).reshape(rows, -1)
    return np.cumsum(codes, axis=0, dtype=kind)  # wraps round


def unpack_places(text: str, rows: int, data: dict[str, Any]) -> np.ndarray:
    axes, low, high = data["axes"], np.array(data["low"]), np.array(data["high"])
    codes = unpack(text, "<i2", rows).reshape(rows, -1, len(axes))
    places = np.tile(low, (*codes.shape[:2], 1))
    share = (codes.astype(float) + player.HALF) / (2 * player.HALF)
    places[..., axes] = np.where(codes == player.GAP, np.nan,
                                 low[axes] + share * (high - low)[axes])
    return places


# What of linear red, green and blue is seen without one kind of cones: Machado, Oliveira and Fernandes
# 2009, table of severity 1.
SIGHTS = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
                   (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                     (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                   (0.004733, 0.691367, 0.303900)),
}


def seen(colour: str, sight: str) -> tuple[float, float, float]:
    """CIELAB of an sRGB colour; distances of 2 are just noticed."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    seen_ = [min(1.0, max(0.0, sum(map(operator.mul, row, linear)))) for row in SIGHTS[sight]]
    xyz = [sum(map(operator.mul, row, seen_)) for row in (
        (0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505), (0.2126, 0.7152, 0.0722),
        (0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089))]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


class Slopes(unittest.TestCase):
    LINE = [(2.0 ** k, 4.0 ** -k) for k in range(6)]  # falls by the square

    def test_the_straight_piece_of_a_curve(self) -> None:
        bent = [(2.0 ** -3, 20.0), (2.0 ** -2, 19.0), (2.0 ** -1, 6.0), *self.LINE]
        self.assertEqual(list(slopes.straight_piece(bent))[-6:], self.LINE)
        self.assertEqual(list(slopes.straight_piece([(1.0, 1.0), (2.0, 1.0), (4.0, 1.0)])), [])
        self.assertEqual(list(slopes.straight_piece(self.LINE[:2])), [])

    def test_triangles_have_their_slope_and_cross_no_line(self) -> None:
        """Two lines one below the other leave less room between them than there is elsewhere."""
        low, high = 1e-6, 10.0
        lines = [self.LINE, [(x, 0.2 * y) for x, y in self.LINE]]
        found = slopes.place_all([self.LINE], lines, low, high)
        self.assertEqual([t.order for t in found], [2])
        (a, at_a), corner, (b, at_b), _ = found[0].corners
        self.assertAlmostEqual(math.log(at_b / at_a) / math.log(b / a), -2.0, places=12)
        self.assertGreater(slopes.room(found[0], lines, low, high), slopes.ENOUGH_ROOM)
        through = slopes.place_triangle(-2, self.LINE[0], self.LINE[-1], low, high, -1, 0.5, 1)
        self.assertEqual(slopes.room(through, lines, low, high), 0.0)
        crowd = [[(x, y * 1.3 ** k) for x, y in self.LINE] for k in range(-60, 60)]
        self.assertEqual(slopes.place_all([self.LINE], crowd, low, high), [])
        symbol = (a * (1 - 1e-9), math.sqrt(at_a * at_b))  # in the upright edge
        self.assertEqual(slopes.room(found[0], [[(a / 4, symbol[1]), symbol], []], low, high), 0.0)


class ReportOfComparison(unittest.TestCase):
    """One report, looked at from several sides."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name) / "it's a \"folder\""
        for name in ("swing", "long-swing"):
            write_run(cls.folder / name / "pbd", "pbd", name=name)
            write_run(cls.folder / name / "impulse", "impulse", name=name, size=2e-6)
        write_run(cls.folder / "swing" / "penalty", "penalty", "diverged", reason="step 40: <nan>")
        write_run(cls.folder / "swing" / "other", "other", "unsupported", reason="no friction here")
        write_run(cls.folder / "swing" / "stale", "stale", reason="left by an earlier comparison")
        header = "scenario,label,solver,status,reason,energy_error_max_J"
        write_csv(cls.folder / "summary.csv", header,
                  [["swing", "penalty", "penalty", "diverged", "", "nan"],
                   ["swing", "pbd", "pbd", "done", "", 1e-3],
                   ["swing", "impulse", "impulse", "done", "", 2e-6],
                   ["swing", "other", "other", "unsupported", "", "nan"],
                   ["long-swing", "pbd", "pbd", "done", "", 1e-3],
                   ["long-swing", "impulse", "impulse", "done", "", 2e-6],
                   ["long-swing", "penalty", "penalty", "failed", "out of memory", "nan"]])
        cls.done = run_report(cls.folder)
        page = cls.folder / "report.html"
        cls.page = page.read_text(encoding="utf-8") if page.exists() else ""

    @classmethod
    def tearDownClass(cls) -> None:
        cls.temporary.cleanup()

    def test_succeeds_quietly(self) -> None:
        self.assertEqual((self.done.returncode, self.done.stdout, self.done.stderr), (0, "", ""))

    def test_is_self_contained(self) -> None:
        self.assertNotRegex(self.page, r"https?://|<script [^>]*src|<link|<img|@import")
        targets = re.findall(r"""(?:href|src)=['"]([^'"]*)""", self.page)
        self.assertTrue(targets)
        self.assertEqual([t for t in targets if not t.startswith("#")], [])

    def test_ids_are_unique_and_links_lead_to_them(self) -> None:
        page = "".join([self.page, *sheets(self.page)])
        ids = re.findall(r"""\sid=['"]([^'"]+)""", page)
        self.assertEqual(len(ids), len(set(ids)))
        targets = set(re.findall(r"""href=['"]#([^'"]+)""", page))
        self.assertEqual(targets - set(ids), set())

    def test_failed_runs_are_shown_with_their_reason(self) -> None:
        for words in (">diverged</span>", ">unsupported</span>", ">failed</span>",
                      "step 40: &lt;nan&gt;", "no friction here", "out of memory", "not run"):
            self.assertTrue(words in self.page, f"expected '{words}' in the page")

    def test_unsupported_runs_are_listed_apart(self) -> None:
        overview = self.page[:self.page.index("</section>")]
        rest, refused = overview.split("<h3>Not supported</h3>")
        failed = rest[rest.index("<h3>Runs that did not finish</h3>"):]
        self.assertIn("step 40: &lt;nan&gt;", failed)
        self.assertNotIn("other", failed)
        self.assertEqual(re.findall(r"<li>.*?</a>, (.*?)</li>", refused),
                         ["other: unsupported: no friction here"])

    def test_runs_that_the_summary_does_not_list_are_left_out(self) -> None:
        self.assertFalse("stale" in self.page, "expected no 'stale' in the page")

    def test_the_overview_names_its_errors_with_units(self) -> None:
        overview = self.page[:self.page.index("</section>")]
        for heading in ("energy, J", "length, m"):
            self.assertIn(f"<span>{heading}</span>", overview)
        self.assertNotIn("Largest errors", overview)

    def test_of_the_closed_form_lengths_count_where_any_is_known(self) -> None:
        class Made:
            def __init__(self, **errors: list[float]) -> None:
                self.series = {f"{name.replace('_', '.')}.error": column
                               for name, column in errors.items()}

            def table(self, _: str) -> dict[str, list[float]]:
                return self.series
        nothing = [math.nan, math.nan]
        self.assertEqual(tables.counted_probes(Made(a_x=[0.1, math.nan], r_tension=[1.0, 2.0])),
                         ["a.x"])
        self.assertEqual(tables.counted_probes(Made(a_x=nothing, r_tension=[1.0, 2.0])),
                         ["r.tension"])

    def test_what_differs_between_runs_is_shown_from_to(self) -> None:
        line = {"mass": 1, "segments": 16, "friction": 0.02, "length": 2}
        self.assertEqual(tables.rope_fact([line, {**line, "segments": 8, "friction": 0.0025},
                                           {**line, "segments": 12, "friction": 0}]),
                         "2.00 m long, 1.00 kg, 8 to 16 segments, friction 0 to 0.0200, inextensible")
        self.assertEqual(tables.rope_fact([{"mass": 1, "segments": 1, "slack": 0.1}]),
                         "longer than its way by 0.100 m, 1.00 kg, 1 segment, inextensible")
        self.assertEqual(tables.body_fact([{"mass": 3}, {"mass": 2}, {"mass": 3}]),
                         "free, point, 2.00 to 3.00 kg")

    def test_many_facts_of_a_kind_are_folded(self) -> None:
        def facts(ropes: int) -> tables.Facts:
            definition = {**SCENARIO, "ropes": {f"r{i}": {"length": 1} for i in range(ropes)}}
            return tables.facts(Scenario("net", [Run(None, {"scenario": definition})]))
        few, many = facts(8), facts(9)
        names = [name for name, _ in few.shown]
        self.assertEqual((names[-8:], few.folded), ([f"rope r{i}" for i in range(8)], []))
        self.assertEqual([name for name, _ in many.shown], names[:-8])
        self.assertEqual([(heading, len(items)) for heading, items in many.folded], [("9 ropes", 9)])

    def test_best_value_is_marked(self) -> None:
        self.assertRegex(self.page, r'<b class="best">2\.00e−6<span')
        self.assertNotRegex(self.page, r'<b class="best">0\.00100')

    def test_what_is_within_rounding_is_equally_good(self) -> None:
        def stars(metric: str, *values: float) -> list[bool]:
            runs = [Run(None, {"status": "done", "scenario": SCENARIO, "summary": {
                metric: value, "energy_error_relative": value / 2000}})
                for value in values]
            judged = tables.judge(next(m for m in tables.METRICS if m.name == metric),
                                  Scenario("swing", runs))
            return [judged.cell(run).best for run in runs]
        self.assertEqual(stars("length_error_max_m", 8.88e-16, 1.78e-15), [False, False])
        self.assertEqual(stars("length_error_max_m", 8.88e-16, 0.0, 1e-9), [True, True, False])
        self.assertEqual(stars("length_error_max_m", 2e-12, 1e-9), [True, False])
        self.assertEqual(stars("energy_error_max_J", 0.0, 1e-9, 3e-9), [True, True, False])
        self.assertEqual(stars("row_evals", 7, 9), [True, False])

    def test_text_of_the_scenario_is_escaped(self) -> None:
        self.assertTrue("A &lt;rope&gt; &amp; a ball" in self.page, "expected it escaped")
        self.assertFalse("<rope>" in self.page, "expected no '<rope>' in the page")

    def test_names_the_commands_and_the_program(self) -> None:
        for words in ("ropelab run swing --solver pbd", "ropelab report", "c0ffee", "cc 1",
                      "<b>1.25</b> (set)"):
            self.assertTrue(words in self.page, f"expected '{words}' in the page")

    def test_every_figure_is_there_in_every_form(self) -> None:
        kinds = ("overlay", "exact", "energy", "ledger", "stretch", "tension", "probes", "residual")
        for kind in kinds:
            for ending in ("svg", "png", "pdf"):
                path = self.folder / "figures" / f"swing-{kind}.{ending}"
                self.assertGreater(path.stat().st_size, 1000, path)
                self.assertLess(path.stat().st_size, 300_000, path)
        self.assertEqual(len(sheets(self.page)), 2 * len(kinds))

    def test_figures_stand_in_the_page_as_in_their_files(self) -> None:
        files = sorted((self.folder / "figures").glob("*.svg"))
        shown = sorted(sheets(self.page), key=lambda text: re.search(r"id=.(\w+?)-", text)[1])
        self.assertEqual(len(shown), len(files))
        for path, text in zip(files, shown):
            drawn = [re.findall(r"<path[^>]*>", svg) for svg in (path.read_text("utf-8"), text)]
            self.assertEqual(drawn[0], drawn[1], path.name)
            self.assertIn(f"<code>figures/{path.name}</code>.</noscript>", self.page)

    def test_a_run_that_failed_has_a_cross_in_the_colour_of_its_curve(self) -> None:
        text = (self.folder / "figures" / "swing-energy.svg").read_text(encoding="utf-8")
        crosses = [tuple(map(int, found)) for found in re.findall(
            r"<use [^>]*gpPt1'[^>]*color='rgb\( *(\d+), *(\d+), *(\d+)\)'", text)]
        colour = known_styles()["penalty"].colour
        own = tuple(int(colour[k:k + 2], 16) for k in (1, 3, 5))
        self.assertEqual(crosses, [(255, 255, 255), own])

    def test_leaves_nothing_else_behind(self) -> None:
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, ["figures", "long-swing", "report.html", "ropelab-files.txt",
                                 "summary.csv", "swing"])

    def test_is_the_same_when_made_again(self) -> None:
        def contents() -> dict[str, bytes]:
            paths = [self.folder / "report.html", *(self.folder / "figures").iterdir()]
            return {path.name: path.read_bytes() for path in paths}

        before = contents()
        self.assertEqual(run_report(self.folder).returncode, 0)
        self.assertEqual(before, contents())


class OtherFolders(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "result"

    def test_single_run(self) -> None:
        write_run(self.folder, "pbd")
        self.assertEqual(run_report(self.folder).returncode, 0)
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("A &lt;rope&gt; &amp; a ball", page)
        self.assertNotIn('id="overview"', page)
        self.assertTrue((self.folder / "figures" / "swing-energy.svg").exists())

    def test_single_unsupported_run_has_no_figures(self) -> None:
        write_run(self.folder, "pbd", "unsupported", reason="not that")
        self.assertEqual(run_report(self.folder).returncode, 0)
        self.assertIn("not that", (self.folder / "report.html").read_text(encoding="utf-8"))

    def test_columns_of_nan_and_missing_files(self) -> None:
        write_run(self.folder, "pbd")
        (self.folder / "iterations.csv").unlink()
        (self.folder / "snapshots.csv").unlink()
        rows: list[list[object]] = [[i / 10] + ["nan"] * (len(COLUMNS) - 1) for i in range(11)]
        write_csv(self.folder / "series.csv", ",".join(COLUMNS), rows)
        with (self.folder / "series.csv").open("a", encoding="utf-8") as file:
            file.write("1.1,0.3")  # a line cut short
        done = run_report(self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_nothing_to_report_on(self) -> None:
        self.folder.mkdir()
        for folder in (self.folder, self.folder / "missing"):
            done = run_report(folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(str(folder), done.stderr)
        self.assertEqual(run_report().returncode, 2)

    def test_missing_jinja(self) -> None:
        write_run(self.folder, "pbd")
        command = [PYTHON, "-S", str(REPORT / "report.py"), str(self.folder)]
        restarted = os.environ | {"ROPELAB_REPORT_RESTARTED": "1"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=restarted)
        self.assertEqual(done.returncode, 1)
        self.assertIn("python3-jinja2", done.stderr)
        self.assertEqual(subprocess.run(command, capture_output=True, check=False).returncode, 0)

    def test_missing_or_failing_gnuplot(self) -> None:
        write_run(self.folder, "pbd")
        for program in ("/no/such/gnuplot", "/bin/false"):
            done = run_report(self.folder, "--gnuplot", program)
            self.assertEqual(done.returncode, 1)
            self.assertIn("gnuplot-nox", done.stderr)
            self.assertFalse((self.folder / "report.html").exists())
            self.assertFalse((self.folder / "figures").exists())


class Players(unittest.TestCase):
    """What the page shows of trajectory.h5."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "result"

    def report(self, **environment: str) -> str:
        done = subprocess.run([PYTHON, str(REPORT / "report.py"), str(self.folder), "--figures", "svg"],
                              text=True, capture_output=True, check=False, env=os.environ | environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def add_run(self, label: str, status: str = "done", **trajectory: Any) -> None:
        write_run(self.folder / "swing" / label, label, status)
        write_trajectory(self.folder / "swing" / label, **trajectory)

    def check_places(self, text: str, wanted: np.ndarray, data: dict[str, Any]) -> None:
        grain = (np.array(data["high"]) - data["low"]) / (2 * player.HALF)
        found = unpack_places(text, len(wanted), data)
        self.assertEqual(found.shape, wanted.shape)
        self.assertTrue((np.abs(found - wanted) <= 0.51 * grain + 1e-9).all())

    def test_data_are_those_of_the_trajectory(self) -> None:
        self.add_run("pbd", original=True)
        data, = player_data(self.report())
        run, = data["runs"]
        self.assertEqual(data["axes"], [0, 1])
        keep = np.concatenate([player.kept(LONG), LONG + np.arange(LOOP)])
        with h5py.File(self.folder / "swing" / "pbd" / "trajectory.h5") as file:
            frames = [int(np.argmin(np.abs(file["time_s"][:] - t))) for t in run["time"]]
            self.assertEqual((frames[0], frames[-1]), (0, file.attrs["frames"] - 1))
            self.assertLessEqual(len(frames), player.FRAMES)
            self.assertEqual(frames, sorted(set(frames)))
            points = file["ropes/points_m"][:][frames]
            self.check_places(run["points"], points[:, keep], data)
            self.check_places(run["drawn"], points[:, keep] + DRAWN, data)
            self.check_places(data["exact"]["points"], EXACT * points[:, keep], data)
            self.check_places(run["centres"], file["bodies/position_m"][:][frames], data)
            first, count = file["contacts/first"][:], file["contacts/count"][:]
            self.assertEqual(run["contactCounts"], [int(count[f]) for f in frames])
            places = [file["contacts/position_m"][first[f]:first[f] + count[f]] for f in frames]
            self.check_places(run["contacts"], np.concatenate(places)[:, None], data)
            turns = unpack(run["rotations"], "<i2", len(frames)).reshape(len(frames), 3, 4)
            error = np.abs(turns / player.HALF - file["bodies/rotation"][:][frames])
            self.assertLess(error.max(), 1e-4)
            tension = file["ropes/tension_N"][:][frames]
        self.assertEqual(run["ropes"], [{"points": player.POINTS, "elements": player.POINTS - 1,
                                         "closed": False},
                                        {"points": LOOP, "elements": 1, "closed": True, "radius": 0.02}])
        codes = unpack(run["tension"], "u1", len(frames))
        self.assertTrue((codes[0] == player.UNKNOWN).all())
        shown = codes[1:] * data["tensionLimit"] / (player.UNKNOWN - 1)
        ends = list(player.kept(LONG))
        wanted = [tension[1:, a:b].max(axis=1) for a, b in zip(ends, ends[1:])] + [tension[1:, -1]]
        wanted = np.minimum(np.stack(wanted, axis=1), data["tensionLimit"])
        self.assertLess(np.abs(shown - wanted).max(), data["tensionLimit"] / 500)

    def test_deep_scenes_are_seen_from_the_side(self) -> None:
        self.add_run("pbd")
        self.assertFalse(player_data(self.report())[0]["tilted"])
        view = geometry.choose_view([0, -9.81, 0], [(0, 0, 0), (2, 1, 1.5)])
        for depth, wanted in (0.49, False), (0.51, True), (1.5, True):
            core = (np.zeros(3), np.array([2, 1, depth]))
            self.assertEqual(player.is_deep(core, view), wanted)

    def test_rope_that_parts(self) -> None:
        write_run(self.folder, "impulse")
        write_parting(self.folder)
        path = self.folder / "run.json"
        info = json.loads(path.read_text(encoding="utf-8"))
        notes = ["rope 'line' tore <here>", "rope 'line' slipped off body 'ball' at t = 0.5 s"]
        path.write_text(json.dumps(info | {"summary": {"parted": 1}, "notes": notes}),
                        encoding="utf-8")
        page = self.report()
        self.assertIn(f"<li>impulse: {html.escape('; '.join(notes)).replace('&#x27;', '&#39;')}</li>",
                      page)
        self.assertIn("came apart: impulse (1 times)", page)
        data, = player_data(page)
        run, = data["runs"]
        # Two points for each of as many elements as can be shown: of three hundred some are one.
        self.assertEqual(run["ropes"], [{"points": 400, "elements": 200, "closed": False,
                                         "parts": True}])
        places = unpack_places(run["points"], 3, data).reshape(3, 200, 2, 3)
        gaps = np.isnan(places).any(axis=(2, 3)).sum(axis=1).tolist()
        self.assertEqual(gaps, [0, 0, 1])

    def test_rope_over_a_drum(self) -> None:
        write_run(self.folder, "impulse")
        write_drum(self.folder)
        path = self.folder / "run.json"
        info = json.loads(path.read_text(encoding="utf-8"))
        change = {"change": "no rope left", "rope": "line", "end": "to", "time_s": 0.5,
                  "length_m": 0.05}
        path.write_text(json.dumps(info | {"summary": {"slipped_off": 2}, "changes": [change]}),
                        encoding="utf-8")
        page = self.report()
        self.assertIn("slipped off a body: impulse (2 times)", page)
        self.assertIn("A winch stopped for want of rope: impulse (rope &#39;line&#39; at 0.5 s, "
                      "0.05 m left)", page)
        data, = player_data(page)
        run, = data["runs"]
        # As many points in every frame: the most that an arc has, and both ends.
        self.assertEqual(run["ropes"], [{"points": 11, "elements": 10, "closed": False}])
        self.assertEqual((run["breaks"], run["contactCounts"], run["contactKinds"]),
                         ([0], [0, 2, 2, 2], "331122"))
        self.assertIn("it sticks there", page)
        self.assertIn("not known before the first step", page)
        points = unpack_places(run["points"], 4, data)
        self.assertTrue((np.abs(points[0, 1:10] - (-0.5, -1, 0)) < 1e-3).all())  # no bend: no length
        self.assertTrue((np.abs(points[:, [0, 10]] - [(-0.5, -1, 0), (0.5, -2, 0)]) < 1e-3).all())
        radius = np.hypot(points[1:, 1:10, 0], points[1:, 1:10, 1])
        self.assertTrue((np.abs(radius[:2] - 0.5) < 1e-3).all())
        self.assertTrue((np.abs(radius[2, ::2] - 0.5) < 1e-3).all())  # every other one is between
        shown = unpack(run["tension"], "u1", 4) * data["tensionLimit"] / (player.UNKNOWN - 1)
        self.assertTrue((np.abs(shown[1] - [3, *np.linspace(3, 5, 9)]) < 0.02).all(), shown[1])
        ropes = [load(self.folder).rope_at("line", frame) for frame in (0, 1, -1)]
        self.assertEqual([len(own) for own, _ in ropes], [2, 11, 7])
        self.assertEqual(ropes[2][1].tolist(), [3, 3, 3.5, 4, 4.5, 5])
        with self.assertRaises(KeyError):
            load(self.folder).rope_at("loop", 0)
        with self.assertRaises(IndexError):
            load(self.folder).rope_at("line", 4)

    def test_ropes_in_python(self) -> None:
        write_run(self.folder, "impulse")
        write_trajectory(self.folder)
        points, tension = load(self.folder).rope_at("line", 3)
        self.assertEqual((points.shape, tension.shape), ((LONG, 3), (LONG - 1,)))
        self.says(NoSuchName, "no rope 'lime' in", "did you mean 'line'?",
                  of=lambda: load(self.folder).rope_at("lime", 0))
        file = self.folder / "trajectory.h5"
        file.write_bytes(file.read_bytes()[:3000])
        self.says(NoResults, str(file), "truncated", of=lambda: load(self.folder).rope_at("line", 0))
        file.unlink()
        self.says(NoResults, "no trajectory.h5", of=lambda: load(self.folder).rope_at("line", 0))

    def says(self, error: type[Exception], *texts: str, of: Callable[[], object]) -> None:
        with self.assertRaises(error) as raised:
            of()
        for text in texts:
            self.assertIn(text, str(raised.exception))

    def test_names_in_python(self) -> None:
        """What there is not is told with what there is, and nothing shows all of run.json."""
        self.add_run("pbd")
        both = load_comparison(self.folder)
        (name, label), = both.keys()
        run = both[name, label]
        for shown, text in ((both, f"Results {self.folder}: 1 runs of {name}"), (run, "pbd: done"),
                            (both.scenarios, f"Scenario {name}: pbd"), (run.series, "time_s")):
            self.assertIn(text, repr(shown))
            self.assertLess(len(repr(shown)), 1000)
        self.says(NoSuchName, "no scenario", f"did you mean {name!r}?", of=lambda: both[name[:-1], label])
        self.says(NoSuchName, "'pbdd'", "did you mean 'pbd'?", of=lambda: both[name, "pbdd"])
        self.says(NoSuchName, "expected a scenario and a label", of=lambda: both[name])
        self.says(NoSuchName, "series.csv", "did you mean 'energy_J'?", of=lambda: run.series["enery_J"])
        self.says(NoSuchName, "did you mean 'stretch_max'?", of=lambda: run.metric("stretch_maxx"))
        self.assertTrue(math.isnan(run.metric("position_rms_m", math.nan)))
        self.says(NoResults, "load_comparison reads", of=lambda: load(self.folder))
        self.says(NoResults, "no such folder", of=lambda: load(self.folder / "nothing"))
        info = run.folder / "run.json"
        self.says(NoResults, "a file; expected the folder", of=lambda: load(info))
        info.write_bytes(info.read_bytes()[:100])
        self.says(NoResults, str(info), "cannot be read", of=lambda: load(run.folder))

    def test_what_flew_off_does_not_choose_the_window(self) -> None:
        self.add_run("pbd")
        self.add_run("penalty", "diverged", flies_off=True)
        page = self.report()
        data, = player_data(page)
        self.assertLess(max(map(abs, [*data["low"], *data["high"]])), 20)
        good, bad = (next(r for r in data["runs"] if r["label"] == label)
                     for label in ("pbd", "penalty"))
        self.assertEqual(good["ending"], "")
        self.assertEqual(bad["ending"], "diverged at 0.997 s")
        self.assertIn("Pale from its last frame on: penalty (diverged at 0.997 s)", page)
        places = unpack_places(bad["points"], len(bad["time"]), data)
        self.assertTrue(np.isfinite(places[: len(places) // 3]).all())
        self.assertFalse(np.isfinite(places[-1]).all())

    def test_a_finished_run_that_flew_off_does_not_either(self) -> None:
        for label in ("pbd", "xpbd"):
            self.add_run(label)
        self.add_run("penalty", flies_off=True)
        (low, high), = [data["window"] for data in player_data(self.report())]
        self.assertLess(max(map(abs, [*low, *high])), 20)

    def test_size(self) -> None:
        labels = ("penalty", "pbd", "xpbd", "pbd-direct", "impulse", "rattle", "nehe", "source",
                  "contraption")
        for label in labels:
            self.add_run(label, frames=1000)
        page = self.report()
        without = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
        self.assertLess(len(page) - len(without), 1_500_000)

    def test_text_of_the_scenario_does_not_end_the_data(self) -> None:
        self.add_run("pbd")
        page = self.report()
        self.assertEqual(player_data(page)[0]["title"], SCENARIO["title"])
        self.assertNotIn("<rope>", page)

    def test_single_run(self) -> None:
        write_run(self.folder, "pbd")
        write_trajectory(self.folder, frames=1)
        data, = player_data(self.report())
        self.assertEqual((len(data["runs"]), data["runs"][0]["time"]), (1, [0.0]))

    def test_without_h5py(self) -> None:
        self.add_run("pbd")
        fake = self.folder.parent / "modules"
        fake.mkdir()
        (fake / "h5py.py").write_text("raise ImportError('not here')\n", encoding="ascii")
        page = self.report(PYTHONPATH=str(fake))
        self.assertEqual(page.count("has no h5py (Debian package python3-h5py)"), 1)
        self.assertNotIn('class="player"', page)

    def test_without_trajectory(self) -> None:
        write_run(self.folder / "swing" / "pbd", "pbd")
        page = self.report()
        self.assertEqual(page.count("No run has a trajectory.h5, so there is no player."), 1)
        self.assertNotIn('class="player"', page)

    def test_damaged_trajectory(self) -> None:
        self.add_run("pbd")
        self.add_run("impulse")
        path = self.folder / "swing" / "pbd" / "trajectory.h5"
        path.write_bytes(path.read_bytes()[:1000])
        page = self.report()
        self.assertIn("Not in the player, since trajectory.h5 cannot be read: pbd.", page)
        self.assertEqual([run["label"] for run in player_data(page)[0]["runs"]], ["impulse"])

    def test_edges_of_a_hull(self) -> None:
        corners = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
        lines = wireframe.hull((*corners, (0.5, 1, 1), (0.5, 1, 3)))
        wanted = [sorted([a, b]) for i, a in enumerate(corners) for b in corners[i + 1:]
                  if sum(p != q for p, q in zip(a, b)) == 1]
        self.assertEqual(sorted(map(sorted, lines)), sorted(wanted))

    @unittest.skipUnless(CHROMIUM, "no chromium: the player is not tried in a browser")
    def test_in_a_browser(self) -> None:
        self.add_run("pbd", original=True)
        self.add_run("penalty", "diverged", flies_off=True)
        page = self.report()
        page = page.replace("<head>", f"<head><script>{WATCH}</script>", 1)
        page = page.replace("</body>", f"<script>{TRY}</script></body>", 1)
        tried = self.folder / "tried.html"
        tried.write_text(page, encoding="utf-8")
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=390,800",
             f"--user-data-dir={self.folder / 'profile'}", "--virtual-time-budget=5000",
             "--dump-dom", tried.as_uri()],
            capture_output=True, text=True, check=False, timeout=60)
        found = re.search(r'data-tried="([^"]*)"', done.stdout)
        self.assertIsNotNone(found, "the player did not come up: " + done.stderr[-500:])
        result = json.loads(html.unescape(found[1]))
        self.assertEqual(result.pop("errors"), [])
        self.assertGreater(result.pop("colours"), 20)
        self.assertEqual(result, {
            "legend": ["pbd", "penalty ✕ diverged at 0.997 s"], "end": "0.997 s / 0.997 s",
            "back": True, "hidden": "false", "turned": True, "shaded": True, "went": True,
            "playing": "playing", "paused": "ready", "figures": 8, "drawn": 8})


WATCH = """
// Frames come with the timers: a busy machine may not paint any while the page has its time.
window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 16);
window.cancelAnimationFrame = clearTimeout;
const errors = [];
window.addEventListener("error", (event) => errors.push(event.message));
window.addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));
console.error = (...words) => errors.push(words.join(" "));
"""
# Plays with the player and leaves what happened in an attribute.
TRY = """
const figure = document.querySelector("figure.player");
figure.scrollIntoView();
const canvas = () => figure.querySelector(".stage > canvas");
const clock = () => figure.querySelector("output").textContent;
const soon = () => new Promise((done) => setTimeout(done, 20));
const report = (result) => { document.body.dataset.tried = JSON.stringify(result); };

function press(key) { canvas().dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})); }
function point(type, x, y) {
  canvas().dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: x, clientY: y}));
}
function changes(action) {
  const before = canvas().toDataURL();
  action();
  return canvas().toDataURL() !== before;
}
function turn() {
  canvas().setPointerCapture = () => {};  // there is no real pointer
  point("pointerdown", 9, 9);
  point("pointermove", 99, 60);
  point("pointerup", 99, 60);
}
function colourByTension() {
  const select = figure.querySelectorAll("select")[1];
  select.value = "tension";
  select.dispatchEvent(new Event("change"));
}
function colours() {
  const {width, height} = canvas();
  const bytes = canvas().getContext("2d").getImageData(0, 0, width, height).data;
  return new Set(new Uint32Array(bytes.buffer)).size;
}
async function play(result) {
  press("Home");
  press(" ");
  const start = clock();
  for (let k = 0; k < 100 && clock() === start; k++) await soon();
  result.went = clock() !== start;
  result.playing = figure.dataset.state;
  press(" ");
  result.paused = figure.dataset.state;
}
async function tryOut() {
  const buttons = [...figure.querySelectorAll(".legend button")];
  const result = {colours: colours(), legend: buttons.map((button) => button.textContent)};
  press("End");
  result.end = clock();
  press("ArrowLeft");
  result.back = clock() !== result.end;
  press("2");
  result.hidden = buttons[1].ariaPressed;
  result.turned = changes(turn);
  result.shaded = changes(colourByTension);
  await play(result);
  const sheets = [...document.querySelectorAll(".sheet")];
  for (let k = 0; k < 100 && !sheets.every((sheet) => sheet.dataset.state); k++) await soon();
  result.figures = sheets.length;
  result.drawn = document.querySelectorAll(".sheet[data-state=ready] > svg").length;
  report({...result, errors});
}
async function whenReady() {
  while (figure.dataset.state !== "ready") {
    if (figure.dataset.state === "failed") {
      return report({errors: [figure.textContent]});
    }
    await soon();
  }
  return tryOut();
}
whenReady();
"""


class Parts(unittest.TestCase):
    def test_numbers(self) -> None:
        cases = {0.0123456: "0.0123", 1234.5: "1230", 9.999: "10.0", -1.5e-9: "−1.50e−9", 0: "0",
                 math.nan: "–", 2.385e7: "2.38e7"}
        self.assertEqual({v: units.significant(v) for v in cases}, cases)
        self.assertEqual(units.counted(1234567), "1\u202f234\u202f567")

    def test_probe_units(self) -> None:
        units_of = {"a.vx": "m/s", "line.tension.3": "N", "line.node.-1.y": "m",
                    "line.contacts": ""}
        self.assertEqual({p: units.probe_unit(p) for p in units_of}, units_of)

    def test_thinning_keeps_peaks_and_ends(self) -> None:
        x = [i / 7 for i in range(5000)]
        y = [math.sin(a) for a in x]
        y[2385] = 50.0
        points = [p for p in curves.thin(x, y, 300) if p]
        self.assertLessEqual(len(points), 304)
        self.assertEqual(max(p[1] for p in points), 50.0)
        self.assertEqual((points[0][0], points[-1][0]), (x[0], x[-1]))

    def test_thinning_keeps_gaps(self) -> None:
        points = curves.thin([0, 1, 2, 3], [1.0, math.nan, math.inf, 2.0])
        self.assertEqual(points, [(0, 1.0), None, (3, 2.0)])

    def test_simplified_line_stays_within_tolerance(self) -> None:
        points = [(i * 0.3, 100 * math.sin(i / 60)) for i in range(700)]
        kept = svg.simplify(points, 0.1)
        self.assertLess(len(kept), 150)
        for x, y in points:
            after = next(i for i, p in enumerate(kept) if p[0] >= x)
            (x0, y0), (x1, y1) = kept[max(after - 1, 0)], kept[after]
            line = y1 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
            slope = 0 if x1 == x0 else (y1 - y0) / (x1 - x0)
            self.assertLess(abs(y - line) / math.hypot(1, slope), 0.21)

    def test_log_axis_has_a_zero_and_covers_both_signs(self) -> None:
        axis = curves.log_axis([0.0, 3e-4, -2e-2, math.nan], 6, signed=True)
        self.assertEqual((axis.floor, axis.above, axis.below), (1e-4, 1, 3))
        self.assertEqual([(t.place, t.label) for t in axis.ticks(300) if not t.small],
                         [(0, "0"), (-3, "−10^{−1}"), (-2, "−10^{−2}"), (-1, "−10^{−3}"), (1, "10^{−3}")])
        self.assertEqual(curves.log_axis([], 6).below, 0)

    def test_long_numbers_of_an_axis_are_divided_by_a_power_of_ten(self) -> None:
        cases = {(0.0, 1.0): 0, (-9000.0, 9000.0): 0, (0.0, 2.4e-12): -12, (-3e-3, 1e-3): -3,
                 (0.0, 12345.0): 3, (0.0, 0.02): 0, (0.0, 1e-3): -3, (0.0, 4e7): 6}
        self.assertEqual({ends: curves.Range(*ends).exponent for ends in cases}, cases)
        self.assertEqual([units.in_units(*of) for of in (("N", -12), ("", 3), ("m/s",), ("",))],
                         [" (10⁻¹² N)", " (10³)", " (m/s)", ""])

    def test_a_curve_far_from_the_others_does_not_choose_the_axes(self) -> None:
        near = [[0.0, 1.0 + 0.01 * i, math.nan] for i in range(4)]
        self.assertEqual(curves.outliers([*near, [0.0, 3.1]]), {4})
        self.assertEqual(curves.outliers([*near, [0.0, 3.0]]), set())
        self.assertEqual(curves.outliers([[-2.2, 0.0], *near]), {0})
        self.assertEqual(curves.outliers([near[0], [0.0, 100.0], near[1]]), set())
        self.assertEqual(curves.outliers([*near, []]), set())
        same = [[1.0, 1.0 + 1e-9]] * 4  # not rounding errors either
        self.assertEqual(curves.outliers([*same, [1.0, 1.3]]), set())
        small = [[0.0, 0.01]] * 4  # half of them are lines whatever the axis
        self.assertEqual(curves.outliers([*small, [0.0, 1.0], [0.0, 1.0], [0.0, 9.0]]), set())

    def test_the_reference_chooses_the_axes_wherever_it_is(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "r"
            ends = {label: 1.0 + 0.1 * i for i, label in enumerate("abcdef")}
            ends |= {"far": 9.0, "reference": 8.0}
            for label in ends:
                write_run(folder / "swing" / label, label)
            runs = load_comparison(folder).runs
        styles = assign_styles(runs)
        traces = [artist.Trace(run, styles[run.label], {}) for run in runs]
        decisive = artist.decisive_traces(traces, lambda t: [0.0, ends[t.label]])
        self.assertEqual({t.label for t in decisive}, set(ends) - {"far"})

    def test_numbers_at_ticks_do_not_touch(self) -> None:
        distances = [axes.linear(0.0, end, 183, across=True)[1].place for end in (0.416, 1, 6, 10, 2000)]
        self.assertEqual(distances, [0.1, 0.2, 1, 2, 500])
        self.assertEqual(axes.linear(0.0, 0.416, 600, across=True)[1].place, 0.05)

        def few(low: float, high: float, width: float) -> list[float]:
            return [tick.place for tick in axes.few(low, high, width, across=True)]
        self.assertEqual(few(-0.7, 0.7, 110), [-0.5, 0.0, 0.5])  # three numbers
        self.assertEqual(few(-0.07, 0.07, 130), [-0.05, 0.0, 0.05])
        self.assertEqual(few(-0.07, 0.07, 106), [-0.05, 0.05])   # -0.05 would touch 0: without that
        self.assertEqual(few(-0.83, 0.83, 99), [-0.5, 0.5])
        self.assertEqual(few(0.4, 4.2, 50), [2.0, 4.0])          # two
        self.assertEqual(few(-0.83, 0.83, 30), [0.0])            # no two that do not touch

    def test_logarithmic_axes_have_powers_of_ten(self) -> None:
        def labels(low: float, high: float) -> list[str]:
            return [tick.label for tick in axes.logarithmic(low, high) if tick.label]
        self.assertEqual(labels(2e-4, 0.03), ["10^{−3}", "10^{−2}"])
        self.assertEqual(labels(0.04, 0.9), ["0.05", "0.1", "0.2", "0.5"])
        self.assertEqual(labels(2.2e-4, 9.1e-3), ["5·10^{−4}", "0.001", "0.002", "0.005"])  # one power
        self.assertEqual(labels(3e-6, 2e-5), ["5·10^{−6}", "10^{−5}", "2·10^{−5}"])
        self.assertEqual(labels(1e-15, 1e-3), [f"10^{{−{k}}}" for k in (14, 12, 10, 8, 6, 4)])
        self.assertEqual([tick.label for tick in axes.counts([4, 8, 16])], ["4", "8", "16"])
        self.assertEqual([axes.counts(values) for values in ([1, 10, 100], [0.5, 1, 2])], [[], []])

    def test_names_of_y_axes_are_beside_their_widest_number(self) -> None:
        def layout(*labels: str) -> canvas.Layout:
            return canvas.Layout(2, 1, 100, [], [[axes.Tick(1.0, label)] for label in labels])
        self.assertLess(lettering.width("10^{−12}"), lettering.width("10−12"))
        wide, narrow = layout("1", "−1.00025"), layout("1", "0")
        widths = [lettering.width(label) for label in ("−1.00025", "1")]
        self.assertAlmostEqual(wide.y_gap - narrow.y_gap, widths[0] - widths[1])
        for own in (wide, narrow):  # neither the figure's edge nor the panel beside cuts the name
            self.assertGreater(own.left, own.y_gap + 6)
            self.assertGreater(own.gap_x, own.y_gap + 6)

    def test_constants_have_no_panel_and_their_distance_from_the_closed_form_has(self) -> None:
        time = [0.01 * k for k in range(100)]

        def history(values: list[float], form: list[float]) -> figures.Panel | None:
            with tempfile.TemporaryDirectory() as name:
                easel = artist.Artist(Scenario("swing", []), "swing", {}, Path(name))
                easel.time_end = 1.0
                run = Run(Path(name), {"status": "done", "solver": {"label": "pbd"}})
                trace = artist.Trace(run, known_styles()["pbd"], {
                    "time_s": time, "line.tension": values, "line.tension.exact": form,
                    "line.tension.error": [v - f for v, f in zip(values, form)]})
                easel.traces = [trace]
                return figures.history(easel, [trace], "line.tension", True, 100)
        level = [13.08] * 100
        self.assertIsNone(history(level, level))
        self.assertIsNone(history([13.08 + 1e-9] * 100, []))
        near = history([13.08 + 0.01 * math.sin(t) for t in time], level)
        self.assertIsInstance(near.axis, curves.LogAxis)
        self.assertEqual(near.title, "line.tension: distance from 13.08 N")
        self.assertIn("by the closed form, 13.08 N", near.remark)
        alike = history([13.08 + 1e-4 * math.sin(t) for t in time], [])
        self.assertIn("nearly always 13.08", alike.remark)
        self.assertIsInstance(history([0.1 * math.sin(t) for t in time], [0.0] * 100).axis, curves.LogAxis)
        for values, form in (([13.08 + math.sin(t) for t in time], level),     # can be told apart
                             ([13.08 + 0.1 * math.sin(t) for t in time], []),
                             (level, [13.08 + math.sin(t) for t in time]),     # the form changes
                             ([0.1] * 50 + [0.2] * 50, [math.nan] * 100)):
            self.assertIsInstance(history(values, form).axis, curves.Range)
        # What is cut off is said in the panel, not in the caption alone.
        spike = [0.1 * math.sin(t) for t in time]
        self.assertEqual(history(spike, []).title, "line.tension")
        self.assertEqual(history([510.0, *spike[1:]], []).title, "line.tension; cut off, to 510 N")

    def test_the_key_is_filled_and_does_not_leave_the_figure(self) -> None:
        names = list(known_styles())
        places = canvas.key_places(canvas.entries(names, range(len(names))))
        self.assertLessEqual(places[-1][1], 2, "expected three lines of all solvers")
        ends = [x + canvas.KEY_SAMPLE + canvas.KEY_GAP + lettering.plain_width(name)
                for (x, _), name in zip(places, names)]
        for (_, line), (x, below), end in zip(places, places[1:], ends):
            self.assertTrue(x > end if below == line else below == line + 1)
        self.assertLess(max(ends), canvas.WIDTH)

    def test_points_that_are_missing_do_not_end_a_block(self) -> None:
        gone = (math.nan, math.nan)
        lines = [[gone, (1, 0), gone, gone, gone, (2, 0)], [gone], [(3, 0), gone], [(4, 0), (5, 0)]]
        text = canvas.block(overlay.line_set(lines))
        self.assertEqual(text, "1 0\n\n2 0\n\n3 0\n\n4 0\n5 0\n")
        self.assertEqual(canvas.block(overlay.line_set([[gone, gone]])), "NaN NaN\n")
        with tempfile.TemporaryDirectory() as name:  # as many blocks as panels
            path = Path(name) / "panels.dat"
            canvas.write_blocks(path, [overlay.line_set(lines), overlay.line_set([[gone]]), [(6, 0)]])
            self.assertEqual(path.read_text(encoding="ascii").split("\n\n\n"),
                             [text[:-1], "NaN NaN", "6 0\n"])

    def test_outlines(self) -> None:
        view = geometry.View(0, 1)
        crate = {"rotation": [0, 0, math.pi / 2], "shape": [{"box": {"size": [2, 4, 6]}}]}
        outline, = geometry.body_outlines(crate, (10.0, 0.0, 0.0), view)
        self.assertEqual(len(outline), 5)
        self.assertAlmostEqual(max(p[0] for p in outline), 12.0, 6)
        self.assertAlmostEqual(max(p[1] for p in outline), 1.0, 6)
        drum = {"shape": [{"cylinder": {"radius": 0.5, "length": 3}}]}
        outline, = geometry.body_outlines(drum, (0.0, 0.0, 0.0), view)
        self.assertTrue(all(abs(math.hypot(*p) - 0.5) < 1e-6 for p in outline))

    def test_what_the_original_draws_is_read_beside_the_nodes(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "r"
            write_run(folder, "source")
            with (folder / "snapshots.csv").open("a", encoding="utf-8") as file:
                file.write("0.25,line,drawn,1,0.2,0.3,0\n0.25,line,drawn,0,0.1,0,0\n")
            run, = load_comparison(folder).runs
            snapshots = geometry.read_snapshots(run)
            self.assertEqual([s.time for s in snapshots], [0, 0.25, 0.5, 0.75, 1])
            self.assertEqual(snapshots[1].drawn, {"line": [(0.1, 0.0, 0.0), (0.2, 0.3, 0.0)]})
            self.assertEqual((len(snapshots[1].ropes["line"]), snapshots[2].drawn), (5, {}))
            self.assertEqual(run_report(folder).returncode, 0)
            self.assertIn("the original of source draws it",
                          (folder / "report.html").read_text(encoding="utf-8"))

    def test_path_over_a_body_takes_the_place_of_the_line_between_the_ends(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "r"
            write_run(folder, "impulse")
            with (folder / "snapshots.csv").open("a", encoding="utf-8") as file:
                file.write("0.25,line,path,1,0,1,0\n0.25,line,path,0,0.5,0,0\n"
                           "0.25,line,exact_node,0,0,0,0\n0.25,line,exact_path,0,2,0,0\n")
            run, = load_comparison(folder).runs
            snapshots = geometry.read_snapshots(run)
            self.assertEqual(snapshots[1].ropes, {"line": [(0.5, 0, 0), (0, 1, 0)]})
            self.assertEqual(snapshots[1].exact_ropes, {"line": [(2, 0, 0)]})
            self.assertEqual(len(snapshots[2].ropes["line"]), 5)

    def test_a_loop_is_closed_by_its_last_point_whatever_is_left_out(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "r"
            write_run(folder, "impulse")
            table = folder / "snapshots.csv"
            lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
            table.write_text("".join(line for line in lines if ",node,1," not in line), encoding="utf-8")
            run, = load_comparison(folder).runs
            snapshot = geometry.read_snapshots(run)[0]
            for elements, corners in ((5, [0, 0.5, 0.75, 1, 0]), (4, [0, 0.5, 0.75, 1])):
                scene = overlay.Scene({}, {"line": elements}, geometry.View(0, 1))
                line, = overlay.take_picture(scene, snapshot, False).ropes
                self.assertEqual([x for x, _ in line], corners)

    def test_state_of_a_divergence_does_not_choose_the_window(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "r"
            write_run(folder, "pbd", "diverged")
            run, = load_comparison(folder).runs
            style = assign_styles([run])["pbd"]
            trace = artist.Trace(run, style, {})
            snapshots = geometry.read_snapshots(run)
            self.assertEqual(overlay.before_divergence(trace, snapshots), snapshots[:-1])
            self.assertEqual(overlay.before_divergence(trace, snapshots[:1]), snapshots[:1])
            run.info["status"] = "done"
            self.assertEqual(overlay.before_divergence(trace, snapshots), snapshots)

    def test_styles_stay_with_the_solver(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "r"
            for label in ("fast", "pbd", "impulse", "slow"):
                write_run(folder / "swing" / label, label)
            styles = assign_styles(load_comparison(folder).runs)
        known = known_styles()
        self.assertEqual(styles["pbd"], known["pbd"])
        self.assertEqual(styles["impulse"], known["impulse"])
        self.assertEqual(len(set(styles.values())), 4)
        self.assertEqual(len({style.colour for style in known.values()}), len(known))

    def test_solvers_can_be_told_apart_in_grey_and_by_the_colour_blind(self) -> None:
        known = list(known_styles().values())
        self.assertEqual(len({(style.symbol, style.dash) for style in known}), len(known))
        for style in known:  # filled ones with a hollow partner
            self.assertTrue(style.symbol > 4 and style.symbol % 2 == 1, style)
        for one, other in itertools.combinations(known, 2):
            if one.symbol == other.symbol:
                for sight in SIGHTS:
                    self.assertGreater(math.dist(seen(one.colour, sight), seen(other.colour, sight)), 30,
                                       f"{one.colour} and {other.colour}, {sight}")

    def test_variants_have_shades_of_their_solver(self) -> None:
        pairs = [("stiff", "penalty"), ("verlet", "penalty"), ("penalty", "penalty"),
                 ("few", "pbd"), ("slow", "rattle"), ("fast", "rattle")]
        styles = assign_styles([solver_style_curve(*pair) for pair in pairs])
        known = known_styles()
        self.assertEqual(styles["penalty"], known["penalty"])
        self.assertEqual(styles["few"], known["pbd"])
        self.assertEqual(styles["slow"], known["rattle"])
        for label, solver in pairs:
            self.assertEqual(styles[label].symbol, known[solver].symbol, label)
        self.assertEqual(len({style.colour for style in styles.values()}), len(pairs))
        self.assertEqual(len({style.linetype for style in styles.values()}), len(pairs))

    def test_runs_of_one_label_are_told_apart_by_their_folders(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            for folder, label in (("light", "rattle"), ("heavy", "rattle"), ("other", "pbd")):
                write_run(Path(name) / folder, label)
            self.assertEqual(sorted(run.label for run in load_comparison(name).runs),
                             ["pbd", "rattle, heavy", "rattle, light"])

    def test_load_refuses_an_empty_folder(self) -> None:
        with tempfile.TemporaryDirectory() as name, self.assertRaises(NoResults):
            load_comparison(Path(name))


if __name__ == "__main__":
    unittest.main()
