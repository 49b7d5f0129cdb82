# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons, differences of two results, and the reports on them.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_comparisons
"""

from __future__ import annotations

import html
import math
import shlex
import shutil

from tests.cli.support import (BLOW_UP, DIFFERENT, DIVERGED, DONE, FAILED, REPOSITORY, UNSUPPORTED,
                               USAGE, WORK, Case, Result, Table, contents, new_folder, ropelab,
                               same_number)


class Comparisons(Case):
    SOLVERS = ("pbd", "few=pbd,iterations=3", f"bad={BLOW_UP}")

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = new_folder()
        words = [word for spec in cls.SOLVERS for word in ("--solver", spec)]
        cls.words = ["compare", "elastic-cord", "hanging-chain", *words, "--duration", "0.2",
                     "--step", "0.005", "--set", "gravity=[0, -1.62, 0]", "--every", "0.05"]
        cls.done = ropelab(*cls.words, "--out", cls.folder)

    def cells(self) -> list[tuple[str, str]]:
        return [(scenario, label) for scenario in ("elastic-cord", "hanging-chain")
                for label in ("pbd", "few", "bad")]

    def test_failed_cells_are_part_of_it(self) -> None:
        self.expect_exit(self.done, DONE)
        notes = [line.removeprefix("ropelab: note: ").split(": more")[0]
                 for line in self.done.stderr.splitlines()]
        self.expect(notes, ["elastic-cord, bad: diverged", "hanging-chain, bad: diverged"],
                    "notes of compare")
        table = Table(self.folder / "summary.csv")
        self.expect(table.header[:7], ["scenario", "label", "solver", "parameters", "step",
                                       "status", "reason"], "first columns of summary.csv")
        for name in ("row_evals", "seconds"):
            self.expect_in(name, ",".join(table.header), "header of summary.csv")
        rows = table.rows()
        self.expect([(row["scenario"], row["label"]) for row in rows], self.cells(),
                    "rows of summary.csv")
        self.expect([row["status"] for row in rows],
                    ["unsupported", "unsupported", "diverged", "done", "done", "diverged"],
                    "statuses in summary.csv")
        self.expect([row["solver"] for row in rows], ["pbd", "pbd", "penalty"] * 2, "solvers")
        for row in rows:
            self.expect_true(row["reason"] != "", row, "a reason", "row of summary.csv")
            self.expect(len(row), len(table.header), "cells of a row of summary.csv")
        self.expect(rows[0]["energy_error_J"], "nan", "energy error of an unsupported run")

    def test_summary_says_what_the_runs_say(self) -> None:
        for row in Table(self.folder / "summary.csv").rows():
            manifest = Result(self.folder / row["scenario"] / row["label"]).manifest
            what = f"{row['scenario']}, {row['label']}"
            self.expect((row["status"], row["reason"]), (manifest["status"], manifest["reason"]),
                        f"status and reason of {what}")
            self.expect(manifest["solver"]["label"], row["label"], f"label of {what}")
            self.expect(dict(pair.split("=") for pair in row["parameters"].split(";")),
                        Result(self.folder / row["scenario"] / row["label"]).parameters(),
                        f"parameters of {what}")
            self.expect(float(row["step"]), manifest["step_s"], f"step of {what}")
            for name, value in manifest.get("summary", {}).items():
                if name in row:
                    number = math.nan if value is None else value
                    self.expect_true(same_number(float(row[name]), number), row[name],
                                     repr(number), f"{name} of {what}")

    def test_stored_commands_repeat_the_runs(self) -> None:
        for scenario, label in self.cells()[2:]:
            manifest = Result(self.folder / scenario / label).manifest
            words = shlex.split(manifest["command"])
            self.expect(words[-2], "--out", "the last option of the command")
            again = new_folder()
            done = ropelab(*words[1:-1], again)
            self.expect_exit(done, DONE if manifest["status"] == "done" else DIVERGED)
            self.expect(Result(again).hash, manifest["state_hash"], f"hash of {words}")
            self.expect(Result(again).manifest["solver"], manifest["solver"], f"solver of {words}")

    def test_report(self) -> None:
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        for scenario, label in self.cells():
            self.expect_true(scenario in page and label in page, (scenario, label),
                             "both in report.html", "names in the report")
        figures = {path.suffix for path in (self.folder / "figures").iterdir()}
        self.expect(figures, {".svg", ".png", ".pdf"}, "kinds of figures")

    def test_a_comparison_is_not_overwritten(self) -> None:
        before = contents(self.folder)
        self.refused(*self.words, "--out", self.folder, says=(str(self.folder), "--force"))
        self.expect(contents(self.folder), before, "files after a refused comparison")
        killed = new_folder()  # one that was killed has runs, and no summary yet
        shutil.copytree(self.folder / "hanging-chain", killed / "hanging-chain")
        before = contents(killed)
        self.refused(*self.words, "--out", killed, says=("hanging-chain", "--force"))
        self.expect(contents(killed), before, "files after a refused comparison")
        other = ropelab("compare", "pendulum", "--solver", "pbd", "--duration", "0.1",
                        "--out", killed)
        self.expect_exit(other, DONE)
        after = contents(killed)
        self.expect({name: after.get(name) for name in before}, before,
                    "runs of a comparison that was killed, after another one")

    def test_files_of_others_are_not_overwritten(self) -> None:
        words = ("pendulum", "--solver", "pbd", "--duration", "0.1")
        for name, command in (("report.html", ("compare", *words)),
                              ("convergence.csv", ("converge", *words, "--over", "step",
                                                   "--values", "0.01,0.005")),
                              ("onestep.csv", ("onestep", *words, "--resume")),
                              ("reproduce.csv", ("reproduce", "catto2014"))):
            folder = new_folder()
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine", encoding="utf-8")
            self.refused(*command, "--out", folder, says=(str(folder), "--force"))
            self.expect({at.name: at.read_text() for at in folder.rglob("*") if at.is_file()},
                        {path.name: "mine"}, f"files after a refused {command[0]}")

    def test_files_of_others_stay(self) -> None:
        """Of figures/ and curves/ only what ropelab wrote is replaced."""
        folder = new_folder()
        mine = [folder / name for name in ("figures/mine.png", "curves/mine.csv",
                                           "pendulum/pbd/mine.svg", "summary.txt")]
        for path in mine:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine", encoding="utf-8")
        common = ("--duration", "0.1", "--figures", "svg", "--out", folder)
        self.quietly("compare", "pendulum", "-s", "pbd", *common)
        done = ropelab("compare", "atwood", "-s", "pbd", *common, "--force")
        self.expect_exit(done, DONE)
        for text in ("figures holds what is not ropelab's and stays: mine.png",
                     "curves holds what is not ropelab's and stays: mine.csv"):
            self.expect_in(text, done.stderr, "what is said of them")
        self.expect([path.read_text(encoding="utf-8") for path in mine], ["mine"] * 4, "their files")
        self.expect({path.name.partition("-")[0] for path in (folder / "figures").iterdir()},
                    {"atwood", "mine.png"}, "figures")
        for name in ("figures/atwood-energy.svg", "report.html"):  # is it ours? the list says
            (folder / "ropelab-files.txt").write_text("", encoding="utf-8")
            before = contents(folder)
            self.refused("report", folder, "--figures", "svg", says=("in the way and not ropelab's",),
                         status=FAILED)
            self.expect(contents(folder), before, "files after a refused report")
            (folder / name).rename(folder / "elsewhere")

    def test_what_has_to_be_a_folder(self) -> None:
        folder = new_folder()
        folder.mkdir()
        (folder / "figures").write_text("mine", encoding="utf-8")
        for force in ((), ("--force",)):
            self.refused("compare", "pendulum", "-s", "pbd", "--out", folder, *force,
                         says=(f"{folder}/figures is in the way: found a file, expected a folder",))

    def test_where_a_run_goes_there_is_no_file(self) -> None:
        for taken in ("pendulum", "pendulum/pbd"):
            folder = new_folder()
            (folder / taken).parent.mkdir(parents=True)
            (folder / taken).write_text("mine", encoding="utf-8")
            before = contents(folder)
            for force in ((), ("--force",)):
                self.refused("compare", "pendulum", "-s", "pbd", "--out", folder, *force,
                             says=(f"{folder}/{taken} is in the way: found a file, expected a folder",))
                self.expect(contents(folder), before, "files after a refusal")

    def test_a_run_that_is_replaced_takes_its_report_with_it(self) -> None:
        run = self.record("atwood", "pbd", "--duration", "0.1")
        for name in ("notes.txt", "figures/mine.png"):
            (run.folder / name).parent.mkdir(exist_ok=True)
            (run.folder / name).write_text("mine", encoding="utf-8")
        self.expect_exit(ropelab("report", run.folder, "--figures", "svg"), DONE)
        self.quietly("run", "atwood", "-s", "pbd", "--duration", "0.1", "--out", run.folder, "--force")
        self.expect((run.folder / "report.html").exists(), False, "the report of the old run is there")
        self.expect({path.name: path.read_text() for path in run.folder.rglob("*")
                     if path.name in ("notes.txt", "mine.png") or path.suffix == ".svg"},
                    {"notes.txt": "mine", "mine.png": "mine"}, "files of others, and figures")

    def test_resume_or_force(self) -> None:
        self.refused("converge", "pendulum", "--over", "step", "--values", "0.01", "--resume",
                     "--force", "--out", new_folder(), says=("expected --resume or --force, found both",))

    def test_a_run_is_not_taken_for_a_comparison(self) -> None:
        single = self.record("atwood", "pbd", "--duration", "0.1", "--step", "0.01")
        before = contents(single.folder)
        self.refused("compare", "atwood", "--solver", "pbd", "--out", single.folder, "--force",
                     says=("single run",))
        self.expect(contents(single.folder), before, "files after a refused comparison")
        self.refused("run", "atwood", "--solver", "pbd", "--out", self.folder, "--force",
                     says=("holds results of several runs",))

    def test_labels_made_of_parameters(self) -> None:
        folder = new_folder()
        self.quietly("compare", "pendulum", "--solver", "pbd", "--solver", "pbd,iterations=5",
                     "--solver", "impulse", "--duration", "0.1", "--step", "0.01", "--jobs", "1",
                     "--figures", "svg", "--out", folder)
        labels = Table(folder / "summary.csv").texts("label")
        self.expect(labels, ["pbd", "pbd-iterations=5", "impulse"], "labels")
        manifest = Result(folder / "pendulum/pbd-iterations=5").manifest
        self.expect(shlex.split(manifest["comparison"]),
                    ["ropelab", "compare", "pendulum", "--solver", "pbd", "--solver", "pbd,iterations=5",
                     "--solver", "impulse", "--duration", "0.1", "--step", "0.01", "--jobs", "1",
                     "--figures", "svg", "--out", str(folder)], "the command as it was given")
        again = new_folder()
        self.quietly(*shlex.split(manifest["command"])[1:-1], again)
        self.expect(Result(again).manifest["solver"], manifest["solver"],
                    "solver of the repeated run")
        self.expect(Result(again).hash, manifest["state_hash"], "hash of the repeated run")

    def test_duplicates(self) -> None:
        out = ("--out", new_folder())
        self.refused("compare", "atwood", "--solver", "pbd", "--solver", "pbd", *out,
                     says=("two solvers are called 'pbd'", "LABEL=NAME"))
        self.refused("compare", "atwood", "--solver", "a=pbd", "--solver", "a=impulse", *out,
                     says=("two solvers are called 'a'",))
        self.refused("compare", "atwood", REPOSITORY / "scenarios/atwood.yaml", *out,
                     says=("two scenarios are called 'atwood'",))
        self.expect(out[1].exists(), False, "a folder of a refused comparison")

    def test_scenario_that_this_version_does_not_support(self) -> None:
        path = REPOSITORY / "tests/corpus/good-everything-unsupported.yaml"
        odd = WORK / "odd, \"name\".yaml"
        shutil.copy(path, odd)
        if ropelab("check", odd).returncode == DONE:
            self.skipTest("everything is supported")
        self.refused("check", odd, status=UNSUPPORTED, says=("unsupported",))
        self.refused("run", odd, "--solver", "pbd", "--out", new_folder(), status=UNSUPPORTED,
                     says=("unsupported",))
        folder = new_folder()
        done = ropelab("compare", odd, "atwood", "--solver", "pbd", "--duration", "0.1", "--step",
                       "0.01", "--figures", "svg", "--out", folder)
        self.expect_exit(done, DONE)
        rows = Table(folder / "summary.csv").rows()
        self.expect([(row["label"], row["status"]) for row in rows],
                    [("pbd", "unsupported"), ("pbd", "done")], "rows of summary.csv")
        self.expect(rows[0]["scenario"], odd.name, "name of the scenario in summary.csv")
        said = ropelab("run", odd, "--solver", "pbd", "--out", new_folder()).stderr
        self.expect_in(f"unsupported: {rows[0]['reason']}\n", said, "reason in summary.csv")
        page = html.unescape((folder / "report.html").read_text(encoding="utf-8"))
        self.expect_in(rows[0]["reason"], page, "reason in the report")


class Differences(Case):
    """`diff` sees what differs between two results, and nothing else."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folders = [new_folder(), new_folder()]
        for folder, iterations in zip(cls.folders, (20, 21)):
            ropelab("compare", "hanging-chain", "atwood", "--solver", "impulse", "--solver",
                    f"pbd,iterations={iterations}", "--duration", "0.1", "--figures", "svg", "--out", folder)

    def test_same(self) -> None:
        one = self.folders[0]
        for path in ("", "hanging-chain/pbd"):
            done = ropelab("diff", one / path, one / path)
            self.expect(done.returncode, DONE, "status of the same result twice")
        self.expect(done.stdout, "run: done\n", "nothing differs")

    def test_series_that_are_damaged_or_missing(self) -> None:
        one = self.folders[0] / "hanging-chain/pbd"
        other = new_folder()
        shutil.copytree(one, other)
        path = other / "series.csv"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        lines[7] = lines[7][:20] + "\n"
        path.write_text("".join(lines), encoding="utf-8")
        for command in (("diff", one, other), ("report", other, "--figures", "svg")):
            done = ropelab(*command)
            self.expect_in(f"{path}:8: a damaged line, left out", done.stdout + done.stderr, f"{command[0]}")
        path.unlink()
        (other / "trajectory.h5").write_bytes((one / "trajectory.h5").read_bytes()[:1000])
        done = ropelab("diff", one, other)
        self.expect((done.returncode, done.stdout), (DIFFERENT, f"run: done\n  no series.csv in {other}\n"), "diff")
        told = ropelab("report", other, "--figures", "svg").stderr
        self.expect_in(f"note: {path} is missing", told, "notes of report")
        self.expect_in(f"note: {other}/trajectory.h5 has 1000 bytes, and had ", told, "notes of report")

    def test_different(self) -> None:
        one, other = self.folders
        done = ropelab("diff", one, other)
        self.expect(done.returncode, DIFFERENT, "status of two different results")
        self.expect([line for line in done.stdout.splitlines() if line[0] != " "],
                    ["atwood/impulse: done", "atwood/pbd: done", "hanging-chain/impulse: done",
                     "hanging-chain/pbd: done", "2 of 4 runs differ"], "its runs")
        table = [Table(folder / "hanging-chain/pbd/series.csv") for folder in self.folders]
        largest = max(abs(a - b) for a, b in zip(*(t.numbers("energy_J") for t in table)))
        run = ropelab("diff", one / "hanging-chain/pbd", other / "hanging-chain/pbd").stdout
        line = next(line for line in run.splitlines() if line.split()[0] == "energy_J")
        self.expect(math.isclose(float(line.split()[1]), largest, rel_tol=1e-3), True,
                    f"{line!r} against {largest}")
        self.expect(ropelab("diff", one, other, "--tolerance", "2").returncode, DONE,
                    "status within a tolerance")

    def test_round_off_has_no_share(self) -> None:
        """Of a scene at rest both momenta are round-off: how far apart, but no share of it."""
        folders = [new_folder() for _ in range(2)]
        for folder, largest in zip(folders, ("1e-15", "9e-15")):
            shutil.copytree(self.folders[0] / "hanging-chain/pbd", folder)
            path = folder / "series.csv"
            lines = path.read_text(encoding="utf-8").splitlines()
            heads = next(line for line in lines if line.startswith("time_s")).split(",")
            at = [i for i, head in enumerate(heads) if head.startswith("momentum_")]
            self.expect_true(len(at) > 0, heads, "columns of the momentum", "columns")
            for number, line in enumerate(lines):
                cells = line.split(",")
                if line[0] not in "#t":
                    lines[number] = ",".join(largest if i in at else cell for i, cell in enumerate(cells))
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        told = ropelab("diff", *folders).stdout
        rows = [line.split() for line in told.splitlines() if line.split()[0].startswith("momentum_")]
        self.expect([row[1:3] for row in rows], [["8e-15", "-"]] * len(rows), f"largest and relative in {told}")
        self.expect_true(len(rows) > 0, told, "a row of the momentum", "rows")

    def test_unlike(self) -> None:
        one = self.folders[0]
        run = ropelab("diff", one / "atwood/pbd", one / "hanging-chain/pbd")
        self.expect(run.returncode, DIFFERENT, "status of runs of different scenarios")
        self.expect("heavy.y                      in the first only" in run.stdout, True,
                    f"a probe that one of them has: {run.stdout}")
        for words in ((one, one / "atwood/pbd"), (one, WORK / "nothing"), (one,),
                      (one, one, "--tolerance", "-1")):
            self.expect(ropelab("diff", *words).returncode, USAGE, f"status of diff {words}")


