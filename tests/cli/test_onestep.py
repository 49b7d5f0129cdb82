# SPDX-License-Identifier: GPL-3.0-or-later
"""`ropelab onestep` from outside: its files, what they agree on, and what it refuses.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_onestep
"""

from __future__ import annotations

import json
import math
import re

from tests.cli import support as cli
from tests.cli.support import DIVERGED, UNSUPPORTED, USAGE, Table, new_folder, new_study


DISTANCES = ["position_rms_m", "position_max_m", "velocity_rms_m_s", "velocity_max_m_s",
             "tension_rms_N", "tension_max_N"]


class SingleSteps(cli.Case):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = new_folder()
        cls.done = cli.ropelab("onestep", "elastic-cord", "--solver", "penalty", "--solver", "xpbd",
                               "--solver", "pbd", "--solver", "bad=nehe,air_friction=1e9",
                               "--iterations", "8,1,2", "--at", "0.5,0.1,0.3", "--out",
                               cls.folder)
        cls.table = Table(cls.folder / "onestep.csv")
        cls.summary = {row["label"]: row for row in Table(cls.folder / "summary.csv").rows()}

    def test_ends_quietly(self) -> None:
        self.expect_exit(self.done, cli.DONE)
        self.expect((self.done.stdout, self.done.stderr),
                    (f"report: {self.folder}/report.html\n", ""), "stdout and stderr")

    def test_a_row_for_every_step(self) -> None:
        self.expect(self.table.header, ["label", "solver", "time_s", "asked", "status",
                                        "iterations", "row_evals", "residual_m", *DISTANCES,
                                        "settled_rms_m", "step_s"], "header of onestep.csv")
        found = [(row["label"], row["asked"]) for row in self.table.rows()]
        expected = [("reference", "nan")] * 3 + [("penalty", "nan")] * 3 + [
            ("xpbd", asked) for asked in ("8", "2", "1") for _ in range(3)] + [("bad", "nan")] * 3
        self.expect(found, expected, "labels and iterations of the rows")
        for start in range(0, len(found), 3):
            times = [float(row["time_s"]) for row in self.table.rows()[start:start + 3]]
            for observed, expected_time in zip(times, (0.1, 0.3, 0.5)):
                self.expect_true(abs(observed - expected_time) < 0.01, times, "0.1, 0.3, 0.5 s",
                                 "times of the starts, rising")

    def test_more_iterations_cost_and_converge(self) -> None:
        rows = [row for row in self.table.rows() if row["label"] == "xpbd"]
        cost = [float(row["row_evals"]) for row in rows[::3]]
        self.expect(cost[0], 8 * cost[2], "row evaluations with 8 iterations and with 1")
        left = [float(row["settled_rms_m"]) for row in rows[::3]]
        self.expect_true(math.isnan(left[0]) and 0 <= left[1] <= left[2], left,
                         "nan, and then farther away", "distance from the step with the most")

    def test_summary_is_that_of_the_most_iterations(self) -> None:
        rows = [row for row in self.table.rows() if row["label"] == "xpbd"][:3]
        for name in DISTANCES:
            values = [float(row[name]) for row in rows]
            known = self.summary["xpbd"]["tension_max_error_N" if name == "tension_max_N" else name]
            expected = (max(values) if "max" in name
                        else math.sqrt(sum(v * v for v in values) / len(values)))
            self.expect_true(math.isclose(float(known), expected, rel_tol=1e-12), known,
                             str(expected), name)
        manifest = json.loads((self.folder / "elastic-cord/xpbd/run.json").read_text())
        self.expect(manifest["summary"]["position_rms_m"],
                    float(self.summary["xpbd"]["position_rms_m"]), "run.json beside summary.csv")
        self.expect(manifest["onestep"]["iterations"], [1, 2, 8], "iterations in run.json")

    def test_who_cannot_is_a_row(self) -> None:
        self.expect({label: row["status"] for label, row in self.summary.items()},
                    {"penalty": "done", "xpbd": "done", "pbd": "unsupported", "bad": "diverged"},
                    "status by label")
        self.expect_in("elastic ropes", self.summary["pbd"]["reason"], "reason of pbd")

    def test_who_is_too_slow_is_a_row(self) -> None:
        """For a thousand times a million sweeps a second is not enough; the others have their rows all the same, and
        the same ones whoever works beside them."""
        tables = []
        for words in (("--solver", "pbd=xpbd,substeps=1000", "--time-limit", "1"), ("--jobs", "1")):
            folder = new_folder()
            self.expect_exit(cli.ropelab("onestep", "hanging-chain", "--iterations", "1,1000000", "--at",
                                         "0.1", "--figures", "svg", "--solver", "impulse-direct",
                                         "--solver", "rattle", "--out", folder, *words), cli.DONE)
            rows = Table(folder / "summary.csv").rows()
            self.expect([(row["label"], row["status"]) for row in rows if row["label"] != "pbd"],
                        [("impulse-direct", "done"), ("rattle", "done")], "the others")
            for row in rows:
                if row["label"] == "pbd":
                    self.expect((row["status"], row["reason"], row["position_rms_m"]),
                                ("timeout", "stopped after the time limit of 1 s of processor time", "nan"), "pbd")
            tables.append(Table(folder / "onestep.csv").rows())
        self.expect(tables[0], tables[1], "rows of onestep.csv, without those of pbd")

    def test_a_reference_that_is_too_slow_is_told(self) -> None:
        """Between its steps and, of an adaptive one, within a step; and with it nothing is compared."""
        for scenario, *words in (("hanging-chain", "--reference", "rattle", "--reference-step", "1e-7"),
                                 ("chain-over-peg", "--reference", "reference", "--step", "0.64", "--at", "0")):
            folder = new_folder()
            self.refused("onestep", scenario, "--solver", "impulse", *words, "--time-limit", "0.3",
                                "--out", folder, status=cli.FAILED,
                                says=(f"{scenario}: the reference {words[1]} stopped after the time limit of 0.3 s of processor time, "
                                      "at t = ", "expected a longer time limit"))
            self.expect((folder / "summary.csv").exists(), False, "summary.csv")

    def test_a_step_without_its_reference_stops_no_other(self) -> None:
        """One that blows up with long steps."""
        folder = new_folder()
        done = cli.ropelab("onestep", "hanging-chain", "--solver", "rattle", "--solver", "pbd", "--values",
                           "0.004,0.04", "--reference", "penalty,substeps=1,stiffness=1e6", "--figures", "svg",
                           "--duration", "1", "--out", folder)
        self.expect_exit(done, cli.DONE)
        why = "the reference penalty diverged at t = "
        self.expect_in(f"ropelab: hanging-chain: {why}", done.stderr, "stderr")
        rows = {row["label"]: row for row in Table(folder / "summary.csv").rows()}
        self.expect({label: row["status"] for label, row in rows.items()},
                    {"rattle-step=0.04": "failed", "pbd-step=0.04": "failed",
                     "rattle-step=0.004": "done", "pbd-step=0.004": "done"}, "status by label")
        self.expect_in(why, rows["rattle-step=0.04"]["reason"], "reason")
        self.expect(rows["rattle-step=0.04"]["position_rms_m"], "nan", "its error")
        self.expect_in(why, (folder / "report.html").read_text(encoding="utf-8"), "report.html")

    def test_reference_says_how_sure_it_is(self) -> None:
        sure = [float(row["position_rms_m"]) for row in self.table.rows()[:3]]
        errors = [float(row["position_rms_m"]) for row in self.table.rows()
                  if row["label"] == "xpbd"]
        self.expect_true(0 <= max(sure) < 0.01 * min(errors), (max(sure), min(errors)),
                         "a hundredth of any error at most", "what the reference does not know")

    def test_report(self) -> None:
        figures = {path.name for path in (self.folder / "figures").iterdir()}
        for kind in ("onestep", "onestep-convergence", "onestep-work"):
            for ending in ("svg", "png", "pdf"):
                self.expect_true(f"elastic-cord-{kind}.{ending}" in figures, figures,
                                 f"elastic-cord-{kind}.{ending}", "figures")
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.expect("ropelab onestep elastic-cord" in page, True, "the command in the report")
        self.expect("diverged (bad)" in page, True, "what diverged in a caption")

    def test_same_numbers_again(self) -> None:
        before = (self.folder / "onestep.csv").read_bytes()
        self.refused_again()
        command = json.loads((self.folder / "elastic-cord/xpbd/run.json").read_text())["command"]
        done = cli.ropelab(*command.split()[1:], "--force")
        self.expect_exit(done, cli.DONE)
        self.expect((self.folder / "onestep.csv").read_bytes(), before, "onestep.csv again")

    def refused_again(self) -> None:
        self.refused("onestep", "elastic-cord", "--out", self.folder, says=("--force",))


