# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documents name is there: files, headings, functions, equations, tests.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_documents
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from tests.cli.support import REPOSITORY, Case, ropelab

COVERAGE = (r"build/release/ropelab list --coverage | sed -i -e '/^<!-- coverage/r /dev/stdin' "
            r"-e '/^<!-- coverage/,/^<!-- .coverage/{//!d}' scenarios/README.md")
FOLDERS = ("solvers", "scenarios", "analysis", "tests")
FUNCTIONS = "\n## Equations and functions\n"
ELSEWHERE = {"my_solver", "gsl_integration_fixed"}  # a name to choose, and one of a library
PLACES = {"solvers/FAMILY/NAME.c", "x.h", "x.c"}  # that stand for any file
FILE = re.compile(r"[\w./-]+\.(?:c|h|py|sh|gp|js)")
# The notes on massless ropes, through which the numbers go on.
CONTINUED = {"wraps", "grips", "strands", "contacts", "elastic-wraps", "balls", "loops", "changes"}
EQUATION = r"\(([1-9]\d?[a-z]?)\)"


def pages() -> list[Path]:
    return sorted(path for path in REPOSITORY.rglob("*.md")
                  if name_of(path).split("/")[0] in (*FOLDERS, "papers", "README.md"))


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@functools.cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@functools.cache
def sources() -> dict[str, str]:
    kinds = (".c", ".h", ".py", ".sh", ".gp", ".js", ".txt")
    return {name_of(path): text_of(path) for folder in FOLDERS
            for path in sorted((REPOSITORY / folder).rglob("*")) if path.suffix in kinds}


@functools.cache
def words() -> set[str]:
    texts = [*sources().values(), text_of(REPOSITORY / "CMakeLists.txt")]
    return set(re.findall(r"\w+", "\n".join(texts))) | ELSEWHERE


@functools.cache
def definitions() -> dict[str, list[str]]:
    """What C files define -> these files."""
    found: dict[str, list[str]] = {}
    definition = re.compile(r"^[a-z][\w *]*[ *](\w+)\(|^#define (\w+)", re.MULTILINE)
    for name, text in sources().items():
        if name.endswith((".c", ".h")):
            for match in definition.finditer(text):
                found.setdefault(match[1] or match[2], []).append(name)
    return found


def quoted(text: str) -> list[str]:
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"`([^`\n]+)`", prose)


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def rows_of_functions(page: Path) -> Iterator[tuple[str, str, str]]:
    """Head of the table, equations and functions of each of its rows."""
    section = text_of(page).partition(FUNCTIONS)[2].partition("\n## ")[0]
    head, *rows = [line for line in section.splitlines() if line.startswith("| ")] or [""]
    for row in rows:
        cells = row.strip("| ").split(" | ")
        if not cells[0].startswith("---"):
            yield head, cells[0], cells[-1]


@functools.cache
def equations(note: str) -> set[str]:
    """The numbers of a note's displayed equations."""
    page = REPOSITORY / f"papers/{note}.md"
    blocks = re.findall(r"^```text\n(.*?)^```", text_of(page) if page.exists() else "",
                        re.DOTALL | re.MULTILINE)
    return set(re.findall(rf"(?:^|  ){EQUATION}\s", "".join(blocks), re.MULTILINE))


@functools.cache
def comments(name: str) -> list[str]:
    """The comments of a C file, each with all its lines."""
    return [" ".join(line.partition("//")[2].strip() for line in block.splitlines())
            for block in re.findall(r"(?:[^\n]*//[^\n]*\n)+", sources()[name])]


@functools.cache
def notes_of(name: str) -> set[str]:
    """The notes that a C file names, or a header for it, or solvers/README.md beside it."""
    folder, stem = name.rsplit("/", 1)[0], Path(name).stem
    heads = [head for head in sources() if head.rsplit("/", 1)[0] == folder and head.endswith(".h")
             and (head == f"{folder}/{stem}.h" or head.endswith("_internal.h")
                  and stem.startswith(Path(head).stem.removesuffix("_internal")))]
    rows = [line for line in text_of(REPOSITORY / "solvers/README.md").splitlines()
            if re.search(rf"`(?:\w+/)*{stem}\.(?:c|h|\[ch\])`", line)]
    texts = [" ".join(comments(file)) for file in [name, *heads]] + rows
    notes = set(re.findall(r"([\w-]+)\.md", " ".join(texts)))
    return notes | CONTINUED if notes & CONTINUED else notes