class Reports(Case):
    def test_single_run(self) -> None:
        result = self.record("atwood", "impulse", "--duration", "0.2")
        before = contents(result.folder)
        done = ropelab("report", result.folder, "--figures", "svg")
        self.expect_exit(done, DONE)
        self.expect(done.stderr, "", "stderr of report")
        self.expect(done.stdout, f"report: {result.folder}/report.html\n", "stdout of report")
        figures = {path.suffix for path in (result.folder / "figures").iterdir()}
        self.expect(figures, {".svg"}, "kinds of figures that are asked for")
        page = (result.folder / "report.html").read_text(encoding="utf-8")
        for text in ("<html", "atwood", "impulse", "figures/atwood-energy.svg</code>", "</html>"):
            self.expect_in(text, page, "report.html")
        after = contents(result.folder)
        self.expect({name: after[name] for name in before}, before, "the result that is reported")
        self.refused("report", result.folder, "--figures", "svg,bmp",
                     says=("--figures svg,bmp: expected svg, png or pdf, found 'bmp'",))

    def test_nothing_to_report_on(self) -> None:
        empty, garbage, file = new_folder(), new_folder(), new_folder()
        empty.mkdir()
        garbage.mkdir()
        (garbage / "run.json").write_bytes(b"{\xff not json")
        (garbage / "series.csv").write_bytes(bytes(range(256)))
        (garbage / "summary.csv").write_bytes(bytes(range(256)) * 3)
        file.write_text("a file\n", encoding="utf-8")
        for place in (empty, garbage, file, WORK / "nowhere"):
            before = contents(place)
            self.refused("report", place, says=(str(place),))
            self.expect(contents(place), before, "files in a folder without a report")
