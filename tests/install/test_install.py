# SPDX-License-Identifier: GPL-3.0-or-later
"""What `cmake --install` leaves, after it was moved to another place: the program finds its data, and
programs outside the tree find the library.

Run with: ROPELAB_BUILD=build/release /usr/bin/python3 -m unittest tests/install/test_install.py
"""

from __future__ import annotations

import json
import os
import re
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
    """The output of a command that has to succeed without a word on stderr."""
    settings = {"cwd": WORK, "capture_output": True, "text": True, "stdin": subprocess.DEVNULL,
                "timeout": PATIENCE} | options
    done = subprocess.run([str(word) for word in words], check=False, **settings)
    if done.returncode != 0 or done.stderr:
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
