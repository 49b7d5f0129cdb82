# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever ends a run: its files can be read, nothing stays behind, and it can be made again.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_crashes
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from tests.cli import support as cli

RUN = ("run", "hanging-chain", "--solver", "pbd")
SHORT = ("--duration", "0.1", "--step", "0.01", "--every", "0.01")


def processes_with(word: str) -> list[str]:
    """Command lines of all processes that have a word in it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has just ended
        if word in line:
            found.append(line)
    return found


def catches(process: subprocess.Popen, number: signal.Signals) -> bool:
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return int(mask, 16) >> (number - 1) & 1 == 1


class Crash(cli.Case):
    def start(self, *words: object, **options) -> subprocess.Popen:
        settings = {"cwd": cli.WORK, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                    "stderr": subprocess.PIPE, "text": True} | options
        process = subprocess.Popen([cli.PROGRAM, *map(str, words)], **settings)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition, what: str) -> None:
        end = time.monotonic() + cli.PATIENCE
        while not condition():
            self.expect_true(time.monotonic() < end, "not so", what, "after a long time")
            time.sleep(0.002)

    def wait_for_rows(self, *folders: Path) -> None:
        paths = [folder / "series.csv" for folder in folders]
        self.wait_until(lambda: all(path.exists() and path.read_bytes().count(b"\n") > 5
                                    for path in paths), "some rows in every one of them")

    def expect_whole_lines(self, folder: Path) -> None:
        for name in ("series", "iterations", "snapshots"):
            text = (folder / f"{name}.csv").read_text(encoding="utf-8")
            self.expect(text[-1:], "\n", f"end of {name}.csv")
            table = cli.Table(folder / f"{name}.csv")
            self.expect([row for row in table.cells if len(row) != len(table.header)], [],
                        f"rows that are not whole in {name}.csv")


@unittest.skipUnless(os.geteuid() == 0, "takes a disk of its own")
class FullDisk(Crash):
    def test_ends_a_study_with_one_message(self) -> None:
        folder = cli.new_folder()
        folder.mkdir(parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            self.skipTest("mount is not allowed here")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        study = ("converge", "pendulum", "--over", "step", "--values", "0.004,0.002,0.001", "--quantity", "bob.x",
                 "--duration", "0.5", "--figures", "svg", "--out", folder / "study")
        self.refused(*study, status=cli.FAILED, says=(f"ropelab: {folder}/study: cannot write: No space left",))
        subprocess.run(["mount", "-o", "remount,size=50m", folder], check=True)
        self.expect_exit(cli.ropelab(*study, "--resume"), cli.DONE)


class Killed(Crash):
    def test_leaves_whole_lines_and_can_be_repeated(self) -> None:
        folder = cli.new_folder()
        process = self.start(*RUN, *cli.FOREVER[:2], "--trace", "3", "--out", folder)
        self.wait_for_rows(folder)
        process.kill()
        process.wait()
        cli.wait_for_lock(folder)
        self.expect(cli.Result(folder).manifest["status"], "running", "status in run.json")
        self.expect_whole_lines(folder)
        self.expect_exit(cli.ropelab("report", folder, "--figures", "svg"), cli.DONE)
        self.expect_in("running", (folder / "report.html").read_text(encoding="utf-8"), "report")
        self.quietly(*RUN, *SHORT, "--out", folder, "--force")
        self.expect(cli.Result(folder).manifest["status"], "done", "status of the repeated run")

    def test_comparison_takes_its_runs_along(self) -> None:
        folder = cli.new_folder()
        process = self.start("compare", "hanging-chain", "--solver", "a=pbd", "--solver",
                             "b=impulse", *cli.FOREVER, "--jobs", "2", "--out", folder)
        runs = [folder / "hanging-chain" / label for label in "ab"]
        self.wait_for_rows(*runs)
        process.kill()
        process.wait()
        self.wait_until(lambda: not processes_with(str(folder)), "no process of the comparison")
        cli.wait_for_lock(folder)
        for run in runs:
            self.expect(cli.Result(run).manifest["status"], "interrupted", "status of a run")
            self.expect_whole_lines(run)
        self.quietly("compare", "hanging-chain", "--solver", "a=pbd", "--solver", "b=impulse",
                     *SHORT, "--figures", "svg", "--out", folder, "--force")
        self.expect(cli.Table(folder / "summary.csv").texts("status"), ["done", "done"], "statuses")


class Interrupted(Crash):
    def test_comparison_leaves_no_process(self) -> None:
        folder = cli.new_folder()
        process = self.start("compare", "hanging-chain", "heavy-load", "--solver", "pbd",
                             *cli.FOREVER, "--jobs", "2", "--out", folder)
        self.wait_for_rows(folder / "hanging-chain/pbd", folder / "heavy-load/pbd")
        process.send_signal(signal.SIGTERM)
        process.wait(cli.PATIENCE)
        self.expect(process.returncode, cli.INTERRUPTED, "exit status")
        self.expect(processes_with(str(folder)), [], "processes of the comparison")

    def test_a_key_that_is_pressed_twice_does_not_wait_for_the_step(self) -> None:
        """The first step of `source` simulates three seconds: of these here, for days."""
        folder = cli.new_folder()
        process = self.start("run", "hanging-chain", "--solver", "source", "--step", "1e-11",
                             "--duration", "1e-10", "--out", folder)
        self.wait_until(lambda: (folder / "series.csv").exists(), "a run that has begun")
        time.sleep(0.5)  # and is in its first step: before it a signal ends the run at once
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        self.expect(process.poll(), None, "exit status after the first signal")

        def pressed_again() -> bool:
            process.send_signal(signal.SIGINT)  # two that come close together may count as one
            time.sleep(0.1)
            return process.poll() is not None
        self.wait_until(pressed_again, "the end")
        self.expect(process.returncode, cli.INTERRUPTED, "exit status after another")
        self.quietly(*RUN, *SHORT, "--out", folder, "--force")

    def test_nothing_is_waited_for_where_nothing_is_written(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("bench")
            self.wait_until(lambda: catches(process, number), "a program that catches it")
            process.send_signal(number)
            start = time.monotonic()
            self.expect(process.wait(cli.PATIENCE), cli.INTERRUPTED, "exit status")
            self.expect_true(time.monotonic() - start < 5.0, time.monotonic() - start, "a moment",
                             "time until it ended")


class Together(Crash):
    def test_the_second_run_into_a_folder_is_refused(self) -> None:
        folder = cli.new_folder()
        first = self.start(*RUN, *cli.FOREVER, "--out", folder)
        self.wait_for_rows(folder)
        for command in (RUN, ("compare", "atwood", "--solver", "pbd")):
            for force in ((), ("--force",)):
                self.refused(*command, *SHORT, "--out", folder, *force, says=(str(folder),))
        self.refused(*RUN, *SHORT, "--out", folder, "--force",
                     says=("another run is writing into", "expected another folder"))
        rows = (folder / "series.csv").read_bytes()
        self.wait_until(lambda: len((folder / "series.csv").read_bytes()) > len(rows),
                        "a first run that goes on")
        self.expect_true((folder / "series.csv").read_bytes().startswith(rows), "other rows",
                         "the rows before", "series.csv of the first run")
        first.send_signal(signal.SIGTERM)
        self.expect(first.wait(cli.PATIENCE), cli.INTERRUPTED, "exit status of the first run")
        self.quietly(*RUN, *SHORT, "--out", folder, "--force")

    def test_a_comparison_keeps_its_folder(self) -> None:
        folder = cli.new_folder()
        words = ("compare", "hanging-chain", "--solver", "pbd")
        first = self.start(*words, *cli.FOREVER, "--out", folder)
        self.wait_for_rows(folder / "hanging-chain/pbd")
        for command in (words, RUN):
            self.refused(*command, *SHORT, "--out", folder, "--force", says=("another run",))
        self.refused(*RUN, *SHORT, "--out", folder / "hanging-chain/pbd", "--force",
                     says=("another run",))
        first.send_signal(signal.SIGTERM)
        first.wait(cli.PATIENCE)
        self.expect(cli.Table(folder / "summary.csv").texts("status"), ["interrupted"], "statuses")

    def test_a_run_inside_a_comparison(self) -> None:
        """That run stays what it is, and its place in the comparison is empty."""
        folder = cli.new_folder()
        first = self.start(*RUN, *cli.FOREVER, "--out", folder / "hanging-chain/a")
        self.wait_for_rows(folder / "hanging-chain/a")
        done = cli.ropelab("compare", "hanging-chain", "--solver", "a=pbd", "--solver", "b=pbd", *SHORT,
                           "--figures", "svg", "--out", folder, "--force")
        self.expect_exit(done, cli.DONE)
        self.expect_in("another run is writing into", done.stderr, "stderr of the comparison")
        rows = cli.Table(folder / "summary.csv").rows()
        self.expect([(row["label"], row["status"]) for row in rows],
                    [("a", "failed"), ("b", "done")], "rows of summary.csv")
        self.expect(first.poll(), None, "exit status of the run that was there before")

    def test_at_the_same_moment_one_of_them_runs(self) -> None:
        folder = cli.new_folder()
        runs = [self.start(*RUN, "--out", folder) for _ in range(4)]
        statuses = sorted(run.wait(cli.PATIENCE) for run in runs)
        self.expect(statuses, [cli.DONE, cli.USAGE, cli.USAGE, cli.USAGE], "exit statuses")
        self.expect(cli.Result(folder).manifest["status"], "done", "status in run.json")
        self.expect_whole_lines(folder)


class Reports(Crash):
    def test_interrupted_at_any_moment(self) -> None:
        """Whoever is asked to end ends soon, without a word, and leaves nothing half done."""
        folder = cli.new_folder()
        self.expect_exit(cli.ropelab("compare", "atwood", "pendulum", "-s", "pbd", *SHORT, "--figures",
                                     "svg", "--out", folder), cli.DONE)
        names = sorted(path.name for path in folder.iterdir())
        for k in range(4 if cli.SANITIZED else 12):  # then there is only Python to be interrupted
            process = subprocess.Popen([cli.PROGRAM, "report", str(folder)], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, start_new_session=True)
            time.sleep(0.08 * k)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            error = process.communicate(timeout=cli.PATIENCE)[1]
            self.expect(error, b"", f"stderr after {0.08 * k:.2f} s")
            ends = (cli.DONE, cli.INTERRUPTED, -signal.SIGINT)  # which it did not catch yet
            self.expect_true(process.returncode in ends, process.returncode, ends, "exit status")
            self.expect(sorted(path.name for path in folder.iterdir()), names, "what is left")


class Streams(Crash):
    def test_a_pipe_that_is_closed_early(self) -> None:
        """Nothing but silence, whether SIGPIPE is ignored where the program is started or not."""
        for restore in (True, False):
            for words in (("list",), ("list", "solvers"), ("check", "atwood", "--json"), ("--help",)):
                reader, writer = os.pipe()
                os.close(reader)
                done = cli.ropelab(*words, capture_output=False, stdout=writer,
                                   stderr=subprocess.PIPE, restore_signals=restore)
                os.close(writer)
                self.expect((done.returncode, done.stderr), (cli.FAILED, ""),
                            f"exit status and stderr of {words}")

    def test_notes_that_nobody_reads(self) -> None:
        folder = cli.new_folder()
        reader, writer = os.pipe()
        os.close(reader)
        done = cli.ropelab(*RUN, "--duration", "0.1", "--step", "0.03", "--out", folder,
                           capture_output=False, stdout=writer, stderr=writer)
        os.close(writer)
        self.expect(done.returncode, cli.DONE, "exit status of a run with a note")
        self.expect(cli.Result(folder).manifest["status"], "done", "status in run.json")

    def test_streams_that_are_closed(self) -> None:
        def run(words: str, closed: str) -> subprocess.CompletedProcess:
            return subprocess.run(["bash", "-c", f'"$0" {words} {closed}', cli.PROGRAM], cwd=cli.WORK,
                                  capture_output=True, check=False, timeout=cli.PATIENCE)
        done = run("list", ">&-")
        self.expect((done.returncode, done.stderr),
                    (cli.FAILED, b"ropelab: cannot write the output: Bad file descriptor\n"), "list")
        plain = cli.new_folder()
        blow_up = ["run", "hanging-chain", "--solver", cli.BLOW_UP, "--out"]
        self.expect(cli.ropelab(*blow_up, plain).returncode, cli.DIVERGED, "exit status")
        folder = cli.new_folder()
        done = run(" ".join([*blow_up, str(folder)]), "<&- >&- 2>&-")
        self.expect(done.returncode, cli.DIVERGED, "exit status with all streams closed")
        for name in ("series", "iterations", "snapshots"):  # and no message among the numbers
            self.expect(cli.contents(folder)[f"{name}.csv"], cli.contents(plain)[f"{name}.csv"],
                        f"{name}.csv of a run with all streams closed")


if __name__ == "__main__":
    cli.unittest.main()
