# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of ropelab in Python: reads the files of `ropelab run`, `compare` and the studies.

    run = ropelab.load("out/run-atwood")
    run.series                      # the columns of series.csv, by name; units are in the names
    run.series["energy_error_J"]    # one of them, and "time_s" beside it
    run.info["solver"]["name"]      # run.json
    run.rope_at("line", -1)         # points [m] and tensions [N] at the last frame

    comparison = ropelab.load_comparison("out/compare-atwood")
    comparison["atwood", "pbd"].series
    for run in comparison:
        print(run.scenario_name, run.label, run.status)

A result that cannot be read raises NoResults; an unknown name raises NoSuchName (a KeyError) with
the nearest one. numpy and h5py are used if they are installed; trajectories need h5py.
"""

from .results import (NoResults, NoSuchName, Results, Run, Scenario, Table, load,
                      load_comparison)

__all__ = ["NoResults", "NoSuchName", "Results", "Run", "Scenario", "Table", "load",
           "load_comparison"]
