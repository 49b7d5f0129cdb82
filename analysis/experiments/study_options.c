// SPDX-License-Identifier: GPL-3.0-or-later
#include "study_options.h"

#include "runs/command_line.h"
#include "study_fault.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

static bool is_known(const rl_study_kind *kind, const char *option, const char *word,
                     const char *const *words, unsigned *index) {
  size_t count = 0;
  for (; words[count]; count++) {
    if (strcmp(words[count], word) == 0) {
      *index = (unsigned)count;
      return true;
    }
  }
  char hint[256];
  rl_suggest(hint, sizeof hint, word, words, count);
  fprintf(stderr, "ropelab %s: --%s %s: %s\n", kind->name, option, word, hint);
  return false;
}

// Splits "a,b,c" in place.
static bool split(const rl_study_kind *kind, char *text, const char *words[RL_LIST_MAX],
                  size_t *count) {
  *count = 0;
  char *rest = text;
  while (rest && *count < RL_LIST_MAX) {
    words[(*count)++] = strsep(&rest, ",");
  }
  if (rest) {
    fprintf(stderr, "ropelab %s: --values: expected at most %d\n", kind->name, RL_LIST_MAX);
  }
  return !rest;
}

static bool choose_solvers(const rl_study_kind *kind, rl_study_definition *d) {
  char message[512];
  if (d->solver_count == 0) {
    rl_study_fill_solvers(d);
  }
  if (!rl_solver_spec_distinguish(d->solvers, d->solver_count, message, sizeof message)) {
    fprintf(stderr, "ropelab %s: %s\n", kind->name, message);
    return false;
  }
  return true;
}

static bool check(const rl_study_kind *kind, const rl_study_definition *d) {
  rl_study_fault fault = {0};
  return kind->check(d, &fault) || rl_study_print_fault(d, &fault);
}

// Formats numbers as words, which become parts of labels.
static rl_words words_of(const double *numbers, size_t count, const char **words) {
  enum { DIGITS = 32 };
  static char texts[2 * RL_LIST_MAX][DIGITS];
  static size_t used = 0; // two lists are formatted
  for (size_t i = 0; i < count; i++) {
    words[i] = texts[used];
    snprintf(texts[used++], DIGITS, "%.17g", numbers[i]);
  }
  return (rl_words){words, count};
}

// Returns the key of a kind; NULL: none with that name.
static const rl_field *find_key(const rl_study_kind *kind, const char *key) {
  for (size_t i = 0; i < kind->field_count; i++) {
    if (strcmp(kind->fields[i].name, key) == 0) {
      return &kind->fields[i];
    }
  }
  return NULL;
}

static bool needs(const rl_study_kind *kind, const char *key) {
  const rl_field *field = find_key(kind, key);
  return field && field->required;
}

// Fills in a definition from the options of the command named like the kind; it points into the
// arguments. False with a message if it is not consistent.
static bool define(const rl_study_kind *kind, rl_arguments *a, rl_study_definition *d) {
  static const char *values[RL_LIST_MAX], *iterations[RL_LIST_MAX], *at[RL_LIST_MAX];
  unsigned norm = RL_NORM_MAX, law = RL_LAW_BY_VARIATION;
  const bool needs_over = needs(kind, "over");
  if ((needs(kind, "values") && !a->value_list) || (needs_over && !a->over)) {
    fprintf(stderr, "ropelab %s: expected %s--values\n", kind->name,
            needs_over ? "--over (step, segments, a parameter or a path) and " : "");
    return false;
  }
  if ((a->norm && !is_known(kind, "norm", a->norm, rl_norm_names, &norm)) ||
      (a->law && !is_known(kind, "law", a->law, rl_law_names, &law))) {
    return false;
  }
  size_t value_count;
  if (!split(kind, a->value_list, values, &value_count)) {
    return false;
  }
  *d = rl_study_empty(kind);
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
  d->values = (rl_words){values, value_count};
  d->iterations = words_of(a->iterations, a->iteration_count, iterations);
  d->at = words_of(a->at, a->at_count, at);
  d->pieces = (size_t)a->pieces;
  d->quantities = (rl_words){a->quantities, a->quantity_count};
  d->norm = (rl_norm)norm;
  d->law = law;
  d->reference.solver = a->reference;
  d->reference.step = a->reference_step;
  return choose_solvers(kind, d) && check(kind, d);
}

int rl_study_main(const rl_study_kind *kind, const rl_usage *usage, int argc, char **argv) {
  static rl_arguments arguments;
  static rl_study_definition definition;
  char *command = rl_command_line(argc, argv);
  int status = RL_EXIT_FAILED;
  if (command && rl_arguments_parse(usage, argc, argv, &arguments, &status)) {
    char folder[RL_PATH_MAX];
    status = define(kind, &arguments, &definition) &&
                     rl_study_folder(folder, kind->name, arguments.positional[0])
                 ? rl_study_command(&definition, &arguments, folder, command, true)
                 : RL_EXIT_USAGE;
  }
  free(command);
  return status;
}