class Steps(cli.Case):
    def test_distance_of_relaxation_from_the_exact_step(self) -> None:
        """Of the shipped study, with fewer steps: both keep all lengths, and end at points whose
        distance falls with the step, by 3.1 powers of it."""
        folder = new_folder()
        self.expect_exit(cli.ropelab(
            "onestep", "hanging-chain", "--set", "ropes.chain.segments=10", "--duration", "0.5",
            "-s", "pbd,tolerance=1e-14", "--reference", "convex", "--reference-step", "0.02",
            "--values", "0.00833333333333333,0.0166666666666667", "--iterations", "20000", "--out",
            folder), cli.DONE)
        rows = Table(folder / "summary.csv").rows()
        self.expect([row["label"] for row in rows], ["pbd-step=0.0166667", "pbd-step=0.00833333"],
                    "labels, the longest step first")
        long, short = (float(row["position_rms_m"]) for row in rows)
        self.expect_true(short > 1e-6 and 5 < long / short < 9, long / short, "6.5 to 2",
                         "distances in metres of the longer step to the shorter")
        self.expect([float(row["step"]) for row in rows], [1 / 60, 1 / 120], "steps")
        found = {row["step_s"] for row in Table(folder / "onestep.csv").rows()}
        self.expect({float(step) for step in found}, {1 / 60, 1 / 120}, "steps of onestep.csv")
        self.expect(sorted(path.name for path in (folder / "figures").glob("*.png")),
                    [f"hanging-chain-{name}.png" for name in ("positions-0", "tensions-2",
                                                              "velocities-1")], "figures")
        for row in rows:
            self.expect_in("iterations=20000", row["parameters"], "parameters of the summary")

    def test_orders_stop_at_round_off(self) -> None:
        """A step of RATTLE is wrong by h^3 until that is no more than rounding; what is below is
        hollow in the figure, and no part of the fit."""
        folder = new_folder()
        done = cli.ropelab("onestep", "pendulum", "-s", "rattle", "-s", "pbd", "-s", "reference",
                           "--values", "0.01,0.005,0.0025,1e-5,1e-7", "--at", "0", "--set", "exact=none",
                           "--set", "bodies.bob.velocity=[0, -3, 0]", "--out", folder)
        self.expect_exit(done, cli.DONE)
        orders = {(row["label"], row["quantity"]): row
                  for row in Table(folder / "orders.csv").rows()}
        for label, quantity, order in (("rattle", "positions", 3), ("pbd", "positions", 2),
                                       ("pbd", "velocities", 1)):
            found = float(orders[label, quantity]["order"])
            self.expect_true(abs(found - order) < 0.05, found, f"{order} to 0.05",
                             f"order of the {quantity} of {label}")
        self.expect(orders["reference", "positions"]["points"], "0", "points: all are round-off")
        for row in Table(folder / "convergence.csv").rows():
            self.expect_true(row["in_range"] == "0" or float(row["error_l2"]) > float(row["floor"]),
                             row, "above the floor", "a point of a fit")
        rattle = [row["in_range"] for row in Table(folder / "convergence.csv").rows()
                  if (row["label"], row["quantity"]) == ("rattle", "positions")]
        self.expect(rattle, ["1", "1", "1", "0", "0"], "the points that count")
        page = (folder / "report.html").read_text(encoding="utf-8")
        for text in ("Hollow points", "Orders: ", "Nothing but round-off"):
            self.expect_in(text, page, "report.html")
        colours = set(re.findall(r'class="swatch" style="background:(#[0-9A-Fa-f]{6})', page))
        self.expect_true(len(colours) <= 3, colours, "one a solver", "colours of the page")

    def test_a_step_that_never_ends(self) -> None:
        for words in (["--values", "1e-12"], ["--step", "1e-12"]):
            self.refused("onestep", "pendulum", *words, "--out", new_folder(),
                         says=("1e-12 s: the reference would take 3.5", "expected at most 1e+09"))

    def test_states_are_those_of_an_earlier_study(self) -> None:
        """Bit by bit, for the same states of the same reference in the same scenario."""
        parent = new_folder()
        def study(name: str, *words: str) -> tuple[list[dict[str, str]], str]:
            done = cli.ropelab("onestep", "atwood-wheel", "-s", "pbd", "--iterations", "3", "--at",
                               "0.1,0.2", "--figures", "svg", *words, "--out",
                               parent / name)
            self.expect_exit(done, cli.DONE)
            return list(Table(parent / name / "onestep.csv").rows()), done.stdout
        first, told = study("first")
        self.expect_true("earlier" not in told, told, "nothing of earlier studies", "stdout")
        again, told = study("again", "-s", "impulse")
        self.expect_in("1 of 1 runs of the reference are those of earlier studies", told, "stdout")
        self.expect([row for row in again if row["label"] != "impulse"], first, "rows")
        for name, words in (("step", ["--step", "0.004"]), ("solver", ["--reference", "rattle"]),
                            ("scenario", ["--set", "bodies.heavy.mass=2.5"])):
            self.expect_true("earlier" not in study(name, *words)[1], name, "made anew", "stdout")
        for entry in (parent / "ropelab-references").iterdir():
            kept = entry / "kept.bin"
            kept.write_bytes(kept.read_bytes()[:-8])
        cut, told = study("cut")
        self.expect_true("earlier" not in told, told, "what was cut is made anew", "stdout")
        self.expect(cut, first, "rows after the damage")

    def test_mistakes(self) -> None:
        for words, says in ((["--values", "0.01,0.01"], "--values: '0.01' is given twice"),
                            (["--values", "0.01,0.02", "--step", "0.01"], "--step: has no effect"),
                            (["--values", "0.01,x"], "--values: expected a number above 0")):
            self.refused("onestep", "pendulum", *words, "--out", new_folder(), says=(says,))


