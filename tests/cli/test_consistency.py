# SPDX-License-Identifier: GPL-3.0-or-later
"""`ropelab consistency` from outside: its files, what they agree on, and what it refuses.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_consistency
"""

from __future__ import annotations

import json
import math

from tests.cli import support as cli
from tests.cli.support import Table, new_folder


SHORT = ["--duration", "0.32", "--pieces", "2", "--reference-step", "0.001"]
COLUMNS = ["label", "solver", "step_s", "status", "pieces", "error_m", "error_max_m",
           "row_evals_per_s", "times_real_time", "energy_drift", "momentum_drift", "angular_drift"]


class Consistency(cli.Case):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = new_folder()
        cls.done = cli.ropelab("consistency", "five-link-chain", *SHORT, "--values",
                               "0.032,0.004,0.008", "--solver", "rattle", "--solver", "source",
                               "--solver", "fine=pbd,iterations=50", "--solver",
                               "bad=" + cli.BLOW_UP.replace("1e9", "1e6"), "--out", cls.folder)
        cls.rows = Table(cls.folder / "consistency.csv").rows()
        cls.summary = {row["label"]: row for row in Table(cls.folder / "summary.csv").rows()}

    def test_ends_quietly(self) -> None:
        self.expect_exit(self.done, cli.DONE)
        self.expect((self.done.stdout, self.done.stderr),
                    (f"report: {self.folder}/report.html\n", ""), "stdout and stderr")

    def test_a_row_for_each_solver_and_step(self) -> None:
        self.expect(list(self.rows[0]), COLUMNS, "columns of consistency.csv")
        found = [(row["label"], float(row["step_s"])) for row in self.rows]
        self.expect(found, [(label, step) for label in ("rattle", "fine", "bad")
                            for step in (0.004, 0.008, 0.032)], "labels and steps, rising")
        for row in self.rows[:3]:
            self.expect(row["pieces"], "2", "pieces of rattle")
            self.expect(row["momentum_drift"], "nan", "drift of what a pin does not conserve")
            self.expect_true(float(row["angular_drift"]) < 1e-12, row["angular_drift"],
                             "below 1e-12", "drift of the angular momentum of rattle")
            self.expect_true(float(row["times_real_time"]) > 0, row["times_real_time"], "above 0",
                             "speed of rattle")

    def test_summary(self) -> None:
        self.expect({label: row["status"] for label, row in self.summary.items()},
                    {"rattle": "done", "source": "unsupported", "fine": "done", "bad": "diverged"},
                    "status by label")
        self.expect_in("resist compression", self.summary["source"]["reason"], "reason of source")
        last = self.rows[2]
        for name in ("error_m", "energy_drift", "angular_drift", "times_real_time"):
            self.expect_true(math.isclose(float(self.summary["rattle"][name]), float(last[name])),
                             self.summary["rattle"][name], last[name], f"{name} of rattle")
        facts = json.loads((self.folder / "five-link-chain/fine/run.json").read_text())
        self.expect(facts["consistency"]["steps_s"], [0.004, 0.008, 0.032], "steps in run.json")
        self.expect(facts["consistency"]["reference"], "self", "reference in run.json")
        load = facts["consistency"]["others_load"]
        self.expect_true(load is None or 0 <= load <= 1, load, "a share", "load of others")

    def test_same_numbers_again(self) -> None:
        folder = new_folder()
        self.expect_exit(cli.ropelab("consistency", "five-link-chain", *SHORT, "--values",
                                     "0.004,0.008,0.032", "--solver", "rattle", "--jobs", "1",
                                     "--out", folder), cli.DONE)
        again = Table(folder / "consistency.csv").rows()
        for before, after in zip(self.rows[:3], again):
            self.expect({**after, "times_real_time": ""}, {**before, "times_real_time": ""},
                        "a row of rattle, but for its speed")

    def test_report(self) -> None:
        figures = {path.name for path in (self.folder / "figures").iterdir()}
        for kind in ("consistency", "consistency-step", "consistency-drift"):
            for ending in ("svg", "png", "pdf"):
                self.expect(f"five-link-chain-{kind}.{ending}" in figures, True, f"{kind}.{ending}")
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        for text in ("ropelab consistency five-link-chain", "diverged (bad)",
                     "Times are the least of 7"):
            self.expect(text in page, True, f"the report says: {text}")


class Files(cli.Case):
    def test_study(self) -> None:
        folder, other = new_folder(), new_folder()
        path = cli.WORK / "small-consistency.yaml"
        path.write_text("name: small\nkind: consistency\nscenarios: five-link-chain\n"
                        "solvers: [impulse, pbd]\nduration: 0.32\npieces: 2\n"
                        "values: [0.008, 0.016]\nreference: {step: 0.001, solver: rattle}\n",
                        encoding="utf-8")
        self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", folder), cli.DONE)
        done = cli.ropelab("consistency", "five-link-chain", *SHORT, "--values", "0.016,0.008",
                           "--solver", "impulse", "--solver", "pbd", "--reference", "rattle",
                           "--out", other)
        self.expect_exit(done, cli.DONE)
        self.expect_in("1 of 1 runs of the reference are those of earlier studies", done.stdout,
                       "stdout: both folders are beside each other")
        for a, b in zip(Table(folder / "consistency.csv").rows(),
                        Table(other / "consistency.csv").rows()):
            self.expect({**a, "times_real_time": ""}, {**b, "times_real_time": ""}, "a row")
        wrong = cli.WORK / "no-consistency.yaml"
        wrong.write_text(path.read_text(encoding="utf-8").replace("pieces: 2", "pieces: 0"), encoding="utf-8")
        self.refused("study", wrong, says=(f"{wrong}:6:9: error: pieces: expected a whole number from 1",))
        before = (folder / "summary.csv").read_bytes()
        self.expect_exit(cli.ropelab("study", path, "--figures", "svg", "--out", folder, "--resume"),
                         cli.DONE)
        self.expect((folder / "summary.csv").read_bytes(), before, "summary.csv made again")


class Refusals(cli.Case):
    def test_a_reference_that_is_too_slow(self) -> None:
        folder = new_folder()
        self.refused("consistency", "five-link-chain", "--solver", "pbd", "--reference", "rattle", "--time-limit",
                     "0.02", "--out", folder, status=cli.FAILED,
                     says=("five-link-chain: the reference rattle stopped after the time limit of 0.02 s of processor time, at t = ",
                           "expected a longer time limit"))
        self.expect((folder / "summary.csv").exists(), False, "summary.csv")

    def test_mistakes(self) -> None:
        for words, says in (
                (["--values", "0.003"], "values: 0.003: expected whole multiples"),
                (["--values", "0.001"], "values: 0.001: expected whole multiples"),
                (["--values", "0"], "--values: expected a number above 0, found '0'"),
                (["--pieces", "7"], "expected a whole number"),
                (["--pieces", "0"], "--pieces 0: expected a whole number from 1"),
                (["--reference", "ratle"], "did you mean 'rattle'?")):
            folder = new_folder()
            self.refused("consistency", "five-link-chain", *SHORT[:2], *SHORT[4:], *words, "--out",
                         folder, says=(says,))
            self.expect(folder.exists(), False, f"a folder after {words}")
