# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the largest energy error of every run of a comparison, and its time.

usage: energy_errors.py DIR
"""

import signal
import sys

import ropelab

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it without a word

for scenario in ropelab.load_comparison(sys.argv[1]).scenarios:
    print(f"{scenario.name}: {scenario.title}")
    for run in scenario.runs:
        if not run.series:
            print(f"  {run.label:16} {run.status}: {run.reason}")
            continue
        errors = zip(run.series["energy_error_J"], run.series["time_s"])
        largest, time = max((abs(error), time) for error, time in errors if error == error)
        print(f"  {run.label:16} {largest:10.3e} J at {time:.3f} s ({run.status})")
