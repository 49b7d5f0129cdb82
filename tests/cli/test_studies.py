# SPDX-License-Identifier: GPL-3.0-or-later
"""Convergence studies from outside: tables, orders, files of studies, what is refused, and studies
that are killed and resumed.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_studies
"""

from __future__ import annotations

import json
import math
import os
import random
import shlex
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from tests.cli import support as cli

KILLS = int(os.environ.get("ROPELAB_STUDY_KILLS", "1"))
STEPS = "0.02,0.01,0.005,0.0025"

# A run of each kind of end: done, diverged, unsupported.
STUDY = """\
name: small
title: Small
about: For a test.
kind: converge
scenarios: [pendulum, catenary]
solvers: [pbd, rattle, "boom=penalty,substeps=1,stiffness=1e9", source]
duration: 0.5
over: step
values: [0.02, 0.01, 0.005]
quantity: self
norm: end
time_limit: 100
"""


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return cli.Table(folder / f"{name}.csv").rows()


def study_tables(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes()
            for name in ("summary.csv", "convergence.csv", "orders.csv", "fits.csv")}


class Case(cli.Case):
    def expect_page(self, folder: Path, *texts: str) -> None:
        page = (folder / "report.html").read_text(encoding="utf-8")
        for text in texts:
            self.expect_true(text in page, f"{len(page)} characters", text, "report.html")


