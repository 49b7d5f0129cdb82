# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line from outside: exit statuses, messages, and every file that a run leaves.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests/cli/test_cli.py
"""

from __future__ import annotations

import base64
import csv
import fcntl
import functools
import html
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
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py
import numpy

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = str(Path(os.environ.get("ROPELAB") or REPOSITORY / "build/release/ropelab").resolve())
SCENARIOS = sorted(path.stem for path in (REPOSITORY / "scenarios").glob("*.yaml"))
COMMANDS = ("list", "check", "run", "compare", "converge", "study", "onestep", "consistency",
            "precision", "report", "export", "diff", "reproduce")
DONE, FAILED, USAGE, DIVERGED, UNSUPPORTED, DIFFERENT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

COVERAGE = (r"build/release/ropelab list --coverage | sed -i -e '/^<!-- coverage/r /dev/stdin' "
            r"-e '/^<!-- coverage/,/^<!-- .coverage/{//!d}' scenarios/README.md")

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
release_only = unittest.skipIf("ROPELAB_SANITIZED" in os.environ, "minutes long under sanitizers")

NUMBERS = itertools.count(1)
WORK = Path()  # the temporary folder of this run of the tests


def setUpModule() -> None:
    global WORK
    WORK = Path(tempfile.mkdtemp(prefix="ropelab-cli-"))


def tearDownModule() -> None:
    shutil.rmtree(WORK, ignore_errors=True)


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
        last = (r"run: (.*): \d+ steps, energy error up to \S+ J; `ropelab report .*` draws it\n"
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


class Help(Case):
    def test_every_command_has_help_with_an_example(self) -> None:
        for command in COMMANDS:
            done = ropelab(command, "--help")
            self.expect_exit(done, DONE)
            self.expect(done.stderr, "", f"stderr of {command} --help")
            self.expect_in("Usage: ropelab " + command, done.stdout, f"{command} --help")
            examples = done.stdout.partition("Example")[2]
            self.expect_in("\n  ropelab " + command, examples, f"examples of {command} --help")

    def test_help_of_the_program(self) -> None:
        done = ropelab("--help")
        self.expect_exit(done, DONE)
        for text in (*COMMANDS, "Example: ropelab ", "Exit status: 0 ", "130 interrupted"):
            self.expect_in(text, done.stdout, "ropelab --help")

    def test_no_command(self) -> None:
        self.refused(says=("Usage: ropelab COMMAND",))

    def test_version(self) -> None:
        done = ropelab("--version")
        self.expect_exit(done, DONE)
        self.expect_true(re.fullmatch(r"ropelab \d+\.\d+\.\d+ \(\S+\)\n", done.stdout) is not None,
                         done.stdout, "ropelab X.Y.Z (COMMIT)", "ropelab --version")

    def test_output_that_cannot_be_written(self) -> None:
        with open("/dev/full", "w", encoding="utf-8") as full:
            for words in (["list"], ["check", "atwood", "--json"], ["--version"]):
                done = ropelab(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
                self.expect(done.returncode, FAILED, f"exit status of {words} > /dev/full")
                self.expect_in("No space left", done.stderr, f"message of {words} > /dev/full")


class Lists(Case):
    KEYS = {"solvers": {"name", "family", "summary", "citation", "capabilities", "parameters"},
            "scenarios": {"name", "title", "about", "missing"},
            "studies": {"name", "title", "about", "kind"},
            "metrics": {"name", "summary"},
            "exact": {"name", "summary", "arguments", "invariant"},
            "papers": {"name", "summary"}}

    def read(self, *words: str):
        done = ropelab("list", *words, "--json")
        self.expect_exit(done, DONE)
        self.expect(done.stderr, "", f"stderr of list {words}")
        return json.loads(done.stdout)

    def test_every_list_has_its_shape(self) -> None:
        everything = self.read()
        self.expect(list(everything), list(self.KEYS), "keys of list --json")
        for name, keys in self.KEYS.items():
            entries = self.read(name)
            self.expect(entries, everything[name], f"list {name} --json beside list --json")
            for entry in entries:
                self.expect_true(keys <= set(entry), sorted(entry), f"at least {sorted(keys)}",
                                 f"keys of an entry of list {name}")
            names = [entry["name"] for entry in entries]
            self.expect(len(set(names)), len(names), f"different names in list {name}")
            self.expect_exit(ropelab("list", name), DONE)

    def test_solvers_say_their_parameters(self) -> None:
        for name, solver in solvers().items():
            self.expect_true(len(solver["capabilities"]) > 0, solver["capabilities"],
                             "at least one", f"capabilities of {name}")
            for parameter in solver["parameters"]:
                what = f"parameter {parameter['name']} of {name}"
                self.expect_true({"kind", "unit", "default", "help"} <= set(parameter),
                                 sorted(parameter), "kind, unit, default and help", what)
                if parameter["kind"] in ("real", "integer"):
                    self.expect_true(
                        parameter["min"] <= float(parameter["default"]) <= parameter["max"],
                        parameter, "a default in its range", what)
                if parameter["kind"] == "choice":
                    self.expect_true(parameter["default"] in parameter["choices"].split("|"),
                                     parameter, "a default among the choices", what)

    def test_scenarios_are_the_shipped_files(self) -> None:
        self.expect(sorted(coverage()), SCENARIOS, "names in list scenarios --json")
        for name, missing in coverage().items():
            self.expect(set(missing), set(solvers()), f"solvers known to scenario {name}")

    def test_metrics_are_the_columns(self) -> None:
        listed = [metric["name"] for metric in self.read("metrics")]
        self.expect(listed[:len(COLUMNS)], COLUMNS, "names in list metrics")
        series = self.record("atwood", "pbd", "--duration", "0.1", "--step", "0.01").table("series")
        self.expect(series.header[:len(listed)], listed, "first columns of series.csv")

    def test_coverage_is_a_table(self) -> None:
        done = ropelab("list", "--coverage")
        self.expect_exit(done, DONE)
        table, lacks, limits = (part.strip() for part in re.split(r"\n\nA solver that .*:\n",
                                                                 done.stdout))
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in table.splitlines()]
        self.expect(rows[0], ["scenario", *solvers()], "heads of list --coverage")
        cell_of = {reason: f"{word} ({number})"
                   for word, below in (("no", lacks), ("diverges", limits))
                   for number, reason in (line.split(". ", 1) for line in below.splitlines())}
        diverging = {scenario["name"]: scenario["diverges"] for scenario in self.read("scenarios")}
        for scenario, *cells in rows[2:]:
            expected = [cell_of[lack or diverging[scenario][solver]]
                        if lack or solver in diverging[scenario] else "yes"
                        for solver, lack in coverage()[scenario].items()]
            self.expect([re.sub(r", not at 1/\d+ s$", "", cell) for cell in cells], expected,
                        f"row {scenario} of list --coverage")
        self.expect([row[0] for row in rows[2:]], SCENARIOS, "rows of list --coverage")

    def test_readme_of_scenarios_shows_the_coverage(self) -> None:
        readme = (REPOSITORY / "scenarios/README.md").read_text(encoding="utf-8")
        shown = readme.partition("<!-- coverage -->\n")[2].partition("<!-- /coverage -->")[0]
        rows = itertools.zip_longest(shown.splitlines(), ropelab("list", "--coverage").stdout.splitlines())
        for row, expected in rows:
            self.expect(row, expected, f"a row of scenarios/README.md; to write them: {COVERAGE}")

    def test_unknown_list(self) -> None:
        self.refused("list", "solver", says=("did you mean 'solvers'?",))


class Mistakes(Case):
    """Bad usage is refused with what was found, what was expected, and the nearest valid word."""

    def test_commands(self) -> None:
        self.refused("runn", says=("'runn'", "did you mean 'run'?"))
        self.refused("--verison", says=("did you mean '--version'?",))
        self.refused("", says=("unknown command ''", "expected one of list, check, run"))

    def test_options(self) -> None:
        self.refused("run", "atwood", "--sovler", "pbd", says=("did you mean '--solver'?",))
        self.refused("run", "atwood", "--qqqq", says=("'--qqqq'", "ropelab run --help"))
        self.refused("check", "atwood", "--force", says=("'--force'",))
        self.refused("run", "atwood", "--over", "step",
                     says=("unknown option '--over'; it belongs to: converge",))
        for option in ("--solver", "--set", "--step", "--out"):
            self.refused("run", "atwood", option, says=(f"option '{option}' requires an argument",))

    def test_arguments(self) -> None:
        for command in ("check", "run", "compare", "report"):
            self.refused(command, says=("expected",))
            self.refused(command, "", says=("expected", "''"))
        self.refused("check", "atwood", "pendulum", says=("unexpected 'pendulum'",))
        self.refused("compare", *["atwood"] * 300, says=("unexpected 'atwood'",))

    def test_scenarios(self) -> None:
        self.refused("check", "atwod", says=("'atwod'", "did you mean 'atwood'?"))
        self.refused("run", "atwod", "--solver", "pbd", says=("did you mean 'atwood'?",))
        self.refused("compare", "atwod", says=("did you mean 'atwood'?",))
        twice = ropelab("run", "atwood", "--set", "bodies.heavy.mas=3")
        self.expect(twice.stderr.count("\n"), 1, "lines about a fault where there is no solver either")
        self.refused("check", "x" * 6000, says=("no scenario",))
        self.refused("check", "/dev/null", says=("/dev/null",))

    def test_a_folder_called_like_a_scenario_is_in_nobodys_way(self) -> None:
        place = new_folder()
        (place / "atwood").mkdir(parents=True)
        self.expect_exit(ropelab("check", "atwood", cwd=place), DONE)

    def test_scenario_files(self) -> None:
        path = REPOSITORY / "tests/corpus/unknown-key.yaml"
        line = path.read_text(encoding="utf-8").splitlines()[4]
        caret = " " * line.index("mas:") + "^"
        self.refused("check", path, says=(f"{path}:5:{line.index('mas:') + 1}: error: ",
                                          "did you mean 'mass'?", f"\n{line}\n{caret}\n"))

    def test_solvers(self) -> None:
        run = ("run", "atwood", "--out", new_folder(), "--solver")
        for spec, *says in (("pdb", "did you mean 'pbd'?"),
                            ("", "unknown solver ''", "pbd"),
                            ("pbd,iteration=4", "no parameter 'iteration'", "'iterations'?"),
                            ("pbd,iterations", "expected name=value"),
                            ("pbd,", "expected name=value"),
                            ("pbd,iterations=0", "iterations", "from 1 to"),
                            ("pbd,iterations=2.5", "a whole number"),
                            ("pbd,iterations=nan", "'nan'"),
                            ("pbd,iterations=", "'iterations'"),
                            ("pbd,iterations=3,iterations=4", "'iterations' is given twice"),
                            ("pbd,omega=2", "'omega'", "to 1.999"),
                            ("pbd,order=bakward", "did you mean 'backward'?"),
                            ("impulse,warm_start=maybe", "expected true or false"),
                            ("a/b=pbd", "'a/b' is not a label"),
                            ("..=pbd", "is not a label"),
                            ("=pbd", "is not a label"),
                            ("x" * 300 + "=pbd", "is not a label"),
                            ("pbd," + "x" * 300, "too long")):
            self.refused(*run, spec, says=tuple(says))
        self.refused(*run[:-1], says=("expected one --solver, found 0",))
        self.refused(*run, "pbd", "--solver", "impulse", says=("expected one --solver, found 2",))

    def test_seconds(self) -> None:
        for option in ("--step", "--duration", "--every", "--frames-every"):
            for text in ("0", "-1", "nan", "inf", "1e999", "1e-999", "garbage", "", "1 s", "0x1"):
                self.refused("run", "atwood", "--solver", "pbd", "--out", new_folder(),
                             f"{option}={text}", says=(option, "seconds above 0"))

    def test_whole_numbers(self) -> None:
        for text in ("0", "-1", "1.5", "", "many", "99999999999999999999"):
            self.refused("run", "atwood", "--solver", "pbd", f"--trace={text}",
                         says=("--trace", "a whole number from 1"))
            self.refused("compare", "atwood", f"--jobs={text}", says=("--jobs",))

    def test_more_steps_than_can_be_counted(self) -> None:
        times = ("--duration", "1e300", "--step", "1e-300", "--out", new_folder())
        self.refused("run", "atwood", "--solver", "pbd", *times, says=("steps", "at most"))
        self.refused("compare", "atwood", *times, says=("steps", "at most"))

    def test_settings(self) -> None:
        for setting, *says in (("bodies.heavi.mass=3", "did you mean 'heavy'?"),
                               ("bodies.heavy.mas=3", "did you mean 'mass'?"),
                               ("bodies.heavy.mass=-1", "greater than 0"),
                               ("bodies.heavy.mass=", "empty"),
                               ("bodies.heavy.position.7=1", "index"),
                               ("gravity.y=1", "three numbers"),
                               ("duration.x=1", "'duration' is neither a map nor a list"),
                               ("step=nan", "step"),
                               ("bodies..mass=1", "keys joined by dots"),
                               ("bodies.heavy.mass=[1", "YAML"),
                               ("nothing", "expected PATH=VALUE"),
                               ("=3", "expected PATH=VALUE"),
                               ("", "expected PATH=VALUE")):
            for command in (["check", "atwood"], ["run", "atwood", "--solver", "pbd"]):
                self.refused(*command, "--set", setting, says=(setting, *says))

    def test_probes(self) -> None:
        for probe, *says in (("heavi.y", "did you mean 'heavy'?"),
                             ("line.tensoin", "did you mean 'tension'?"),
                             ("heavy.why", "expected one of"),
                             ("line.tension.seven", "expected from, to, before, after or the number"),
                             ("line.tension.1.x", "nothing can follow '1'"),
                             ("line.tension.7", "element 7: expected 0 to 1, or -1"),
                             ("line.node.2.y", "node 2: expected 0 to 1, or -1"),
                             ("heavy", "heavy"),
                             ("", "''")):
            self.refused("check", "atwood", "--probe", probe, says=tuple(says))

    def test_odd_words_never_break_it(self) -> None:
        words = ["-", "=", ",", ".", "/", "%s%n", "..", "x" * 5000, b"\xff\xfe", "\n", "[", "~"]
        for option in ("--solver", "--set", "--probe", "--every", "--jobs", "--trace"):
            for word in words:
                value = os.fsencode(option + "=") + os.fsencode(word)
                command = "compare" if option == "--jobs" else "run"
                self.refused(command, "atwood", "--solver", "pbd", "--out", new_folder(), value)

    def test_more_solvers_than_there_is_room(self) -> None:
        specs = [word for i in range(300) for word in ("--solver", f"s{i}=pbd")]
        self.refused("compare", "atwood", *specs, says=("more than", "--solver"))


class Checks(Case):
    def test_says_who_can_run_it(self) -> None:
        done = ropelab("check", "elastic-cord")
        self.expect_exit(done, DONE)
        lines = {line.split()[0]: line for line in done.stdout.splitlines()[2:]}
        for solver, lack in coverage()["elastic-cord"].items():
            self.expect_in(f"unsupported: {lack}" if lack else "can run it", lines[solver],
                           f"line of {solver} in check elastic-cord")

    def test_counts_and_titles(self) -> None:
        done = ropelab("check", REPOSITORY / "tests/corpus/good-pendulum.yaml", "--set", "name=bob")
        self.expect(done.stdout.splitlines()[:2],
                    ["bob", "  1 body, 1 rope with 1 element, 2 probes"],
                    "first lines of a scenario without a title")
        done = ropelab("check", "double-atwood")
        self.expect_in("4 bodies, 2 ropes with 2 elements", done.stdout, "check double-atwood")
        self.expect_true(done.stdout.startswith("double-atwood: "), done.stdout, "its title",
                         "check double-atwood")

    def test_reads_what_it_is_given(self) -> None:
        text = (REPOSITORY / "scenarios/atwood.yaml").read_text(encoding="utf-8")
        done = ropelab("check", "/dev/stdin", stdin=None, input=text)
        self.expect_exit(done, DONE)
        self.expect_in("atwood", done.stdout, "check /dev/stdin")

    def test_resolved_scenario_holds_defaults_and_settings(self) -> None:
        done = ropelab("check", "atwood", "--json", "--set", "bodies.heavy.mass=2.385", "--set",
                       "gravity=[0, -1.62, 0]", "--probe", "heavy.speed")
        self.expect_exit(done, DONE)
        resolved = json.loads(done.stdout)
        self.expect(resolved["bodies"]["heavy"]["mass"], 2.385, "mass of heavy")
        self.expect(resolved["bodies"]["heavy"]["motion"], "free", "default motion of heavy")
        self.expect(resolved["gravity"], [0, -1.62, 0], "gravity")
        self.expect(resolved["probes"][-1], "heavy.speed", "last probe")

    def test_resolved_scenario_is_the_same_scenario(self) -> None:
        """The same text, whatever the scenario has, and from it the same bits."""
        for i, (scenario, missing) in enumerate(coverage().items()):
            done = ropelab("check", scenario, "--json")
            self.expect_exit(done, DONE)
            path = WORK / f"resolved-{scenario}.yaml"
            path.write_text(done.stdout, encoding="utf-8")
            again = ropelab("check", path, "--json")
            self.expect(again.stdout, done.stdout, f"check --json of the JSON of {scenario}")
            if i % 3:
                continue  # all numbers stand in the text, to the bit
            solver = next(name for name, lack in missing.items() if not lack)
            results = [self.record_any(source, solver, "--duration", "0.0125", "--step", "0.00625")
                       for source in (scenario, path)]
            self.expect(results[1].hash, results[0].hash,
                        f"state_hash of {solver} on {scenario}, from its JSON and its YAML")


class Runs(Case):
    def test_folder_holds_the_whole_result(self) -> None:
        result = self.record("pendulum", "pbd", "--duration", "0.5")
        names = sorted(contents(result.folder))
        self.expect_true(set(FILES) <= set(names), names, f"at least {FILES}", "files of a run")
        self.expect([name for name in names if name.endswith(".new")], [], "unfinished files")

    def test_default_folder(self) -> None:
        place = new_folder()
        place.mkdir()
        self.quietly("run", "atwood", "--solver", "pbd", "--duration", "0.1", "--step", "0.01",
                     cwd=place)
        self.expect(Result(place / "out/run-atwood").manifest["status"], "done", "status")

    def test_manifest(self) -> None:
        result = self.record("heavy-load", "fast=pbd,iterations=7,omega=1.25", "--duration", "0.1",
                             "--step", "0.0025", "--set", "bodies.load.mass=2.385",
                             "--probe", "load.speed")
        m = result.manifest
        keys = {"format", "scenario", "scenario_file", "solver", "step_s", "steps", "duration_s",
                "version", "commit", "compiler", "flags", "host", "seed", "command", "started",
                "status", "reason", "summary", "seconds", "state_hash"}
        self.expect_true(keys <= set(m), sorted(m), f"at least {sorted(keys)}", "keys of run.json")
        observed = {key: m[key] for key in ("format", "step_s", "steps", "duration_s", "status")}
        self.expect(observed, {"format": 1, "step_s": 0.1 / 40, "steps": 40, "duration_s": 0.1,
                               "status": "done"}, "facts in run.json")
        self.expect(m["scenario"]["bodies"]["load"]["mass"], 2.385, "mass in run.json")
        self.expect(m["scenario"]["probes"][-1], "load.speed", "last probe in run.json")
        self.expect((m["solver"]["label"], m["solver"]["name"], m["solver"]["family"]),
                    ("fast", "pbd", "PBD"), "solver in run.json")
        expected = {p["name"]: p["default"] for p in solvers()["pbd"]["parameters"]}
        self.expect(result.parameters(), expected | {"iterations": "7", "omega": "1.25"},
                    "parameters in run.json")
        self.expect_true(all({"unit", "default", "help"} <= set(p)
                             for p in m["solver"]["parameters"]), m["solver"]["parameters"],
                         "unit, default and help of every parameter", "parameters in run.json")
        self.expect_true(re.fullmatch("[0-9a-f]{16}", m["state_hash"]) is not None,
                         m["state_hash"], "16 hexadecimal digits", "state_hash")
        self.expect_true(m["seconds"] >= 0.0, m["seconds"], "at least 0", "seconds")
        self.expect((m["summary"]["steps_done"], m["summary"]["iterations"]), (40, 280),
                    "steps and iterations in the summary")

    def test_summary_is_that_of_the_series(self) -> None:
        result = self.record("pendulum", "pbd,iterations=3", "--duration", "0.7", "--step", "0.005")
        summary, series = result.manifest["summary"], result.table("series")
        for key, expected in (
                ("energy_error_J", series.numbers("energy_error_J")[-1]),
                ("energy_error_max_J", max(map(abs, series.numbers("energy_error_J")))),
                ("stretch_max", max(series.numbers("stretch_max"))),
                ("stretch_end", series.numbers("stretch_max")[-1]),
                ("tension_max_N", max(series.numbers("tension_max_N")[1:])),
                ("residual_m", series.numbers("residual_m")[-1]),
                ("exact_error_max", max(series.numbers("exact_error")[1:])),
                ("iterations", sum(series.numbers("iterations"))),
                ("row_evals", sum(series.numbers("row_evals")))):
            self.expect(summary[key], expected, f"{key} in the summary, and from series.csv")

    def test_steps_that_did_not_settle(self) -> None:
        def unsettled(solver: str) -> tuple[int, list[str]]:
            m = self.record_any("hanging-chain", solver, "--duration", "0.1", "--step",
                                "0.01").manifest
            return m["summary"]["unsettled"], [n for n in m["notes"] if "did not settle" in n]
        count, notes = unsettled("xpbd,tolerance=1e-12")
        self.expect((count, len(notes)), (10, 1), "unsettled steps of ten, notes of them")
        self.expect_true(notes[0].startswith("10 of 10 steps did not settle to the tolerance of "
                                             "1e-12 m; they left up to "), notes[0],
                         "how many of how many, and to what", "the note")
        for solver in ("convex", "rattle", "pbd"):  # the last has no tolerance to settle to
            self.expect(unsettled(solver), (0, []), f"unsettled steps of {solver}")

    def test_gaps_are_null_in_json_and_nan_in_csv(self) -> None:
        result = self.record("hanging-chain", "pbd", "--duration", "0.1", "--step", "0.01")
        summary = result.manifest["summary"]
        self.expect((summary["momentum_drift"], summary["exact_error_max"]), (None, None),
                    "what a chain on a support has no value for")
        self.expect(result.table("series").texts("residual_m")[0], "nan",
                    "residual before the first step")

    def test_header_is_the_columns_and_the_probes(self) -> None:
        def header(*words: str) -> list[str]:
            return self.record("hanging-chain", "pbd", "--duration", "0.1", "--step", "0.01",
                               *words).table("series").header
        own = json.loads(ropelab("check", "hanging-chain", "--json").stdout)["probes"]
        self.expect(header(), COLUMNS + own, "header of series.csv")
        self.expect(header("--probe", "chain.node.4.vx", "--probe", own[0], "--probe", "chain.sag"),
                    COLUMNS + own + ["chain.node.4.vx", "chain.sag"], "header with more probes")

    def test_numbers_have_full_precision(self) -> None:
        result = self.record("lamp-cable", "xpbd", "--duration", "0.5", "--trace", "7")
        for name, first in (("series", 0), ("iterations", 2), ("snapshots", 4)):
            table = result.table(name)
            self.expect_true(table.complete and len(table.comments) >= 1, table.comments,
                             "a comment and a whole last line", f"{name}.csv")
            for row in table.cells:
                self.expect(len(row), len(table.header), f"cells in a row of {name}.csv")
                for text in row[first:]:
                    value = float(text)
                    expected = "nan" if math.isnan(value) else "%.17g" % value
                    self.expect(text, expected, f"a number in {name}.csv")

    def test_rows(self) -> None:
        """n = max(1, round(duration / step)) equal steps; a row at 0, after --every, at the end."""
        for duration, step, every in ((1.0, 1 / 240, None), (1.0, 0.1, 0.2), (1.0, 0.1, 0.3),
                                      (1.0, 0.1, 5.0), (1.0, 0.1, 0.001), (1.0, 0.1, 1e300),
                                      (0.7, 0.7, None)):
            with self.subTest(duration=duration, step=step, every=every):
                words = ["--every", every] if every else []
                result = self.record("atwood", "pbd", "--duration", duration, "--step", repr(step),
                                     *words)
                n = max(1, math.floor(duration / step + 0.5))
                stride = max(1, math.floor((every or step) / (duration / n) + 0.5))
                expected = [k * (duration / n) for k in range(n + 1) if k % stride == 0 or k == n]
                self.expect(result.table("series").numbers("time_s"), expected, "times of the rows")
                self.expect(result.manifest["steps"], n, "steps in run.json")
                self.expect(result.manifest["summary"]["steps_done"], n, "steps done")

    def test_a_step_that_does_not_divide_is_noted(self) -> None:
        for duration, step, n in ((1.0, 0.3, 3), (0.1, 0.4, 1), (1.0, 0.00417, 240)):
            folder = new_folder()
            done = ropelab("run", "atwood", "--solver", "pbd", "--duration", duration, "--step",
                           step, "--out", folder)
            self.expect_exit(done, DONE)
            steps = f"{n} step{'s' * (n != 1)} of"
            self.expect_true(re.search(rf"note: .*{steps} .* instead of {step}", done.stderr)
                             is not None, done.stderr, f"a note on {n} steps instead of {step} s",
                             f"stderr with --duration {duration} --step {step}")
            self.expect(len(done.stderr.splitlines()), 1, "lines on stderr")
            self.expect(Result(folder).manifest["step_s"], duration / n, "step in run.json")
            self.expect(len(Result(folder).table("series").cells), n + 1, "rows")
        # Within 1e-9 s of what was asked for there is nothing to say; record() checks that.
        self.record("atwood", "pbd", "--duration", "1", "--step", "0.004166667")

    def test_iterations(self) -> None:
        def residuals(solver: str, *words: object) -> list[list[str]]:
            return self.record("heavy-load", solver, "--duration", "0.1", "--step", "0.01",
                               *words).table("iterations").cells
        default = residuals("pbd,iterations=6")
        self.expect([row[:2] for row in default], [["10", str(i)] for i in range(1, 7)],
                    "step and iteration without --trace")
        self.expect_true(all(float(row[2]) >= 0.0 for row in default), default, "numbers from 0 up",
                         "residuals")
        self.expect([row[:2] for row in residuals("pbd,iterations=2", "--trace", 4)],
                    [["4", "1"], ["4", "2"], ["8", "1"], ["8", "2"]], "rows with --trace 4")
        self.expect(residuals("pbd", "--trace", 1000), [], "rows with --trace above the steps")
        self.expect([row[:2] for row in residuals("penalty", "--trace", 5)],
                    [["5", "1"], ["10", "1"]], "rows of an explicit method")

    def test_trace_is_that_of_the_step(self) -> None:
        result = self.record_any("heavy-load", "impulse,tolerance=0.001", "--duration", "0.2",
                                 "--step", "0.01", "--trace", "1")
        rows = result.table("iterations").rows()
        for step, series in enumerate(result.table("series").rows()[1:], start=1):
            trace = [row["residual_m"] for row in rows if row["step"] == str(step)]
            self.expect(len(trace), int(series["iterations"]), f"entries of step {step}")
            self.expect(trace[-1], series["residual_m"], f"last residual of step {step}")

    def test_snapshots(self) -> None:
        result = self.record("atwood", "impulse", "--duration", "0.8", "--step", "0.01")
        table = result.table("snapshots")
        self.expect(table.header, ["time_s", "item", "kind", "index", "x", "y", "z"],
                    "header of snapshots.csv")
        times = sorted(set(table.numbers("time_s")))
        self.expect(times, [k * (0.8 / 80) for k in (0, 20, 40, 60, 80)], "times of the snapshots")
        end = [row for row in table.rows() if float(row["time_s"]) == times[-1]]
        kinds = {(row["item"], row["kind"]) for row in end}
        expected = {("line", "node"), ("line", "eye"), ("heavy", "body"), ("light", "body")}
        exact = {(item, f"exact_{kind}") for item, kind in expected}
        self.expect(kinds, expected | exact, "items of the last snapshot")
        heavy = [row["y"] for row in end if (row["item"], row["kind"]) == ("heavy", "body")]
        self.expect(heavy, result.table("series").texts("heavy.y")[-1:], "y of heavy at the end")

    def test_chain_has_a_snapshot_of_every_node(self) -> None:
        result = self.record("hanging-chain", "pbd", "--duration", "0.1", "--step", "0.01", "--set",
                             "ropes.chain.segments=7")
        indices = [int(row["index"]) for row in result.table("snapshots").rows()]
        self.expect(indices, list(range(8)) * 5, "indices of the nodes")

    def test_long_ropes_have_every_kth_node_the_last_and_the_ends_of_pieces(self) -> None:
        chain = ("hanging-chain", "pbd,iterations=1", "--duration", "0.001", "--step", "0.001", "--set")
        for segments, expected in ((9999, range(10000)), (25001, [*range(0, 25001, 3), 25001])):
            result = self.record(*chain, f"ropes.chain.segments={segments}")
            for time, rows in itertools.groupby(result.table("snapshots").rows(), lambda row: row["time_s"]):
                self.expect([int(row["index"]) for row in rows], list(expected), f"indices at {time}")
        result = self.record_any(*chain, "ropes.chain.segments=25001", "--set",
                             "events=[{at: 0, cut: {rope: chain, segment: 20000}}]")
        rows = result.table("snapshots").rows()
        found = [(int(row["index"]), row["x"] == "nan") for row in rows if row["time_s"] == rows[-1]["time_s"]]
        vertices = {2 * e + k for e in [*range(0, 25001, 3), 25000] for k in (0, 1)} | {39999, 40000}
        self.expect(found, sorted([(i, False) for i in vertices] + [(40000, True)],
                                  key=lambda pair: (pair[0], not pair[1])), "indices, and where it is apart")

    def places(self, result: Result, kind: str) -> dict[float, list[list[float]]]:
        """Time -> positions in order."""
        found: dict[float, list[list[float]]] = {}
        for row in result.table("snapshots").rows():
            if row["kind"] == kind:
                found.setdefault(float(row["time_s"]), []).append([float(row[c]) for c in "xyz"])
        return found

    def test_drawn_rope_passes_through_the_nodes(self) -> None:
        result = self.record("source-cable", "source,subdivision=3", "--duration", "0.2")
        nodes, drawn = self.places(result, "node"), self.places(result, "drawn")
        self.expect(list(drawn), list(nodes), "times of the drawing")
        for time, points in drawn.items():
            self.expect(points[::4], nodes[time], f"every fourth point drawn at {time}")
            self.expect(len(points), 9 * 4 + 1, f"points drawn at {time}")
        self.expect(self.places(self.record("source-cable", "pbd", "--duration", "0.2"), "drawn"),
                    {}, "drawing of a solver that draws its nodes")

    def test_drawn_rope_is_a_substep_late(self) -> None:
        """At the end of a step nothing is left over, and lesson 40 draws the state before it."""
        late = self.record("nehe-rope", "nehe", "--duration", "0.4", "--step", "0.004")
        before = self.record("nehe-rope", "nehe", "--duration", "0.398", "--step", "0.002")
        drawn = list(self.places(late, "drawn").values())[-1]
        nodes = list(self.places(before, "node").values())[-1]
        self.expect_true(max(map(math.dist, drawn, nodes)) < 1e-12, (drawn[-1], nodes[-1]),
                         "the same places", "drawn rope and the nodes of one substep before")
        now = list(self.places(late, "node").values())[-1]
        self.expect_true(math.dist(drawn[-1], now[-1]) > 1e-3, (drawn[-1], now[-1]),
                         "another place", "the last node one substep later")

    def test_settings_change_the_run(self) -> None:
        def run(*words: str) -> Result:
            return self.record("atwood", "impulse", "--duration", "0.5", *words)
        plain, heavier = run(), run("--set", "bodies.heavy.mass=3")
        self.expect_true(plain.hash != heavier.hash, heavier.hash, f"not {plain.hash}", "hash")
        self.expect(run("--set", "bodies.heavy.mass=9", "--set", "bodies.heavy.mass=3").hash,
                    heavier.hash, "hash where the last of two settings counts")
        self.expect(run("--set", "bodies.light.position.1=-6.0").hash, plain.hash,
                    "hash with a setting that changes nothing")
        acceleration = heavier.table("series").numbers("heavy.vy")[-1] / 0.5
        self.expect(round(acceleration, 6), -4.905, "acceleration of 3 kg against 1 kg")

    def test_stored_command_repeats_the_run(self) -> None:
        path = WORK / "it's a \"rope\".yaml"
        shutil.copy(REPOSITORY / "scenarios/lamp-cable.yaml", path)
        result = self.record(path, "pbd,iterations=4", "--duration", "0.3", "--set",
                             "title=an 'odd' $title", "--set", "bodies.lamp.mass=2.385", "--probe",
                             "lamp.vx")
        words = shlex.split(result.manifest["command"])
        self.expect(words[0], "ropelab", "first word of the command")
        before = (result.hash, result.table("series").cells)
        self.quietly(*words[1:], "--force")
        self.expect((result.hash, result.table("series").cells), before,
                    "hash and series of the repeated run")

    def test_any_name_of_a_folder(self) -> None:
        for name in ("späte ‱ Straße", "a 'b' \"c\" $d `e` #%,", "-", "line\nbreak", b"\xff\xfe"):
            folder = os.path.join(os.fsencode(new_folder()), os.fsencode(name))
            words = ("run", "atwood", "--solver", "pbd", "--duration", "0.1", "--step", "0.01")
            self.quietly(*words, "--out", folder)
            with open(os.path.join(folder, b"run.json"), encoding="utf-8") as file:
                command = json.load(file)["command"]
            script = f"ropelab() {{ printf '%s\\0' \"$@\"; }}; {command}"
            shell = subprocess.run(["bash", "-c", script], capture_output=True, check=True,
                                   timeout=PATIENCE)
            self.expect(shell.stdout.split(b"\0")[-2], folder, "last word of the stored command")

    def test_place_of_the_result_does_not_matter(self) -> None:
        hashes = {self.record("drape-sphere", "pbd", "--duration", "0.4").hash for _ in range(2)}
        self.expect(len(hashes), 1, "different hashes of one run made twice")


class Energies(Case):
    """The ledger closes in every row that is written, whatever the solver."""

    @staticmethod
    def rounding(*terms: float) -> float:
        # Up to seven additions, each with half a unit in the last place of at most the sum.
        return 8.0 * 2.0 ** -53 * sum(map(abs, terms))

    def check(self, result: Result, what: str) -> None:
        series = result.table("series")
        columns = {name: series.numbers(name) for name in (*PARTS, "work_J", "dissipated_J",
                                                            "energy_J", "energy_error_J")}
        start = columns["energy_J"][0]
        for i in range(len(series.cells)):
            parts = [columns[name][i] for name in PARTS]
            energy, work = columns["energy_J"][i], columns["work_J"][i]
            lost, error = columns["dissipated_J"][i], columns["energy_error_J"][i]
            if not math.isfinite(energy):
                self.expect((result.manifest["status"], i + 1), ("diverged", len(series.cells)),
                            f"energy {energy} in row {i}, {what}: status and number of rows")
                break
            self.expect_true(abs(energy - sum(parts)) <= self.rounding(*parts), energy,
                             f"{sum(parts)!r}, the sum of {parts}", f"energy_J, {what}, row {i}")
            expected = energy - start - work + lost
            self.expect_true(abs(error - expected) <= self.rounding(energy, start, work, lost),
                             error, f"{expected!r}", f"energy_error_J, {what}, row {i}")

    # Every cell runs in the contract's test; of what is written an eighth of them is enough, so
    # chosen that every solver and every scenario has its share.
    def test_solvers_and_scenarios(self) -> None:
        for i, (scenario, missing) in enumerate(coverage().items()):
            for solver, lack in list(missing.items())[i % 8::8]:
                words = ("--duration", "0.2", "--step", "0.00625")
                if lack:
                    self.refused("run", scenario, "--solver", solver, *words, "--out", new_folder(),
                                 status=UNSUPPORTED, says=(solver, scenario, lack))
                else:
                    self.check(self.record_any(scenario, solver, *words), f"{solver} on {scenario}")

    @release_only
    def test_substeps_do_not_feed_a_draped_rope(self) -> None:
        # Nothing but gravity acts: no energy above that at the start (to 1 %: springs near their limit
        # swing), and no matter whether a moment is a hundredth of a step or a step.
        for scenario in ("drape-hull", "drape-sphere"):
            for solver in ("xpbd,substeps=100", "penalty,substeps=100"):
                energies = self.record(scenario, solver, "--duration", "0.5").table("series").numbers("energy_J")
                most = 1.01 * energies[0]
                self.expect_true(max(energies) <= most, max(energies), f"at most {most!r}",
                                 f"energy_J, {solver}, {scenario}")
        words = ("--duration", "0.5", "--step")
        many = self.record("drape-hull", "xpbd,substeps=100", *words, "0.005")
        single = self.record("drape-hull", "xpbd,substeps=1", *words, "0.00005")
        many, single = (run.table("series").numbers("energy_J")[-1] for run in (many, single))
        self.expect_true(abs(many - single) <= 1e-9 * abs(single), many, repr(single),
                         "energy_J of 100 substeps and of 100 steps")

    def test_long_run(self) -> None:
        self.check(self.record("lamp-cable", "xpbd", "--every", "0.1"), "xpbd on lamp-cable")


class ClosedForms(Case):
    # A third of g accelerates the weights; the light one hangs 6 m below the eye. All but
    # `contraption` stop there.
    ARRIVAL = math.sqrt(2.0 * 6.0 / (9.81 / 3.0))

    def test_until_the_light_weight_arrives(self) -> None:
        series = self.record("atwood", "contraption", "--duration", "3").table("series")
        probes = [name.removesuffix(".exact") for name in series.header if name.endswith(".exact")]
        self.expect(probes, ["heavy.y", "heavy.vy", "light.vy", "line.tension"],
                    "probes with a closed form")
        for row in series.rows():
            t = float(row["time_s"])
            known = t < self.ARRIVAL
            errors = []
            for probe in probes:
                value, exact, error = (float(row[probe + suffix])
                                       for suffix in ("", ".exact", ".error"))
                self.expect(not math.isnan(exact), known, f"{probe}.exact is known at {t} s")
                self.expect_true(same_number(error, value - exact), error, repr(value - exact),
                                 f"{probe}.error at {t} s")
                errors.append(abs(error))
            self.expect_true(same_number(float(row["exact_error"]), errors[0]), row["exact_error"],
                             repr(errors[0]), f"exact_error at {t} s: of the one place, heavy.y")

    def test_a_jump_of_a_force_is_no_error_of_the_run(self) -> None:
        """The pull jumps by 0.5 N each time the rope comes to lie on a face, in this step or the
        next; the puck is where it should be to a thousandth of that."""
        result = self.record("winding-polygon", "pbd-direct", "--duration", "0.6")
        series = result.table("series")
        pulls = max(map(abs, series.numbers("line.tension.error")[1:]))
        places = max(abs(x) for name in ("puck.x", "puck.y")
                     for x in series.numbers(f"{name}.error")[1:])
        self.expect_true(pulls > 0.3, pulls, "above 0.3 N", "error of the pull at a jump")
        self.expect(result.manifest["summary"]["exact_error_max"], places,
                    "the error in the summary: that of the places")

    def test_a_form_of_rest_is_compared_at_the_end(self) -> None:
        """Of a rod that starts straight, 5 cm from where it comes to rest."""
        result = self.record("cantilever", "xpbd", "--every", "0.05", "--step", "0.005")
        errors = result.table("series").numbers("exact_error")
        self.expect_true(errors[0] > 0.04 and errors[-1] < 0.001, errors, "from 0.05 m to the "
                         "error of eight elements, 0.0008 m", "distance from the form of rest")
        self.expect(result.manifest["summary"]["exact_error_max"], errors[-1], "in the summary")
        still = self.record("elastica", "pbd", "--duration", "0.05")  # starts in its form
        self.expect(still.manifest["summary"]["exact_error_max"],
                    max(still.table("series").numbers("exact_error")[1:]), "from the start")

    def test_nothing_is_known_behind_a_wave(self) -> None:
        result = self.record("hanging-pulse", "rattle", "--duration", "0.4", "--every", "0.02")
        # At the last node that can move, an element below the top.
        arrives = 2.0 * (math.sqrt(0.975) - math.sqrt(0.225)) / math.sqrt(9.81)
        for row in result.table("series").rows():
            t = float(row["time_s"])
            for name in ("exact_error", "wave-front.invariant"):
                self.expect(not math.isnan(float(row[name])), t < arrives,
                            f"{name} is known at {t} s, and the wave arrives at {arrives} s")

    def test_exact_values(self) -> None:
        for row in self.record("atwood", "pbd", "--every", "0.25").table("series").rows():
            t = float(row["time_s"])
            self.assertAlmostEqual(float(row["heavy.y.exact"]), -4.0 - 9.81 / 6.0 * t * t, 12)
            self.assertAlmostEqual(float(row["line.tension.exact"]), 4.0 / 3.0 * 9.81, 12)

    def test_tensions_are_compared_over_the_step(self) -> None:
        """Both are means over the step, so a method of order 2 shows order 2 (in the swing's
        tension at the end of a step, every method would be of order 1)."""
        errors = [max(map(abs, self.record("pendulum", "rattle", "--duration", "1", "--every",
                                           "0.02", "--step", str(step))
                          .table("series").numbers("line.tension.error")[1:]))
                  for step in (0.01, 0.005)]
        self.assertAlmostEqual(errors[0] / errors[1], 4.0, delta=0.05)

    def test_a_closed_form_that_does_not_hold_is_refused(self) -> None:
        self.refused("check", "atwood", "--set", "bodies.heavy.position=[1, -4, 0]",
                     says=("exact: atwood:", "plumb"))

    def test_what_was_found_is_said(self) -> None:
        """Of each form a scenario that it does not describe: what it expects, and what is there."""
        for scenario, form, found in (
                ("hanging-chain", "pendulum: {rope: chain}", "segments with mass"),
                ("free-rope", "catenary: {rope: rope}", "no gravity, a `from` that is not fixed"),
                ("atwood", "catch: {rope: line}", "a bend"),
                ("atwood", "swinging-atwood: {rope: line}", "here it is 2 times"),
                ("pendulum", "atwood: {rope: line}", "no bend"),
                ("hanging-chain", "spinning-loop: {rope: chain}", "a rope with two ends, gravity"),
                ("hanging-chain", "spring-modes: {rope: chain}", "no stiffness"),
                ("hanging-chain", "troposkein: {rope: chain}", "gravity, a `to` that is not fixed"),
                ("interrupted-pendulum", "winding: {rope: line, post: peg}", "gravity"),
                ("winding-post", "interrupted-pendulum: {rope: line, peg: post}", "no gravity")):
            self.refused("check", scenario, "--set", f"exact={{{form}}}",
                         says=(f"error: --set exact={{{form}}}: exact: {form.partition(':')[0]}: ",
                               found))


class Endings(Case):
    """However a run ends, its files say so and can be read."""

    def test_diverged(self) -> None:
        folder = new_folder()
        self.refused("run", "hanging-chain", "--solver", BLOW_UP, "--out", folder, status=DIVERGED,
                     says=("diverged",))
        result = Result(folder)
        self.expect(result.manifest["status"], "diverged", "status in run.json")
        self.expect_in(f"step {result.manifest['summary']['steps_done']}",
                       result.manifest["reason"], "reason in run.json")
        times = result.table("series").numbers("time_s")
        done = result.manifest["summary"]["steps_done"]
        self.expect(len(times), done + 1, "rows up to the divergence")
        self.expect(result.table("snapshots").numbers("time_s")[-1], times[-1],
                    "time of the last snapshot")

    def test_diverged_to_nan_has_no_errors_of_zero(self) -> None:
        folder = new_folder()
        self.refused("run", "atwood", "--solver", "pbd", "--step", "1e300", "--duration", "1e300",
                     "--out", folder, status=DIVERGED)
        row = Result(folder).table("series").rows()[-1]
        for name in ("heavy.y", "energy_J", "stretch_max", "exact_error"):
            self.expect(row[name], "nan", f"{name} of a state that is not finite")
        summary = Result(folder).manifest["summary"]
        for name in ("energy_error_max_J", "stretch_max", "exact_error_max"):
            self.expect(summary[name], None, f"{name} in run.json")
        self.expect(set(Result(folder).table("snapshots").numbers("time_s")), {0.0},
                    "times of the snapshots: not that of a state that is not finite")

    def test_unsupported(self) -> None:
        folder = new_folder()
        lack = coverage()["elastic-cord"]["pbd"]
        self.refused("run", "elastic-cord", "--solver", "pbd", "--out", folder, status=UNSUPPORTED,
                     says=("pbd", "elastic-cord", lack))
        self.expect(list(contents(folder)), ["run.json"], "files of an unsupported run")
        manifest = Result(folder).manifest
        self.expect(manifest["status"], "unsupported", "status in run.json")
        self.expect_in(lack, manifest["reason"], "reason in run.json")

    def start(self, *words: object) -> subprocess.Popen:
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=WORK, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for_rows(self, paths: list[Path], rows: int = 5) -> None:
        end = time.monotonic() + PATIENCE
        while not all(path.exists() and path.read_bytes().count(b"\n") > rows for path in paths):
            self.expect_true(time.monotonic() < end, [str(path) for path in paths],
                             "some rows in every one of them", "files of a run that goes on")
            time.sleep(0.002)

    def test_interrupted(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            folder = new_folder()
            process = self.start("run", "hanging-chain", "--solver", "penalty", *FOREVER, "--out",
                                 folder)
            self.wait_for_rows([folder / "series.csv"])
            self.expect(Result(folder).manifest["status"], "running", "status while it runs")
            process.send_signal(number)
            output = process.communicate(timeout=PATIENCE)
            self.expect((process.returncode, output), (INTERRUPTED, ("", "")),
                        f"exit status, stdout and stderr after {number.name}")
            result = Result(folder)
            self.expect(result.manifest["status"], "interrupted", "status in run.json")
            for name in ("series", "iterations", "snapshots"):
                table = result.table(name)
                self.expect_true(table.complete and all(len(row) == len(table.header)
                                                        for row in table.cells),
                                 table.cells[-1:], "whole lines", f"{name}.csv")
            manifest = result.manifest
            for name in ("series", "snapshots"):
                self.expect(result.table(name).numbers("time_s")[-1],
                            manifest["summary"]["steps_done"] * manifest["step_s"],
                            f"time of the last row of {name}.csv")

    def test_killed(self) -> None:
        """A trajectory holds what was flushed, and an export makes up for what is missing."""
        folder = new_folder()
        process = self.start("run", "rope-on-floor", "--solver", "pbd", *FOREVER[:2],
                             "--frames-every", "1e-9", "--out", folder)
        self.wait_for_rows([folder / "series.csv"], 200)
        process.kill()
        process.communicate(timeout=PATIENCE)
        wait_for_lock(folder)
        rows = len(Result(folder).table("series").numbers("time_s"))
        with h5py.File(folder / "trajectory.h5") as file:
            frames = int(file.attrs["frames"])
            times = file["time_s"][:frames].tolist()
            self.expect(Result(folder).table("series").numbers("time_s")[:frames], times,
                        "times of the frames and of as many rows")
            self.expect_true(rows - 100 <= len(times) <= rows and len(times) % 64 == 0, len(times),
                             f"a multiple of 64 a little below {rows}", "frames")
            points = file["ropes/points_m"][:frames]
            self.expect_true(len(points) == frames and bool((points[-1] != 0.0).any()), points[-1:],
                             "points", "the last frame that was flushed")
            contacts = int(file["contacts/first"][frames - 1] + file["contacts/count"][frames - 1])
            self.expect_true(0 < contacts <= file["contacts/rope"].shape[0], contacts,
                             "as many as are listed", "contacts")
        self.expect((folder / "trajectory.xmf").exists(), False, "a description at the end only")
        self.quietly("export", folder, "--to", "xdmf")
        self.quietly("export", folder, "--to", "csv")
        self.expect(sorted(set(Table(folder / "trajectory.csv").numbers("time_s"))), times,
                    "times of the export")

    def test_interrupted_comparison(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            folder = new_folder()
            process = self.start("compare", "hanging-chain", "heavy-load", "--solver", "a=pbd",
                                 "--solver", "b=impulse", *FOREVER, "--jobs", "2", "--out", folder)
            self.wait_for_rows([folder / "hanging-chain" / label / "series.csv" for label in "ab"])
            process.send_signal(number)
            output = process.communicate(timeout=PATIENCE)
            self.expect((process.returncode, output), (INTERRUPTED, ("", "")),
                        f"exit status, stdout and stderr after {number.name}")
            rows = Table(folder / "summary.csv").rows()
            self.expect([(row["scenario"], row["label"], row["status"]) for row in rows],
                        [(scenario, label, "interrupted")
                         for scenario in ("hanging-chain", "heavy-load") for label in "ab"],
                        "rows of summary.csv")
            self.expect(Result(folder / "hanging-chain/a").manifest["status"], "interrupted",
                        "status of a run")

    def test_disk_full(self) -> None:
        for size, files in ((30000, FILES[:-1]), (500, [])):
            folder = new_folder()
            self.refused("run", "hanging-chain", "--solver", "pbd", "--trace", "1", *FOREVER[:2],
                         "--out", folder,
                         status=FAILED, says=("cannot", "File too large"), **small_disk(size))
            self.expect(list(contents(folder)), files, f"files of at most {size} bytes")
            if files:
                self.expect(Result(folder).manifest["status"], "failed", "status in run.json")
                texts = [contents(folder)[f"{name}.csv"] for name in ("series", "iterations")]
                self.expect_true(max(map(len, texts)) > size - 100, list(map(len, texts)),
                                 f"almost {size}", "bytes of the longest table")
                self.expect([text[-1:] for text in texts], [b"\n", b"\n"], "ends of tables")

    def test_disk_full_at_the_end(self) -> None:
        """No room for run.json beside the one that says that the run goes on."""
        run = ("run", "atwood", "--solver", "pbd", "--duration", "0.01", "--step", "0.005", "--set",
               f"about={'long ' * 20000}", "--out")  # run.json is the largest file
        folder = new_folder()
        self.quietly(*run, folder)
        whole = Result(folder).manifest
        size = (folder / "run.json").stat().st_size
        self.quietly(*run, folder, "--force", **small_disk(size - 100))
        self.expect(Result(folder).manifest["summary"], whole["summary"], "summary in run.json")
        self.expect(sorted(contents(folder)), FILES, "files of the run")

    def test_disk_full_in_a_comparison(self) -> None:
        folder = new_folder()
        self.refused("compare", "atwood", "--solver", "pbd", "--out", folder, status=FAILED,
                     says=("cannot write summary.csv", "File too large"), **small_disk(200))
        self.expect(list(contents(folder)), [], "files of the comparison")


class Folders(Case):
    RUN = ("run", "atwood", "--solver", "pbd", "--duration", "0.1", "--step", "0.01", "--out")

    def test_a_result_is_not_overwritten(self) -> None:
        folder = new_folder()
        self.quietly(*self.RUN, folder)
        before, first = contents(folder), Result(folder).hash
        self.refused(*self.RUN, folder, says=(str(folder), "--force"))
        self.refused(*self.RUN, folder, "--force", "--solver", "pdb")
        self.refused(*self.RUN, folder, "--force", "--set", "bodies.heavy.mas=1")
        self.expect(contents(folder), before, "files after runs that were refused")
        self.quietly(*self.RUN, folder, "--force", "--set", "bodies.heavy.mass=3")
        self.expect_true(Result(folder).hash != first, Result(folder).hash, f"not {first}",
                         "hash after --force")

    def test_every_part_of_a_result_is_protected(self) -> None:
        for name in FILES:
            folder = new_folder()
            folder.mkdir()
            (folder / name).write_text("precious\n", encoding="utf-8")
            self.refused(*self.RUN, folder, says=("--force",))
            self.expect(contents(folder), {name: b"precious\n"}, "files after a refused run")

    def test_other_files_stay(self) -> None:
        folder = new_folder()
        folder.mkdir()
        (folder / "notes.txt").write_text("mine\n", encoding="utf-8")
        self.quietly(*self.RUN, folder)
        self.quietly(*self.RUN, folder, "--force")
        self.expect((folder / "notes.txt").read_bytes(), b"mine\n", "a file of the user")

    def test_places_that_cannot_be_written(self) -> None:
        file = new_folder()
        file.write_text("a file\n", encoding="utf-8")
        for place in (file, file / "below", "/proc/ropelab", "", "x" * 300, "x/" * 3000):
            for command in (self.RUN, ("compare", "atwood", "--solver", "pbd", "--out")):
                self.refused(*command, place)
        self.expect(file.read_bytes(), b"a file\n", "the file in place of the folder")

    def test_folder_without_permission(self) -> None:
        folder = new_folder()
        folder.mkdir(mode=0o555)
        # Nothing is forbidden to root: somebody else has to try.
        options = {"user": 65534, "cwd": "/"} if os.geteuid() == 0 else {}
        WORK.chmod(0o755)
        try:
            allowed = ropelab("check", "atwood", **options).returncode == DONE
        except PermissionError:
            allowed = False
        if not allowed:
            self.skipTest("the program is out of reach for another user")
        self.refused(*self.RUN, folder, says=("Permission denied",), **options)
        self.refused(*self.RUN, folder / "below", says=("Permission denied",), **options)


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


class Trajectories(Case):
    """trajectory.h5 and its description hold the same numbers as the tables beside them."""

    RUNS = (("atwood", "impulse", "--every", "0.0125"),             # a massless rope, a closed form
            ("spinning-loop", "rattle", "--duration", "0.5"),       # closed
            ("nehe-rope", "nehe", "--duration", "0.8"),             # drawn, on the ground
            ("drape-sphere", "xpbd", "--duration", "1"),            # contacts
            ("tumbling-box", "rattle", "--duration", "0.5"),        # turning
            ("catenary", "pbd", "--duration", "0.3", "--frames-every", "1e-9"),  # no bodies
            ("atwood-drum", "impulse", "--duration", "0.3", "--set",  # over a body
             "bodies.drum.friction=0.1"),
            ("rope-bridge", "pbd", "--duration", "0.4", "--step", "0.004"))  # many ropes

    def open(self, result: Result) -> h5py.File:
        file = h5py.File(result.folder / "trajectory.h5")
        self.addCleanup(file.close)
        return file

    @staticmethod
    def names(file: h5py.File, kind: str) -> list[str]:
        return [name.decode() for name in file[f"{kind}/name"][:]]

    def lines(self, file: h5py.File, frame: int) -> dict[tuple[str, str, int], list[float]]:
        """(item, kind, index) -> position at a frame, as snapshots.csv has them."""
        found: dict[tuple[str, str, int], list[float]] = {}
        eyes = file["ropes/is_eye"][:]
        for prefix in ("", "exact_"):
            for r, rope in enumerate(self.names(file, "ropes")):
                first, last = file["ropes/first_point"][r:r + 2]
                if f"ropes/{prefix}points_m" in file:
                    points = file[f"ropes/{prefix}points_m"][frame, first:last].tolist()
                    for i, point in enumerate(points):
                        kind = "eye" if eyes[first + i] else "node"
                        found[rope, prefix + kind, i] = point
                if file["ropes/has_path"][r] and f"paths/{prefix}first" in file:
                    first, last = file[f"paths/{prefix}first"][frame, r:r + 2]
                    for i, point in enumerate(
                            file[f"paths/{prefix}points_m"][first:last].tolist()):
                        found[rope, prefix + "path", i] = point
                first, last = file["ropes/first_drawn"][r:r + 2]
                if not prefix and last > first:
                    for i, point in enumerate(file["ropes/drawn_m"][frame, first:last].tolist()):
                        found[rope, "drawn", i] = point
            for b, body in enumerate(self.names(file, "bodies")):
                if f"bodies/{prefix}position_m" in file:
                    found[body, prefix + "body", 0] = \
                        file[f"bodies/{prefix}position_m"][frame, b].tolist()
        return found

    def check_shapes(self, file: h5py.File) -> None:
        self.expect((file.attrs["format"], file.attrs["frames"]), (1, file["time_s"].shape[0]),
                    "format and frames")
        frames, points = file["time_s"].shape[0], int(file["ropes/first_point"][-1])
        elements, bodies = int(file["ropes/first_element"][-1]), file["bodies/name"].shape[0]
        shapes = {"ropes/points_m": (frames, points, 3), "ropes/tension_N": (frames, elements),
                  "ropes/drawn_m": (frames, int(file["ropes/first_drawn"][-1]), 3),
                  "bodies/position_m": (frames, bodies, 3), "bodies/rotation": (frames, bodies, 4),
                  "contacts/first": (frames,), "contacts/count": (frames,)}
        shapes |= {name.replace("/", "/exact_"): shape for name, shape in shapes.items()
                   if "contacts" not in name and "drawn" not in name}
        for name, shape in shapes.items():
            if name in file:
                self.expect((file[name].shape, file[name].chunks[0]), (shape, 64),
                            f"shape of {name}")
            else:
                self.expect_true("exact" in name or 0 in shape, shape, "nothing", f"no {name}")
        self.expect(file["ropes/is_eye"].shape, (points,), "shape of is_eye")

    def check_series(self, file: h5py.File, result: Result) -> None:
        rows = result.table("series").rows()
        last = result.manifest["steps"]
        steps = {step for step in range(0, last + 1, result.manifest["frames_every"])} | {last}
        rows = [row for row, step in zip(rows, self.row_steps(result)) if step in steps]
        self.expect(file["time_s"][:].tolist(), [float(row["time_s"]) for row in rows],
                    "times of the frames")
        largest = numpy.maximum(file["ropes/tension_N"][:].max(axis=1), 0.0).tolist()
        expected = [float(row["tension_max_N"]) for row in rows]
        self.expect_true(all(map(same_number, largest, expected)), largest,
                         "tension_max_N of series.csv", "largest tension of each frame")

    @staticmethod
    def row_steps(result: Result) -> list[int]:
        last = result.manifest["steps"]
        return sorted({*range(0, last + 1, result.manifest["every"]), last})

    def test_times_of_frames(self) -> None:
        """60 a second, of a short run 120 in all, or as asked for: always rows of series.csv."""
        for duration, step, every, frames_every in (
                (4.0, 1 / 240, None, None), (20.0, 0.01, None, None), (1.0, 1 / 240, None, None),
                (1.0, 0.0005, None, None), (2.0, 0.001, 0.02, None), (1.0, 0.001, 0.003, 0.007),
                (0.1, 0.001, None, 1e-9), (0.1, 0.001, 0.01, 1e9)):
            with self.subTest(duration=duration, step=step, every=every, frames=frames_every):
                words = ["--every", every] * bool(every)
                words += ["--frames-every", frames_every] * bool(frames_every)
                result = self.record("pendulum", "rattle", "--duration", duration, "--step", repr(step),
                                     *words)
                n = round(duration / step)
                rows = max(1, round((every or step) / step))
                wanted = frames_every or min(1 / 60, duration / 120)
                stride = rows * min(n // rows, max(1, math.floor(wanted / (rows * step) + 0.5)))
                self.expect(result.manifest["frames_every"], stride, "frames_every in run.json")
                self.expect(self.open(result)["time_s"][:].tolist(),
                            [k * (duration / n) for k in sorted({*range(0, n + 1, stride), n})],
                            "times of the frames")

    def check_snapshots(self, file: h5py.File, result: Result) -> None:
        times = file["time_s"][:].tolist()
        rows = result.table("snapshots").rows()
        for time_s in sorted({float(row["time_s"]) for row in rows} & set(times)):
            frame = times.index(time_s)
            expected = {(row["item"], row["kind"], int(row["index"])):
                        [float(row[c]) for c in "xyz"] for row in rows if float(row["time_s"]) == time_s}
            rotations = {key: expected.pop(key) for key in list(expected) if "rotation" in key[1]}
            self.expect(self.lines(file, frame), expected, f"positions at {time_s} s")
            for (body, kind, _), vector in rotations.items():
                b = self.names(file, "bodies").index(body)
                quaternion = file[f"bodies/{kind}"][frame, b]
                angle = math.hypot(*vector)
                axis = [math.sin(angle / 2) * v / angle if angle else 0.0 for v in vector]
                expected_quaternion = [*axis, math.cos(angle / 2)]
                dot = float(numpy.dot(quaternion, expected_quaternion))
                self.expect_true(abs(abs(dot) - 1.0) < 1e-12, quaternion.tolist(),
                                 str(expected_quaternion), f"{kind} of {body} at {time_s} s")

    def test_same_numbers_as_the_tables(self) -> None:
        for scenario, solver, *words in self.RUNS:
            with self.subTest(scenario=scenario, solver=solver):
                result = self.record(scenario, solver, *words)
                file = self.open(result)
                self.check_shapes(file)
                self.check_series(file, result)
                self.check_snapshots(file, result)
                self.check_sidecar(file, result)
                self.check_csv(file, result)
                self.check_vtk(file, result)

    def check_sidecar(self, file: h5py.File, result: Result) -> None:
        domain = ElementTree.parse(result.folder / "trajectory.xmf").getroot().find("Domain")
        shared = {}
        for item in domain.findall("DataItem"):
            source, name = item.text.split(":")
            shape = tuple(map(int, item.get("Dimensions").split()))
            self.expect((source, file[name].shape), ("trajectory.h5", shape), f"source {name}")
            shared[item.get("Name")] = file[name].shape
        cells = {}
        for topology in domain.findall("Topology"):
            numbers = topology.find("DataItem").text.split()
            self.expect(len(numbers), int(topology.find("DataItem").get("Dimensions")),
                        f"numbers of the cells of {topology.get('Name')}")
            cells[topology.get("Name")] = int(topology.get("NumberOfElements"))
        paths = sum(name in file for name in ("paths/first", "paths/exact_first"))
        frames = domain.find("Grid").findall("Grid")
        every = len(file["time_s"]) // 251 + 1
        self.expect([float(frame.find("Time").get("Value")) for frame in frames],
                    file["time_s"][::every].tolist(), "times in trajectory.xmf, at most 250")
        for number, frame in zip(range(0, len(file["time_s"]), every), frames):
            self.expect(len(frame.findall("Grid")), len(cells) + paths, "grids of a frame")
            for grid in frame.findall("Grid"):
                name = grid.get("Name")
                if name.endswith("paths"):
                    first = file["paths/exact_first" if name.startswith("exact") else "paths/first"]
                    self.check_path_grid(first[number].tolist(), grid)
                    continue
                start, _, count = numpy.array(
                    grid.find("Geometry/DataItem/DataItem").text.split(), int).reshape(3, -1)
                self.expect((start.tolist(), (1, *shared[f"{name} points"][1:])),
                            ([number, 0, 0], tuple(count.tolist())), f"points of {name}")
                if grid.find("Attribute") is not None:
                    self.expect(shared[f"{name} tension"][1], cells[name], f"tensions of {name}")

    def check_path_grid(self, first: list[int], grid: ElementTree.Element) -> None:
        """A cell for each point: the line to the next one, or the last point alone."""
        count = first[-1] - first[0]
        topology = grid.find("Topology")
        numbers = list(map(int, topology.find("DataItem").text.split()))
        self.expect((int(topology.get("NumberOfElements")), len(numbers)),
                    (count, int(topology.find("DataItem").get("Dimensions"))), "cells of a path")
        expected = []
        for a, b in zip(first, first[1:]):
            a, b = a - first[0], b - first[0]
            expected += [n for k in range(a, b)
                         for n in ([2, 2, k, k + 1] if k + 1 < b else [1, 1, k])]
        self.expect(numbers, expected, "cells of a path")
        self.expect(grid.find("Geometry/DataItem/DataItem").text.split(),
                    [str(n) for n in (first[0], 0, 1, 1, count, 3)], "points of a path")
        self.expect(grid.find("Attribute/DataItem/DataItem").text.split(),
                    [str(n) for n in (first[0], 1, count)], "tensions of a path")

    def check_csv(self, file: h5py.File, result: Result) -> None:
        self.quietly("export", result.folder, "--to", "csv")
        table = Table(result.folder / "trajectory.csv")
        self.expect(table.header, ["time_s", "item", "kind", "index", "x", "y", "z", "tension_N"],
                    "header of trajectory.csv")
        snapshots = result.table("snapshots")
        times = set(snapshots.texts("time_s")) & set(table.texts("time_s"))
        self.expect([row[:7] for row in table.cells if row[0] in times],
                    [row for row in snapshots.cells if row[0] in times], "lines of snapshots.csv")
        self.expect(list(dict.fromkeys(table.numbers("time_s"))), file["time_s"][:].tolist(),
                    "times of the table")
        last = [row for row in table.rows() if row["kind"] in ("node", "eye")
                and row["time_s"] == table.cells[-1][0]]
        for r, rope in enumerate(self.names(file, "ropes")):
            first, end = file["ropes/first_element"][r:r + 2]
            tension = file["ropes/tension_N"][-1, first:end].tolist()
            mine = [float(row["tension_N"]) for row in last if row["item"] == rope]
            expected = tension if len(tension) > 1 else tension * (len(mine) - 1)
            self.expect(mine[:len(expected)], expected, f"tensions along {rope}")
            if file["ropes/has_path"][r]:
                first, end = file["paths/first"][-1, r:r + 2]
                path = [float(row["tension_N"]) for row in table.rows() if row["kind"] == "path"
                        and (row["item"], row["time_s"]) == (rope, table.cells[-1][0])]
                self.expect_true(all(map(same_number, path, file["paths/tension_N"][first:end]))
                                 and len(path) == end - first, path[:9], "those of paths/tension_N",
                                 f"tensions along the path of {rope}")
            self.expect([math.isnan(t) for t in mine[len(expected):]],
                        [] if file["ropes/closed"][r] else [True], f"after the end of {rope}")

    def check_vtk(self, file: h5py.File, result: Result) -> None:
        self.quietly("export", result.folder, "--to", "vtk")
        folder = result.folder / "vtk"
        sets = list(ElementTree.parse(folder / "trajectory.pvd").getroot().iter("DataSet"))
        self.expect([float(entry.get("timestep")) for entry in sets], file["time_s"][:].tolist(),
                    "times in trajectory.pvd")
        self.expect(sorted(entry.get("file") for entry in sets) + ["trajectory.pvd"],
                    sorted(contents(folder)), "files of the export")
        piece = ElementTree.parse(folder / sets[-1].get("file")).getroot().find("PolyData/Piece")
        types = {"Float64": "<f8", "Int64": "<i8", "Int32": "<i4"}

        def array(name: str, parent: str) -> numpy.ndarray:
            element = piece.find(f"{parent}/DataArray[@Name='{name}']")
            data = base64.b64decode(element.text, validate=True)
            self.expect(int.from_bytes(data[:8], "little"), len(data) - 8, f"bytes of {name}")
            return numpy.frombuffer(data[8:], types[element.get("type")])

        points = array("Points", "Points").reshape(-1, 3).tolist()
        kinds = array("kind", "CellData")
        tension = array("tension_N", "CellData")[kinds == 0].tolist()
        if "paths" not in file:
            self.expect(tension, file["ropes/tension_N"][-1].tolist(), "tensions in the last frame")
        cells = []
        for parent in ("Verts", "Lines"):
            ends = array("offsets", parent).tolist()
            index = array("connectivity", parent).tolist()
            cells += [index[a:b] for a, b in zip([0, *ends], ends)]
        self.expect((len(cells), len(points)),
                    (len(kinds), int(piece.get("NumberOfPoints"))), "cells and points")
        at = self.lines(file, -1)
        for b, body in enumerate(self.names(file, "bodies")):
            self.expect(points[cells[b][0]], at[body, "body", 0], f"position of {body}")
        items = array("item", "CellData")
        for r, rope in enumerate(self.names(file, "ropes")):
            if file["ropes/has_path"][r]:
                first, end = file["paths/first"][-1, r:r + 2]
                lines = [[points[i] for i in cell] for cell, k, i in zip(cells, kinds, items)
                         if (k, i) == (0, r)]
                path = file["paths/points_m"][first:end].tolist()
                self.expect(lines, [list(pair) for pair in zip(path, path[1:])], f"path of {rope}")
                self.expect(tension, file["paths/tension_N"][first:end - 1].tolist(), "tensions")
                continue
            mine = [cell for cell, k, i in zip(cells, kinds, items) if (k, i) == (0, r)]
            path = [points[cell[0]] for cell in mine] if len(mine) > 1 else \
                [points[i] for i in mine[0]]
            count = len(path)
            self.expect(path, [at.get((rope, "node", i)) or at[rope, "eye", i]
                               for i in range(count)], f"path of {rope}")
            self.expect(mine[-1][-1] == mine[0][0], bool(file["ropes/closed"][r]), "a closed rope")

    def test_probes(self) -> None:
        result = self.record_any("drape-sphere", "rattle", "--duration", "1", "--frames-every",
                                 "1e-9", "--probe", "rope.contacts", "--probe", "rope.tension.7",
                                 "--probe", "rope.node.-1.y", "--probe", "ball.x")
        file, series = self.open(result), result.table("series")
        for probe, column in (("rope.contacts", file["contacts/count"][:]),
                              ("rope.tension.7", file["ropes/tension_N"][:, 7]),
                              ("rope.node.-1.y", file["ropes/points_m"][:, -1, 1]),
                              ("ball.x", file["bodies/position_m"][:, 0, 0])):
            same = map(same_number, column.tolist(), series.numbers(probe))
            self.expect_true(len(column) == len(series.cells) and all(same), column.tolist()[:9],
                             f"{series.texts(probe)[:9]} ...", probe)

    def test_contacts(self) -> None:
        result = self.record_any("drape-sphere", "rattle", "--probe", "rope.contacts")
        file = self.open(result)
        first, count = file["contacts/first"][:], file["contacts/count"][:]
        self.expect(first.tolist(), (numpy.cumsum(count) - count).tolist(), "first of each frame")
        total = int(count.sum())
        self.expect_true(total > 100, total, "more than 100", "contacts of a draped rope")
        manifest = result.manifest["scenario"]
        radius = manifest["bodies"]["ball"]["shape"][0]["sphere"]["radius"]
        position, normal = file["contacts/position_m"][:], file["contacts/normal"][:]
        self.expect((position.shape, normal.shape), ((total, 3), (total, 3)), "shapes")
        centre = file["bodies/position_m"][-1, 0]
        distance = numpy.linalg.norm(position - centre, axis=1)
        # The tangent plane where a contact was found; the rope has moved on by a step since.
        self.expect_true(float(abs(distance - radius).max()) < 0.02 * radius,
                         [float(distance.min()), float(distance.max())], f"about {radius}",
                         "distance of the contacts from the centre of the ball")
        self.expect_true(float(abs(numpy.linalg.norm(normal, axis=1) - 1.0).max()) < 1e-12, "", "1",
                         "length of the normals")
        outwards = ((position - centre) * normal).sum(axis=1) / distance
        self.expect_true(float(outwards.min()) > 0.99, float(outwards.min()), "about 1",
                         "normals along the radius")
        self.expect_true(bool((file["contacts/normal_force_N"][:] > 0.0).all()), "", "above 0",
                         "normal forces")
        self.expect({int(n) for n in file["contacts/rope"][:]} | {
            int(n) for n in file["contacts/body"][:]}, {0}, "rope and body")
        self.expect_true(int(file["contacts/node"][:].max()) <= 40, "", "at most 40", "nodes")
        self.expect_true(set(file["contacts/is_element"][:].tolist()) <= {0, 1}, "", "0 or 1",
                         "is_element")

    def test_massless_rope_over_an_eye(self) -> None:
        file = self.open(self.record("atwood", "rattle", "--duration", "0.2"))
        self.expect(file["ropes/is_eye"][:].tolist(), [0, 1, 0], "points of the rope")
        self.expect(file["ropes/first_element"][:].tolist(), [0, 1], "elements")
        self.expect(file["ropes/points_m"][-1, 1].tolist(), [0.0, 0.0, 0.0], "the eye")
        self.expect(file["ropes/exact_points_m"][0].tolist(), file["ropes/points_m"][0].tolist(),
                    "the closed form at the start")

    def test_rope_over_a_drum(self) -> None:
        probes = ("line.wrap.drum", "line.force.drum", "line.slip.drum", "line.entry.drum.x",
                  "line.exit.drum.y", "line.tension.from", "line.tension.to", "line.contacts",
                  "line.length")
        words = [word for probe in probes for word in ("--probe", probe)]
        for friction, grip in (("0", 0), ("0.1", 3), ("0.5", 1)):
            result = self.record("atwood-drum", "impulse", "--duration", "0.2", "--frames-every",
                                 "1e-9", "--set", f"bodies.drum.friction={friction}", *words)
            file, series = self.open(result), result.table("series")
            wraps = file["wraps"]
            self.expect(wraps["count"][:].tolist(), series.numbers("line.contacts"), "wraps")
            self.expect(wraps["grip"][-1], grip, f"grip at a friction of {friction}")
            self.expect(wraps["grip"][0], 4 if grip else 0, "grip at t = 0")
            for probe, column in (
                    ("line.wrap.drum", wraps["angle"][:]),
                    ("line.force.drum", numpy.sqrt((wraps["force_N"][:] ** 2).sum(axis=1))),
                    ("line.slip.drum", wraps["slip_m_s"][:]),
                    ("line.entry.drum.x", wraps["entry_m"][:, 0]),
                    ("line.exit.drum.y", wraps["exit_m"][:, 1]),
                    ("line.tension.from", wraps["tension_before_N"][:]),
                    ("line.tension.to", wraps["tension_after_N"][:])):
                recorded = numpy.array(series.numbers(probe))
                gaps = numpy.isnan(recorded) == numpy.isnan(column)
                close = abs(recorded - column) <= 1e-14 * (1.0 + abs(column))
                self.expect_true(bool((gaps & (close | numpy.isnan(column))).all()),
                                 recorded.tolist()[:5], column.tolist()[:5], probe)
            # The chords of an arc in 32 parts are shorter than it.
            first = file["paths/first"][-1]
            chords = numpy.diff(file["paths/points_m"][first[0]:first[1]], axis=0)
            length = numpy.sqrt((chords ** 2).sum(axis=1)).sum()
            arc = math.pi * 0.1
            short = arc - 32 * 0.2 * math.sin(arc / 0.1 / 64)
            self.expect_true(abs(series.numbers("line.length")[-1] - short - length) < 1e-12,
                             float(length), series.texts("line.length")[-1], "length of the points")
            self.expect(file["paths/bend"][first[0]:first[1]].tolist(), [-1, *[0] * 33, -1], "bend")

    def test_rope_that_parts(self) -> None:
        path = new_folder() / "parts.yaml"
        path.parent.mkdir(parents=True)
        scenario = ("name: parts\nduration: 0.5\nstep: 0.01\n"
                    "bodies: {bob: {mass: 1, position: [0, -1, 0]}}\nropes:\n"
                    "  rope: {from: {point: [0, 0, 0]}, to: {body: bob}, mass: 0.4, segments: 4%s}\n"
                    "  cord: {from: {point: [1, 0, 0]}, to: {rope: rope, node: 2}, slack: 1}\n"
                    "events:\n  - {at: 0.2, cut: {rope: rope, segment: 2}}\n"
                    "  - {at: 0.3, cut: {rope: cord, segment: 0}}\n"
                    "  - {at: 0.4, cut: {rope: rope, segment: 1}}\n")
        path.write_text(scenario % "")
        folder = new_folder()
        told = ropelab("run", path, "--solver", "rattle", "--out", folder)
        note = "ropelab: note: parts, rattle: rope '{}' was cut at element {} at t = {} s{}\n"
        more = "; run.json lists any further changes"
        self.expect((told.returncode, told.stderr),
                    (0, note.format("rope", 2, 0.2, "") + note.format("cord", 0, 0.3, "")
                     + note.format("rope", 1, 0.4, more)), "status and notes")
        result = Result(folder)
        self.expect((result.manifest["summary"]["parted"], result.manifest["summary"]["unparted"]),
                    (3, 0), "what came apart")
        self.expect([(c["change"], c["rope"], c["element"]) for c in result.manifest["changes"]],
                    [("cut", "rope", 2), ("cut", "cord", 0), ("cut", "rope", 1)], "changes")
        file = self.open(result)
        self.expect((file["ropes/parts"][:].tolist(), file["ropes/first_point"][:].tolist()),
                    ([1, 0], [0, 8, 10]), "two points for each element of the one with mass")
        points = file["ropes/points_m"][:]
        apart = (points[:, 2:8:2] != points[:, 1:7:2]).any(axis=2)  # before elements 1, 2, 3
        self.expect(apart[-1].tolist(), [True, True, False], "where it is apart at the end")
        self.expect(apart[:21].any(), False, "apart before the cut has moved anything")
        off = numpy.isnan(points[:, 8:]).all(axis=(1, 2))
        self.expect(off.tolist(), [n > 30 for n in range(51)], "frames in which the cord is off")
        for to in ("csv", "vtk", "xdmf"):
            self.expect_exit(ropelab("export", folder, "--to", to, "--force"), DONE)
        # Without a spare node it goes on whole, or stops.
        for word, code in (("continue", 50), ("stop", 40)):
            path.write_text(scenario % f", pool: 1, pool_exhausted: {word}")
            folder = new_folder()
            told = ropelab("run", path, "--solver", "rattle", "--out", folder)
            self.expect_exit(told, DONE)
            self.expect_in("rope 'rope' has no spare node left to part at element 1", told.stderr,
                           "note")
            manifest = Result(folder).manifest
            self.expect((manifest["summary"]["steps_done"], manifest["summary"]["unparted"]),
                        (code, 1), "steps and what could not part")
            rows = Table(folder / "series.csv").rows()
            self.expect(float(rows[-1]["time_s"]), code / 100, "last line")

    def test_a_limit_before_the_first_step(self) -> None:
        folder = new_folder()
        self.refused("run", "pendulum", "--solver", "pbd", "--time-limit", "1e-9", "--out", folder,
                     says="stopped after the time limit of 1e-09 s", status=FAILED)
        manifest = Result(folder).manifest
        self.expect((manifest["status"], manifest["summary"]["steps_done"]), ("timeout", 0), "end")

    def test_a_limit_is_of_processor_time(self) -> None:
        """However busy the computer is; beside it there are a step of a millisecond, and the files."""
        folder = new_folder()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.refused("run", "pendulum", "--solver", "pbd", *FOREVER, "--time-limit", "1", "--out", folder,
                     says="stopped after the time limit of 1 s of processor time", status=FAILED)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.expect_true(1.0 <= used < 1.5, used, "1 s and a little", "processor time [s]")

    def test_a_limit_within_a_step(self) -> None:
        folder = new_folder()
        self.refused("run", "chain-over-peg", "--solver", "reference", "--step", "0.64", "--time-limit", "0.3",
                     "--out", folder, says="stopped after the time limit of 0.3 s", status=FAILED)
        manifest = Result(folder).manifest
        self.expect((manifest["status"], manifest["summary"]["steps_done"]), ("timeout", 0), "end")
        rows = Table(folder / "series.csv").rows()
        self.expect((len(rows), float(rows[-1]["time_s"])), (1, 0.0), "last line")

    def test_winch_too_fast_for_its_step(self) -> None:
        for rate, note in ((-100, "note: a winch moves 0.125 m of rope 'line' in a step, more than an element "
                                  "of 0.1 m: the run is worth little; expected steps up to 0.001 s\n"), (-1, "")):
            told = ropelab("run", "payout", "--solver", "rattle", "--duration", "0.0025", "--out",
                           new_folder(), "--set", f"events.0.winch.rate={rate}")
            self.expect((told.returncode, told.stderr.partition(": ")[2]), (DONE, note),
                        f"status and notes at {rate} m/s")

    def test_odd_events(self) -> None:
        """Valid, hardly meant, and said once: before a run, before a comparison, and by a check."""
        path = new_folder() / "odd.yaml"
        path.parent.mkdir(parents=True)
        for number, (event, note) in enumerate((
                ("{at: 5, cut: {rope: line, segment: 0}}", "nothing happens: 5 s is not before the end of the run, 1 s"),
                ("{from: 0.121, until: 0.123, wind: [1, 0, 0]}",
                 "nothing happens: no step of 0.01 s begins between 0.121 and 0.123 s"),
                ("{from: 0.1234, until: 0.56789, winch: {rope: line, end: to, rate: 0.1}}",
                 "in whole steps of 0.01 s the winch runs from 0.12 to 0.57 s: 0.045 m instead of 0.044449 m"),
                ("{from: 0, until: 1, winch: {rope: line, at_length: 50, rate: 0.1}}",
                 "at_length is 50 m and rope 'line' 1 m long at the start"),
                ("{from: 0, until: 1, winch: {rope: line, end: to, rate: 0}}", "the winch on rope 'line' stands still"),
                ("{from: 0, until: 1, winch: {rope: line, end: to, rate: 1e300}}",
                 "a winch moves 1e+298 m of rope 'line' in a step, more than its length of 1 m"),
                ("{from: 0.1, until: 0.2, wind: [1, 0, 0]}",
                 "nothing happens: wind acts against the drag of ropes, and none has any"),
                ("{from: 0.1, until: 0.2, winch: {rope: line, end: to, rate: 0.1}}", ""))):
            path.write_text("name: odd\nduration: 1\nstep: 0.01\nbodies: {bob: {mass: 1, position: [0, -1, 0]}}\n"
                            "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}}}\n"
                            f"events:\n  - {event}\n")
            for words in (("check", path), ("run", path, "-s", "pbd", "--out", new_folder()),
                          ("compare", path, "-s", "pbd", "--figures", "svg", "--out", new_folder())
                          )[:3 if number == 0 else 2]:  # a comparison says it as a run does
                told = ropelab(*words)
                self.expect(told.returncode, DONE, f"status of {words} with {event}")
                self.expect_in(f"{path}:7:5: note: {note}" if note else "", told.stderr, f"{words} with {event}")
                self.expect(told.stderr.count("note: "), 1 if note else 0, f"notes of {words} with {event}")

    def test_steps_that_a_rope_asks_for(self) -> None:
        # At 30 degrees hang 100 kg on 20 elements of 5 g and 5 cm, of which the first carries half of one less.
        limit = math.sqrt(0.005 * 0.05 / (100.0975 * 9.81 * math.cos(math.pi / 6)))
        folder = new_folder()
        told = ropelab("run", "heavy-load", "--solver", "pbd-direct", "--out", folder)
        wanted = (f"; from t = 0.00416667 s on, rope 'line' asks for steps below sqrt(m l/T) = {limit:.3g} s, "
                  "and shorter ones as T grows")
        self.expect(told.returncode, DIVERGED, "status")
        self.expect_in(wanted + "\n", told.stderr, "what is told")
        self.expect(Result(folder).manifest["reason"].endswith(wanted), True, "the reason in run.json")
        # A rod of 8 elements, bent by its weight: the explicit limit of beam waves, (l^2/2) sqrt(mu/EI).
        limit = 0.125**2 / 2 * math.sqrt(0.1 / 2.4525)
        told = ropelab("run", "cantilever", "--solver", "rattle", "--step", "0.002", "--duration", "0.1", "--out",
                       new_folder())
        self.expect(told.returncode, DIVERGED, "status of a rod with too long steps")
        self.expect_in(f"; from t = 0.002 s on, rope 'rod' asks for steps below sqrt(m l^3/EI)/2 = {limit:.3g} s\n",
                       told.stderr, "what is told of it")

    def test_winch_at_a_clamp(self) -> None:
        path = new_folder() / "rod.yaml"
        path.parent.mkdir(parents=True)
        for rate, more, notes in (-0.1, "", 1), (0.1, "", 0), (-0.1, ", compression: true", 0):
            path.write_text("name: rod\nduration: 1\nstep: 0.01\nropes: {rod: {from: {point: [0, 0, 0], clamp: "
                            f"[1, 0, 0]}}, to: {{free: [1, 0, 0]}}, mass: 0.1, segments: 9, bending: 0.02{more}}}}}\n"
                            f"events: [{{from: 0.1, until: 0.2, winch: {{rope: rod, end: from, rate: {rate}}}}}]\n")
            told = ropelab("check", path)
            self.expect(told.returncode, DONE, f"status at {rate}{more}")
            said = told.stderr.count(f"{path}:5:10: note: the winch takes in rope 'rod' where it is clamped: once that is bent")
            self.expect((said, told.stderr.count("note: ")), (notes, notes), f"notes at {rate}{more}")

    def test_winch_without_rope(self) -> None:
        # One that runs out, and one that would take in all and more at once; massless and with mass.
        path = new_folder() / "empty.yaml"
        path.parent.mkdir(parents=True)
        for more, rate, time, left in (("", -1, 0.89, 0.01), ("", -1e9, 0, 0.9),
                                       (", mass: 0.9, segments: 9", -1, 0.85, 0.05),
                                       (", mass: 0.9, segments: 9", -1e9, 0, 0.9)):
            path.write_text(
                "name: empty\nduration: 1\nstep: 0.01\n"
                "bodies: {bob: {mass: 1, position: [0, -0.9, 0]}}\n"
                f"ropes: {{line: {{from: {{point: [0, 0, 0]}}, to: {{body: bob}}{more}}}}}\n"
                "events: [{from: 0, until: 2, winch: {rope: line, end: from, rate: %g}}]\n" % rate)
            folder = new_folder()
            told = ropelab("run", path, "--solver", "rattle", "--out", folder)
            told_last = told.stderr.splitlines(keepends=True)[-1]
            self.expect((told.returncode, told_last),
                        (DONE, "ropelab: note: empty, rattle: the winch at end 'from' of rope 'line' "
                               f"has no rope left to take in within a step: {left:g} m, and stops "
                               f"at t = {time:g} s\n"), f"status and note at {rate} m/s{more}")
            changes = Result(folder).manifest["changes"]
            self.expect([(c["change"], c["rope"], c["end"], round(c["time_s"], 9),
                          round(c["length_m"], 9)) for c in changes],
                        [("no rope left", "line", "from", time, left)], "changes")

    def test_keys_of_ropes_without_effect(self) -> None:
        path = new_folder() / "odd.yaml"
        path.parent.mkdir(parents=True)
        felt = " of a rope without 'stiffness' is felt only by methods whose elements give (penalty, penalty-implicit)"
        for keys, note in (("damping_ratio: 1", "damping_ratio" + felt), ("damping: 1", "damping" + felt),
                           ("damping: 1, stiffness: 1e3", ""), ("damping_ratio: 0", ""),
                           ("pool: 5", "a massless rope has no nodes, and uses no pool"),
                           ("pool: 5, mass: 0.1, segments: 2", "")):
            path.write_text("name: odd\nduration: 0.1\nstep: 0.01\nbodies: {bob: {mass: 1, position: [0, -1, 0], "
                            "velocity: [1, 0, 0]}}\nropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}, "
                            f"{keys}}}}}\n")
            for words in ("check", path), ("run", path, "-s", "xpbd", "--out", new_folder()):
                told = ropelab(*words)
                self.expect(told.returncode, DONE, f"status of {words} with {keys}")
                self.expect(told.stderr, f"{path}:5:59: note: {note}\n" if note else "", f"{words} with {keys}")
        # And it is those methods that feel it.
        for solver, feels in ("penalty", True), ("penalty-implicit", True), ("xpbd", False), ("impulse-soft", False):
            ends = []
            for ratio in 0, 1:
                path.write_text("name: odd\nduration: 0.1\nstep: 0.01\nbodies: {bob: {mass: 1, position: [0, -1, 0], "
                                "velocity: [1, 0, 0]}}\nropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}, "
                                f"damping_ratio: {ratio}}}}}\n")
                folder = new_folder()
                self.expect_exit(ropelab("run", path, "-s", solver, "--out", folder), DONE)
                ends.append(Result(folder).manifest["state_hash"])
            self.expect(ends[0] != ends[1], feels, f"whether {solver} feels the damping")

    def test_cuts_that_meet_nothing(self) -> None:
        path = new_folder() / "vain.yaml"
        path.parent.mkdir(parents=True)
        miss, meet = "point: [0, 5, 0]", "point: [0, -0.25, 0]"
        plane = "{{at: {}, cut: {{plane: {{{}, normal: [0, 1, 0]}}}}}}"
        swipe = "{{at: {}, cut: {{swipe: {{from: [{}, -0.45, 0], to: [1, -0.45, 0], view: [0, 0, 1], duration: {}}}}}}}"
        segment = "{{at: {}, cut: {{rope: line, segment: {}}}}}"
        told = "the cut at t = {} s (event {}) met nothing"
        for events, notes in (
                ([plane.format(0.1, miss)], [told.format(0.1, 0)]),
                ([plane.format(0.1, meet)], []),
                ([swipe.format(0.1, 0.5, 0), swipe.format(0.1, -1, 0)], [told.format(0.1, 0)]),
                ([swipe.format(0.1, 0.5, 0.1), swipe.format(0.1, -1, 0.1)], [told.format(0.1, 0)]),
                ([swipe.format(0.25, 0.5, 0.1)], []),  # is not over at the end of the run
                # Off the one before it, off the one behind it, and then it is apart.
                ([segment.format(t, 3) for t in (0.1, 0.15, 0.2)], [told.format(0.2, 2)]),
                ([plane.format(0.1, miss)] * 5, [told.format(0.1, k) for k in range(3)] + ["so did 2 further cuts"])):
            path.write_text("name: vain\nduration: 0.3\nstep: 0.01\nropes: {line: {from: {point: [0, 0, 0]}, "
                            "to: {free: [0, -1, 0]}, mass: 0.1, segments: 5}}\n"
                            f"events: [{', '.join(events)}]\n")
            folder = new_folder()
            self.expect_exit(ropelab("run", path, "-s", "rattle", "--out", folder), DONE)
            found = [n for n in Result(folder).manifest["notes"] if "met nothing" in n or "further cuts" in n]
            self.expect(found, notes, f"notes with {events}")

    def test_winch_inside_a_rope(self) -> None:
        """One that runs out of rope is at no end; one without a spare node grows and parts nothing."""
        path = new_folder() / "inside.yaml"
        path.parent.mkdir(parents=True)
        for rate, more, change, end, note in (
                (-1, "", "no rope left", "inside", "the winch inside rope 'line' has no rope left to take in"),
                (1, ", pool: 1, pool_exhausted: continue", "no spare node to grow by", None,
                 "rope 'line' has no spare node left to grow by at element 1 and goes on with longer elements"),
                (1, ", pool: 1", "no spare node to grow by", None,
                 "rope 'line' has no spare node left to grow by at element 1, and the run stops")):
            path.write_text(
                "name: inside\nduration: 1\nstep: 0.01\n"
                "bodies: {bob: {mass: 1, position: [0, -0.3, 0]}}\n"
                f"ropes: {{line: {{from: {{point: [0, 0, 0]}}, to: {{body: bob}}, mass: 0.1, segments: 3{more}}}}}\n"
                f"events: [{{from: 0, until: 1, winch: {{rope: line, at_length: 0.15, rate: {rate}}}}}]\n")
            folder = new_folder()
            told = ropelab("run", path, "--solver", "rattle", "--out", folder)
            self.expect_exit(told, DONE)
            self.expect_in(note, told.stderr, f"note at {rate}{more}")
            found = [(c["change"], c.get("end")) for c in Result(folder).manifest["changes"]]
            self.expect(found, [(change, end)], f"changes at {rate}{more}")

    def test_tolerance_that_is_not_of_rows_alone(self) -> None:
        # In one iteration no step balances the forces; the row itself is short by rounding.
        folder = new_folder()
        told = ropelab("run", "pendulum", "--solver", "convex,iterations=1", "--duration", "0.1", "--out", folder)
        self.expect_exit(told, DONE)
        self.expect_in("did not settle to the tolerance of 1e-10; in rows they left up to ", told.stderr, "note")
        self.expect_in(" m, and it is not of rows alone\n", told.stderr, "note")

    def test_rope_that_slips_off_a_ball(self) -> None:
        path = new_folder() / "slips-off.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(
            "name: slips-off\nduration: 1\nstep: 0.01\nbodies:\n"
            "  ball: {motion: fixed, position: [0, 0, 0], shape: {sphere: {radius: 0.5}}}\n"
            "  left: {motion: driven, position: [-1, 0.205, 0], velocity: [0, -0.3, 0]}\n"
            "  right: {motion: driven, position: [1, 0.205, 0], velocity: [0, -0.3, 0]}\n"
            "ropes:\n"
            "  line: {from: {body: left}, to: {body: right}, over: [ball], slack: 0.5}\n")
        folder = new_folder()
        told = ropelab("run", path, "--solver", "impulse", "--out", folder)
        # The ends are level with the centre at 0.683 s.
        self.expect((told.returncode, told.stderr),
                    (0, "ropelab: note: slips-off, impulse: rope 'line' slipped off body 'ball' "
                        "at t = 0.69 s\n"), "status and note")
        result = Result(folder)
        self.expect(result.manifest["summary"]["slipped_off"], 1, "slipped_off")
        file = self.open(result)
        count = file["wraps/count"][:].tolist()
        self.expect(count, [1] * 101, "wraps of the frames")
        height = file["wraps/entry_m"][:, 1]  # it goes round to the other side
        self.expect(((height > 0.0) == (numpy.arange(101) < 69)).all(), True, "sides of the ball")

        # A comparison says so too, and what diverged before it.
        note = "rope 'line' slipped off body 'ball' at t = 0.69 s"
        folder = new_folder()
        told = ropelab("compare", path, "heavy-load", "--solver", "impulse", "--figures", "svg",
                       "--out", folder)
        self.expect_exit(told, DONE)
        diverged, other = told.stderr.splitlines()
        self.expect_in("ropelab: note: heavy-load, impulse: diverged: more energy", diverged,
                       "the first line")
        self.expect(other, f"ropelab: note: slips-off, impulse: {note}", "the second line")
        self.expect(Result(folder / "slips-off/impulse").manifest["notes"], [note], "notes")
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.expect_in(f"<li>impulse: {note}</li>".replace("'", "&#39;"), page, "the page")

    def test_rope_that_is_left_too_long(self) -> None:
        # Sweeps over two strands that share a wheel of a millionth of a weight converge in a million.
        for mass, note in ("2", ""), ("1e-6", "; inextensible rope was up to"):
            folder = new_folder()
            told = ropelab("run", "atwood-wheel", "--solver", "pbd", "--set", f"bodies.wheel.mass={mass}",
                           "--out", folder)
            manifest = Result(folder).manifest
            self.expect((manifest["status"], manifest["reason"].startswith("iterations done" + note),
                         told.stderr.count("note: atwood-wheel, pbd: inextensible rope was up to")),
                        ("done", True, 1 if note else 0), f"status, reason and notes with {mass} kg")

    def test_ball_that_bounces_off_a_rope(self) -> None:
        """What is unsupported there, of which rope, and how to do without."""
        path = new_folder() / "ball.yaml"
        path.parent.mkdir(parents=True)
        text = ("name: ball\nduration: 0.1\nstep: 0.01\nbodies:\n  p: {mass: 1, position: [5, 0, 0], restitution: 0.5, "
                "shape: {sphere: {radius: 0.1}}@}\nropes:\n  line: {from: {point: [0, 0, 0]}, to: {free: [0, -1, 0]}, "
                "mass: 1, segments: 2}\n")
        path.write_text(text.replace("@", ""))
        self.refused("check", path, status=UNSUPPORTED,
                     says=("body 'p'", "which rope 'line' may touch; `rope_collide: false` lets"))
        path.write_text(text.replace("@", ", rope_collide: false"))
        self.expect_exit(ropelab("check", path), DONE)

    def test_energy_that_is_lost_beyond_half_of_what_there_is(self) -> None:
        """A winch jerks a load up by springs, whose dampers take more than half of what the scene
        holds: its mass times g times its reach of 1 m. A pendulum with pbd is left with less than
        half of its energy in long steps, and with more in short ones."""
        path = new_folder() / "jerk.yaml"
        path.parent.mkdir(parents=True)
        path.write_text("name: jerk\nduration: 0.45\nstep: 0.002\nbodies:\n  load: {mass: 1.0, position: [0, -1, 0]}\n"
                        "ropes:\n  line: {from: {point: [0, 0, 0]}, to: {body: load}, mass: 0.1, segments: 10}\n"
                        "events:\n  - {from: 0.1, until: 0.9, winch: {rope: line, end: from, rate: -3}}\n")
        for what, solver, step, note in ((path, "penalty", 0.002, True), (path, "rattle", 0.002, False),
                                         ("pendulum", "pbd", 1 / 60, True), ("pendulum", "pbd", 1 / 240, False)):
            folder = new_folder()
            self.expect_exit(ropelab("run", what, "--solver", solver, "--step", step, "--out", folder), DONE)
            manifest = Result(folder).manifest
            told = [n for n in manifest["notes"] if n.startswith("the method lost up to")]
            self.expect((len(told), "; the method lost up to" in manifest["reason"]), (note, note),
                        f"notes of {solver}")
            if note:
                table = Table(folder / "series.csv")
                lost, share = map(float, re.search(r"(\S+) J, (\S+) of all", told[0]).groups())
                self.expect(lost, float(f"{-min(table.numbers('energy_error_J')):.3g}"), told[0])
                held = 1.095 * 9.81 if what == path else 9.81
                work = abs(table.numbers("work_J")[-1])
                self.expect(share, float(f"{lost / (held + work):.2g}"), told[0])

    def test_rope_that_slips_off_the_end_of_a_drum(self) -> None:
        for push, times in ("0", 0), ("2", 1):
            folder = new_folder()
            told = ropelab("run", "atwood-drum", "--solver", "impulse", "--duration", "0.5",
                           "--set", "exact=none", "--set", f"bodies.heavy.velocity=[0, 0, {push}]",
                           "--out", folder)
            self.expect((told.returncode, told.stderr.count("rope 'line' slipped off body 'drum'")),
                        (0, times), "status and notes")
            self.expect(Result(folder).manifest["summary"]["slipped_off"], times, "slipped_off")

    def test_closed_form_that_no_longer_holds(self) -> None:
        file = self.open(self.record("atwood", "contraption", "--duration", "3"))
        gone = numpy.isnan(file["ropes/exact_points_m"][:]).all(axis=(1, 2))
        self.expect((bool(gone[0]), bool(gone[-1])), (False, True), "gaps at the start and the end")

    def test_same_run_same_bytes(self) -> None:
        for scenario in ("drape-sphere", "atwood-drum"):
            first, second = (self.record(scenario, "pbd", "--duration", "0.7") for _ in range(2))
            for name in FILES:
                if name != "run.json":
                    self.expect_true((first.folder / name).read_bytes()
                                     == (second.folder / name).read_bytes(), "other bytes",
                                     "the same bytes", f"{name} of one run made twice")

    def test_diverged(self) -> None:
        folder = new_folder()
        self.refused("run", "hanging-chain", "--solver", BLOW_UP, "--out", folder, status=DIVERGED)
        times = Result(folder).table("series").numbers("time_s")
        with h5py.File(folder / "trajectory.h5") as file:
            self.expect(file["time_s"][0::len(file["time_s"]) - 1].tolist(), [times[0], times[-1]],
                        "times of the first frame and the last, up to the divergence")


class Exports(Case):
    TARGETS = {"csv": "trajectory.csv", "vtk": "vtk", "xdmf": "trajectory.xmf"}

    def test_a_target_is_not_overwritten(self) -> None:
        result = self.record("atwood", "pbd", "--duration", "0.1")
        for to, target in self.TARGETS.items():
            if to != "xdmf":
                self.quietly("export", result.folder, "--to", to)
            before = contents(result.folder)
            self.refused("export", result.folder, "--to", to, says=(target, "--force"))
            self.expect(contents(result.folder), before, "files after a refused export")
            self.quietly("export", result.folder, "--to", to, "--force")
            self.expect(contents(result.folder), before, "files of the same export again")

    def test_another_place(self) -> None:
        result = self.record("atwood", "pbd", "--duration", "0.1")
        for to in self.TARGETS:
            before = contents(result.folder)
            place = new_folder()
            self.quietly("export", result.folder, "--to", to, "--out", place)
            self.expect_true(place.exists(), to, "a file or folder", "target of --out")
            self.expect(contents(result.folder), before, "the result that is exported")

    def test_files_of_the_user_stay(self) -> None:
        result = self.record("atwood", "pbd", "--duration", "0.1")
        self.quietly("export", result.folder, "--to", "vtk")
        (result.folder / "vtk/notes.txt").write_text("mine\n", encoding="utf-8")
        before = contents(result.folder)
        self.refused("export", result.folder, "--to", "vtk", "--force", says=("vtk",))
        self.expect(contents(result.folder), before, "files after a refused export")

    def test_nothing_to_export(self) -> None:
        empty, garbage, text = new_folder(), new_folder(), new_folder()
        for folder in (empty, garbage, text):
            folder.mkdir()
        (garbage / "trajectory.h5").write_bytes(bytes(range(256)) * 9)
        with h5py.File(text / "trajectory.h5", "w") as file:
            file.attrs["format"] = 1
            file["time_s"] = [0.0, 1.0]
        for place in (empty, garbage, text, WORK / "nowhere"):
            before = contents(place)
            for to in self.TARGETS:
                self.refused("export", place, "--to", to, says=("trajectory.h5", str(place)))
            self.expect(contents(place), before, "files in a folder without a trajectory")

    def test_bad_usage(self) -> None:
        result = self.record("atwood", "pbd", "--duration", "0.1")
        self.refused("export", result.folder, says=("--to", "csv", "vtk"))
        self.refused("export", result.folder, "--to", "cvs", says=("cvs", "csv"))
        self.refused("export", result.folder, "--to", "csv", "--out", "", says=("--out",))
        self.refused("export", "--to", "csv", says=("DIR",))

    def test_disk_full(self) -> None:
        result = self.record("atwood", "pbd")
        for to, target in self.TARGETS.items():
            before = contents(result.folder)
            self.refused("export", result.folder, "--to", to, "--force", status=FAILED,
                         says=(target, "File too large"), **small_disk(1000))
            self.expect(contents(result.folder), before, "files after an export without room")


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


if __name__ == "__main__":
    unittest.main()
