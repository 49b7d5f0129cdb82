// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "experiments/study_file.h"
#include "runs/command_line.h"

#include <stdlib.h>

const rl_usage rl_study_usage = {
    .name = "study",
    .positional = "STUDY",
    .doc = "Carries out a study that is declared in a file, or a shipped one (`ropelab list "
           "studies`): all its runs, in parallel, then its tables, figures and DIR/report.html. A "
           "run that fails or exceeds its time limit is a row of DIR/summary.csv. A study that was "
           "stopped goes on with --resume, and ends with the same tables."
           "\v"
           "Examples:\n"
           "  ropelab study pendulum-order\n"
           "  ropelab study my-study.yaml --out out/mine --jobs 4\n"
           "  ropelab study my-study.yaml --out out/mine --resume",
    .options = "ofujF",
    .least = 1,
    .most = 1,
};

int rl_command_study(int argc, char **argv) {
  static rl_arguments a;
  char *command = rl_command_line(argc, argv);
  int status = RL_EXIT_FAILED;
  if (!command || !rl_arguments_parse(&rl_study_usage, argc, argv, &a, &status)) {
    free(command);
    return status;
  }
  char path[RL_PATH_MAX], folder[RL_PATH_MAX], message[RL_PATH_MAX + 640];
  rl_study_definition definition;
  rl_diagnostic diagnostic;
  rl_arena *memory = NULL;
  status = RL_EXIT_USAGE;
  if (!rl_shipped_find(&rl_shipped_studies, a.positional[0], path, message, sizeof message)) {
    fprintf(stderr, "ropelab: %s\n", message);
  } else if (!(memory = rl_study_read(path, &definition, &diagnostic))) {
    rl_diagnostic_print(stderr, path, &diagnostic);
    status = rl_diagnostic_status(&diagnostic);
  } else if (rl_study_folder(folder, "study", definition.name)) {
    status = rl_study_command(&definition, &a, folder, command, false);
  }
  rl_arena_free(memory);
  free(command);
  return status;
}