class Converge(Case):
    def test_orders_that_there_are_none(self) -> None:
        """A pendulum swings as it does whatever its mass; and two points are on any line."""
        for over, values, says in (("bodies.bob.mass", "1,2,4", "exact: does not depend on bodies.bob.mass"),
                                   ("step", "0.01,0.005", "exact: an order takes 3 points, found 2")):
            done = cli.ropelab("converge", "pendulum", "-s", "pbd", "--over", over, "--values", values,
                               "--duration", "0.2", "--figures", "svg", "--out", cli.new_folder())
            self.expect_in(f"pendulum, pbd, {says}", done.stdout, f"order over {over}")

    def converge(self, *words: object, status: int = cli.DONE, figures: str = "svg") -> Path:
        folder = cli.new_folder()
        self.expect_exit(cli.ropelab("converge", *words, "--figures", figures, "--out", folder),
                         status)
        return folder

    def test_orders_of_a_pendulum(self) -> None:
        folder = self.converge("pendulum", "--solver", "impulse", "--solver", "fine=rattle",
                               "--over", "step", "--values", STEPS, "--quantity", "bob.x",
                               "--duration", "1", figures="png,pdf")
        rows = table(folder, "orders")
        self.expect([(row["solver"], row["label"], row["over"], row["quantity"]) for row in rows],
                    [("impulse", "impulse", "step", "bob.x"), ("rattle", "fine", "step", "bob.x")],
                    "rows of orders.csv")
        for row, order in zip(rows, (1, 2)):
            low, value, high = (float(row[key]) for key in ("ci_low", "order", "ci_high"))
            self.expect_true(abs(value - order) < 0.05 and low <= value <= high, row,
                             f"an order near {order} in its interval", row["solver"])
        runs = [row["label"] for row in table(folder, "summary")]
        self.expect(runs, [f"{label}-step={step}" for label in ("impulse", "fine")
                           for step in STEPS.split(",")], "runs, from coarse to fine")
        errors = table(folder, "convergence")
        for row in errors:
            norms = [float(row[f"error_{norm}"]) for norm in ("max", "l2", "end")]
            self.expect_true(norms[0] >= max(norms[1:]) > 0, row, "max >= l2, end > 0", row["run"])
        for name in ("figures/pendulum-bob_x-0.svg", "figures/pendulum-bob_x-0.png",
                     "figures/pendulum-bob_x-0.pdf", "report.html"):
            self.expect_true((folder / name).stat().st_size > 1000, name, "a figure", "files")
        self.expect_page(folder, "ropelab converge pendulum --solver impulse")

    def test_errors_are_those_of_the_series(self) -> None:
        folder = self.converge("pendulum", "--solver", "pbd", "--over", "step", "--values",
                               "0.01,0.005", "--quantity", "bob.y", "--duration", "0.5")
        for row in table(folder, "convergence"):
            series = cli.Table(folder / "pendulum" / row["run"] / "series.csv")
            time_, error = series.numbers("time_s")[1:], series.numbers("bob.y.error")[1:]
            self.expect(float(row["error_max"]), max(map(abs, error)), "largest")
            self.expect(float(row["error_end"]), abs(error[-1]), "at the end")
            self.expect(int(row["samples"]), 50, "times in common")
            area = sum((b - a) * (x * x + y * y) / 2 for a, b, x, y in
                       zip(time_, time_[1:], error, error[1:]))
            root = math.sqrt(area / (time_[-1] - time_[0]))
            self.expect_true(abs(float(row["error_l2"]) / root - 1) < 1e-12, row["error_l2"],
                             str(root), "root mean square")

    def test_which_probe_is_the_largest(self) -> None:
        """Places count, not the pull, whose numbers are larger: which of them is told."""
        folder = cli.new_folder()
        done = cli.ropelab("converge", "pendulum", "-s", "rattle", "--over", "step", "--values",
                           "0.02,0.01", "--duration", "0.5", "--figures", "svg", "--out", folder)
        self.expect_in("; the largest error is that of bob.x\n", done.stdout, "stdout")
        for row in table(folder, "convergence"):
            series = cli.Table(folder / "pendulum" / row["run"] / "series.csv")
            largest = {name: max(abs(x) for x in series.numbers(name)[1:])
                       for name in ("bob.x.error", "bob.y.error")}
            self.expect(row["probe"] + ".error", max(largest, key=lambda name: largest[name]), "probe")
        self.expect_page(folder, "it is that of bob.x")
        figure = (folder / "figures" / "pendulum-exact-0.svg").read_text(encoding="utf-8")
        for text in ("largest error over time (m)", "error over step, against the closed form"):
            self.expect_in(text, figure, "figure")

    def test_an_invariant_is_exact_too(self) -> None:
        """Of the swinging machine nothing else is known."""
        folder = self.converge("swinging-atwood", "--solver", "rattle", "--over", "step",
                               "--values", "0.02,0.01,0.005")
        order = float(table(folder, "orders")[0]["order"])
        self.expect_true(abs(order - 2) < 0.02, order, "2 to 0.02", "order of the invariant")

    def test_self_agrees_with_exact(self) -> None:
        """Richardson's estimate is the distance from the limit, which is the closed form."""
        folder = self.converge("pendulum", "--solver", "rattle", "--over", "step", "--values",
                               STEPS, "--quantity", "exact:bob.x", "--quantity", "self:bob.x",
                               "--norm", "end", "--duration", "1")
        rows = table(folder, "convergence")
        for exact, own in zip(rows[:3], rows[4:7]):
            ratio = float(own["error_end"]) / float(exact["error_end"])
            self.expect_true(abs(ratio - 1) < 0.02, ratio, "1 to 2 %", exact["run"])
        self.expect(rows[7]["error_end"], "nan", "the finest has nothing finer beside it")

    def test_default_reference_goes_with_each_run(self) -> None:
        """Its tensions are means over the steps of the run, and its estimate the least floor."""
        folder = self.converge("pendulum", "--solver", "rattle", "--over", "step", "--values",
                               "0.02,0.01,0.005", "--quantity", "reference:line.tension",
                               "--duration", "1")
        order = float(table(folder, "orders")[0]["order"])
        self.expect_true(abs(order - 2) < 0.02, order, "2 to 0.02", "order of the mean tension")
        own = {row["label"]: row for row in table(folder, "summary")}
        for row in table(folder, "convergence"):
            reference = own["reference-run-step=" + row["run"].split("=")[1]]
            self.expect_true(float(row["floor"]) >= float(reference["error_estimate_m"]),
                             row["floor"], f"at least {reference['error_estimate_m']}", "floor")

    def test_energy_error_has_the_round_off_of_energies(self) -> None:
        """On an Atwood machine that of rattle is nothing else, at any mass, and has no order."""
        folder = self.converge("atwood", "--solver", "rattle", "--solver", "pbd", "--over",
                               "step", "--values", "0.02,0.01,0.005", "--quantity",
                               "energy_error_J", "--set", "bodies.heavy.mass=2000",
                               "--duration", "0.5")
        for row in table(folder, "convergence"):
            series = cli.Table(folder / "atwood" / row["run"] / "series.csv")
            size = max(abs(x) for name in ("kinetic_J", "gravity_J") for x in series.numbers(name))
            floor = 1000 * sys.float_info.epsilon * size
            self.expect_true(abs(float(row["floor"]) / floor - 1) < 1e-12, row["floor"],
                             str(floor), f"floor of {row['run']}")
            self.expect(row["in_range"], str(int(row["solver"] == "pbd")), f"range, {row['run']}")

    def test_against_a_reference(self) -> None:
        words = ("pendulum", "--solver", "impulse", "--over", "step", "--values", STEPS,
                 "--quantity", "reference:bob.x", "--reference", "rattle", "--reference-step",
                 "0.0005", "--duration", "1")
        folder = self.converge(*words)
        order = float(table(folder, "orders")[0]["order"])
        self.expect_true(abs(order - 1) < 0.05, order, "1 to 0.05", "order against rattle")
        self.expect(table(folder, "summary")[1]["label"], "reference", "its run is a row")
        kept = (folder / "pendulum/reference/run.json").stat().st_mtime_ns
        done = cli.ropelab("converge", *words, "--figures", "svg", "--out", folder, "--force")
        self.expect_exit(done, cli.DONE)
        self.expect((folder / "pendulum/reference/run.json").stat().st_mtime_ns, kept,
                    "the time of the reference run, which is kept")

    def test_over_other_things(self) -> None:
        for over, values, labels in (
                ("segments", "4,8", ["pbd-segments=4", "pbd-segments=8"]),
                ("iterations", "40,10", ["pbd-iterations=10", "pbd-iterations=40"]),
                ("ropes.chain.mass", "2,0.5", ["pbd-ropes.chain.mass=2",
                                               "pbd-ropes.chain.mass=0.5"])):
            folder = self.converge("hanging-chain", "--solver", "pbd", "--over", over, "--values",
                                   values, "--duration", "0.05", "--quantity", "stretch_max")
            self.expect([row["label"] for row in table(folder, "summary")], labels, over)
            for label in labels:
                manifest = cli.Result(folder / "hanging-chain" / label).manifest
                rope = manifest["scenario"]["ropes"]["chain"]
                found = {"segments": rope.get("segments"), "ropes.chain.mass": rope["mass"]} | {
                    p["name"]: p["value"] for p in manifest["solver"]["parameters"]}
                self.expect(float(found[over]), float(label.partition("=")[2]), label)

    def test_a_run_can_be_repeated_alone(self) -> None:
        folder = self.converge("hanging-chain", "--solver", "x=pbd,order=backward", "--over",
                               "iterations", "--values", "5,10", "--duration", "0.1", "--set",
                               "ropes.chain.mass=2", "--quantity", "residual_m")
        run = cli.Result(folder / "hanging-chain/x-iterations=10")
        before = run.hash
        words = run.manifest["command"].split()
        self.expect(words[:2], ["ropelab", "run"], "the command")
        self.quietly(*words[1:])
        self.expect(run.hash, before, "state_hash of the repeated run")

    def test_a_figure_needs_no_values(self) -> None:
        """All runs fail, or what is measured is zero throughout: a figure less, a sentence more."""
        for solver, quantity in (("boom=" + cli.BLOW_UP, "bob.x"), ("rattle", "bending_J")):
            folder = self.converge("pendulum", "--solver", solver, "--over", "step", "--values",
                                   "0.02,0.01,0.005", "--quantity", quantity, "--duration", "0.5")
            self.expect_page(folder, "No figure: ")

    def test_a_figure_leaves_out_what_it_cannot_draw(self) -> None:
        """Numbers whose ratios are none any more: a point less, and a sentence; the run is a row."""
        folder = self.converge("pendulum", "--solver", "rattle", "--over", "bodies.bob.friction",
                               "--values", "1e-300,1,2,1e300", "--duration", "0.5")
        self.expect([row["status"] for row in table(folder, "summary")], ["done"] * 4,
                    "status of the runs")
        self.expect_page(folder, "Too far off, and not drawn: friction of bob 1.00e−300, 1.00e300.")

    def test_what_is_refused(self) -> None:
        good = ["pendulum", "--over", "step", "--values", "0.01,0.005"]
        for words, says in (
                (["pendulum"], "expected --over"),
                (good[:3], "--values"),
                (["pendulum", "--over", "steps", "--values", "1,2", "-s", "pbd"],
                 "'steps' is no parameter of solver 'pbd'"),
                (["pendulum", "--over", "stepp", "--values", "1,2", "-s", "pbd"],
                 "did you mean 'step'?"),
                (["pendulum", "--over", "nothing", "--values", "1,2"], "no solver has a parameter"),
                (["pendulum", "--over", "iterations", "--values", "1,2", "-s", "rattle",
                  "-s", "penalty"], "'iterations' is no parameter of solver 'penalty'"),
                (["pendulum", "--over", "step", "--values", "0.01,x"], "found 'x'"),
                (["pendulum", "--over", "step", "--values", "0.01,"], "found ''"),
                (["pendulum", "--over", "step", "--values", "0.01,-1"], "found '-1'"),
                (["pendulum", "--over", "step", "--values", "0.01,1e-2"], "given twice"),
                (["pendulum", "--over", "stp", "--values", "1,2"], "did you mean 'step'?"),
                (["pendulum", "--over", "step", "--values", "1,1e300"],
                 "--values: a step of 1e300 s in a run of 4 s"),
                (["pendulum", "--over", "iterations", "--values", "1,2", "-s", "pbd,iterations=5"],
                 "--solver: pbd,iterations=5: the study varies 'iterations'"),
                (["pendulum", "--over", "step", "--values", "1,1e-300"],
                 "--values: pendulum: 4 s in steps of 1e-300 s are 4e+300 steps"),
                (good + ["--duration", "1e308"], "--duration: pendulum: 1e+308 s in steps"),
                (["pendulum", "--over", "iterations", "--values", "1,2", "--step", "1e-300"],
                 "--step: pendulum: 4 s in steps of 1e-300 s"),
                (good + ["--quantity", "reference", "--reference", "rattle", "--reference-step", "1e-99"],
                 "--reference: pendulum: 4 s in steps of 1e-99 s"),
                (good + ["--step", "0.1"], "--step: has no effect"),
                (good + ["--rope", "line"], "--rope: has no effect"),
                (good + ["--reference", "rattle"], "--reference: has no effect"),
                (good + ["--reference-step", "0.1"], "--reference-step: has no effect"),
                (good + ["--quantity", "bob.x", "--quantity", "bob.x"], "'bob.x' is given twice"),
                (good + ["--norm", "maxx"], "did you mean 'max'?"),
                (good + ["--quantity", "energy_eror_J"], "no quantity 'energy_eror_J'; did you mean 'energy_error_J'?"),
                (good + ["--quantity", "refrence:bob.x"], "no quantity 'refrence'; did you mean 'reference'?"),
                (good + ["--law", "linear"], "expected one of power, exponential"),
                (good + ["--quantity", "bob.q"], "bob.q"),
                (good + ["--quantity", "exact", "--set", "exact=", "-s", "pbd"], "exact"),
                (good + ["--quantity", "reference", "--reference", "ratle"],
                 "did you mean 'rattle'?"),
                (["pendulum", "--over", "segments", "--values", "2,4"], "no rope with segments"),
                (["hanging-chain", "--over", "segments", "--values", "2,4", "--rope", "chainn"],
                 "did you mean 'chain'?"),
                (["hanging-chain", "--over", "segments", "--values", "2.5,4"], "segments"),
                (["pendulum", "--over", "bodies.bobb.mass", "--values", "1,2"], "bobb"),
                (["pendulum", "--over", "iterations", "--values", "0.5,2", "-s", "pbd"],
                 "expected a whole number"),
                (good + ["-s", "pbd", "-s", "pbd"], "two solvers are called 'pbd'"),
                (good + ["--time-limit", "0"], "--time-limit 0")):
            folder = cli.new_folder()
            self.refused("converge", *words, "--out", folder, says=(says,))
            self.expect(folder.exists(), False, f"a folder is left by {words}")

    def test_too_few_values_for_an_order_are_noted(self) -> None:
        for values, quantity, note in (("0.02", "exact", "1 value gives 1"), ("0.02,0.01", "exact", "2 values give 2"),
                                       ("0.02,0.01,0.005", "self", "3 values give 2"), ("0.02,0.01,0.005", "exact", "")):
            done = cli.ropelab("converge", "pendulum", "--solver", "pbd", "--over", "step", "--values", values, "--duration",
                               "0.1", "--quantity", quantity, "--figures", "svg", "--out", cli.new_folder())
            said = f"ropelab: note: an order takes 3 points; {note}, so there will be errors and no order\n"
            self.expect((done.returncode, done.stderr), (cli.DONE, said if note else ""), f"{values} of {quantity}")

    def test_existing_results(self) -> None:
        words = ("pendulum", "--solver", "pbd", "--over", "step", "--values", "0.02,0.01",
                 "--duration", "0.1")
        folder = self.converge(*words)
        self.refused("converge", *words, "--out", folder, says=("--force replaces it",))
        self.expect_exit(cli.ropelab("converge", *words, "--figures", "svg", "--out", folder, "--force"),
                         cli.DONE)


