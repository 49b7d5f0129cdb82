# SPDX-License-Identifier: GPL-3.0-or-later
"""What `cmake --install` leaves, after it was moved to another place: the program finds its data,
programs outside the tree find the library, and the shell the manual page and completion.

Run with: ROPELAB_BUILD=build/release /usr/bin/python3 -m unittest tests/install/test_install.py
"""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ROPELAB_BUILD") or REPOSITORY / "build/release").resolve()
CONSUMER = REPOSITORY / "tests/install/consumer"
SANITIZE = os.environ.get("ROPELAB_SANITIZE_FLAGS", "").split()  # what the library was built with
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
PATIENCE = 120.0  # [s]
WORK = Path()  # the temporary folder of this run of the tests
PREFIX = Path()  # the installation in it


def run(*words: object, **options) -> str:
    """The output of a command that has to succeed, with nothing on stderr but notes of runs."""
    settings = {"cwd": WORK, "capture_output": True, "text": True, "stdin": subprocess.DEVNULL,
                "timeout": PATIENCE} | options
    done = subprocess.run([str(word) for word in words], check=False, **settings)
    silent = all(line.startswith("ropelab: note: ") for line in done.stderr.splitlines())
    if done.returncode != 0 or not silent:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(prefix: Path, **environment: str) -> None:
    run("cmake", "--install", BUILD, "--prefix", prefix, env=os.environ | environment)


def setUpModule() -> None:
    global WORK, PREFIX
    WORK = Path(tempfile.mkdtemp(prefix="ropelab-install-")).resolve()
    os.environ.pop("ROPELAB_DATA", None)
    install(WORK / "first")
    PREFIX = WORK / "moved to another place"
    (WORK / "first").rename(PREFIX)


def tearDownModule() -> None:
    shutil.rmtree(WORK, ignore_errors=True)


def ropelab(*words: object, **options) -> str:
    return run(PREFIX / "bin/ropelab", *words, **options)


def one(pattern: str) -> Path:
    """The only file of the installation that fits (lib may be lib64 or lib/x86_64-linux-gnu)."""
    found = sorted(PREFIX.glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"{pattern}: {found}")
    return found[0]


class Program(unittest.TestCase):
    def test_scenarios(self) -> None:
        shipped = sorted(path.stem for path in (REPOSITORY / "scenarios").glob("*.yaml"))
        listed = [entry["name"] for entry in json.loads(ropelab("list", "scenarios", "--json"))]
        self.assertTrue(set(listed) <= set(shipped), listed)
        self.assertGreater(len(listed), 10)
        installed = sorted(path.stem for path in (PREFIX / "share/ropelab/scenarios").iterdir())
        self.assertEqual(installed, shipped)

    def test_papers(self) -> None:
        self.assertEqual(ropelab("list", "papers"),
                         run(BUILD / "ropelab", "list", "papers"))

    def test_data_is_its_own(self) -> None:
        """Marks in the installed files arrive in what the program makes of them."""
        scenario = PREFIX / "share/ropelab/scenarios/pendulum.yaml"
        scenario.write_text(re.sub(r"(?m)^title:.*$", "title: The installed pendulum",
                                   scenario.read_text(encoding="utf-8")), encoding="utf-8")
        page = one("share/ropelab/analysis/report/report.html.j2")
        page.write_text(page.read_text(encoding="utf-8") + "<!-- the installed page -->\n",
                        encoding="utf-8")
        ropelab("compare", "pendulum", "--solver", "rattle", "--duration", "0.1", "--out", "result")
        info = json.loads((WORK / "result/pendulum/rattle/run.json").read_text(encoding="utf-8"))
        self.assertEqual(info["scenario"]["title"], "The installed pendulum")
        self.assertEqual(info["scenario_file"], str(scenario))
        self.assertIn("the installed page",
                      (WORK / "result/report.html").read_text(encoding="utf-8"))
        self.assertTrue(any((WORK / "result/figures").iterdir()))

    def test_through_a_link(self) -> None:
        (WORK / "linked").symlink_to(PREFIX / "bin/ropelab")
        self.assertEqual(run(WORK / "linked", "list", "papers"), ropelab("list", "papers"))

    def test_stays_clean(self) -> None:
        self.assertEqual([path for path in PREFIX.rglob("*") if path.suffix == ".pyc"], [])

    def test_staged(self) -> None:
        """As packagers do it: DESTDIR before a prefix that does not exist."""
        stage = WORK / "stage"
        install(Path("/opt/ropelab-of-nobody"), DESTDIR=str(stage))
        self.assertFalse(Path("/opt/ropelab-of-nobody").exists())
        top = stage / "opt/ropelab-of-nobody"
        run(top / "bin/ropelab", "run", "atwood", "--solver", "impulse", "--duration", "0.1",
            "--out", "staged")
        info = json.loads((WORK / "staged/run.json").read_text(encoding="utf-8"))
        self.assertEqual(info["scenario_file"], str(top / "share/ropelab/scenarios/atwood.yaml"))
        listed = [{path.relative_to(place) for path in place.rglob("*") if path.is_file()}
                  for place in (top, PREFIX)]
        self.assertEqual(*listed)

    def test_documents(self) -> None:
        """Links between the installed pages lead somewhere."""
        folder = PREFIX / "share/doc/ropelab"
        pages = sorted(folder.rglob("*.md"))
        self.assertGreater(len(pages), 5)
        for page in pages:
            for link in re.findall(r"\]\(([^)#:]+\.(?:md|png))", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / link).is_file(), f"{page}: {link}")


