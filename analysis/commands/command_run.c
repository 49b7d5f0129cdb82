// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "options.h"
#include "results/results_folder.h"
#include "runs/command_line.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const rl_usage rl_run_usage = {
    .name = "run",
    .positional = "SCENARIO",
    .doc = "Runs one solver on one scenario and records it into a folder: run.json, series.csv, "
           "iterations.csv, snapshots.csv, trajectory.h5 and trajectory.xmf."
           "\v"
           "Examples:\n"
           "  ropelab run atwood --solver impulse\n"
           "  ropelab run pendulum --solver pbd,iterations=5 --step 0.001 --out out/fine\n"
           "  ropelab run heavy-load --solver pbd --set bodies.load.mass=50 --trace 10",
    .options = "shdemtSplof",
    .least = 1,
    .most = 1,
};

static bool choose_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments,
                          const rl_scenario *scenario) {
  if (!rl_results_choose_folder(folder, arguments, "run", scenario->name)) {
    return false;
  }
  if (rl_folder_has_several_runs(folder)) { // a report could not show both
    fprintf(stderr, "ropelab: %s holds results of several runs; expected another folder\n", folder);
    return false;
  }
  return true;
}

// Prints where the run is, and what to do with it: not by stdio, since it is all the same whether
// somebody reads it.
static void print_result(char *folder) {
  char path[RL_PATH_MAX];
  char *report = rl_command_line(2, (char *[]){"report", folder});
  json_t *root = rl_path_join(path, folder, "run.json") ? json_load_file(path, 0, NULL) : NULL;
  const json_t *summary = json_object_get(root, "summary");
  const json_t *error = json_object_get(summary, "energy_error_max_J");
  const json_t *share = json_object_get(summary, "energy_error_relative");
  const json_int_t steps = json_integer_value(json_object_get(summary, "steps_done"));
  const json_int_t every = json_integer_value(json_object_get(root, "every"));
  char of_all[64] = "";
  if (json_is_number(share)) { // of (11) in papers/world.md, without W
    snprintf(of_all, sizeof of_all, ", %.2g %s what the scene holds", json_number_value(share),
             json_number_value(share) > 1.0 ? "times" : "of");
  }
  dprintf(STDOUT_FILENO,
          "run: %s: %" JSON_INTEGER_FORMAT " step%s, energy error up to %.3g J%s%s; "
          "`%s` draws it\n",
          folder, steps, steps == 1 ? "" : "s",
          json_is_number(error) ? json_number_value(error) : NAN,
          every > 1 ? " at the recorded times" : "", of_all, report ? report : "");
  json_decref(root);
  free(report);
}

static void print_interruption(const char *folder) {
  char path[RL_PATH_MAX];
  json_t *root = rl_path_join(path, folder, "run.json") ? json_load_file(path, 0, NULL) : NULL;
  const json_t *steps = json_object_get(json_object_get(root, "summary"), "steps_done");
  const json_t *step = json_object_get(root, "step_s");
  rl_print_interrupted(folder, json_is_number(steps) && json_is_number(step)
                                   ? json_number_value(steps) * json_number_value(step)
                                   : NAN);
  json_decref(root);
}

int rl_command_run(int argc, char **argv) {
  static rl_arguments arguments;
  char *command = rl_command_line(argc, argv);
  int status = RL_EXIT_FAILED;
  if (!command || !rl_arguments_parse(&rl_run_usage, argc, argv, &arguments, &status)) {
    free(command);
    return status;
  }
  rl_diagnostic diagnostic;
  char folder[RL_PATH_MAX];
  rl_scenario *scenario =
      rl_load_scenario(arguments.positional[0], &arguments, &diagnostic, &status);
  if (scenario && arguments.solver_count != 1) {
    fprintf(stderr, "ropelab run: expected one --solver, found %zu (compare takes several)\n",
            arguments.solver_count);
    status = RL_EXIT_USAGE;
  } else if (scenario) {
    status = choose_folder(folder, &arguments, scenario)
                 ? rl_run(scenario, &arguments.solvers[0], &arguments.run, folder, command)
                 : RL_EXIT_USAGE;
    if (status == RL_EXIT_DONE) {
      print_result(folder);
    } else if (status == RL_EXIT_INTERRUPTED) {
      print_interruption(folder);
    }
  }
  rl_scenario_free(scenario);
  free(command);
  return status;
}
