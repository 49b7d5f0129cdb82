# SPDX-License-Identifier: GPL-3.0-or-later
"""What the program says of itself, and of words that it cannot take.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_usage
"""

from __future__ import annotations

import json
import os
import re
import subprocess

from tests.cli.support import (COLUMNS, DONE, FAILED, REPOSITORY, SANITIZED, SCENARIOS,
                               WORK, Case, coverage, new_folder, ropelab, solvers)

COMMANDS = ("list", "check", "run", "compare", "converge", "study", "onestep", "consistency",
            "precision", "report", "export", "diff", "bench", "reproduce")


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
            if SANITIZED or i % 3:
                continue  # all numbers stand in the text, to the bit
            solver = next(name for name, lack in missing.items() if not lack)
            results = [self.record_any(source, solver, "--duration", "0.0125", "--step", "0.00625")
                       for source in (scenario, path)]
            self.expect(results[1].hash, results[0].hash,
                        f"state_hash of {solver} on {scenario}, from its JSON and its YAML")