class Names(Case):
    def test_files_and_headings_that_links_lead_to(self) -> None:
        for page in pages():
            for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
                if "://" in target:
                    continue
                file, _, heading = target.partition("#")
                path = page.parent / file if file else page
                what = f"{target} in {name_of(page)}"
                self.expect_true(path.exists(), "none", "a file", what)
                if heading:
                    self.expect_true(heading in anchors(path), sorted(anchors(path)), heading, what)

    def test_files(self) -> None:
        for page in pages():
            for name in quoted(text_of(page)):
                if FILE.fullmatch(name) and name not in PLACES:
                    self.expect_true(any(f"/{path}".endswith(f"/{name}") for path in sources()),
                                     "none", "a file", f"`{name}` in {name_of(page)}")

    def test_names_in_the_code(self) -> None:
        for page in pages():
            for name in quoted(text_of(page)):
                if re.fullmatch(r"[a-z]{2,}\w*_\w+(?:\(\))?", name):
                    self.expect_true(name.removesuffix("()") in words(), "none", "a name in the code",
                                     f"`{name}` in {name_of(page)}")


class Notes(Case):
    def test_functions_are_where_the_notes_say(self) -> None:
        """In the file beside it; else, if several files have such a name, in one that the row or
        the head of the table names."""
        for page in pages():
            for head, equations, functions in rows_of_functions(page):
                near = [name for name in quoted(head) if FILE.fullmatch(name)]
                for name in quoted(functions):
                    match = re.fullmatch(r"(?:([\w./]+\.[ch]):)?(\w+)", name)
                    if not match:
                        continue
                    file, function = match.groups()
                    near += [file] if file else []
                    files = definitions().get(function, [])
                    if not file and (len(files) == 1 or files and function.startswith("rl_")):
                        continue
                    wanted = [file] if file else near
                    self.expect_true(
                        any(f"/{path}".endswith(f"/{end}") for path in files for end in wanted),
                        files, f"one of {wanted}",
                        f"files with `{name}` of '{equations}' in {name_of(page)}")

    def test_functions_have_their_equations(self) -> None:
        """Each row has numbers that stand above in the note, or words of the derivation."""
        for page in pages():
            derivation = text_of(page).partition(FUNCTIONS)[0]
            prose = derivation.lower().replace("-", " ")
            for head, equations, functions in rows_of_functions(page):
                what = f"'{equations}' of {functions} in {name_of(page)}"
                numbers = re.findall(r"\(\d+[a-z]?(?:\.\d+)?\)", equations)
                for number in numbers:
                    self.expect_true(number in derivation or " of " in equations, "not there",
                                     f"{number} above", what)
                if head.startswith("| equation |") and not numbers and "](#" not in equations:
                    self.expect_true(equations.lower().replace("-", " ") in prose, "not there",
                                     "a number, a link to a heading, or these words above", what)

    def test_equations_in_the_code(self) -> None:
        """Each number in a comment is that of an equation of the note named behind it ("(2), (3) of
        papers/tangle.md"), or else of one that the file is about."""
        behind = re.compile(rf"(?:,? ?(?:and|to|or)? ?{EQUATION})* (?:of|in) (?:papers/)?([\w-]+)\.md")
        for name in sources():
            if not name.endswith((".c", ".h")):
                continue
            for comment in comments(name):
                for match in re.finditer(rf"(?<![\w)\]]){EQUATION}(?![\w(])", comment):
                    named = behind.match(comment, match.end())
                    notes = {named[2]} if named else notes_of(name)
                    self.expect_true(any(match[1] in equations(note) for note in notes), "not there",
                                     f"an equation of {sorted(notes)}",
                                     f"{match[0]} in {name}: {comment[:60]}")


class Readmes(Case):
    def test_scenarios_show_the_coverage(self) -> None:
        readme = text_of(REPOSITORY / "scenarios/README.md")
        shown = readme.partition("<!-- coverage -->\n")[2].partition("<!-- /coverage -->")[0]
        listed = ropelab("list", "--coverage").stdout
        for row, expected in itertools.zip_longest(shown.splitlines(), listed.splitlines()):
            self.expect(row, expected,
                        f"a row of scenarios/README.md; to write them: {COVERAGE}")

    def test_solvers_have_every_file(self) -> None:
        """By its name, a header of that name, or a header for files beside it, as the page says."""
        named = set(re.findall(r"`(?:\w+/)*(\w+\.(?:c|h|\[ch\]))`",
                               text_of(REPOSITORY / "solvers/README.md")))
        for path in sorted((REPOSITORY / "solvers").rglob("*.[ch]")):
            ways = {path.name, f"{path.stem}.h", f"{path.stem}.[ch]"}
            self.expect_true(bool(ways & named) or path.name.endswith("_internal.h"), "not there",
                             f"one of {sorted(ways)}", f"{name_of(path)} in solvers/README.md")

    def test_tests_have_every_test(self) -> None:
        readme = text_of(REPOSITORY / "tests/README.md")
        named = set(re.findall(r"test_\w+\.(?:c|py)\b", readme))
        files = {path.name for path in (REPOSITORY / "tests").glob("*/test_*.*")
                 if path.suffix in (".c", ".py")}
        self.expect(sorted(named), sorted(files), "tests in tests/README.md")