class Study(Case):
    def study(self, path: Path, folder: Path, *words: object) -> None:
        self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", folder, *words),
                         cli.DONE)

    def test_every_run_is_a_row(self) -> None:
        folder = cli.new_folder()
        self.study(cli.new_study(STUDY), folder)
        rows = table(folder, "summary")
        found = {}
        for row in rows:
            found.setdefault((row["scenario"], row["label"].partition("-step")[0]), []).append(
                row["status"])
        self.expect(found[("pendulum", "boom")], ["diverged"] * 3, "blown up")
        self.expect(found[("pendulum", "source")], ["unsupported"] * 3, "refused")
        self.expect(found[("pendulum", "pbd")], ["done"] * 3, "done")
        self.expect(len(rows), 2 * 4 * 3, "rows")
        self.expect({row["seconds"] for row in rows}, {"nan"}, "seconds, which differ each time")
        times = table(folder, "timing")
        self.expect([row["label"] for row in times], [row["label"] for row in rows], "timing.csv")
        self.expect_true(float(times[0]["seconds"]) >= 0, times[0], "seconds", "timing.csv")
        about = json.loads((folder / "study.json").read_text(encoding="utf-8"))
        self.expect((about["name"], about["kind"]), ("small", "converge"), "study.json")
        self.expect_page(folder, "<h1>Small</h1>", "ropelab study", "Runs that did not")

    def test_what_did_not_finish_is_told(self) -> None:
        done = cli.ropelab("study", cli.new_study(STUDY), "--figures", "svg", "--out", cli.new_folder())
        none = "self: no range of 3 points or more with one slope; 3 of 3 "
        for says in (f"pendulum, boom, {none}diverged\n", f"pendulum, source, {none}unsupported\n"):
            self.expect_in(says, done.stdout, "stdout")
        text = STUDY.replace("quantity: self", "quantity: reference\nreference: {solver: '" + cli.BLOW_UP + "'}")
        done = cli.ropelab("study", cli.new_study(text.replace("catenary", "hanging-chain")), "--figures", "svg",
                           "--out", cli.new_folder())
        self.expect_in("pendulum, rattle, reference: no range of 3 points or more with one slope; "
                       "its reference: diverged\n", done.stdout, "stdout")
        done = cli.ropelab("converge", "pendulum", "-s", "rattle", "--over", "step", "--values", "2e-4,1e-4,5e-5",
                           "--quantity", "reference:bob.x", "--duration", "0.1", "--figures", "svg",
                           "--reference", "reference,tolerance=0.01", "--reference-step", "0.1", "--out", cli.new_folder())
        self.expect_in("3 points or more with one slope; 3 of 3 errors are no larger than what the reference says of "
                       "its own, ", done.stdout, "stdout")

    def test_the_file_that_is_shown(self) -> None:
        """The example of the documentation is one that can be carried out."""
        text = (cli.REPOSITORY / "analysis/README.md").read_text(encoding="utf-8")
        shown = text[text.index("```yaml\nname: pendulum-order") + len("```yaml\n"):]
        folder = cli.new_folder()
        self.study(cli.new_study(shown[:shown.index("```")].replace("solvers: all", "solvers: [pbd, impulse]")), folder)
        self.expect([row["quantity"] for row in table(folder, "orders")],
                    ["bob.x", "reference:bob.speed"] * 2, "what is fitted")

    def test_shipped_studies(self) -> None:
        listed = json.loads(cli.ropelab("list", "studies", "--json").stdout)
        files = sorted(path.stem for path in
                       (cli.REPOSITORY / "analysis/studies").glob("*.yaml"))
        self.expect([study["name"] for study in listed], files, "ropelab list studies")
        for study in listed:
            self.expect_true(study["title"] and study["about"], study, "title and about", "study")

    def test_a_run_past_its_limit_is_a_row(self) -> None:
        text = STUDY.replace("duration: 0.5", "duration: 1e7\nevery: 1e6").replace(
            "time_limit: 100", "time_limit: 0.2").replace("[pendulum, catenary]", "pendulum")
        text = text.replace("[0.02, 0.01, 0.005]", "[0.02]")
        folder = cli.new_folder()
        path = cli.new_study(text)
        self.study(path, folder)
        rows = {row["label"].partition("-step")[0]: row for row in table(folder, "summary")}
        self.expect((rows["pbd"]["status"], rows["pbd"]["reason"].partition(";")[0]),
                    ("timeout", "stopped after the time limit of 0.2 s of processor time"), "the row")
        self.expect(rows["pbd"]["exact_error_max"], "nan", "numbers of a run cut off somewhere")
        self.expect(rows["source"]["status"], "unsupported", "the others")
        before = study_tables(folder)
        self.study(path, folder, "--resume")
        self.expect(study_tables(folder), before, "tables of the resumed study")

    def test_what_is_refused(self) -> None:
        for change, place, says in (
                (("kind: converge", "kind: convergee"), "4:7", "did you mean 'converge'?"),
                (("over: step", "ovr: step"), "8:1", "did you mean 'over'?"),
                (("over: step\n", ""), "1:1", "missing key 'over'"),
                (("over: step", "over: stpe"), "8:7", "did you mean 'step'?"),
                (("0.01, 0.005", "0.01, 0"), "9:22", "expected a number greater than 0"),
                (("0.01, 0.005", "0.01, 0.010"), "9:22", "given twice"),
                (("[pendulum, catenary]", "[pendulum, catenry]"), "5:23",
                 "did you mean 'catenary'?"),
                (("[pbd, rattle", "[pbd, ratle"), "6:16", "did you mean 'rattle'?"),
                (("[pbd, rattle", "[pbd, 'rattle,iterations=-1'"), "6:16", "iterations"),
                (("[pbd, rattle", "[pbd, pbd"), "6:10", "two solvers are called 'pbd'"),
                (("[pbd, rattle", "[pbd, {solver: xpbd, over: substeps}"), "6:16",
                 "expected a parameter"),
                (("[pbd, rattle", "[pbd, {solver: xpbd, ovr: substeps}"), "6:31",
                 "did you mean 'over'?"),
                (("0.01, 0.005", "0.01, 5"), "9:22", "values: a step of 5 s in a run of 0.5 s"),
                (("0.01, 0.005", "0.01, 1e-300"), "9:22", "values: pendulum: 0.5 s in steps of 1e-300"),
                (("duration: 0.5", "duration: 1e308"), "7:11", "duration: pendulum: 1e+308 s in steps"),
                (("[pendulum, catenary]", "[pendulum, pendulum]"), "5:23", "given twice"),
                (("[pendulum, catenary]", f"[pendulum, {cli.REPOSITORY}/scenarios/pendulum.yaml]"), "5:23",
                 "two scenarios are called 'pendulum'"),
                (("[pbd, rattle", f"[{'x' * 124}=pbd, rattle"), "6:10", "too long; expected at most"),
                (("over: step", "over: segments"), "8:7", "scenario 'pendulum' has no rope with segments"),
                (("duration: 0.5", "duration: 0.5\nstep: 0.1"), "8:7", "step: has no effect"),
                (("norm: end", "norm: end\nrope: line"), "12:7", "rope: has no effect"),
                (("norm: end", "norm: end\nreference: {solver: rattle}"), "12:12", "has no effect"),
                (("quantity: self", "quantity: [self, self]"), "10:18", "given twice"),
                (("norm: end", "norm: ende"), "11:7", "did you mean 'end'?"),
                (("time_limit: 100", "time_limit: soon"), "12:13", "found 'soon'"),
                (("duration: 0.5", "duration: [0.5]"), "7:11", "found a list of 1"),
                (("quantity: self", "quantity: []"), "10:11", "quantity: expected 1 to"),
                (("0.01, 0.005", "0.01, 0"), "9:22", "values[2]: expected a number greater than 0"),
                (("name: small", "name: a/b"), "1:7", "without '/'"),
                (("norm: end", "norm: end\nset: [a]"), "12:6", "expected a map from paths"),
                (("norm: end", "norm: end\nreference: {solve: pbd}"), "12:13",
                 "did you mean 'solver'?"),
                (("norm: end", "norm: end\nnorm: max"), "12:1", "norm"),
                (("about: For", "about: For: a"), "3:", "")):
            path = cli.new_study(STUDY.replace(*change))
            folder = cli.new_folder()
            self.refused("study", path, "--out", folder, says=(f"{path}:{place}", "error: ", says))
            self.expect(folder.exists(), False, f"a folder is left by {change}")
        path = cli.new_study(STUDY.replace("[pendulum, catenary]", "hanging-chain").replace(
            "quantity: self", "quantity: exact"))
        self.refused("study", path, says=(f"{path}:10:11: error: quantity: exact: scenario",))
        for change, found in (
                (("over: step\nvalues: [0.02, 0.01,", "over: iterations\nvalues: [2, 1,"),
                 "9:16: error: values: '0.005' is not a value of parameter 'iterations'"),
                (("over: step\nvalues: [0.02, 0.01,", "over: segments\nvalues: [2, 1,"),
                 "9:16: note: of this value")):
            path = cli.new_study(STUDY.replace(*change).replace("solvers: [pbd, rattle", "solvers: [pbd]  #")
                         .replace("[pendulum, catenary]", "catenary"))
            self.refused("study", path, "--out", cli.new_folder(),
                         says=(f"{path}:{found}",))
        self.refused("study", "pendulum-ordr", says=("did you mean 'pendulum-order'?",))
        self.refused("study", cli.new_study("- a\n"), says=("expected a map",))
        self.refused("study", cli.new_study(""), says=("error",))
        for change, says in ((("kind: converge\nscenarios: [pendulum, catenary]",
                               "kind: converge\nquantity: exact\nscenarios: hanging-chain"),
                              "quantity"),
                             
                             (("norm: end", "norm: end\nset: {rope: 1}"), "rope")):
            self.refused("study", cli.new_study(STUDY.replace(*change)), says=(says,))
        for change, place, says in (
                (("quantity: self", "quantity: nobody.x"), "10:11", "nobody"),
                (("quantity: self", "quantity: [self, exact:nobody.x]"), "10:18", "nobody"),
                (("norm: end", "norm: end\nprobes: [bob.y, nobody.x]"), "12:17", "nobody"),
                (("norm: end", "norm: end\nset: {gravity: [0, -1, 0], bodies.bobb.mass: 1}"),
                 "12:46", "bobb"),
                (("quantity: self", "quantity: reference\nreference: {solver: rattle, set: "
                  "{bodies.bob.mass: -1}}"), "11:52", "mass")):
            path = cli.new_study(STUDY.replace(*change).replace("[pendulum, catenary]", "pendulum"))
            self.refused("study", path,
                         says=(f"{path}:{place}: error: pendulum: ", says))

    def test_keys_of_other_kinds(self) -> None:
        for kind, key, others in (("onestep", "over: step", "converge"),
                                  ("consistency", "at: 0.1", "onestep"),
                                  ("precision", "step: 0.1", "converge, onestep")):
            path = cli.new_study(f"name: x\nkind: {kind}\nscenarios: pendulum\nsolvers: pbd\n{key}\n")
            self.refused("study", path, says=(
                f"{path}:5:1: error: '{key.partition(':')[0]}' is a key of kind: {others}; "
                f"this study is of kind: {kind}",))

    def test_resume_needs_nothing_to_resume(self) -> None:
        folder = cli.new_folder()
        path = cli.new_study(STUDY)
        self.study(path, folder, "--resume")
        self.refused("study", path, "--out", folder, says=("--force replaces it",))

    def test_the_command_of_a_resumed_study_makes_all_of_it_again(self) -> None:
        folder = cli.new_folder()
        words = ("converge", "pendulum", "-s", "pbd", "--over", "step", "--values", "0.01,0.005",
                 "--duration", "0.2", "--figures", "svg", "--out", folder)
        for resume in ((), ("--resume",), ("--resum",)):
            self.expect_exit(cli.ropelab(*words, *resume), cli.DONE)
            command = json.loads((folder / "study.json").read_text(encoding="utf-8"))["command"]
            self.expect_exit(cli.ropelab(*shlex.split(command)[1:], "--force"), cli.DONE)

    def test_what_was_cut_is_made_again(self) -> None:
        folder, path = cli.new_folder(), cli.new_study(STUDY)
        self.study(path, folder)
        before = study_tables(folder)
        files = [folder / "pendulum" / name for name in (
            "pbd-step=0.01/series.csv", "rattle-step=0.01/trajectory.h5", "pbd-step=0.02/run.json")]
        whole = [file.read_bytes() for file in files]
        for file, content in zip(files, whole):
            file.write_bytes(content[:len(content) // 2])
        self.study(path, folder, "--resume")
        self.expect(study_tables(folder), before, "tables after files were cut")
        for file, content in zip(files[:2], whole):
            self.expect(file.read_bytes() == content, True, f"{file.name} as it was")

    def test_force_leaves_nothing_of_another_study(self) -> None:
        """Neither its tables, nor its runs and figures, nor what it says on its page."""
        folder = cli.new_folder()
        self.study(cli.new_study(STUDY), folder)
        own = folder / "pendulum/pbd-step=0.01/notes.txt"
        own.write_text("mine", encoding="utf-8")
        for words, left in (
                (("onestep", "pendulum", "-s", "pbd", "--iterations", "2"), "onestep.csv study.json"),
                (("compare", "pendulum", "-s", "pbd", "--duration", "0.1"), "")):
            self.refused(*words, "--out", folder, says=("--force replaces it",))
            self.expect_exit(cli.ropelab(*words, "--figures", "svg", "--out", folder, "--force"), cli.DONE)
            found = {path.name for path in folder.iterdir()} - {"pendulum", "figures", "report.html", "ropelab-files.txt"}
            self.expect(found, {"summary.csv", *left.split()}, f"files after {words}")
            runs = {path.parent.name for path in folder.glob("pendulum/*/run.json")}
            self.expect_true(not any("rattle" in run for run in runs), runs, "none of rattle", "runs")
        self.expect(own.read_text(encoding="utf-8"), "mine", "a file that is not ours")

    def test_names_of_outputs(self) -> None:
        for name in ("summary.csv", "figures", "report.html", "study.json", "convergence.csv.new"):
            for words in (("compare", "pendulum", "-s", "pbd"),
                          ("converge", "pendulum", "-s", "pbd", "--over", "step", "--values", "1,2"),
                          ("onestep", "pendulum", "-s", "pbd")):
                folder = cli.new_folder()
                self.refused(*words, "--set", f"name={name}", "--out", folder,
                             says=(f"a scenario is called '{name}'", "--set name=..."))
                self.expect(folder.exists(), False, f"a folder is left by {words}")

    def test_another_study_is_run_again(self) -> None:
        """What is there under the same names, but of other runs, is not taken for finished."""
        folder = cli.new_folder()
        self.study(cli.new_study(STUDY), folder)
        kept = (folder / "pendulum/pbd-step=0.01/run.json").stat().st_mtime_ns
        changed = STUDY.replace("duration: 0.5", "duration: 0.4")
        self.study(cli.new_study(changed), folder, "--resume")
        self.expect_true((folder / "pendulum/pbd-step=0.01/run.json").stat().st_mtime_ns > kept,
                         "kept", "made again", "a run of another duration")
        fresh = cli.new_folder()
        self.study(cli.new_study(changed), fresh)
        self.expect(study_tables(folder), study_tables(fresh), "tables")


class Shared(Case):
    """Reference runs that studies have in common are made once."""

    def converge(self, parent: Path, name: str, *words: object) -> tuple[Path, str]:
        folder = parent / name
        done = cli.ropelab("converge", "pendulum", "-s", "pbd", "--over", "step", "--values",
                           "0.02,0.01", "--quantity", "reference:bob.x", "--duration", "0.5",
                           "--figures", "svg", "--out", folder, *words)
        self.expect_exit(done, cli.DONE)
        return folder, done.stdout

    def expect_taken(self, told: str, count: int, what: str) -> None:
        self.expect("runs were made before" in told, count > 0, what)
        if count > 0:
            self.expect_in(f"{count} of 4 runs", told, what)

    def entries(self, parent: Path) -> list[Path]:
        return sorted((parent / "ropelab-references").iterdir())

    def test_second_study_takes_them(self) -> None:
        parent = cli.new_folder()
        first, told = self.converge(parent, "first")
        self.expect_taken(told, 0, "the first study")
        second, told = self.converge(parent, "second", "-s", "impulse")
        self.expect_in("2 of 6 runs were made before", told, "the second study")
        name = "pendulum/reference-run-step=0.01"
        for file in ("series.csv", "snapshots.csv", "trajectory.h5"):
            self.expect((second / name / file).read_bytes() == (first / name / file).read_bytes(),
                        True, f"{file}, copied")
        manifest = cli.Result(second / name).manifest
        self.expect_in("ropelab-references/", manifest["cached_from"], "where it is from")
        self.expect_in(str(second), manifest["command"], "the command is that of its own folder")
        rows = [row for row in table(second, "convergence") if row["label"] == "pbd"]
        self.expect(rows, table(first, "convergence"), "errors against the copies")

    def test_references_that_are_the_same(self) -> None:
        """A round post is the same for any number of edges: made once, which no earlier study did."""
        parent = cli.new_folder()
        study = cli.new_study(
            "name: edges\nkind: converge\nscenarios: capstan-polygon\nsolvers: [impulse, pbd]\nduration: 0.05\n"
            "set: {bodies.post.shape: {prism: {radius: 0.1, length: 0.4, sides: 8}}}\n"
            "over: bodies.post.shape.prism.sides\naxis: edges\nvalues: [8, 12, 16]\nquantity: reference:heavy.vy\nnorm: end\n"
            "reference: {set: {bodies.post.shape: {cylinder: {radius: 0.1, length: 0.4}}}}\n")
        for name, says in (("first", "4 of 12 runs are the same as others of this study, which are kept in "),
                           ("second", "6 of 12 runs were made before, in earlier studies, and are from ")):
            done = cli.ropelab("study", study, "--figures", "svg", "--jobs", "1", "--out", parent / name)
            self.expect_exit(done, cli.DONE)
            told = [line for line in done.stdout.splitlines() if " runs " in line]
            self.expect(told, [f"{says}{parent}/ropelab-references"], f"what the {name} study says")
            self.expect_page(parent / name, "by edges")

    def test_what_is_not_the_same(self) -> None:
        parent = cli.new_folder()
        self.converge(parent, "first")
        for name, words in (("solver", ["--reference", "reference,tolerance=1e-10"]),
                            ("scenario", ["--set", "bodies.bob.mass=2"])):
            self.expect_taken(self.converge(parent, name, *words)[1], 0, f"another {name}")

    def test_what_is_not_whole(self) -> None:
        """Cut files, and what somebody left who was killed, are not taken, and made anew."""
        parent = cli.new_folder()
        first, _ = self.converge(parent, "first")
        for number, entry in enumerate(self.entries(parent)):
            if number == 0:
                (entry / "series.csv").write_text("time_s\n", encoding="utf-8")
            else:
                entry.rename(entry.with_name(entry.name + ".new"))
        second, told = self.converge(parent, "second")
        self.expect_taken(told, 0, "a study after the damage")
        self.expect(study_tables(second)["convergence.csv"], study_tables(first)["convergence.csv"],
                    "its errors")
        _, told = self.converge(parent, "third")
        self.expect_taken(told, 2, "both are whole again")


class Shipped(Case):
    """The orders that the shipped studies are there to show."""

    # Study, label, quantity: the order, or of an exponential the factor, and how near it has to be.
    # Orders are those of the methods; bands hold what is seen at the steps of the studies, and no
    # other whole number.
    ORDERS = {
        "pendulum-order": [
            *((label, "bob.x", order, 0.02) for label, order in (
                ("penalty", 1), ("penalty-implicit", 1), ("pbd", 1), ("xpbd", 1), ("pbd-direct", 1), ("impulse", 1),
                ("impulse-direct", 1), ("impulse-soft", 1), ("rattle", 2))),
            ("contraption", "bob.x", 1, 0.1),
            ("rattle", "line.tension", 2, 0.02), ("pbd", "line.tension", 1, 0.02)],
        "penalty-order": [("euler", "reference:bob.x", 1, 0.02), ("verlet", "reference:bob.x", 2, 0.02),
                          ("rk4", "reference:bob.x", 4, 0.02),
                          ("backward-euler", "reference:bob.x", 1, 0.02),
                          ("midpoint", "reference:bob.x", 2, 0.02), ("xpbd", "reference:bob.x", 1, 0.02)],
        "catenary-segments": [
            *((label, "self:cable.sag", 2, 0.02)
              for label in ("pbd-direct", "impulse-direct", "rattle")),
            ("rattle", "self:cable.tension.from", 1, 0.02)],
        "cantilever-segments": [(label, "rod.tip.y", 2, 0.02)
                                for label in ("convex", "xpbd", "impulse-soft")],
        "elastica-segments": [("convex", quantity, 2, 0.03) for quantity in ("rod.tip.x", "rod.tip.y")],
        # cos^2(pi / 2N) and its root for 19 elements; the sweeps there and back count as one each.
        "chain-iterations": [
            ("pbd", "residual_m", math.cos(math.pi / 38) ** 2, 2e-5),
            ("jacobi", "residual_m", math.cos(math.pi / 38), 2e-4),
            ("symmetric", "residual_m", math.cos(math.pi / 38) ** 2, 1e-3)],
        "mass-ratio": [("impulse", "iterations", -1, 0.05), ("impulse-direct", "iterations", 0, 0.0)],
        "mass-ratio-row": [("impulse", "iterations", 0, 0.01), ("impulse-direct", "iterations", 0, 0.0)],
        "capstan-edges": [(label, "reference:heavy.vy", -2, 0.06)
                          for label in ("penalty", "pbd-direct", "impulse", "rattle")],
        "winding-order": [
            ("penalty", "puck.x", 2, 0.1), ("penalty-implicit", "puck.x", 1, 0.02), ("pbd", "puck.x", 1, 0.02), ("xpbd", "puck.x", 1, 0.02),
            *((label, "puck.x", 2, 0.02)
              for label in ("pbd-direct", "impulse", "impulse-direct", "impulse-soft", "rattle"))],
        "small-steps": [("iterations", "length_error_m", 1, 0.15),
                        ("substeps", "length_error_m", 2, 0.15)],
    }

    # The intervals have to hold the orders, but for what the terms behind the next one are worth.
    # Stretch over iterations follows no power: its bands are as wide as that.
    NO_ORDER, BEYOND = 0.15, 2e-4

    @cli.release_only
    def test_orders(self) -> None:
        for study, expected in self.ORDERS.items():
            folder = cli.new_folder()
            self.expect_exit(cli.ropelab("study", study, "--figures", "svg", "--out", folder), cli.DONE)
            rows = {(row["label"], row["quantity"]): row for row in table(folder, "orders")}
            for label, quantity, order, band in expected:
                found = float(rows[label, quantity]["order"])
                self.expect_true(abs(found - order) <= band, found, f"{order} to {band}",
                                 f"{study}: order of {label}, {quantity}")
                if band < self.NO_ORDER and order == round(order):
                    low, high = (float(rows[label, quantity][end]) for end in ("ci_low", "ci_high"))
                    self.expect_true(low - self.BEYOND <= order <= high + self.BEYOND, (low, high),
                                     f"{order} within", f"{study}: interval of {label}, {quantity}")

    def test_all_of_kind_converge_are_known(self) -> None:
        listed = json.loads(cli.ropelab("list", "studies", "--json").stdout)
        self.expect({study["name"] for study in listed if study["kind"] == "converge"},
                    set(self.ORDERS), "shipped studies with known orders")


class Killed(Case):
    """A study that is killed at any moment and resumed ends with the same tables, byte for byte, and
    repeats no run that was complete."""

    TEXT = STUDY.replace("duration: 0.5", "duration: 10")

    def finished(self, folder: Path) -> dict[Path, int]:
        found = {}
        for path in folder.glob("*/*/run.json"):
            if json.loads(path.read_text(encoding="utf-8"))["status"] in (
                    "done", "diverged", "unsupported"):
                found[path] = path.stat().st_mtime_ns
        return found

    def kill_at(self, moment: float, path: Path, folder: Path, words: list[str]) -> None:
        process = subprocess.Popen([cli.PROGRAM, "study", str(path), "--out", str(folder), *words],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
        cli.wait_for_lock(folder)

    def test_says_how_to_go_on(self) -> None:
        for stop in (signal.SIGKILL, signal.SIGINT):  # without a summary.csv, and with one
            path, folder = cli.new_study(self.TEXT), cli.new_folder()
            process = subprocess.Popen([cli.PROGRAM, "study", str(path), "--out", str(folder)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and not list(folder.glob("*/*/run.json")):
                time.sleep(0.005)
            process.send_signal(stop)
            process.wait()
            cli.wait_for_lock(folder)
            self.refused("study", path, "--out", folder,
                         says=("--force replaces it, --resume goes on with what was stopped",))

    def test_at_random_moments(self) -> None:
        path, whole = cli.new_study(self.TEXT), cli.new_folder()
        begun = time.monotonic()
        self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", whole), cli.DONE)
        length = time.monotonic() - begun
        expected = study_tables(whole)
        chance = random.Random(385)
        repeated = 0
        for number in range(KILLS):
            with self.subTest(number=number):
                folder = cli.new_folder()
                self.kill_at(length * chance.random(), path, folder, [])
                if chance.random() < 0.3:  # and once more while it is resumed
                    self.kill_at(length * chance.random(), path, folder, ["--resume"])
                before = self.finished(folder)
                done = cli.ropelab("study", path, "--figures", "svg", "--out", folder,
                                   "--resume")
                self.expect_exit(done, cli.DONE)
                self.expect(study_tables(folder), expected, "tables of the resumed study")
                after = self.finished(folder)
                repeated += sum(after[run] != when for run, when in before.items())
        self.expect(repeated, 0, "finished runs that were repeated")

    # What records no runs is made again as a whole; what times them has the tables of the recording.
    OTHERS = {
        "precision": "solvers: [pbd, rattle, source]\nscenarios: hanging-chain\nduration: 2\n"
                     "values: [0.01, 0.005, 0.0025]\niterations: [1, 20]\nquantity: self\n",
        "onestep": "solvers: [pbd, rattle]\nscenarios: hanging-chain\niterations: [1, 16, 256]\n",
        "consistency": "solvers: [pbd, rattle]\nscenarios: five-link-chain\nduration: 0.64\n"
                       "values: [0.001, 0.002, 0.004]\n",
    }

    @unittest.skipIf(KILLS < 5, "seconds each: with the slow tests")
    def test_other_kinds_at_random_moments(self) -> None:
        chance = random.Random(2385)
        for kind, text in self.OTHERS.items():
            path, whole = cli.new_study(f"name: small\nkind: {kind}\n{text}"), cli.new_folder()
            begun = time.monotonic()
            self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", whole), cli.DONE)
            length = time.monotonic() - begun
            names = ["summary.csv"] + ["convergence.csv", "orders.csv"] * (kind == "precision")
            for number in range(KILLS // 5):
                folder = cli.new_folder()
                self.kill_at(length * chance.random(), path, folder, [])
                done = cli.ropelab("study", path, "--figures", "svg", "--out", folder, "--resume")
                self.expect_exit(done, cli.DONE)
                for name in names:
                    self.expect((folder / name).read_bytes() == (whole / name).read_bytes(), True,
                                f"{kind}, {number}: {name} as of a study that ran through")


if __name__ == "__main__":
    unittest.main()
