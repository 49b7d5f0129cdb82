// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "experiments/consistency_study.h"
#include "experiments/study_options.h"

const rl_usage rl_consistency_usage = {
    .name = "consistency",
    .positional = "SCENARIO",
    .doc = "How long a step can a method take before it disagrees with itself? From states of its "
           "own run in very small steps every solver is started again with larger ones; measured "
           "is its mean distance from that run over each of ten pieces, and beside it drift of "
           "energy and momentum over the whole run, and speed (DIR/consistency.csv, "
           "DIR/report.html). Without --solver: all solvers."
           "\v"
           "Examples:\n"
           "  ropelab consistency five-link-chain --solver pbd --solver impulse \\\n"
           "      --solver rattle\n"
           "  ropelab consistency five-link-chain --values 0.001,0.002,0.004,0.008 \\\n"
           "      --pieces 20\n"
           "  ropelab consistency triple-pendulum --duration 0.8 --reference rattle",
    .options = "sdlSofjwkRxuF",
    .least = 1,
    .most = 1,
};

int rl_command_consistency(int argc, char **argv) {
  return rl_study_main(&rl_study_consistency, &rl_consistency_usage, argc, argv);
}
