# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of ropelab in Python: what `ropelab run` and `ropelab compare` wrote.

    run = ropelab.load("out/run-atwood")
    run.info["solver"]["name"], run.series["energy_error_J"]

    for run in ropelab.load_comparison("out/compare-atwood"):
        print(run.scenario_name, run.label, run.status)

numpy and h5py are used where they are installed; neither is needed.
"""

from .results import NoResults, Results, Run, Scenario, load, load_comparison

__all__ = ["NoResults", "Results", "Run", "Scenario", "load", "load_comparison"]
