// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "experiments/onestep_study.h"
#include "experiments/study_options.h"

const rl_usage rl_onestep_usage = {
    .name = "onestep",
    .positional = "SCENARIO",
    .doc = "Starts every solver for one step from the same stored states of a reference run, with "
           "1, 2, 4, ... iterations, and writes how far the end of the step is from the "
           "reference's: positions, velocities and tensions. DIR/onestep.csv has a row a step, "
           "DIR/summary.csv one a solver. With --values, several time steps: against the step. "
           "Without --solver: all solvers."
           "\v"
           "Examples:\n"
           "  ropelab onestep hanging-chain --solver pbd --solver impulse \\\n"
           "      --solver pbd-direct\n"
           "  ropelab onestep heavy-load --iterations 1,10,100,1000 --at 0.5,1\n"
           "  ropelab onestep atwood --reference rattle --reference-step 1e-5",
    .options = "shdlSofwIaRxujF",
    .least = 1,
    .most = 1,
};

int rl_command_onestep(int argc, char **argv) {
  return rl_study_main(&rl_study_onestep, &rl_onestep_usage, argc, argv);
}
