# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests of the command line share: the program, its results, and how a test says what it
observed and expected."""

from __future__ import annotations

import atexit
import csv
import fcntl
import functools
import itertools
import json
import math
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = str(Path(os.environ.get("ROPELAB") or REPOSITORY / "build/release/ropelab").resolve())
SCENARIOS = sorted(path.stem for path in (REPOSITORY / "scenarios").glob("*.yaml"))
DONE, FAILED, USAGE, DIVERGED, UNSUPPORTED, DIFFERENT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

PARTS = ["kinetic_J", "gravity_J", "elastic_J", "bending_J"]
COLUMNS = ["time_s", *PARTS, "work_J", "dissipated_J", "energy_J", "energy_error_J", "stretch_max",
           "stretch_rms", "length_error_m", "penetration_max_m", "tension_max_N", "momentum_x",
           "momentum_y", "momentum_z", "angular_x", "angular_y", "angular_z", "residual_m",
           "iterations", "row_evals", "error_estimate_m"]
FILES = ["iterations.csv", "run.json", "series.csv", "snapshots.csv", "trajectory.h5",
         "trajectory.xmf"]
BLOW_UP = "penalty,substeps=1,stiffness=1e9"  # far above what explicit steps can bear
FOREVER = ["--duration", "1e6", "--every", "1"]  # until somebody stops it
PATIENCE = 120.0  # [s] for anything that should take a moment: sanitizers are slow

# Whose numbers are the same there, and whose code the contract runs on every scenario.
SANITIZED = "ROPELAB_SANITIZED" in os.environ
release_only = unittest.skipIf(SANITIZED, "minutes long under sanitizers")

NUMBERS = itertools.count(1)
WORK = Path(tempfile.mkdtemp(prefix="ropelab-cli-"))  # of this run of the tests, and gone after it
atexit.register(shutil.rmtree, WORK, ignore_errors=True)


def ropelab(*words: object, **options) -> subprocess.CompletedProcess[str]:
    command = [PROGRAM, *(word if isinstance(word, bytes) else str(word) for word in words)]
    settings = {"cwd": WORK, "capture_output": True, "text": True, "errors": "replace",
                "stdin": subprocess.DEVNULL, "timeout": PATIENCE} | options
    return subprocess.run(command, check=False, **settings)


@functools.cache
def solvers() -> dict[str, dict]:
    return {solver["name"]: solver for solver in json.loads(ropelab("list", "solvers",
                                                                    "--json").stdout)}


@functools.cache
def coverage() -> dict[str, dict[str, str]]:
    """Scenario -> solver -> what the solver lacks ("": it can run it)."""
    listed = json.loads(ropelab("list", "scenarios", "--json").stdout)
    return {scenario["name"]: scenario["missing"] for scenario in listed}


def wait_for_lock(folder: Path) -> None:
    """Until all that wrote into a folder have ended: of a process that was killed its children too,
    the runs of a study, the one that writes a run's lines, and the report."""
    if folder.exists():
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.close(descriptor)


def new_folder() -> Path:
    """The path of a folder that is not there yet."""
    return WORK / f"result-{next(NUMBERS)}"


def new_study(text: str) -> Path:
    """A file of a study that is not there yet, with that text."""
    path = WORK / f"study-{next(NUMBERS)}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


class Table:
    """A CSV file as the contract has it: comment lines, one header line, numbers."""

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        self.complete = text.endswith("\n")
        self.comments = [line for line in lines if line.startswith("#")]
        content = list(csv.reader(line for line in lines if not line.startswith("#")))
        self.header, self.cells = content[0], content[1:]

    def texts(self, name: str) -> list[str]:
        index = self.header.index(name)
        return [row[index] for row in self.cells]

    def numbers(self, name: str) -> list[float]:
        return [float(text) for text in self.texts(name)]

    def rows(self) -> list[dict[str, str]]:
        return [dict(zip(self.header, row)) for row in self.cells]