class Module(unittest.TestCase):
    """The Python module, with numpy (Debian's) and without."""

    MODULES = "share/ropelab/analysis/python"
    PYTHON = "/usr/bin/python3"

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = WORK / "compared"
        ropelab("compare", "pendulum", "elastic-cord", "--solver", "pbd", "--solver",
                "bad=penalty,substeps=1,stiffness=1e9", "--duration", "0.5", "--trace", "10",
                "--out", cls.folder)

    def python(self, program: str, *words: object) -> str:
        return run(self.PYTHON, "-B", "-c", program, *words,
                   env=os.environ | {"PYTHONPATH": str(PREFIX / self.MODULES)})

    def test_example(self) -> None:
        example = PREFIX / self.MODULES / "energy_errors.py"
        said = run(self.PYTHON, "-B", example, self.folder)
        self.assertRegex(said, r"(?m)^  pbd +[\d.e+-]+ J at 0.500 s \(done\)$")
        self.assertRegex(said, r"(?m)^  bad +[\d.e+-]+ J at [\d.]+ s \(diverged\)$")
        self.assertRegex(said, r"(?m)^  pbd +unsupported: the solver cannot do: elastic ropes")
        with (self.folder / "summary.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        largest = float(next(row["energy_error_max_J"] for row in rows
                             if (row["scenario"], row["label"]) == ("pendulum", "pbd")))
        self.assertIn(f"{largest:10.3e} J", said)
        without = self.python("import runpy, sys; sys.modules['numpy'] = None; del sys.argv[0]; "
                              "runpy.run_path(sys.argv[0], run_name='__main__')",
                              example, self.folder)
        self.assertEqual(without, said)

    def test_columns(self) -> None:
        for blocked, kind in (("", "ndarray"), ("import sys; sys.modules['numpy'] = None", "list")):
            said = self.python(blocked + """
import json, math, sys
from pathlib import Path
import ropelab
comparison = ropelab.load_comparison(sys.argv[1])
run = comparison["pendulum", "pbd"]
alone = ropelab.load(Path(sys.argv[1]) / "pendulum/pbd")
print(json.dumps({
    "kinds": sorted({type(column).__name__ for table in (run.series, run.iterations)
                     for column in table.values()}),
    "same": alone.info == run.info and list(alone.series["time_s"]) == list(run.series["time_s"]),
    "rows": len(run.series["time_s"]), "status": run.info["status"],
    "start": [float(run.series["time_s"][0]), math.isnan(run.series["tension_max_N"][0])],
    "steps": sorted(set(map(int, run.iterations["step"]))),
    "items": sorted(set(run.snapshots["item"])), "x": float(run.snapshots["x"][-1]),
    "labels": comparison.summary["label"], "step": float(comparison.summary["step"][0]),
    "hashes": comparison.summary["state_hash"], "runs": [r.label for r in comparison],
    "trajectory": [] if sys.modules.get("numpy", 0) is None else [int(run.trajectory.attrs["frames"])],
    "unsupported": comparison["elastic-cord", "pbd"].series}))
""", self.folder)
            found = json.loads(said)
            info = json.loads((self.folder / "pendulum/pbd/run.json").read_text(encoding="utf-8"))
            self.assertEqual(found["kinds"], [kind])
            self.assertEqual((found["same"], found["status"]), (True, "done"))
            self.assertEqual(found["rows"], info["steps"] + 1)
            self.assertEqual(found["start"], [0, True])
            self.assertEqual(found["steps"], list(range(10, info["steps"] + 1, 10)))
            self.assertEqual(found["items"], ["bob", "line"])
            self.assertEqual(found["labels"], ["pbd", "bad"] * 2)
            self.assertEqual(found["runs"], found["labels"])
            self.assertIn(info["state_hash"], found["hashes"])
            self.assertEqual(found["step"], info["step_s"])
            rows = range(0, info["steps"] + 1, info["frames_every"])
            frames = [len({*rows, info["steps"]})] if kind == "ndarray" else []  # h5py needs numpy
            self.assertEqual((found["trajectory"], found["unsupported"]), (frames, {}))

    def test_trajectory_is_opened_when_asked_for(self) -> None:
        folder = WORK / "with-trajectory"
        shutil.copytree(self.folder / "pendulum/pbd", folder)
        (folder / "trajectory.h5").touch()
        said = self.python("""
import sys, types
opened = []
sys.modules["h5py"] = types.SimpleNamespace(File=lambda path, mode: opened.append((path.name, mode)))
import ropelab
run = ropelab.load(sys.argv[1])
run.series
print(opened)
run.trajectory, run.trajectory
print(opened)
""", folder)
        self.assertEqual(said, "[]\n[('trajectory.h5', 'r')]\n")

    def test_nothing_to_load(self) -> None:
        for call in ("load('nowhere')", "load_comparison('nowhere')", "load_comparison('.')"):
            empty = WORK / "empty"
            empty.mkdir(exist_ok=True)
            said = self.python(f"""
import os, sys, ropelab
os.chdir(sys.argv[1])
try:
    ropelab.{call}
except ropelab.NoResults as error:
    print(error)
""", empty)
            self.assertRegex(said, r"^(nowhere|\.): no ")


