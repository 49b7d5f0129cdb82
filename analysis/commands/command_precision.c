// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "experiments/precision.h"
#include "experiments/study_options.h"

const rl_usage rl_precision_usage = {
    .name = "precision",
    .positional = "SCENARIO",
    .doc = "Work-precision diagrams: runs every solver with several time steps, and with several "
           "numbers of iterations if asked for, measures the errors as converge does, and draws "
           "them against counted evaluations of rows and against time, which is taken afterwards "
           "with nothing recorded (DIR/precision.csv, DIR/report.html). Without --solver: all "
           "solvers."
           "\v"
           "Examples:\n"
           "  ropelab precision pendulum --duration 1 --values 0.02,0.01,0.005,0.0025\n"
           "  ropelab precision hanging-chain --solver pbd --solver impulse \\\n"
           "      --solver rattle --values 0.004,0.002,0.001 --iterations 5,20,80 \\\n"
           "      --duration 0.4 --quantity reference",
    .options = "sdetSpwIqNRxlofujF",
    .least = 1,
    .most = 1,
};

int rl_command_precision(int argc, char **argv) {
  return rl_study_main(&rl_study_precision, &rl_precision_usage, argc, argv);
}
