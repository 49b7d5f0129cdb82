// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "command_line.h"
#include "converge.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

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
           "  ropelab converge pendulum --solver pbd --solver rattle --over step "
           "--values 0.02,0.01,0.005,0.0025\n"
           "  ropelab converge catenary --solver pbd-direct --over segments --values 8,16,32,64 "
           "--norm end\n"
           "  ropelab converge heavy-load --solver pbd --over iterations "
           "--values 100,200,400,800 --quantity length_error_m",
    .options = "shdetSpvwqNLRxrlofuj",
    .least = 1,
    .most = 1,
};

static bool is_known(const char *option, const char *word, const char *const *words,
                     unsigned *index) {
  size_t count = 0;
  for (; words[count]; count++) {
    if (strcmp(words[count], word) == 0) {
      *index = (unsigned)count;
      return true;
    }
  }
  char hint[256];
  rl_suggest(hint, sizeof hint, word, words, count);
  fprintf(stderr, "ropelab converge: --%s %s: %s\n", option, word, hint);
  return false;
}

// "a,b,c" in place.
static size_t split(char *text, const char *words[RL_LIST_MAX]) {
  size_t count = 0;
  for (char *rest = text; rest && count < RL_LIST_MAX;) {
    words[count++] = strsep(&rest, ",");
  }
  return count;
}

static bool choose_solvers(rl_study_definition *d) {
  char message[512];
  if (d->solver_count == 0) {
    rl_study_fill_solvers(d);
  }
  if (!rl_solver_spec_distinguish(d->solvers, d->solver_count, message, sizeof message)) {
    fprintf(stderr, "ropelab converge: %s\n", message);
    return false;
  }
  return true;
}

static bool check(const rl_study_definition *d) {
  rl_study_fault fault = {0};
  if (rl_study_converge.check(d, &fault)) {
    return true;
  }
  fprintf(stderr, "ropelab converge: --%s: %s\n", fault.key, fault.message);
  return false;
}

static bool define(rl_arguments *a, rl_study_definition *d) {
  static const char *values[RL_LIST_MAX];
  unsigned norm = RL_NORM_MAX, law = RL_LAW_BY_VARIATION;
  if (!a->over || !a->value_list) {
    fprintf(stderr, "ropelab converge: expected --over (step, segments, a parameter or a path) and "
                    "--values\n");
    return false;
  }
  if ((a->norm && !is_known("norm", a->norm, rl_norm_names, &norm)) ||
      (a->law && !is_known("law", a->law, rl_law_names, &law))) {
    return false;
  }
  *d = rl_study_nothing(&rl_study_converge);
  d->name = a->positional[0];
  d->scenarios = (rl_words){a->positional, 1};
  d->solvers = a->solvers;
  d->solver_count = a->solver_count;
  d->step = a->run.step;
  d->duration = a->run.duration;
  d->every = a->run.every;
  d->time_limit = a->run.limit;
  d->changes = (rl_changes){a->overrides, a->override_count};
  d->probes = (rl_words){a->probes, a->probe_count};
  d->over = a->over;
  d->rope = a->rope;
  d->values = (rl_words){values, split(a->value_list, values)};
  d->quantities = (rl_words){a->quantities, a->quantity_count};
  d->norm = (rl_norm)norm;
  d->law = law;
  d->reference.solver = a->reference;
  d->reference.step = a->reference_step;
  return choose_solvers(d) && check(d);
}

int rl_command_converge(int argc, char **argv) {
  static rl_arguments arguments;
  static rl_study_definition definition;
  char *command = rl_command_line(argc, argv, "--force");
  int status = RL_EXIT_FAILED;
  if (command && rl_arguments_parse(&rl_converge_usage, argc, argv, &arguments, &status)) {
    char folder[RL_PATH_MAX];
    status = define(&arguments, &definition) &&
                     rl_study_folder(folder, "converge", arguments.positional[0])
                 ? rl_study_command(&definition, &arguments, folder, command, true)
                 : RL_EXIT_USAGE;
  }
  free(command);
  return status;
}
