# SPDX-License-Identifier: GPL-3.0-or-later
"""One run from outside: every file that it leaves, how it ends, and where it may not write.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_runs
"""

from __future__ import annotations

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
import time
from pathlib import Path

import h5py

from tests.cli.support import (BLOW_UP, COLUMNS, DIVERGED, DONE, FAILED, FILES, FOREVER,
                               INTERRUPTED, PARTS, PATIENCE, PROGRAM, REPOSITORY, SANITIZED, UNSUPPORTED, WORK,
                               Case, Result, Table, contents, coverage, new_folder, release_only,
                               ropelab, same_number, small_disk, solvers, wait_for_lock)


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
            self.expect_exit(ropelab("report", folder, "--figures", "svg"), DONE)

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

    # Every cell runs in the contract's test; of what is written a sixteenth of them is enough, so
    # chosen that every solver and every scenario has its share; under sanitizers one for each scenario,
    # and a quarter of its rows, as the same code writes the others.
    def test_solvers_and_scenarios(self) -> None:
        for i, (scenario, missing) in enumerate(coverage().items()):
            share, duration = (len(missing), "0.05") if SANITIZED else (16, "0.2")
            for solver, lack in list(missing.items())[i % share::share]:
                words = ("--duration", duration, "--step", "0.00625")
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
            result = Result(folder)
            reached = result.manifest["summary"]["steps_done"] * result.manifest["step_s"]
            said = (f"ropelab: interrupted at t = {reached:.6g} s; what is recorded is in {folder}, "
                    f"`ropelab report {folder}` draws it\n")
            self.expect((process.returncode, output), (INTERRUPTED, ("", said)),
                        f"exit status, stdout and stderr after {number.name}")
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
            said = (f"ropelab: interrupted; what is recorded is in {folder}, "
                    f"`ropelab report {folder}` draws it\n")
            self.expect((process.returncode, output), (INTERRUPTED, ("", said)),
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
