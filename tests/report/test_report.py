# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on synthetic results: what the page holds, and what happens when something is missing.

Run with: python3 -m unittest tests/report/test_report.py
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
REPORT = Path(__file__).resolve().parents[2] / "analysis" / "report"
sys.path[:0] = [str(REPORT), str(REPORT.parent / "python")]

import artist  # noqa: E402
import curves  # noqa: E402
import geometry  # noqa: E402
import overlay  # noqa: E402
import svg  # noqa: E402
import units  # noqa: E402
from ropelab import NoResults, load_comparison  # noqa: E402
from solver_style import assign_styles, known_styles  # noqa: E402

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
        self.assertNotRegex(self.page, r"https?://|<script|<link|<img|@import")
        targets = re.findall(r"""(?:href|src)=['"]([^'"]*)""", self.page)
        self.assertTrue(targets)
        self.assertEqual([t for t in targets if not t.startswith("#")], [])

    def test_ids_are_unique_and_links_lead_to_them(self) -> None:
        ids = re.findall(r"""\sid=['"]([^'"]+)""", self.page)
        self.assertEqual(len(ids), len(set(ids)))
        targets = set(re.findall(r"""href=['"]#([^'"]+)""", self.page))
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

    def test_best_value_is_marked(self) -> None:
        self.assertRegex(self.page, r'<b class="best">2\.00e−6<span')
        self.assertNotRegex(self.page, r'<b class="best">0\.00100')

    def test_text_of_the_scenario_is_escaped(self) -> None:
        self.assertTrue("A &lt;rope&gt; &amp; a ball" in self.page, "expected it escaped")
        self.assertFalse("<rope>" in self.page, "expected no '<rope>' in the page")

    def test_names_the_commands_and_the_program(self) -> None:
        for words in ("ropelab run swing --solver pbd", "ropelab report", "c0ffee", "cc 1",
                      "<b>1.25</b> (set)"):
            self.assertTrue(words in self.page, f"expected '{words}' in the page")

    def test_every_figure_is_there_in_both_forms(self) -> None:
        kinds = ("overlay", "exact", "energy", "ledger", "stretch", "tension", "probes", "residual")
        for kind in kinds:
            for ending in ("svg", "png"):
                path = self.folder / "figures" / f"swing-{kind}.{ending}"
                self.assertGreater(path.stat().st_size, 1000, path)
                self.assertLess(path.stat().st_size, 300_000, path)
        self.assertEqual(self.page.count("<svg"), 2 * len(kinds))

    def test_leaves_nothing_else_behind(self) -> None:
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, ["figures", "long-swing", "report.html", "summary.csv", "swing"])

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
        self.assertIn('"0" 0', axis.ticks)
        self.assertEqual(curves.log_axis([], 6).below, 0)

    def test_numbers_at_ticks_do_not_touch(self) -> None:
        self.assertEqual([curves.tick_distance(end, 183) for end in (0.416, 1, 6, 10, 2000)],
                         [0.1, 0.2, 1, 2, 500])
        self.assertEqual(curves.tick_distance(0.416, 600), 0.05)

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

    def test_load_refuses_an_empty_folder(self) -> None:
        with tempfile.TemporaryDirectory() as name, self.assertRaises(NoResults):
            load_comparison(Path(name))


if __name__ == "__main__":
    unittest.main()