class Manual(unittest.TestCase):
    def test_page(self) -> None:
        page = PREFIX / "share/man/man1/ropelab.1"
        self.assertEqual(page.read_text(encoding="utf-8"), ropelab("__man"))
        self.assertEqual(run("groff", "-man", "-Tascii", "-ww", "-z", page), "")  # no warnings
        shown = run("groff", "-man", "-Tascii", "-P-cbou", page)
        commands = re.findall(r"(?m)^  (?!ropelab)(\w+) ", ropelab("--help"))
        self.assertIn("compare", commands)
        for command in commands:
            self.assertRegex(shown, rf"(?m)^ *ropelab {command}\b")
            for option in re.findall(r"--[a-z]+", ropelab(command, "--help")):
                if option not in ("--help", "--usage"):
                    self.assertRegex(shown, rf"(?m)^ *{option}\b", f"{command}: {option}")
        for solver in json.loads(ropelab("list", "solvers", "--json")):
            self.assertRegex(shown, rf"(?m)^ *{solver['name']} \({solver['family']}\)")
            for parameter in solver["parameters"]:
                self.assertRegex(shown, rf"(?m)^ *{parameter['name']} = "
                                        rf"{re.escape(parameter['default'])} \(")
        self.assertNotIn("`", shown)


class Completion(unittest.TestCase):
    def complete(self, line: str) -> list[str]:
        """What bash would put in place of what follows the last break of the words."""
        script = ('source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _ropelab "$3"; '
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        return run("bash", "-c", script, "bash",
                   PREFIX / "share/bash-completion/completions/ropelab", line,
                   PREFIX / "bin/ropelab").split()

    def test_words(self) -> None:
        impulses = ["impulse", "impulse-direct", "impulse-soft"]
        for line, expected in (
                ("ropelab comp", ["compare"]),
                ("ropelab --v", ["--version"]),
                ("ropelab list s", ["solvers", "scenarios", "studies"]),
                ("ropelab list --cov", ["--coverage"]),
                ("ropelab check swinging-", ["swinging-atwood"]),
                ("ropelab compare atwood heavy-", ["heavy-load"]),
                ("ropelab run atwood --dur", ["--duration"]),
                ("ropelab run atwood --cov", []),
                ("ropelab run atwood --solver imp", impulses),
                ("ropelab run atwood -s imp", impulses),
                ("ropelab run atwood --solver=imp", impulses),
                ("ropelab run atwood --solver fine=imp", impulses),
                ("ropelab run atwood --solver a=b=imp", impulses),
                ("ropelab run atwood --solver pbd,o", ["pbd,order=", "pbd,omega="]),
                ("ropelab run atwood --solver=pbd,omega=1,it", ["1,iterations="]),
                ("ropelab run atwood --solver pbd,order=j", ["jacobi"]),
                ("ropelab run atwood --solver pbd,long_range=", ["true", "false"]),
                ("ropelab run atwood --solver nothing,o", []),
                ("ropelab run --probe heavy.v", []),
                ("ropelab run atwood --probe heavy.v", ["heavy.vx", "heavy.vy", "heavy.vz"]),
                ("ropelab run --step 0.01 atwood --probe line.te",
                 ["line.tension", "line.tension.from", "line.tension.to"]),
                ("ropelab run atwood --probe line.no", ["line.node."]),
                ("ropelab run atwood-drum --probe line.w", ["line.wrap.drum"]),
                ("ropelab run atwood-drum --probe line.en",
                 ["line.entry.drum.x", "line.entry.drum.y", "line.entry.drum.z"]),
                ("ropelab run spinning-loop --probe loop.ti", []),
                ("ropelab nothing ", [])):
            self.assertEqual(self.complete(line), expected, line)

    def test_everything_offered_is_taken(self) -> None:
        for parameter in self.complete("ropelab run atwood --probe "):
            if not parameter.endswith("."):
                ropelab("check", "atwood", "--probe", parameter)

    def test_files_and_folders(self) -> None:
        folder = WORK / "names"
        folder.mkdir()
        (folder / "mine.yaml").touch()
        (folder / "minor").mkdir()
        for line, expected in ((f"ropelab run {folder}/mi", ["mine.yaml", "minor"]),
                               (f"ropelab report {folder}/mi", ["minor"]),
                               (f"ropelab diff elsewhere {folder}/mi", ["minor"]),
                               (f"ropelab run atwood --out {folder}/mi", ["minor"]),
                               (f"ropelab run atwood --out={folder}/mi", ["minor"])):
            self.assertEqual(sorted(Path(word).name for word in self.complete(line)), expected)

    def test_typed(self) -> None:
        """In a shell that somebody types into, with its own breaks between words."""
        try:
            controller, terminal = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to type into: {error}")
        environment = os.environ | {"PATH": f"{PREFIX / 'bin'}:{os.environ['PATH']}",
                                    "TERM": "dumb", "INPUTRC": "/dev/null"}
        with subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], cwd=WORK, env=environment,
                              stdin=terminal, stdout=terminal, stderr=terminal,
                              start_new_session=True) as shell:
            os.close(terminal)
            completions = PREFIX / "share/bash-completion/completions/ropelab"
            os.write(controller, f"source {shlex.quote(str(completions))}\n".encode())
            os.write(controller, b"ropelab ru\tswinging-\t--durat\t0.1 --solver=pbd,ord\tjac\t"
                                 b"--ou\ttyped\n")
            os.write(controller, b"exit\n")
            said = b""
            try:
                while part := os.read(controller, 1 << 16):
                    said += part
            except OSError:  # Linux says so when the other side has gone
                pass
            shell.wait(timeout=PATIENCE)
        os.close(controller)
        self.assertTrue((WORK / "typed/run.json").is_file(), said)
        info = json.loads((WORK / "typed/run.json").read_text(encoding="utf-8"))
        values = {entry["name"]: entry["value"] for entry in info["solver"]["parameters"]}
        self.assertEqual((info["status"], values["order"]), ("done", "jacobi"))


