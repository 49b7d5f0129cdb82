# SPDX-License-Identifier: GPL-3.0-or-later
"""What takes minutes: runs that are killed at any moment, and every solver under valgrind.

Run with: ctest --test-dir build/ci -L slow
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
import unittest

from tests.cli import support as cli
from tests.cli.test_reproduce import readme_rows, table_rows

KILLS = int(os.environ.get("ROPELAB_KILLS", "200"))
LONG_ENOUGH = 0.05  # [s] moments are chosen up to here; the run below takes longer


class Kills(cli.Case):
    WORDS = ("run", "pendulum", "--solver", "impulse", "--trace", "20", "--every", "0.05",
             "--duration")

    def kill_at(self, moment: float, folder) -> None:
        process = subprocess.Popen([cli.PROGRAM, *self.WORDS, "1000", "--out", str(folder)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moment)
        process.kill()
        self.expect(process.wait(), -9, "exit status: it has to be killed while it runs")
        cli.wait_for_lock(folder)

    def expect_readable(self, folder) -> str:
        """The status of what is there; the report reads it if there is anything."""
        sizes = {}
        for name in ("series", "iterations", "snapshots"):
            path = folder / f"{name}.csv"
            text = path.read_bytes() if path.exists() else b""
            sizes[name] = text.count(b"\n")
            self.expect_true(text[-1:] in (b"", b"\n"), text[-40:], "the end of a line",
                             f"end of {name}.csv")
        if not (folder / "run.json").exists():
            return "nothing"
        self.expect(cli.Result(folder).manifest["status"], "running", "status in run.json")
        done = cli.ropelab("report", folder)
        self.expect_exit(done, cli.DONE)
        return "rows" if sizes["series"] > 2 else "no rows"

    def test_at_any_moment(self) -> None:
        chance = random.Random(2385)
        found: dict[str, int] = {}
        for number in range(KILLS):
            moment = LONG_ENOUGH * chance.random() ** 2  # more of them early, where files appear
            with self.subTest(number=number, moment=moment):
                folder = cli.new_folder()
                self.kill_at(moment, folder)
                state = self.expect_readable(folder) if folder.exists() else "no folder"
                found[state] = found.get(state, 0) + 1
                self.quietly(*self.WORDS, "0.1", "--out", folder, "--force")
                self.expect(cli.Result(folder).manifest["status"], "done", "status afterwards")
                names = [name for name in cli.contents(folder)
                         if not name.startswith(("figures/", "report"))]
                self.expect(names, cli.FILES, "files of the repeated run")
                shutil.rmtree(folder)
        print(f"{KILLS} runs were killed; found: {found}")


class Valgrind(cli.Case):
    SCENARIOS = 3

    def test_every_solver(self) -> None:
        if not shutil.which("valgrind"):
            self.skipTest("valgrind is not installed")
        linked = subprocess.run(["ldd", cli.PROGRAM], capture_output=True, text=True, check=True)
        if "libasan" in linked.stdout:
            self.skipTest("not under other sanitizers")
        tool = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full",
                "--errors-for-leak-kinds=definite",
                "--child-silent-after-fork=yes",  # the writers of lines end in mid-run
                cli.PROGRAM]
        for solver in cli.solvers():
            able = [scenario for scenario, missing in cli.coverage().items() if not missing[solver]]
            spread = [able[i * (len(able) - 1) // (self.SCENARIOS - 1)]
                      for i in range(self.SCENARIOS)]
            for scenario in spread:
                with self.subTest(solver=solver, scenario=scenario):
                    done = subprocess.run([*tool, "run", scenario, "--solver", solver, "--duration",
                                           "0.05", "--step", "0.005", "--out",
                                           str(cli.new_folder())],
                                          capture_output=True, text=True, check=False)
                    # A step that is long for a method may well be too long.
                    self.expect_true(done.returncode in (cli.DONE, cli.DIVERGED) and
                                     "==" not in done.stderr, (done.returncode, done.stderr),
                                     f"{cli.DONE} or {cli.DIVERGED}, without a word of valgrind",
                                     f"exit status and messages of {solver} on {scenario}")


class Reproduction(cli.Case):
    def test_readme_has_all_numbers(self) -> None:
        """Every row of the README again; of those that are times, that they are measured still."""
        done = cli.ropelab("reproduce", "--out", cli.new_folder(), timeout=900)
        self.expect_exit(done, cli.DONE)
        self.expect(done.stderr, "", "stderr")
        here, there = table_rows(done.stdout), readme_rows()
        self.expect(len(here), len(there), "rows")
        for row, shown in zip(here, there):
            if "(depends on the machine)" in shown[-1]:
                row, shown = (r[:4] + ["not reproduced" in r[-1]] for r in (row, shown))
            self.expect(row, shown, "a row, and the README's")


if __name__ == "__main__":
    unittest.main()
