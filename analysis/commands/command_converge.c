// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "experiments/converge.h"
#include "experiments/study_options.h"

const rl_usage rl_converge_usage = {
    .name = "converge",
    .positional = "SCENARIO",
    .doc = "Runs every solver at several values of the time step, of the number of segments, of a "
           "parameter of the solvers (iterations, substeps ...) or of anything else in the "
           "scenario, each run into DIR/SCENARIO/LABEL-WHAT=VALUE/; measures the errors "
           "(DIR/convergence.csv), fits the order of each solver with its confidence interval "
           "(DIR/orders.csv), and draws both (DIR/report.html). Without --solver: all solvers."
           "\v"
           "Examples:\n"
           "  ropelab converge pendulum --solver pbd --solver rattle --over step \\\n"
           "      --values 0.005,0.0025,0.00125,0.000625 --quantity bob.x --duration 1\n"
           "  ropelab converge catenary --solver pbd-direct --over segments \\\n"
           "      --values 8,16,32,64 --quantity self:cable.sag --norm end \\\n"
           "      --duration 0.05\n"
           "  ropelab converge small-steps-chain --solver pbd --over iterations \\\n"
           "      --values 100,200,400,600 --quantity residual_m --norm end \\\n"
           "      --duration 0.0166667",
    .options = "shdetSpvwqNLRxrlofujF",
    .least = 1,
    .most = 1,
};

int rl_command_converge(int argc, char **argv) {
  return rl_study_main(&rl_study_converge, &rl_converge_usage, argc, argv);
}
