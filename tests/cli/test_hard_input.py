# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that can be wrong with what a user gives, in tables: each line shows the mistake, where
it is found, and what is said about it. All of it ends with status 2 and leaves nothing behind.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_hard_input
"""

from __future__ import annotations

import re
import resource
import subprocess
from pathlib import Path

from tests.cli import support as cli

SECONDS = 20  # of processor time: far more than any refusal takes, under sanitizers as well
MEMORY = 1 << 29  # [bytes] in all, where no sanitizer needs more by itself

HEAD = "name: test\nduration: 1\nstep: 0.01\n"
BODY = "bodies:\n  ball: {mass: 2, position: [0, -1, 0]}\n"
ROPE = "ropes:\n  line: {from: {point: [0, 0, 0]}, to: {body: ball}}\n"
GOOD = HEAD + BODY + ROPE


def body(keys: str) -> str:
    return f"{HEAD}bodies:\n  ball: {{{keys}}}\n{ROPE}"


def rope(keys: str) -> str:
    return f"{HEAD}{BODY}ropes:\n  line: {{{keys}}}\n"


def over(shape: str, ways: str, keys: str = "") -> str:
    """Two weights on a massless rope that passes a drum of this shape."""
    return (HEAD + "bodies:\n  left: {mass: 2, position: [-0.1, -1, 0]}\n"
            "  right: {mass: 1, position: [0.1, -2, 0]}\n"
            f"  drum: {{motion: fixed, {keys}shape: {{{shape}}}}}\n"
            f"ropes:\n  line: {{from: {{body: left}}, to: {{body: right}}, {ways}}}\n")


# A row round which every way that is found slips off some body.
STONE = ("hull: {points: [[0.25, 0.05, 0.25], [-0.25, 0.025, 0.28], [0.05, 0.25, -0.23], [-0.075, -0.25, 0.25], "
         "[0.1, -0.25, -0.25], [0.23, 0.075, -0.28], [-0.25, 0.05, -0.25]]}")
ROW = (HEAD + "bodies:\n"
       "  a: {motion: fixed, position: [0.032, 0.33, -0.073], rotation: [2.6, -1.3, -0.39], "
       "shape: {box: {size: [0.4, 0.3, 0.6]}}}\n"
       f"  b: {{motion: fixed, position: [1.3, -0.049, 0.029], rotation: [-1.2, 1, 0.67], shape: {{{STONE}}}}}\n"
       "  c: {motion: fixed, position: [2, 0.077, -0.22], rotation: [0.4, -0.63, 0.043], "
       "shape: {cylinder: {radius: 0.2, length: 0.6}}}\n"
       f"  d: {{motion: fixed, position: [3.4, -0.011, 0.12], rotation: [-1, 1.1, -0.6], shape: {{{STONE}}}}}\n"
       "ropes:\n  line: {from: {point: [-1.2, -0.3, 0]}, to: {point: [4.8, -0.3, 0]}, over: @["
       "{body: a, side: [0, 1, 0]}, {body: b, side: [0, -1, 0]}, {body: c, side: [0, 1, 0]}, "
       "{body: d, side: [0, -1, 0]}]}\n")

CHAIN = "from: {point: [0, 0, 0]}, to: {point: [1, 0, 0]}"

# What is wrong, a scenario with a '@' where that is found, what the message holds.
TEXTS = (
    ("unknown key", body("@mas: 2"), "unknown key 'mas' in body 'ball'; did you mean 'mass'?"),
    ("unknown key at the top", GOOD + "@durration: 1\n", "did you mean 'duration'?"),
    ("unknown key without a near one", GOOD + "@x: 1\n", "expected one of name, title, about"),
    ("wrong type", body("mass: @heavy"), "mass: expected a number greater than 0 [kg], found 'heavy'"),
    ("a list for a number", body("mass: @[1]"), "mass: expected a number", "found a list of 1"),
    ("a map for a number", body("mass: @{a: 1}"), "found a map of 1"),
    ("nothing for a number", body("position: [0, -1, 0], mass: @"), "found nothing"),
    ("a number in quotes", body('mass: @"2"'), 'found "2" (a number has no quotes)'),
    ("a number for a vector", GOOD + "gravity: @-9.81\n", "expected three numbers [x, y, z] [m/s^2]"),
    ("a vector of two", GOOD + "gravity: @[0, -9.81]\n", "found a list of 2"),
    ("a word for true", rope(CHAIN + ", compression: @yes"), "expected true or false, found 'yes'"),
    ("a list for the ropes", HEAD + BODY + "ropes: @[line]\n", "a map from the name of each rope"),
    ("missing field", "@name: test\nstep: 0.01\n" + BODY + ROPE, "missing key 'duration'"),
    ("missing end", HEAD + BODY + "ropes:\n  @line: {from: {body: ball}}\n", "missing key 'to'"),
    ("missing mass", HEAD + "bodies:\n  @ball: {position: [0, -1, 0]}\n" + ROPE,
     "a body that moves freely needs a mass"),
    ("no rope", "@" + HEAD + BODY, "the scenario has no rope"),
    ("duplicate key", HEAD + "@step: 0.1\n" + BODY + ROPE, "'step' comes twice; the first is at line 3"),
    ("duplicate body", HEAD + BODY + "  @ball: {mass: 1}\n" + ROPE, "'ball' comes twice"),
    ("one name for two things", GOOD + "  @ball: {" + CHAIN + "}\n", "has the name of a body"),
    ("nan", body("mass: @nan"), "found 'nan'"),
    ("nan as YAML has it", body("mass: @.nan"), "found '.nan'"),
    ("nan in a vector", body("mass: 1, position: [0, @.NaN, 0]"), "position, y", "found '.NaN'"),
    ("inf", body("mass: @inf"), "found 'inf'"),
    ("inf as YAML has it", body("mass: @-.inf"), "found '-.inf'"),
    ("too large", body("mass: @1e400"), "found '1e400' (too large)"),
    ("trailing junk", body("mass: @1e-3x"), "found '1e-3x'"),
    ("a unit after the number", body("mass: @2 kg"), "found '2 kg'"),
    ("hexadecimal", body("mass: @0x10"), "found '0x10'"),
    ("decimal comma", HEAD.replace("0.01", "@0,01") + BODY + ROPE, "'0,01' (the decimal sign is a point)"),
    ("decimal comma in braces", body("mass: @0,5"), "mass: found '0,5' (the decimal sign is a point)"),
    ("too small", body("mass: @1e-400"), "found '1e-400' (too small)"),
    ("a line break in the name", GOOD.replace("test", '@"te\\nst"'), "no control character, found 0x0A"),
    ("a 0 in the name", GOOD.replace("test", '@"te\\0st"'), "no control character, found 0x00"),
    ("negative mass", body("mass: @-1"), "expected a number greater than 0 [kg], found '-1'"),
    ("no mass", body("mass: @0"), "expected a number greater than 0 [kg], found '0'"),
    ("negative mass of a rope", rope(CHAIN + ", segments: 2, mass: @-1"), "not negative [kg]"),
    ("zero-length rope", rope(CHAIN + ", length: @0"), "length: expected a number greater than 0 [m]"),
    ("rope shorter than its way", rope(CHAIN + ", length: @0.5"), "shorter than its way of 1 m"),
    ("negative slack", rope(CHAIN + ", slack: @-0.1"), "pretension and needs a stiffness"),
    ("identical ends", rope("from: {point: [0, 0, 0]}, to: @{point: [0, 0, 0]}"),
     "both ends are at the same place"),
    ("unknown body", rope("from: {point: [0, 0, 0]}, to: {body: @bal}"), "did you mean 'ball'?"),
    ("unknown rope", rope("to: {body: ball}, from: {rope: @lime, node: 0}"), "did you mean 'line'?"),
    ("unknown word", body("mass: 1, motion: @fxied"), "motion: found 'fxied'; did you mean 'fixed'?"),
    ("unknown shape", body("motion: fixed, shape: {@spere: {}}"), "did you mean 'sphere'?"),
    ("unknown probe", GOOD + "probes: [@ball.why]\n", "unknown quantity of a body 'why'"),
    ("probe of an unknown body", GOOD + "probes: [@bal.y]\n", "did you mean 'ball'?"),
    ("unknown closed form", GOOD + "exact: {@pendulm: {rope: line}}\n", "did you mean 'pendulum'?"),
    ("a billion segments", rope(CHAIN + ", mass: 1, segments: @1000000000"),
     "expected a whole number from 0 to 10000000, found '1000000000'"),
    ("a billion segments, in short", rope(CHAIN + ", mass: 1, segments: @1e9"), "found '1e9'"),
    ("half a segment", rope(CHAIN + ", mass: 1, segments: @2.5"), "expected a whole number"),
    ("segments without a mass", rope(CHAIN + ", segments: @3"), "a rope with segments needs a mass"),
    ("over a half-space", over("plane: {normal: [0, 1, 0]}", "over: [@drum]"), "no rope passes round a half-space"),
    ("over a body that lets ropes through",
     over("sphere: {radius: 0.1}", "over: [@drum]", "rope_collide: false, "), "expected no rope_collide: false"),
    ("over a body in which the rope ends", over("sphere: {radius: 0.1}", "over: [@drum]").replace(
        "{body: left}", "{body: drum, at: [0, 0.05, 0]}"), "an end of the rope is fixed to it inside its shape"),
    ("over more than half a ball", over("sphere: {radius: 0.1}", "over: [@drum]"), "the rope slips off: from its centre",
     "rad apart there, and beyond 3.142"),
    ("turns round a cone", over("hull: {points: [[0.2, 0, 0], [-0.1, 0.17, 0], [-0.1, -0.17, 0], [0, 0, 0.3]]}",
                                "over: [{body: drum, turns: @2}]"), "slip off body 'drum'"),
    ("turns over the corners of a box", over("box: {size: [0.4, 0.3, 1]}", "over: [{body: drum, turns: @2}]",
                                             "rotation: [0.9, 0.4, 0], "), "the turns slip off body 'drum'"),
    ("turns round a ball with mass", over("sphere: {radius: 0.1}", "over: [{body: drum, turns: @2}], mass: 1, "
                                          "segments: 40"), "full turns hold on a ball with friction only"),
    ("turns beside a drum", over("cylinder: {radius: 0.1, length: 1}", "over: [{body: drum, turns: @3}]",
                                 "position: [0, 0, 3], "), "the turns slip off body 'drum'", "less than 3 full turns"),
    ("over the tip of a pole", over("capsule: {radius: 0.1, length: 1}", "over: [@{body: drum, side: [0, 0, 1]}]"),
     "on that side of body 'drum' no way is found on which the rope holds"),
    ("over a row that holds no rope", ROW, "no way is found on which the rope holds on all bodies that it is to pass"),
    ("a side along the axis", over("cylinder: {radius: 0.1, length: 1}",
                                   "over: [{body: drum, side: @[0, 0, 1]}]"), "along the axis of body 'drum'"),
    ("an eye inside a body", over("cylinder: {radius: 0.1, length: 1}", "over: [@{eye: [0, 0, 0.45]}]"),
     "an eye starts 0.05 m inside body 'drum'"),
    ("an end inside a ball", over("sphere: {radius: 1.2}", "over: []").replace("from: {", "from: @{"),
     "this end starts 0.195 m inside body 'drum'"),
    ("a massless rope under the ground", over("plane: {normal: [0, 1, 0]}", "over: []").replace("from: {", "from: @{"),
     "this end starts 1 m inside body 'drum'"),
    ("a rope through a ball", over("sphere: {radius: 0.3}", "over: []", "position: [0, -1.5, 0], ").replace(
        "  line", "  @line").replace(", over: []", ""), "between 'from' and 'to' the rope cuts through body 'drum' at the start, 0.3 m deep"),
    ("a rope with mass whose end is inside a drum", over(
        "cylinder: {radius: 0.2, length: 1}", "over: [drum], segments: 10, mass: 1", "position: [0, -0.9, 0], ").replace(
            "from: {", "from: @{"), "this end starts 0.0586 m inside body 'drum' (with the rope's radius of 0 m)"),
    ("two straight elements over a box", over(
        "box: {size: [0.3, 0.5, 1]}", "over: [drum], mass: 1, segments: @2", "rotation: [0, 0, 0.2], "),
     "no way is found on which the 2 straight elements of the rope", "clear body 'drum'",
     "expected more segments, or `points`"),
    ("a length that five straight elements use up", over(
        "box: {size: [0.1, 0.5, 1]}", "over: [drum], mass: 1, segments: 5, length: @3.7"),
     "the rope is 3.7 m long, shorter than the way of", "on which its 5 straight elements clear the bodies",
     "(close to these it is 3.60", "expected a longer rope, more segments, or `points`"),
    ("a prism of two sides", over("prism: {radius: 0.1, length: 1, sides: @2}", "over: [drum]"),
     "sides: expected a whole number from 3 to 128, found '2'"),
    ("a prism of two sides and a half", over("prism: {radius: 0.1, length: 1, sides: @2.5}", "over: [drum]"),
     "sides: expected a whole number from 3 to 128, found '2.5'"),
    ("an endless turn", over("sphere: {radius: 0.1}", "over: [drum]", "rotation: @[0, 0, 1e30], "),
     "a turn by 1e+30 rad is beyond the range of angles; expected at most 100000 rad"),
    ("an endless turn of a part", over("sphere: {radius: 0.1}, rotation: @[0, 1e6, 0]", "over: [drum]"),
     "a turn by 1e+06 rad is beyond the range of angles; expected at most 100000 rad"),
    ("endless slack", rope(CHAIN + ", slack: @1e300"), "rest length is 1e+300 m; expected one above 1e-75 m and below 1e+75 m"),
    ("endless slack over a drum", over("cylinder: {radius: 0.1, length: 1}", "over: [drum], slack: @1e300"),
     "rest length is 1e+300 m; expected one above 1e-75 m and below 1e+75 m"),
    ("a hull that is not convex", over("hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], @[0.1, 0.1, 0.1]]}",
                                       "over: []"), "point 4, from 0, is 0.1 m inside the others"),
    ("a flat hull", over("hull: {points: @[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}", "over: []"),
     "lie in one plane"),
    ("no radius", over("cylinder: {radius: @0, length: 1}", "over: []"), "greater than 0 [m], found '0'"),
    ("friction below 0", over("cylinder: {radius: 0.1, length: 1}", "over: [drum], friction: @-0.1"),
     "friction: expected a number that is not negative, found '-0.1'"),
    ("the second event", GOOD.replace("bodies:", "bodies:\n  wall: {motion: fixed}") +
     "events:\n  - {at: 0, cut: {rope: line, segment: 0}}\n"
     "  - {from: 0, until: 1, force: {body: @wall, value: [1, 0, 0]}}\n", "body 'wall', which is held"),
    ("a rope inside a body", HEAD + "bodies:\n  block: {motion: fixed, position: [0.5, 0, 0], "
     "shape: {sphere: {radius: 0.2}}}\nropes:\n  @line: {" + CHAIN + ", mass: 1, segments: 4}\n",
     "m inside body 'block'"),
    ("step 0", HEAD.replace("0.01", "@0") + BODY + ROPE, "step: expected a number greater than 0 [s]"),
    ("step below 0", HEAD.replace("0.01", "@-0.01") + BODY + ROPE, "step: expected", "found '-0.01'"),
    ("step nan", HEAD.replace("0.01", "@nan") + BODY + ROPE, "step: expected", "found 'nan'"),
    ("duration 0", HEAD.replace("duration: 1", "duration: @0") + BODY + ROPE, "greater than 0 [s]"),
    ("a name that is too long", GOOD.replace("test", "@" + "x" * 200), "name: expected at most 199 bytes, found 200"),
    ("a name that is a path", GOOD.replace("test", "@../test"), "a short text without '/'"),
    ("empty file", "@", "empty: nothing is written here"),
    ("only a comment", "# nothing@", "empty: nothing is written here"),
    ("not a map", "@rope\n", "expected a map of keys and values, found 'rope'"),
    ("binary garbage", "@" + "".join(map(chr, range(256))), "not a text file in UTF-8"),
    ("Latin-1", "name: test\nabout: caf@\xe9 rope\n", "not a text file in UTF-8", "after 0xE9"),
    ("a control character", "name: te@\x01st\n", "control characters are not allowed (0x01)"),
    ("a tab", "name: test\nbodies:\n@\tball: {mass: 1}\n", "a tab: indent with spaces"),
    ("an open quote", "name: 'test\n@", "quoted scalar that starts at line 1"),
    ("two documents", GOOD + "@---\nname: again\n", "a second document"),
    ("alias bomb", HEAD + "title: @&a [x, x]\nabout: [*a, *a]\n", "anchors (&) and aliases (*)"),
    ("alias", HEAD + "title: @*a\n", "anchors (&) and aliases (*)"),
    ("a tag", HEAD + "title: @!!str text\n", "tags (!) are not used here"),
    ("20 000 lists in each other", HEAD + "title: " + "[" * 63 + "@" + "[" * 20000,
     "nested too deeply"),
    ("20 000 maps in each other", HEAD + "title: " + "{a: " * 63 + "@" + "{a: " * 20000,
     "nested too deeply"),
    ("a key of 2 MB", HEAD + "x" * 2_000_000 + "@: 1\n", "YAML: "),
    ("a value of 2 MB", HEAD + "title: '" + "x" * 2_000_000 + "'\n@mas: 1\n", "unknown key 'mas'"),
    ("100 000 keys", HEAD + "@" + "".join(f"k{i}: 1\n" for i in range(100_000)), "unknown key 'k0'"),
)

# Options of `run atwood`, and what the message holds.
RUN = ("run", "atwood")
OPTIONS = (
    ("step with a unit", ("--step", "1ms"), "found a number followed by 'ms'"),
    ("step 0", ("--step", "0"), "--step 0: expected a number of seconds above 0"),
    ("step below 0", ("--step=-0.01",), "--step -0.01: expected"),
    ("step nan", ("--step", "nan"), "--step nan: expected"),
    ("step inf", ("--step", "inf"), "--step inf: expected"),
    ("step with a comma", ("--step", "0,01"), "--step 0,01: expected"),
    ("step with junk", ("--step", "0.01s"), "--step 0.01s: expected"),
    ("step that cannot be counted", ("--step", "1e-300"), "--step: ", "steps; expected at most"),
    ("set what other keys need", ("--set", "probes=[line.node.7.y]", "--set", "bodies.heavy.mass=3"), "node 7"),
    ("set a field of an item that is not there", ("--set", "events.0.at=1"), "there is no item 0: 'events' has none"),
    ("duration nan", ("--duration", "nan"), "--duration nan: expected"),
    ("trace 0", ("--trace", "0"), "--trace 0: expected a whole number from 1"),
    ("unknown option", ("--sovler", "pbd"), "did you mean '--solver'?"),
    ("unknown solver", ("--solver", "pdb"), "unknown solver 'pdb'; did you mean 'pbd'?"),
    ("unknown parameter", ("--solver", "pbd,iteration=4"), "did you mean 'iterations'?"),
    ("parameter below its range", ("--solver", "pbd,iterations=0"), "expected a whole number from 1 to"),
    ("parameter above its range", ("--solver", "pbd,omega=2"), "expected a number from 0", "to 1.999"),
    ("parameter nan", ("--solver", "pbd,omega=nan"), "'nan' is not a value of parameter 'omega'"),
    ("parameter with junk", ("--solver", "pbd,omega=1x"), "'1x' is not a value of parameter 'omega'"),
    ("unknown choice", ("--solver", "pbd,order=bakward"), "did you mean 'backward'?"),
    ("parameter with a word for true", ("--solver", "impulse,warm_start=yes"), "expected true or false"),
    ("parameter with a number for true", ("--solver", "impulse,warm_start=1"), "expected true or false"),
    ("label that is a path", ("--solver", "../x=pbd"), "'../x' is not a label"),
    ("unknown probe", ("--probe", "line.tensoin"), "did you mean 'tension'?"),
    ("probe of an unknown body", ("--probe", "heavi.y"), "did you mean 'heavy'?"),
    ("probe of a node that is not there", ("--probe", "line.node.2.y"), "expected 0 to 1, or -1"),
    ("set a parameter of solvers", ("--set", "iterations=3"), "--solver NAME,iterations=3"),
    ("set an unknown key", ("--set", "bodies.heavy.mas=3"), "did you mean 'mass'?"),
    ("set a body that is not there", ("--set", "bodies.heavi.mass=3"), "did you mean 'heavy'?"),
    ("set a negative mass", ("--set", "bodies.heavy.mass=-1"), "greater than 0 [kg], found '-1'"),
    ("set nan", ("--set", "bodies.heavy.mass=nan"), "found 'nan'"),
    ("set what is no YAML", ("--set", "gravity=[0, 1"), "YAML"),
    ("set an alias", ("--set", "title=*a"), "anchors (&) and aliases (*)"),
    ("set a billion segments", ("--set", "ropes.line.segments=1000000000"), "from 0 to 10000000"),
    ("two steps", ("--step", "0.01", "--step", "0.02"), "ropelab run: --step is given twice"),
    ("two durations", ("--duration", "1", "--duration", "2"), "--duration is given twice"),
    ("two folders", ("--out", "a", "-o", "b"), "--out is given twice"),
    ("a probe twice", ("--probe", "heavy.y", "--probe", "heavy.y"), "--probe: 'heavy.y' is given twice"),
    ("output not writable", ("--out", "/proc/ropelab"), "cannot make the folder /proc/ropelab"),
    ("output below a file", ("--out", "/dev/null/below"), "cannot make the folder", "Not a directory"),
    ("output without a name", ("--out", ""), "expected the name of a folder"),
)


def limit_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def limit_both() -> None:
    limit_time()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def position(text: str) -> str:
    """LINE:COLUMN of the mark."""
    before = text[:text.index("@")]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


class HardInput(cli.Case):
    @classmethod
    def setUpClass(cls) -> None:
        # A sanitizer takes all the addresses there are, so that nothing could be limited.
        plain = subprocess.run([cli.PROGRAM, "--version"], capture_output=True, check=False,
                               preexec_fn=limit_both)
        cls.limit = limit_both if plain.returncode == 0 else limit_time

    def refuse(self, *words: object, says: tuple[str, ...]) -> None:
        out = cli.new_folder()
        given = words if "--out" in words or words[0] == "check" else (*words, "--out", out)
        self.refused(*given, says=says, preexec_fn=type(self).limit)
        self.expect(out.exists(), False, "something written by a command that was refused")

    def test_scenarios(self) -> None:
        for number, (what, marked, *says) in enumerate(TEXTS):
            with self.subTest(what):
                path = cli.WORK / f"hard-{number}.yaml"
                text = marked.replace("@", "", 1)
                if what in ("binary garbage", "Latin-1"):
                    path.write_bytes(text.encode("latin-1"))
                else:
                    path.write_text(text, encoding="utf-8", newline="")
                found = f"{path}:{position(marked)}: error: "
                self.refuse("check", path, says=(found, *says))
                if number % 4 == 0:  # it reads the same way
                    self.refuse("run", path, "--solver", "pbd", says=(found, *says))
                path.unlink()

    def test_messages_on_options_are_one_line(self) -> None:
        for words in (("--step", "x"), ("--stepp", "1"), ("-z",), ("-o",), ("more",)):
            with self.subTest(words[0]):
                said = cli.ropelab(*RUN, *words).stderr
                self.expect(re.sub(r"^ropelab run: [^\n]+\n$", "", said), "", "the message")

    def test_setting_that_does_not_go_with_the_file(self) -> None:
        self.refuse("run", "catenary", "--solver", "pbd", "--set", "ropes.cable.segments=0",
                    says=("probe 'cable.node.4.y'", "(with --set ropes.cable.segments=0)"))

    def test_file_that_is_not_there(self) -> None:
        self.refuse("check", "nothing.yaml", says=("no file 'nothing.yaml'; `ropelab list",))
        for name in ("results", "results.yaml"):
            folder = cli.new_folder() / name
            folder.mkdir(parents=True)
            self.refuse("run", folder, "--solver", "pbd", says=(str(folder), "a folder"))

    def test_options(self) -> None:
        for what, options, *says in OPTIONS:
            with self.subTest(what):
                solver = () if "--solver" in options else ("--solver", "pbd")
                self.refuse(*RUN, *solver, *options, says=tuple(says))

    def test_a_file_of_100_megabytes(self) -> None:
        path = cli.WORK / "large.yaml"
        with path.open("wb") as file:
            file.truncate(100_000_000)
        self.refuse("check", path, says=(f"{path}: error: ", "larger than 16 MiB"))
        path.unlink()

    def test_a_file_without_an_end(self) -> None:
        self.refuse("check", "/dev/zero", says=("/dev/zero: error: ", "larger than 16 MiB"))

    def test_an_alias_bomb(self) -> None:
        path = cli.REPOSITORY / "tests/corpus/alias-bomb.yaml"
        self.refuse("check", path, says=(f"{path}:", "anchors (&) and aliases (*)"))

    def test_a_result_in_the_way(self) -> None:
        folder = cli.new_folder()
        short = (*RUN, "--solver", "pbd", "--duration", "0.1", "--step", "0.01", "--out", folder)
        self.quietly(*short)
        before = cli.contents(folder)
        self.refused(*short, says=(f"{folder} already holds a result; --force replaces it",))
        self.expect(cli.contents(folder), before, "files after a refused run")


class Memory(cli.Case):
    """What would not fit is refused with both numbers, and not ended by the system."""

    def setUp(self) -> None:
        HardInput.setUpClass()
        if HardInput.limit is not limit_both:
            self.skipTest("the memory of a program under sanitizers cannot be limited")

    def refuse(self, *words: object, says: tuple[str, ...]) -> None:
        self.refused(*words, says=says, status=cli.FAILED, preexec_fn=limit_both)

    def write(self, name: str, text: str) -> Path:
        path = cli.WORK / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_a_scenario_that_does_not_fit(self) -> None:
        path = self.write("long.yaml", rope(CHAIN + ", mass: 1, segments: 10000000"))
        place = f"{path}:7:{len('  line: {' + CHAIN + ', mass: 1, segments: ') + 1}: error: rope 'line'"
        numbers = "the scenario needs 2.53 GiB of memory and there are 0.5 GiB: 10000000 elements"
        for command in (("check",), ("run", "--solver", "pbd", "--out", cli.new_folder())):
            self.refuse(command[0], path, *command[1:], says=(place, numbers))

    def test_many_bodies_on_a_long_rope(self) -> None:
        plates = "".join(f"  b{i}: {{motion: fixed, position: [0, {-i - 2}, 0], shape: "
                         "{sphere: {radius: 0.1}}, collide: false}\n" for i in range(1000))
        chain = "ropes:\n  line: {" + CHAIN + ", mass: 1, segments: "
        path = self.write("many.yaml", HEAD + "bodies:\n" + plates + chain + "1000000}\n")
        self.refuse("check", path, says=("is too large", "3e+09 possible contacts"))
        path = self.write("some.yaml", HEAD + "bodies:\n" + plates + chain + "100000}\n")
        self.refuse("check", path, says=("needs", "GiB of memory and there are 0.5 GiB",
                                         "300001000 possible contacts"))

    def test_a_solver_that_does_not_fit(self) -> None:
        """The scenario does, and what most solvers need; a matrix does not."""
        path = self.write("wide.yaml", rope(CHAIN + ", mass: 1, segments: 1000000"))
        folder = cli.new_folder()
        self.refuse("run", path, "--solver", "pbd-direct", "--out", folder,
                    says=("pbd-direct cannot run test: it needs", "GiB of memory and there are 0.5 GiB"))
        self.expect(list(cli.contents(folder)), ["run.json"], "files of a run that did not begin")
        self.expect(cli.Result(folder).manifest["status"], "failed", "status in run.json")

    def test_a_text_that_does_not_fit(self) -> None:
        path = self.write("numbers.yaml", GOOD + "about: [" + "1," * 8_000_000 + "]\n")
        self.refuse("check", path, says=("out of memory: there are 0.5 GiB",))


if __name__ == "__main__":
    cli.unittest.main()
