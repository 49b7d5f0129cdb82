# SPDX-License-Identifier: GPL-3.0-or-later
"""`ropelab precision` from outside: its tables, the Pareto front, what failed, and files of studies.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_precision
"""

from __future__ import annotations

import json
import math

from tests.cli import support as cli
from tests.cli.support import Table, new_folder, new_study


COLUMNS = ["scenario", "solver", "quantity", "family", "label", "run", "step", "iterations",
           "status", "norm", "error", "row_evals", "seconds", "pareto_row_evals", "pareto_seconds"]
STUDY = """
name: small
kind: precision
scenarios: pendulum
solvers: [pbd, rattle]
duration: 0.2
values: [0.02, 0.01]
quantity: bob.x
"""


class Precision(cli.Case):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = new_folder()
        cls.done = cli.ropelab("precision", "pendulum", "--duration", "0.5", "--quantity", "bob.x",
                               "--values", "0.01,0.005,0.02", "--iterations", "20,1", "--solver",
                               "pbd", "--solver", "rattle", "--solver", "source", "--solver",
                               "bad=" + cli.BLOW_UP, "--out", cls.folder)
        cls.table = Table(cls.folder / "precision.csv")
        cls.rows = cls.table.rows()

    def test_ends_well(self) -> None:
        self.expect_exit(self.done, cli.DONE)
        self.expect(self.done.stderr, "", "stderr")
        front = next(line for line in self.done.stdout.splitlines()
                     if line.startswith("pendulum, bob.x: best for their row evaluations: "))
        self.expect_in(" rattle-iterations=1-step=0.005", front, "the front on stdout")

    def test_a_row_a_run(self) -> None:
        self.expect(self.table.header, COLUMNS, "header of precision.csv")
        found = [(row["family"], row["iterations"], float(row["step"])) for row in self.rows]
        expected = [(family, number, step)
                    for family, numbers in (("pbd", ("1", "20")), ("rattle", ("1", "20")),
                                            ("source", ("1", "20")), ("bad", ("nan",)))
                    for number in numbers for step in (0.02, 0.01, 0.005)]
        self.expect(found, expected, "families, iterations and steps")
        for row in self.rows:
            folder = self.folder / "pendulum" / row["run"]
            manifest = json.loads((folder / "run.json").read_text(encoding="utf-8"))
            self.expect(row["status"], manifest["status"], f"status of {row['run']}")
            if row["status"] == "done":
                self.expect(float(row["row_evals"]), manifest["summary"]["row_evals"],
                            f"row evaluations of {row['run']}")

    def test_errors_are_those_of_the_convergence(self) -> None:
        errors = {row["run"]: row["error_max"]
                  for row in Table(self.folder / "convergence.csv").rows()}
        for row in self.rows:
            self.expect(row["error"], errors[row["run"]], f"error of {row['run']}")

    def test_what_failed(self) -> None:
        bad = [row for row in self.rows if row["family"] == "bad"]
        self.expect([row["status"] for row in bad], ["diverged"] * 3, "status of bad")
        for row, steps in zip(bad, (25, 50, 100)):  # one evaluation a step, up to the end
            self.expect_true(math.isclose(float(row["row_evals"]), steps), row["row_evals"],
                             str(steps), "what all steps would have cost")
            self.expect((row["error"], row["pareto_row_evals"], row["pareto_seconds"]),
                        ("nan", "0", "0"), "a run that failed")
        self.expect({row["status"] for row in self.rows if row["family"] == "source"},
                    {"unsupported"}, "status of source")

    def test_front(self) -> None:
        for cost in ("row_evals", "seconds"):
            points = [(float(row["error"]), float(row[cost])) for row in self.rows]
            for row, (error, price) in zip(self.rows, points):
                beaten = not math.isfinite(error) or any(
                    e <= error and p <= price and (e, p) != (error, price) for e, p in points)
                self.expect(row[f"pareto_{cost}"], str(int(not beaten)), f"{row['run']}, {cost}")

    def test_timing_says_what_else_was_done(self) -> None:
        self.expect_in("least of 7 repeats in turn with nothing recorded", self.table.comments[1],
                       "second line of precision.csv")
        self.expect_true("idle" in self.table.comments[1] or "not known" in self.table.comments[1],
                         self.table.comments[1], "whether the machine was idle",
                         "second line of precision.csv")
        for row in self.rows:
            if row["status"] == "done":
                self.expect_true(float(row["seconds"]) > 0, row["seconds"], "above 0",
                                 f"seconds of {row['run']}")

    def test_report(self) -> None:
        figures = {path.name for path in (self.folder / "figures").iterdir()}
        for word in ("work", "time"):
            for ending in ("svg", "png", "pdf"):
                name = f"pendulum-precision-bob_x-{word}.{ending}"
                self.expect(name in figures, True, name)
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        for text in ("Pareto front", "Crosses on the margin", "Numbers behind names: iterations",
                     "unsupported: source-iterations=1", "least of 7 repeats"):
            self.expect(text in page, True, f"the report says: {text}")


class Files(cli.Case):
    def test_study(self) -> None:
        folder = new_folder()
        path = new_study(STUDY)
        self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", folder), cli.DONE)
        rows = Table(folder / "precision.csv").rows()
        self.expect([row["run"] for row in rows], ["pbd-step=0.02", "pbd-step=0.01",
                                                   "rattle-step=0.02", "rattle-step=0.01"], "runs")
        before = (folder / "summary.csv").read_bytes()
        (folder / "pendulum/rattle-step=0.01/run.json").unlink()
        self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", folder, "--resume"),
                         cli.DONE)
        self.expect((folder / "summary.csv").read_bytes(), before, "summary.csv of a resumed study")

    def test_mistakes(self) -> None:
        self.refused("precision", "pendulum", "--out", new_folder(), says=("--values",))
        self.refused("precision", "pendulum", "--values", "0.01,0.01", "--out", new_folder(),
                     says=("--values: '0.01' is given twice",))
        for words, says in ((["--iterations", "1,1"], "--iterations: '1' is given twice"),
                            (["--iterations", "1,2", "-s", "penalty"], "has no effect"),
                            (["--step", "0.1"], "unknown option '--step'")):
            self.refused("precision", "pendulum", "--values", "0.02,0.01", *words, "--out",
                         new_folder(), says=(says,))
        for line, says in (("iterations: [1, 2.5]", "expected a whole number above 0, found '2.5'"),
                           ("iterations: [0]", "iterations"), ("over: step", "'over' is a key of kind: converge;"),
                           ("step: 0.1", "'step' is a key of kind: converge, onestep;"),
                           ("iteration: [1]", "did you mean 'iterations'?")):
            path = new_study(STUDY + line + "\n")
            self.refused("study", path, "--out", new_folder(), says=(f"{path}:9:", says))
