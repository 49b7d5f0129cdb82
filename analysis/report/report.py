# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the figures of a folder of results and writes its report.html.

usage: report.py DIR [--gnuplot PATH] [--jobs N] [--figures svg,png,pdf]

DIR is a folder of `ropelab run`, of a command over several runs, of a study, or of `ropelab
reproduce`. Figures are written to DIR/figures/, the page, which contains them, to DIR/report.html.
Exit status: 0 written, 1 a program is missing or failed, 2 nothing to report on or bad usage, 130
interrupted.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

sys.dont_write_bytecode = True  # the folder of the scripts may be read-only
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

SYSTEM_PYTHON = "/usr/bin/python3"
RESTARTED = "ROPELAB_REPORT_RESTARTED"
REPRODUCTION = "reproduce.json"  # written by `ropelab reproduce`
LIST = "ropelab-files.txt"  # list of the files that are ropelab's
LIST_HEAD = "# ropelab files, format 1: which of report.html, figures/ and curves/ are ropelab's"
PLAYER_MODULES = ("numpy", "h5py")  # modules that players need


def need_modules() -> None:
    """Restarts once with the system's Python if this one lacks jinja2, or if only the system's has
    all modules that the players need."""
    has_jinja = importlib.util.find_spec("jinja2") is not None
    if has_jinja and all(map(importlib.util.find_spec, PLAYER_MODULES)):
        return
    if RESTARTED not in os.environ and os.access(SYSTEM_PYTHON, os.X_OK):
        if not has_jinja or system_has_all():
            os.environ[RESTARTED] = "1"
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, str(Path(__file__).resolve()), *sys.argv[1:]])
    if not has_jinja:
        sys.exit(fail("the Python module jinja2 is missing: install the Debian package "
                      "python3-jinja2"))


def system_has_all() -> bool:
    command = [SYSTEM_PYTHON, "-c", f"import jinja2, {', '.join(PLAYER_MODULES)}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def fail(message: str) -> int:
    print(f"ropelab report: {message}", file=sys.stderr)
    return 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ropelab report", description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder of results")
    parser.add_argument("--gnuplot", default="gnuplot", metavar="PATH", help="the gnuplot program")
    parser.add_argument("--jobs", type=int, metavar="N", default=min(4, os.cpu_count() or 1),
                        help="figures drawn at the same time (default: up to 4)")
    parser.add_argument("--figures", type=lambda text: {"svg", *text.split(",")}, metavar="KIND,...",
                        default="svg,png,pdf", help="kinds of files (default: all)")
    return parser.parse_args()