class NothingToDraw(cli.Case):
    def test_nobody_can(self) -> None:
        """Without a value there is no figure, and the page says so."""
        folder = new_folder()
        done = cli.ropelab("onestep", "pendulum", "--solver", "source", "--out", folder)
        self.expect_exit(done, cli.DONE)
        page = (folder / "report.html").read_text(encoding="utf-8")
        for text in ("No figure: ", "source: the solver cannot do: "):
            self.expect_in(text, page, "report.html")
        self.expect(list((folder / "figures").iterdir()), [], "figures")


class Files(cli.Case):
    STUDY = ("name: small\nkind: onestep\nscenarios: pendulum\nsolvers: [pbd, rattle]\n"
             "title: Two solvers, one step\nat: [1.5, 0.5]\niterations: [1, 3]\n")

    def test_study(self) -> None:
        path, folder, other = new_study(self.STUDY), new_folder(), new_folder()
        self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", folder), cli.DONE)
        self.expect_exit(cli.ropelab("onestep", "pendulum", "--solver", "pbd", "--solver", "rattle",
                                     "--at", "0.5,1.5", "--iterations", "3,1", "--out", other),
                         cli.DONE)
        self.expect((folder / "onestep.csv").read_bytes(), (other / "onestep.csv").read_bytes(),
                    "onestep.csv of the study and of the command")
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.expect("Two solvers, one step" in page, True, "the title in the report")
        before = (folder / "summary.csv").read_bytes()
        self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", folder, "--resume"),
                         cli.DONE)
        self.expect((folder / "summary.csv").read_bytes(), before, "summary.csv made again")
        seconds = Table(folder / "timing.csv").numbers("seconds")
        self.expect_true(len(seconds) == 2 and min(seconds) > 0, seconds, "two", "timing.csv")

    def test_mistakes(self) -> None:
        for old, new, place, says in (
                ("pendulum", "[pendulum, atwood]", ":3:23:", "expected one scenario, found 2"),
                ("1.5, 0.5", "1.5, -1", ":6:11:", "expected a number that is not negative"),
                ("[1, 3]", "[1, 2.5]", ":7:17:", "expected a whole number above 0, found '2.5'"),
                ("1.5, 0.5", "1.5, 9", ":6:11:", "9: expected a time from 0 to"),
                ("1.5, 0.5", "1.5, 1.5", ":6:11:", "given twice"),
                ("at:", "every: 1\nat:", ":6:1:", "'every' is a key of kind: converge, precision;"),
                ("at:", "att:", ":6:1:", "did you mean 'at'?")):
            path = new_study(self.STUDY.replace(old, new))
            self.refused("study", path, "--out", new_folder(), says=(f"{path}{place}", says))