class Result:
    """What `ropelab run` left in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def manifest(self) -> dict:
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))

    @property
    def hash(self) -> str:
        return self.manifest["state_hash"]

    def table(self, name: str) -> Table:
        return Table(self.folder / f"{name}.csv")

    def parameters(self) -> dict[str, str]:
        """As the user writes them; run.json has numbers and booleans."""
        def written(value: object) -> str:
            if isinstance(value, bool):
                return str(value).lower()
            if not isinstance(value, (int, float)):
                return str(value)
            if value == int(value) and abs(value) < 1e6:
                return str(int(value))
            return next(text for digits in range(1, 18)
                        if float(text := f"{value:.{digits}g}") == value)
        return {entry["name"]: written(entry["value"])
                for entry in self.manifest["solver"]["parameters"]}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def same_number(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def small_disk(size: int) -> dict:
    """No file can grow beyond this size, as after `ulimit -f`."""
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return {"preexec_fn": limit}


class Case(unittest.TestCase):
    maxDiff = 4000

    def expect(self, observed: object, expected: object, what: str) -> None:
        if observed != expected:
            self.fail(f"{what}\nobserved: {observed!r}\nexpected: {expected!r}")

    def expect_true(self, condition: bool, observed: object, expected: str, what: str) -> None:
        if not condition:
            self.fail(f"{what}\nobserved: {observed!r}\nexpected: {expected}")

    def expect_in(self, expected: str, observed: str, what: str) -> None:
        self.expect_true(expected in observed, observed, f"a text that holds {expected!r}", what)

    def expect_exit(self, done: subprocess.CompletedProcess, expected: int) -> None:
        if done.returncode != expected:
            self.fail(f"exit status of {shlex.join(map(str, done.args))[:400]}\n"
                      f"observed: {done.returncode}\nexpected: {expected}\n"
                      f"stdout: {done.stdout[-2000:]}\nstderr: {done.stderr[-4000:]}")

    def refused(self, *words: object, says: tuple[str, ...] = (), status: int = USAGE,
                **options) -> None:
        """The command ends with a message on stderr and nothing on stdout."""
        done = ropelab(*words, **options)
        what = shlex.join(map(str, words))[:400]
        self.expect_exit(done, status)
        self.expect(done.stdout, "", f"stdout of: {what}")
        self.expect_true(done.stderr.strip() != "", done.stderr, "a message", f"stderr of: {what}")
        for text in says:
            self.expect_in(text, done.stderr, f"message of: {what}")

    def quietly(self, *words: object, status: int = DONE, **options) -> None:
        """The command ends without a word but where its report is: nobody watches at a terminal."""
        done = ropelab(*words, **options)
        self.expect_exit(done, status)
        last = (r"run: (.*): \d+ steps?, energy error up to \S+ J(?: at the recorded times)?, \S+ (?:of|times) what the scene holds; "
                r"`ropelab report .*` draws it\n"
                if words[0] == "run" else r"report: .*/report\.html\n")
        reported = done.stdout if re.fullmatch(last, done.stdout, re.DOTALL) else ""
        self.expect((done.stdout, done.stderr), (reported, ""),
                    f"stdout and stderr of: {shlex.join(map(str, words))[:400]}")

    def record(self, scenario: object, solver: str, *words: object) -> Result:
        folder = new_folder()
        self.quietly("run", scenario, "--solver", solver, *words, "--out", folder)
        return Result(folder)

    def record_any(self, scenario: object, solver: str, *words: object) -> Result:
        """A run to its end or until it diverges, which is a result as well and is said."""
        folder = new_folder()
        done = ropelab("run", scenario, "--solver", solver, *words, "--out", folder)
        diverged = done.returncode == DIVERGED
        self.expect_true(diverged or done.returncode == DONE, done.returncode,
                         f"{DONE} or {DIVERGED}", f"exit status of {solver} on {scenario}")
        self.expect("diverged" in done.stderr, diverged, f"stderr says so: {done.stderr!r}")
        return Result(folder)

    def open(self, result: Result) -> h5py.File:
        file = h5py.File(result.folder / "trajectory.h5")
        self.addCleanup(file.close)
        return file
