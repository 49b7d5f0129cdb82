# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run says beside its numbers: what came apart, slipped off or has no effect.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_notes
"""

from __future__ import annotations

import math
import re

import numpy

from tests.cli.support import (DIVERGED, DONE, UNSUPPORTED, Case, Result, Table, new_folder,
                               ropelab)


class Notes(Case):
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
        told = ropelab("run", "heavy-load", "--solver", "impulse-direct", "--out", folder)
        wanted = (f"; from t = 0.00416667 s on, rope 'line' asks for steps below sqrt(m l/T) = {limit:.3g} s, "
                  "and shorter ones as T grows")
        self.expect(told.returncode, DIVERGED, "status")
        self.expect_in(wanted + "\n", told.stderr, "what is told")
        self.expect(Result(folder).manifest["reason"].endswith(wanted), True, "the reason in run.json")
        told = ropelab("run", "heavy-load", "--solver", "pbd-direct", "--duration", "0.1", "--out", new_folder())
        self.expect(told.returncode, DONE, "status of a run that does not settle")
        self.expect_in(wanted.split(" = ")[0], told.stderr, "what is told of it")
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

    def test_friction_that_gives_back(self) -> None:
        """A weight of 4 g is hauled on to a rough prism on an axle, a box swings on a rope over a rough wheel: told where
        `dissipated` falls, and only there."""
        path = new_folder() / "haul.yaml"
        path.parent.mkdir(parents=True)
        path.write_text("name: haul\nduration: 0.5\nstep: 0.002\nbodies:\n"
                        "  prism: {motion: axle, mass: 1, inertia: [0.0008769, 0.0008769, 0.0008769],"
                        " position: [0.6, 0.0403, 0], friction: 0.3684,"
                        " shape: {prism: {radius: 0.1006, length: 1, sides: 7}}}\n"
                        "  a: {mass: 0.4991, position: [0.8563, -0.3011, -0.0667], velocity: [0.145, -0.704, -0.057]}\n"
                        "  b: {mass: 0.003733, position: [0.3497, -0.4461, 0.0328], velocity: [0.051, -1.58, 0.016]}\n"
                        "  c: {mass: 4.871, position: [0.8415, -0.604, 0.0328], velocity: [-0.019, 0.332, 0.022]}\n"
                        "ropes:\n  soft: {from: {point: [0.3804, -0.6879, -0.0667]}, to: {body: a}, friction: 0.5464,"
                        " slack: 0.0104, stiffness: 1014, over: [{body: prism, side: [0, 1, 0]}]}\n"
                        "  hard: {from: {body: b}, to: {body: c}, friction: 0.7127,"
                        " over: [{body: prism, side: [0, 1, 0]}]}\n")
        swing = path.with_name("swing.yaml")
        swing.write_text("name: swing\nduration: 0.25\nstep: 0.001\nbodies:\n"
                         "  w0: {motion: axle, mass: 1, inertia: [1, 1, 0.001342], position: [0, 0.01334, 0],"
                         " friction: 0.103, shape: {cylinder: {radius: 0.05673, length: 0.3}}}\n"
                         "  b: {mass: 0.1016, position: [0.05673, -0.5121, 0], velocity: [0, -0.524, 0]}\n"
                         "  hit: {mass: 0.2067, position: [0.2427, 0.5607, 0], velocity: [-0.863, -4.54, 0],"
                         " friction: 0.103, shape: {box: {size: [0.12, 0.1, 0.2]}}}\n"
                         "ropes:\n  line: {from: {point: [-0.8, -0.3, 0]}, to: {body: b},"
                         " over: [{body: w0, side: [0, 1, 0]}]}\n")
        says = "what was dissipated came back, up to "
        for scene, solver, step, gives in ((swing, "impulse", "0.001", True), (swing, "pbd", "0.002", False),
                                           (path, "xpbd", "0.002", False), (path, "convex", "0.002", False)):
            with self.subTest(solver, step=step):
                folder = new_folder()
                told = ropelab("run", scene, "--solver", solver, "--step", step, "--out", folder)
                self.expect_exit(told, DONE)
                self.expect(says in told.stderr, gives, f"note of {solver}")
                dissipated = Result(folder).table("series").numbers("dissipated_J")
                fall = max(a - b for a, b in zip(dissipated, dissipated[1:]))
                self.expect_true(gives == (fall > 0.1), fall, "above 0.1 J where it is noted", "largest fall")

    def test_rope_that_is_left_too_long(self) -> None:
        # Sweeps over two ropes that share a pulley of a millionth of a weight converge in a million.
        for mass, note in ("0.5", ""), ("1e-6", "; inextensible rope was up to"):
            folder = new_folder()
            told = ropelab("run", "double-atwood", "--solver", "pbd", "--set", f"bodies.pulley.mass={mass}",
                           "--out", folder)
            manifest = Result(folder).manifest
            self.expect((manifest["status"], manifest["reason"].startswith("iterations done" + note),
                         told.stderr.count("note: double-atwood, pbd: inextensible rope was up to")),
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
            done = ropelab("run", what, "--solver", solver, "--step", step, "--out", folder)
            self.expect_exit(done, DONE)
            manifest = Result(folder).manifest
            held = 1.095 * 9.81 if what == path else 9.81
            error = float(re.search(r"energy error up to (\S+) J, ", done.stdout)[1])
            share = manifest["summary"]["energy_error_max_J"] / held
            self.expect_in(f" J, {share:.2g} {'times' if share > 1 else 'of'} what the scene holds; ",
                           done.stdout, f"share of {error} J")
            told = [n for n in manifest["notes"] if n.startswith("the method lost up to")]
            self.expect((len(told), "; the method lost up to" in manifest["reason"]), (note, note),
                        f"notes of {solver}")
            if note:
                table = Table(folder / "series.csv")
                lost, share, there = map(float, re.search(r"(\S+) J, (\S+) of the (\S+) J", told[0]).groups())
                self.expect(lost, float(f"{-min(table.numbers('energy_error_J')):.3g}"), told[0])
                work = abs(table.numbers("work_J")[-1])
                self.expect((share, there), (float(f"{lost / (held + work):.2g}"), float(f"{held + work:.3g}")),
                            told[0])

    def test_bodies_that_are_driven_into_each_other(self) -> None:
        """A wheel that cannot give way, by a prescribed ball at its middle; and a ball between a
        driven plate and a wall, whose forces have no bound: how deep, and what is lost."""
        path = new_folder() / "jam.yaml"
        path.parent.mkdir(parents=True)
        rope = "ropes: {r: {from: {point: [0, 9, 0]}, to: {point: [0, 8, 0]}, slack: 0.1}}\n"
        text = ("name: jam\ngravity: [0, 0, 0]\nduration: 0.3\nstep: 0.01\nbodies:\n"
                "  hand: {motion: driven, position: [-0.4, 0, 0], velocity: [1, 0, 0], shape: {box: {size: [0.2, 1, 1]}}}\n"
                "  ball: {@, shape: {sphere: {radius: 0.2}}}\n"
                "  wall: {motion: fixed, position: [0.4, 0, 0], shape: {box: {size: [0.2, 1, 1]}}}\n" + rope)
        for ball, notes in (("motion: axle, mass: 1, collide: true, position: [0, 0.01, 0]",
                             ("bodies 'ball' and 'hand' are in each other from t = 0.11 s on, and neither can give "
                              "way: their contact does not act",)),
                            ("mass: 1", ("the method lost up to", ))):
            path.write_text(text.replace("@", ball))
            for solver in "impulse", "rattle", "convex":
                folder = new_folder()
                told = ropelab("run", path, "--solver", solver, "--out", folder)
                manifest = Result(folder).manifest
                self.expect_exit(told, DONE)
                kept = [n for n in manifest["notes"] if "settle" not in n]
                most = max(Table(folder / "series.csv").numbers("penetration_max_m"))
                self.expect([n.startswith(start) for n, start in zip(kept, notes)], [True] * len(notes),
                            f"{solver}: {kept}")
                self.expect(kept[-1], f"bodies were up to {most:.3g} m in each other, {most / 0.2:.2g} of the smaller one",
                            f"the last note of {solver}")

    def test_rope_that_slips_off_the_end_of_a_drum(self) -> None:
        for push, times in ("0", 0), ("2", 1):
            folder = new_folder()
            told = ropelab("run", "atwood-drum", "--solver", "impulse", "--duration", "0.5",
                           "--set", "exact=none", "--set", f"bodies.heavy.velocity=[0, 0, {push}]",
                           "--out", folder)
            self.expect((told.returncode, told.stderr.count("rope 'line' slipped off body 'drum'")),
                        (0, times), "status and notes")
            self.expect(Result(folder).manifest["summary"]["slipped_off"], times, "slipped_off")