class Refusals(cli.Case):
    def test_mistakes(self) -> None:
        for words, says in (
                (["--at", "2.5"], "--at: 2.5: expected a time from 0 to"),
                (["--at", "0.1,,0.2"], "--at : expected a number of seconds"),
                (["--at", "0.1,0.1"], "--at: '0.1' is given twice"),
                (["--iterations", "2,4,2"], "--iterations: '2' is given twice"),
                (["--iterations", "2", "-s", "penalty"], "--iterations: has no effect"),
                (["--iterations", "1,100000000", "-s", "pbd"],
                 "--iterations: 100000000: solver 'pbd' makes 1 to 1e+07"),
                (["--iterations", "2", "-s", "pbd,iterations=3"], "varies 'iterations'"),
                (["--iterations", "0"], "--iterations 0: expected a whole number"),
                (["--iterations", "2.5"], "--iterations 2.5: expected a whole number"),
                (["--reference", "rattel"], "did you mean 'rattle'?"),
                (["--reference", "rattle,iteration=3"], "did you mean 'iterations'?"),
                (["--reference-step", "-1"], "--reference-step -1: expected a number of seconds"),
                (["--refrence", "rattle"], "did you mean '--reference'?")):
            folder = new_folder()
            self.refused("onestep", "hanging-chain", *words, "--out", folder, says=(says,))
            self.expect(folder.exists(), False, f"a folder after {words}")

    def test_reference_that_cannot(self) -> None:
        self.refused("onestep", "elastic-cord", "--reference", "rattle", "--out", new_folder(),
                     says=("reference rattle does not support elastic-cord", "elastic ropes"),
                     status=UNSUPPORTED)

    def test_reference_that_diverges(self) -> None:
        self.refused("onestep", "hanging-chain", "--reference", cli.BLOW_UP, "--out", new_folder(),
                     says=("the reference penalty diverged at t = ",), status=DIVERGED)

    def test_folder_of_a_run(self) -> None:
        run = self.record("pendulum", "pbd", "--duration", "0.1")
        self.refused("onestep", "pendulum", "--out", run.folder,
                     says=("holds the result of a single run",), status=USAGE)