class Library(unittest.TestCase):
    PROGRAMS = ("rope", "own_solver", "from_cpp")

    def check(self, folder: Path) -> None:
        """What the three programs say, however they were built."""
        said = run(folder / "rope")
        self.assertEqual(said, "tension at the top 24.034500 N, at the load 19.620000 N\n")
        self.assertRegex(run(folder / "from_cpp"), r"^[\d.]+: acceleration -3.270000 m/s\^2\n$")
        own, shipped = run(folder / "own_solver").splitlines()
        self.assertRegex(own, r"^follow-the-leader +energy error -.*: iterations done$")
        self.assertRegex(shipped, r"^pbd +energy error -.*: iterations done$")
        stretch, tension = map(float, re.search(r"stretch +(\S+), .* top (\S+) N", own).groups())
        self.assertLess(stretch, 1e-12)  # rounding
        # It has come to rest: 19 nodes of 1/20 kg and the tip of half as much, 9.5648 N.
        self.assertAlmostEqual(tension, 0.975 * 9.81, delta=0.01)

    def test_find_package(self) -> None:
        folder = WORK / "with-cmake"
        flags = " ".join(WARNINGS + SANITIZE)
        run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder, f"-DCMAKE_PREFIX_PATH={PREFIX}",
            f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}")
        cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
        self.assertIn(f"ropelab_DIR:PATH={one('lib*/**/cmake/ropelab')}\n", cache)
        run("cmake", "--build", folder)
        self.check(folder)

    def test_pkg_config(self) -> None:
        folder = WORK / "with-pkg-config"
        folder.mkdir()
        environment = os.environ | {"PKG_CONFIG_PATH": str(one("lib*/**/pkgconfig"))}
        words = run("sh", "-c", "pkg-config --cflags --libs ropelab | xargs -n 1 printf '%s\\n'",
                    env=environment).splitlines()
        self.assertEqual([word for word in words if word.startswith("-l")], ["-lropelab", "-lm"])
        for name in self.PROGRAMS:
            compiler = ["g++", "-std=c++11"] if name == "from_cpp" else ["gcc", "-std=c17"]
            source = next(CONSUMER.glob(f"{name}.c*"))
            run(*compiler, *WARNINGS, *SANITIZE, source, "-o", folder / name, *words)
        self.check(folder)

    def test_version(self) -> None:
        header = (PREFIX / "include/ropelab/ropelab.h").read_text(encoding="utf-8")
        parts = [re.search(rf"#define RL_VERSION_{part} (\d+)", header)[1]
                 for part in ("MAJOR", "MINOR", "PATCH")]
        version = re.search(r'#define RL_VERSION "(.*)"', header)[1]
        self.assertEqual(version, ".".join(parts))
        self.assertIn(f"ropelab {version} ", ropelab("--version"))
        pc = one("lib*/**/ropelab.pc").read_text(encoding="utf-8")
        self.assertIn(f"Version: {version}\n", pc)
        for asked, found in ((version, True), ("99.0", False)):
            folder = WORK / f"version-{asked}"
            folder.mkdir()
            (folder / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES C)\n"
                f"find_package(ropelab {asked} QUIET)\n"
                'file(WRITE ${CMAKE_BINARY_DIR}/found "${ropelab_FOUND}")\n', encoding="utf-8")
            run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build",
                f"-DCMAKE_PREFIX_PATH={PREFIX}")
            self.assertEqual((folder / "build/found").read_text(encoding="utf-8"),
                             str(int(found)))

    def test_every_header_in_cpp(self) -> None:
        for compiler in ("g++", "clang++"):
            for standard in ("c++11", "c++20"):
                run(compiler, f"-std={standard}", "-fsyntax-only", "-pedantic-errors", *WARNINGS,
                    f"-I{PREFIX / 'include'}", CONSUMER / "from_cpp.cpp")

    def test_names(self) -> None:
        """Everything that the library exports starts with rl_."""
        symbols = run("nm", "-g", "--defined-only", "--format=just-symbols",
                      one("lib*/**/libropelab.a"))
        names = [name for name in symbols.split() if not name.endswith(":")]
        self.assertGreater(len(names), 50)
        self.assertEqual([name for name in names
                          if not name.startswith(("rl_", "__asan", "__ubsan", "__odr"))], [])

    def test_readme(self) -> None:
        """The program that the README shows is the one that is built here."""
        shown = re.findall(r"```c\n(.*?)```", (REPOSITORY / "README.md").read_text("utf-8"), re.S)
        licence, text = (CONSUMER / "rope.c").read_text(encoding="utf-8").split("\n", 1)
        self.assertIn("SPDX", licence)
        self.assertEqual(shown, [text])


if __name__ == "__main__":
    unittest.main()
