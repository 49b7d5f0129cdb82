# SPDX-License-Identifier: GPL-3.0-or-later
"""`ropelab reproduce` from outside: the table of the README, the files, mistakes, interruptions."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

from tests.cli import support as cli


def table_rows(table: str) -> list[list[str]]:
    """The rows of a Markdown table; an empty first cell is that above it."""
    found: list[list[str]] = []
    for line in table.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        found.append([cells[0] or found[-1][0], *cells[1:]])
    return found


def readme_rows() -> list[list[str]]:
    text = (cli.REPOSITORY / "README.md").read_text(encoding="utf-8")
    return table_rows(text.partition("<!-- reproduce -->\n")[2]
                      .partition("<!-- /reproduce -->")[0])


class Reproduce(cli.Case):
    """Published numbers beside ours."""

    # Papers that take a moment.
    FAST = ("pbd", "knyazyev", "cable-joints", "catto", "capstan", "source", "obi",
            "long-range", "galileo")

    def test_readme_has_every_claim(self) -> None:
        papers = json.loads(cli.ropelab("list", "papers", "--json").stdout)
        claims = {entry["reproduce"]: entry["claims"] for entry in papers if "reproduce" in entry}
        shown: dict[str, list[str]] = {}
        for name, quantity, *_ in readme_rows():
            shown.setdefault(name, []).append(quantity)
        self.expect(dict(sorted(shown.items())), dict(sorted(claims.items())),
                    "papers and quantities in the README")

    def test_readme_has_the_numbers(self) -> None:
        for name in self.FAST:
            done = cli.ropelab("reproduce", name, "--out", cli.new_folder())
            self.expect_exit(done, cli.DONE)
            self.expect(done.stderr, "", f"stderr of reproduce {name}")
            expected = [row for row in readme_rows() if row[0] == name]
            self.expect(table_rows(done.stdout), expected, f"table of {name}, and the README's")

    def test_files(self) -> None:
        folder = cli.new_folder()
        done = cli.ropelab("reproduce", "catto2014", "--json", "--jobs", "1", "--out", folder)
        self.expect_exit(done, cli.DONE)
        result = json.loads(done.stdout)
        self.expect(result, json.loads((folder / "reproduce.json").read_text(encoding="utf-8")),
                    "stdout, and reproduce.json")
        claims = [claim for part in result["experiments"] for claim in part["claims"]]
        self.expect([claim["ours"] for claim in claims[:4]], [5, 8, 17, 32], "sweeps at 1, 2, 5, 10")
        self.expect({claim["verdict"] for claim in claims[:8]}, {"matches"}, "their verdicts")
        self.expect(claims[8]["verdict"], "same order", "verdict of \"around 50\"")
        self.expect_in("regression", claims[8]["remark"], "and why")
        table = cli.Table(folder / "reproduce.csv")
        self.expect(table.texts("quantity"), [claim["quantity"] for claim in claims], "quantities")
        self.expect(table.numbers("ours"), [claim["ours"] for claim in claims], "ours")
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.expect_in("<code>figures/catto-stack.svg</code>", page, "the page")
        curves = cli.Table(folder / "curves/catto-stack.csv")
        self.expect(set(curves.texts("curve")), {"impulse", "theory: 3R + 2"}, "curves")

        self.refused("reproduce", "catto", "--out", folder, says=("--force",))
        self.expect_exit(cli.ropelab("reproduce", "catto", "--out", folder, "--force"), cli.DONE)

    def test_mistakes(self) -> None:
        self.refused("reproduce", "cato", says=("no paper 'cato'", "did you mean 'catto'?"))
        self.refused("reproduce", "pbd", "xpbd", says=("unexpected 'xpbd'",))
        self.refused("reproduce", "pbd", "--solver", "pbd", says=("unknown option '--solver'",))
        run = cli.new_folder()
        self.expect_exit(cli.ropelab("run", "atwood", "--solver", "pbd", "--out", run), cli.DONE)
        self.refused("reproduce", "pbd", "--out", run, says=("single run",))

    def test_completion(self) -> None:
        self.expect(cli.ropelab("__complete", "reproduce", "cat").stdout, "catto\n", "completion of cat")

    def test_interrupted(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            folder = cli.new_folder()
            process = subprocess.Popen([cli.PROGRAM, "reproduce", "--out", str(folder)],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            deadline = time.monotonic() + cli.PATIENCE
            while not (folder / "curves").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.1)
            process.send_signal(number)
            out, error = process.communicate(timeout=cli.PATIENCE)
            self.expect((process.returncode, out, error), (cli.INTERRUPTED, b"", b""),
                        f"status, stdout and stderr after signal {number}")
            left = sorted(path.name for path in folder.rglob("*") if path.suffix == ".new")
            self.expect(left, [], "unfinished files")
            self.expect((folder / "reproduce.csv").exists(), False, "there is a reproduce.csv")

    def test_killed_and_resumed(self) -> None:
        """What was finished is kept, and the rest is made; a folder of others' files loses none."""
        folder = cli.new_folder()
        (folder / "curves").mkdir(parents=True)
        mine = folder / "curves/mine.csv"
        mine.write_text("mine", encoding="utf-8")
        words = ("reproduce", "xpbd", "--figures", "svg", "--out", folder)
        process = subprocess.Popen([cli.PROGRAM, *map(str, words), "--jobs", "3"],
                                   stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + cli.PATIENCE
        while len(finished(folder)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.wait()
        before = finished(folder)
        self.expect(sorted(before), ["chain", "spring"], "what was finished")
        self.refused(*words, says=("--resume goes on with it",))
        self.refused("reproduce", "pbd", "--out", folder, "--resume", says=("is of other papers",))
        self.refused("run", "atwood", "-s", "pbd", "--out", folder, says=("several runs",))
        done = cli.ropelab(*words, "--resume")
        self.expect_exit(done, cli.DONE)
        self.expect_in("2 of 3 experiments were finished before and stay", done.stderr, "the note")
        now = finished(folder)
        self.expect({name: now[name] for name in before}, before, "experiments that were finished")
        self.expect(len(now), 3, "finished experiments")
        self.expect([row for row in table_rows(done.stdout) if "machine" not in row[-1]],
                    [row for row in readme_rows() if row[0] == "xpbd" and "machine" not in row[-1]],
                    "the table, and the README's")
        done = cli.ropelab(*words, "--force")
        self.expect_exit(done, cli.DONE)
        self.expect_in("curves holds what is not ropelab's and stays: mine.csv", done.stderr, "what stays")
        self.expect(mine.read_text(encoding="utf-8"), "mine", "a file that is not ours")

    def test_curves_of_others(self) -> None:
        folder = cli.new_folder()
        path = folder / "curves/catto-stack.csv"
        path.parent.mkdir(parents=True)
        path.write_text("mine", encoding="utf-8")
        for resume in ((), ("--resume",)):
            self.refused("reproduce", "catto", "--out", folder, *resume, says=(str(path), "--force"))
        self.expect(path.read_text(encoding="utf-8"), "mine", "a file that is not ours")


def finished(folder: Path) -> dict[str, object]:
    """The experiments of reproduce.json that came to their end."""
    path = folder / "reproduce.json"
    found = json.loads(path.read_text(encoding="utf-8"))["experiments"] if path.exists() else []
    return {part["name"]: part for part in found if part["seconds"] is not None}