class Progress:
    """Shows the progress on stderr: on a terminal all the time, elsewhere as a line now and then."""

    PAUSE = 30.0  # between two such lines [s]

    def __init__(self, total: int) -> None:
        self.total, self.done, self.watched = total, 0, sys.stderr.isatty()
        self.shown = time.monotonic()

    def step(self, name: str) -> None:
        self.done += 1
        if self.watched:
            print(f"\r\033[K{self.done}/{self.total} {name}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.shown > self.PAUSE:
            print(f"{self.done} of {self.total} scenarios drawn", file=sys.stderr, flush=True)
            self.shown = time.monotonic()

    def end(self) -> None:
        if self.watched:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def show_scenario(scenario, name: str, labels, styles, target: Path, gnuplot):
    """Makes the section of one scenario: figures, player and tables."""
    from figures import draw_scenario
    from page import make_section
    from player import make_player

    figures, notes = draw_scenario(scenario, name, styles, target, gnuplot)
    return make_section(scenario, labels, figures, notes, make_player(scenario, styles), target)


def recorded(scenario) -> int:
    """Returns the size of the recorded files of a scenario [bytes]."""
    from ropelab.results import SERIES, TRAJECTORY

    paths = (run.file(name) for run in scenario.runs for name in (SERIES, TRAJECTORY))
    return sum(path.stat().st_size for path in paths if path)


def show_all(results, styles, target: Path, gnuplot):
    """Makes the sections of all scenarios, in their order."""
    import interruption
    from figures import file_names

    progress = Progress(len(results.scenarios))
    shown = {}
    names = file_names(results.scenarios)
    alone = gnuplot if len(results.scenarios) == 1 else replace(gnuplot, jobs=1)
    with ProcessPoolExecutor(max(1, min(gnuplot.jobs, len(results.scenarios)))) as pool:
        # The longest start first, so that the processes finish together.
        waiting = {pool.submit(show_scenario, scenario, names[scenario.name], results.labels,
                               styles, target, alone): scenario.name
                   for scenario in sorted(results.scenarios, key=recorded, reverse=True)}
        left = set(waiting)
        try:
            while left and not interruption.signals:
                done, left = wait(left, interruption.POLL, FIRST_COMPLETED)
                for future in done:
                    shown[waiting[future]] = future.result()
                    progress.step(waiting[future])
        finally:
            for worker in multiprocessing.active_children() if interruption.signals else ():
                worker.terminate()  # ends its gnuplot, too
            pool.shutdown(wait=True, cancel_futures=True)
            progress.end()
    interruption.check()
    return [shown[scenario.name] for scenario in results.scenarios]


def publish(source: Path, folder: Path, page: str) -> None:
    """Moves complete files to their places, the page last, and removes figures of an older page
    that are no longer drawn. Files are listed before they are written; a file that is not in the
    list is the user's and stays."""
    names = [f"figures/{path.name}" for path in sorted(source.iterdir())] + ["report.html"]
    old = folder / LIST
    listed = old.read_text(encoding="utf-8").splitlines() if old.is_file() else [LIST_HEAD]
    for name in names:
        if name not in listed and os.path.lexists(folder / name):
            raise FileExistsError(f"{folder / name} is in the way and not ropelab's; move it")
    kept = {Path(name).stem for name in names}
    gone = [name for name in listed
            if name.startswith("figures/") and name.count("/") == 1 and Path(name).stem not in kept]
    (folder / "figures").mkdir(exist_ok=True)
    (source / LIST).write_text("\n".join(dict.fromkeys(listed + names)) + "\n", encoding="utf-8")
    (source / "report.html").write_text(page, encoding="utf-8", errors="replace")  # names of files
    os.replace(source / LIST, old)
    for name in names:
        os.replace(source / Path(name).name, folder / name)
    for name in gone:
        (folder / name).unlink(missing_ok=True)


def say_what_is_damaged(results) -> None:
    """Prints which files of runs are missing, or are not as they were written."""
    from ropelab.results import damaged_line, mapping

    for run in results.runs:
        for name, size in mapping(run.info.get("file_bytes")).items():
            path = run.file(name)
            line = damaged_line(path) if path and path.suffix == ".csv" else 0
            if path is None:
                note(f"{run.folder / name} is missing")
            elif line:
                note(f"{path}:{line}: a damaged line, left out")
            elif path.stat().st_size != size:
                note(f"{path} has {path.stat().st_size} bytes, and had {size}")


def note(text: str) -> None:
    print(f"ropelab report: note: {text}", file=sys.stderr)


def make_report(folder: Path, gnuplot) -> None:
    import study
    from page import render
    from ropelab.results import load_comparison
    from solver_style import assign_styles

    results = load_comparison(folder)
    say_what_is_damaged(results)
    if study.is_study(folder):
        with tempfile.TemporaryDirectory(prefix=".report-", dir=folder) as name:
            publish(Path(name), folder, study.make_page(results, Path(name), gnuplot))
        return
    styles = assign_styles(results.runs)
    with tempfile.TemporaryDirectory(prefix=".report-", dir=folder) as name:
        target = Path(name)
        page = render(results, styles, show_all(results, styles, target, gnuplot))
        publish(target, folder, page)


def make_reproduction(folder: Path, gnuplot) -> None:
    from reproduction import render

    with tempfile.TemporaryDirectory(prefix=".report-", dir=folder) as name:
        publish(Path(name), folder, render(folder, Path(name), gnuplot))


def main() -> int:
    need_modules()
    import interruption
    from canvas import KINDS, Gnuplot, PlotError
    from ropelab.results import NoResults

    options = arguments()
    gnuplot = Gnuplot(options.gnuplot, options.jobs,
                      [kind for kind in KINDS if kind in options.figures])
    interruption.catch()
    try:
        if (options.folder / REPRODUCTION).is_file():
            make_reproduction(options.folder, gnuplot)
        else:
            make_report(options.folder, gnuplot)
    except NoResults as error:
        fail(str(error))
        return 2
    except PlotError as error:
        return fail(str(error))
    except OSError as error:
        where = error.filename2 or error.filename
        return fail(f"{where}: {error.strerror}" if where else str(error))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
