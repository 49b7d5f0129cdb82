// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.h"

#include "commands.h"
#include "experiments/study_numbers.h"
#include "words.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  KEY_SOLVER = 's',
  KEY_STEP = 'h',
  KEY_DURATION = 'd',
  KEY_EVERY = 'e',
  KEY_FRAMES_EVERY = 'm',
  KEY_AT = 'a',
  KEY_ITERATIONS = 'I',
  KEY_REFERENCE = 'R',
  KEY_REFERENCE_STEP = 'x',
  KEY_PIECES = 'k',
  KEY_TRACE = 't',
  KEY_SET = 'S',
  KEY_PROBE = 'p',
  KEY_OUT = 'o',
  KEY_TARGET = 'O',
  KEY_TO = 'T',
  KEY_FORCE = 'f',
  KEY_JOBS = 'j',
  KEY_JSON = 'J',
  KEY_COVERAGE = 'c',
  KEY_TOLERANCE = 'E',
  KEY_OVER = 'v',
  KEY_VALUE_LIST = 'w',
  KEY_QUANTITY = 'q',
  KEY_NORM = 'N',
  KEY_LAW = 'L',
  KEY_ROPE = 'r',
  KEY_RESUME = 'u',
  KEY_LIMIT = 'l',
  KEY_FIGURES = 'F',
  LONG_ONLY = 1 << 10, // added to the key of an option without a letter
  WHOLE_MAX = 1000000000
};

// The options of all commands; each command takes some of them.
static const struct argp_option all_options[] = {
    {"solver", KEY_SOLVER, "[LABEL=]NAME[,param=value...]", 0,
     "solver with its parameters; compare takes any number (`ropelab list solvers`)", 0},
    {"step", KEY_STEP + LONG_ONLY, "S", 0, "time step in seconds instead of the scenario's", 0},
    {"duration", KEY_DURATION + LONG_ONLY, "S", 0, "seconds to run instead of the scenario's", 0},
    {"every", KEY_EVERY + LONG_ONLY, "S", 0,
     "seconds between rows of series.csv (default: every step)", 0},
    {"frames-every", KEY_FRAMES_EVERY + LONG_ONLY, "S", 0,
     "seconds between frames of trajectory.h5 (default: 1/60, or 1/120 of a short run)", 0},
    {"iterations", KEY_ITERATIONS + LONG_ONLY, "A,B,...", 0,
     "numbers of iterations to try (default: the solver's own; onestep: 1,2,4,...,1024)", 0},
    {"at", KEY_AT + LONG_ONLY, "T,T,...", 0,
     "times of the states to start from, in seconds (default: 8, equally spaced)", 0},
    {"reference", KEY_REFERENCE + LONG_ONLY, "NAME[,param=value...]", 0,
     "solver to compare with (default: the most accurate one that can; consistency: self)", 0},
    {"reference-step", KEY_REFERENCE_STEP + LONG_ONLY, "S", 0,
     "step of the reference in seconds (default: 1/64 of the step; consistency: 1/64 ms; "
     "converge, precision: 1/16 of the shortest)",
     0},
    {"pieces", KEY_PIECES + LONG_ONLY, "N", 0, "pieces that the run is cut into (default: 10)", 0},
    {"trace", KEY_TRACE + LONG_ONLY, "K", 0,
     "residuals of every K-th step in iterations.csv (default: the last step)", 0},
    {"set", KEY_SET + LONG_ONLY, "PATH=VALUE", 0,
     "change the scenario before it is read: --set bodies.heavy.mass=3", 0},
    {"probe", KEY_PROBE + LONG_ONLY, "P", 0, "record one more quantity: --probe line.tension", 0},
    {"over", KEY_OVER + LONG_ONLY, "WHAT", 0,
     "what is varied: step, segments, a parameter of the solvers, or a path as for --set", 0},
    {"values", KEY_VALUE_LIST + LONG_ONLY, "A,B,...", 0,
     "values of what is varied; precision, onestep, consistency: time steps in seconds", 0},
    {"quantity", KEY_QUANTITY + LONG_ONLY, "Q", 0,
     "what is measured, any number of times: exact, self, reference, a probe, or a column of "
     "series.csv (default: exact where there is a closed form, else self)",
     0},
    {"norm", KEY_NORM + LONG_ONLY, "max|l2|end", 0, "over time (default: max)", 0},
    {"law", KEY_LAW + LONG_ONLY, "power|exponential", 0,
     "what is fitted (default: exponential over iterations, else power)", 0},
    {"rope", KEY_ROPE + LONG_ONLY, "NAME", 0,
     "rope whose segments are varied (default: all that have some)", 0},
    {"time-limit", KEY_LIMIT + LONG_ONLY, "S", 0,
     "seconds of processor time after which a run is given up (default: none)", 0},
    {"out", KEY_OUT, "DIR", 0,
     "folder for the results (default: out/COMMAND-NAME, of the scenario, study or paper)", 0},
    {"to", KEY_TO + LONG_ONLY, "FORMAT", 0, "csv, vtk or xdmf", 0},
    {"out", KEY_TARGET + LONG_ONLY, "PATH", 0, "where to write (default: in DIR)", 0},
    {"force", KEY_FORCE + LONG_ONLY, NULL, 0, "replace results that are there", 0},
    {"resume", KEY_RESUME + LONG_ONLY, NULL, 0,
     "go on with what was stopped; runs that are complete are kept", 0},
    {"jobs", KEY_JOBS, "N", 0, "runs at a time (default: one per processor)", 0},
    {"figures", KEY_FIGURES + LONG_ONLY, "KIND,...", 0,
     "files of the figures: svg, which the page needs, png, pdf (default: all three)", 0},
    {"json", KEY_JSON + LONG_ONLY, NULL, 0, "print JSON", 0},
    {"coverage", KEY_COVERAGE + LONG_ONLY, NULL, 0, "which solver can run which scenario", 0},
    {"tolerance", KEY_TOLERANCE + LONG_ONLY, "E", 0,
     "difference that does not count, of the largest value of its kind, or of 1 (default: 0)", 0},
};

enum { ALL_OPTIONS = sizeof all_options / sizeof all_options[0] };

typedef struct parse {
  const rl_usage *usage;
  rl_arguments *arguments;
  bool given[LONG_ONLY]; // by key, whether the option was given
} parse;

// Prints a fault of the command line, printf style, and ends the program.
static void refuse(const struct argp_state *state, const char *format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "%s: ", state->name);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  exit(RL_EXIT_USAGE);
}

static double positive(struct argp_state *state, const char *option, const char *text,
                       const char *expected) {
  char *end = NULL;
  const size_t length = strspn(text, "0123456789+-.eE");
  const bool plain = length > 0 && !text[length];
  const double value = plain ? strtod(text, &end) : NAN;
  if (text[length] && strspn(text, "0123456789.") > 0) {
    refuse(state, "--%s %s: expected %s, found a number followed by '%s'", option, text, expected,
           text + length);
  } else if (!plain || *end || !(value > 0.0) || isinf(value)) {
    refuse(state, "--%s %s: expected %s", option, text, expected);
  }
  return value;
}

static double seconds(struct argp_state *state, const char *option, const char *text) {
  return positive(state, option, text, "a number of seconds above 0");
}

// Parses a number that may be 0.
static double not_negative(struct argp_state *state, const char *option, const char *text,
                           const char *expected) {
  const bool zero = strspn(text, "0.") == strlen(text) && strchr(text, '0');
  return zero ? 0.0 : positive(state, option, text, expected);
}

static double fraction(struct argp_state *state, const char *option, const char *text) {
  return not_negative(state, option, text, "a number that is not negative");
}

static long whole(struct argp_state *state, const char *option, const char *text) {
  char *end = NULL;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || value < 1 || value > WHOLE_MAX) {
    refuse(state, "--%s %s: expected a whole number from 1 to %d", option, text, WHOLE_MAX);
  }
  return value;
}

// Whether a list has room for one more value; otherwise ends the program with a message.
static bool room(const struct argp_state *state, const char *option, size_t count) {
  if (count >= RL_LIST_MAX) {
    refuse(state, "more than %d of --%s", RL_LIST_MAX, option);
    return false;
  }
  return true;
}

static void add_solver(struct argp_state *state, rl_arguments *a, const char *text) {
  char message[512];
  if (room(state, "solver", a->solver_count) &&
      !rl_solver_spec_parse(text, &a->solvers[a->solver_count++], message, sizeof message)) {
    refuse(state, "--solver %s: %s", text, message);
  }
}

static void add_probe(const struct argp_state *state, rl_arguments *a, const char *text) {
  for (size_t i = 0; i < a->probe_count; i++) {
    if (strcmp(a->probes[i], text) == 0) {
      refuse(state, "--probe: '%s' is given twice", text);
    }
  }
  if (room(state, "probe", a->probe_count)) {
    a->probes[a->probe_count++] = text;
  }
}

// Whether a solver has a parameter of that name; no key of a scenario is called so.
static bool is_parameter(const char *name) {
  const rl_solver_type *const *type = rl_solvers;
  while (*type && rl_parameter_find(*type, name) < 0) {
    type++;
  }
  return *type != NULL;
}

static void add_override(struct argp_state *state, rl_arguments *a, char *text) {
  char *equals = strchr(text, '=');
  if (!equals || equals == text) {
    refuse(state, "--set %s: expected PATH=VALUE", text);
    return;
  }
  *equals = '\0'; // argv may be modified
  if (is_parameter(text)) {
    refuse(state, "--set %s=%s: that is a parameter of solvers; expected --solver NAME,%s=%s", text,
           equals + 1, text, equals + 1);
  } else if (room(state, "set", a->override_count)) {
    a->overrides[a->override_count++] = (rl_override){text, equals + 1};
  }
}

// Parses a comma-separated list into `values`, sorted, and returns their number. `read` parses one
// of them; it, or a value that is given twice, ends the program with a message.
static size_t numbers(struct argp_state *state, const char *option, char *text, double *values,
                      double (*read)(struct argp_state *, const char *, const char *)) {
  size_t count = 0;
  for (char *rest = text, *word; (word = strsep(&rest, ",")) != NULL;) {
    if (!room(state, option, count)) {
      continue;
    }
    values[count++] = read(state, option, word);
    for (size_t i = 0; i + 1 < count; i++) {
      if (values[i] == values[count - 1]) {
        refuse(state, "--%s: '%s' is given twice", option, word);
      }
    }
  }
  qsort(values, count, sizeof *values, rl_compare_numbers);
  return count;
}

static double whole_number(struct argp_state *state, const char *option, const char *text) {
  return (double)whole(state, option, text);
}

static double time_of(struct argp_state *state, const char *option, const char *text) {
  return not_negative(state, option, text, "a number of seconds that is not negative");
}

static const char *figure_kinds(struct argp_state *state, const char *text) {
  const char *rest = text;
  do {
    const int length = (int)strcspn(rest, ",");
    if (length != 3 || (strncmp(rest, "svg", 3) != 0 && strncmp(rest, "png", 3) != 0 &&
                        strncmp(rest, "pdf", 3) != 0)) {
      refuse(state, "--figures %s: expected svg, png or pdf, found '%.*s'", text, length, rest);
    }
    rest += length;
  } while (*rest++);
  return text;
}

// Options whose value is stored in one member of rl_arguments without further checks.
static const struct {
  int key;
  enum { TEXT, SECONDS, FLAG } kind;
  size_t at;
} plain_options[] = {
    {KEY_STEP, SECONDS, offsetof(rl_arguments, run.step)},
    {KEY_DURATION, SECONDS, offsetof(rl_arguments, run.duration)},
    {KEY_EVERY, SECONDS, offsetof(rl_arguments, run.every)},
    {KEY_FRAMES_EVERY, SECONDS, offsetof(rl_arguments, run.frames_every)},
    {KEY_LIMIT, SECONDS, offsetof(rl_arguments, run.limit)},
    {KEY_REFERENCE_STEP, SECONDS, offsetof(rl_arguments, reference_step)},
    {KEY_REFERENCE, TEXT, offsetof(rl_arguments, reference)},
    {KEY_TO, TEXT, offsetof(rl_arguments, to)},
    {KEY_OVER, TEXT, offsetof(rl_arguments, over)},
    {KEY_NORM, TEXT, offsetof(rl_arguments, norm)},
    {KEY_LAW, TEXT, offsetof(rl_arguments, law)},
    {KEY_ROPE, TEXT, offsetof(rl_arguments, rope)},
    {KEY_JSON, FLAG, offsetof(rl_arguments, json)},
    {KEY_COVERAGE, FLAG, offsetof(rl_arguments, coverage)},
};

// Keys of the options that can be given more than once.
static const char repeated[] = {KEY_SOLVER, KEY_SET, KEY_PROBE, KEY_QUANTITY, '\0'};

// Whether a command has the option.
static bool takes(const rl_usage *usage, int key) {
  const int letter = key & ~LONG_ONLY;
  return letter > 0 && letter < LONG_ONLY && strchr(usage->options, letter) != NULL;
}

static const char *option_name(int key) {
  size_t i = 0;
  while (all_options[i].key != key) {
    i++;
  }
  return all_options[i].name;
}

// Stores the value of a plain option; false if the option is none.
static bool parse_plain(int key, char *text, struct argp_state *state, rl_arguments *a) {
  for (size_t i = 0; i < sizeof plain_options / sizeof plain_options[0]; i++) {
    void *place = (char *)a + plain_options[i].at;
    if (plain_options[i].key != (key & ~LONG_ONLY)) {
      continue;
    }
    switch (plain_options[i].kind) {
    case TEXT:
      *(const char **)place = text;
      break;
    case SECONDS:
      *(double *)place = seconds(state, option_name(key), text);
      break;
    case FLAG:
      *(bool *)place = true;
      break;
    }
    return true;
  }
  return false;
}

// Stores a positional argument and checks their number.
static error_t parse_positional(int key, char *text, struct argp_state *state,
                                const rl_usage *usage, rl_arguments *a) {
  if (key == ARGP_KEY_ARG && !*text) {
    refuse(state, "expected %s, found ''", usage->positional);
  }
  if (key == ARGP_KEY_ARG && a->positional_count < usage->most) {
    a->positional[a->positional_count++] = text;
    return 0;
  }
  if (key == ARGP_KEY_ARG) {
    const bool none = usage->most == 0;
    refuse(state, "unexpected '%s'; expected %s", text, none ? "options only" : usage->positional);
  } else if (key == ARGP_KEY_END && a->positional_count < usage->least) {
    refuse(state, "expected %s", usage->positional);
  } else if (key == ARGP_KEY_END && a->resume && a->force) {
    refuse(state, "expected --resume or --force, found both");
  }
  return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  parse *p = state->input;
  rl_arguments *a = p->arguments;
  if (key == ARGP_KEY_INIT) {
    state->err_stream = NULL; // else argp adds a hint at --help to getopt's message
  }
  if (takes(p->usage, key)) {
    const bool is_twice = p->given[key & ~LONG_ONLY];
    p->given[key & ~LONG_ONLY] = true;
    if (is_twice && !strchr(repeated, key & ~LONG_ONLY)) {
      refuse(state, "--%s is given twice", option_name(key));
    }
  }
  if (parse_plain(key, text, state, a)) {
    return 0;
  }
  switch (key & ~LONG_ONLY) {
  case KEY_SOLVER:
    add_solver(state, a, text);
    return 0;
  case KEY_AT:
    a->at_count = numbers(state, "at", text, a->at, time_of);
    return 0;
  case KEY_ITERATIONS:
    a->iteration_count = numbers(state, "iterations", text, a->iterations, whole_number);
    return 0;
  case KEY_PIECES:
    a->pieces = whole(state, "pieces", text);
    return 0;
  case KEY_TRACE:
    a->run.trace = (uint64_t)whole(state, "trace", text);
    return 0;
  case KEY_SET:
    add_override(state, a, text);
    return 0;
  case KEY_PROBE:
    add_probe(state, a, text);
    return 0;
  case KEY_OUT:
  case KEY_TARGET:
    if (!*text) {
      refuse(state, "--out '': expected the name of a %s",
             strchr(p->usage->options, KEY_OUT) ? "folder" : "file or folder");
    }
    a->out = text;
    return 0;
  case KEY_FORCE:
    a->force = a->run.force = true;
    return 0;
  case KEY_RESUME:
    a->resume = a->run.resume = true;
    return 0;
  case KEY_JOBS:
    a->jobs = whole(state, "jobs", text);
    return 0;
  case KEY_FIGURES:
    a->figures = figure_kinds(state, text);
    return 0;
  case KEY_VALUE_LIST:
    a->value_list = text;
    return 0;
  case KEY_QUANTITY:
    if (room(state, "quantity", a->quantity_count)) {
      a->quantities[a->quantity_count++] = text;
    }
    return 0;
  case KEY_TOLERANCE:
    a->tolerance = fraction(state, "tolerance", text);
    return 0;
  default:
    return parse_positional(key, text, state, p->usage, a);
  }
}

size_t rl_usage_options(const rl_usage *usage, rl_option options[RL_OPTIONS_MAX]) {
  size_t count = 0;
  for (size_t i = 0; i < ALL_OPTIONS; i++) {
    const struct argp_option *o = &all_options[i];
    if (takes(usage, o->key)) {
      const char letter = o->key & LONG_ONLY ? '\0' : (char)o->key;
      options[count++] = (rl_option){o->name, letter, o->arg, o->doc};
    }
  }
  return count;
}

// Lists the commands that take an option of this name; empty: none.
static void list_commands_with(char *text, size_t size, const char *name) {
  *text = '\0';
  for (size_t c = 0; rl_commands[c].run; c++) {
    for (size_t i = 0; i < ALL_OPTIONS; i++) {
      const size_t used = strlen(text);
      if (strcmp(all_options[i].name, name) == 0 &&
          takes(rl_commands[c].usage, all_options[i].key)) {
        snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                 rl_commands[c].usage->name);
      }
    }
  }
}

// Whether the command takes the option; otherwise prints which commands do, or the nearest option.
// argp itself would only say that the option is unknown.
static bool check_option(const rl_usage *usage, const char *word) {
  const char *names[RL_OPTIONS_MAX + 3] = {"help", "usage"};
  size_t count = 2;
  char name[64];
  const size_t length = strcspn(word, "=");
  if (length >= sizeof name) {
    return true;
  }
  memcpy(name, word, length);
  name[length] = '\0';
  for (size_t i = 0; i < ALL_OPTIONS; i++) {
    if (takes(usage, all_options[i].key)) {
      names[count++] = all_options[i].name;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (strncmp(names[i], name, length) == 0) {
      return true;
    }
  }
  char hint[256], others[128];
  const int nearest = rl_nearest_word(name, names, count);
  list_commands_with(others, sizeof others, name);
  if (*others) {
    snprintf(hint, sizeof hint, "it belongs to: %s", others);
  } else if (nearest >= 0) {
    snprintf(hint, sizeof hint, "did you mean '--%s'?", names[nearest]);
  } else {
    snprintf(hint, sizeof hint, "`ropelab %s --help` lists them", usage->name);
  }
  fprintf(stderr, "ropelab %s: unknown option '--%s'; %s\n", usage->name, name, hint);
  return false;
}

bool rl_arguments_parse(const rl_usage *usage, int argc, char **argv, rl_arguments *arguments,
                        int *status) {
  struct argp_option options[RL_OPTIONS_MAX + 1] = {{0}};
  size_t count = 0;
  for (size_t i = 0; i < ALL_OPTIONS; i++) {
    if (takes(usage, all_options[i].key)) {
      options[count++] = all_options[i];
    }
  }
  memset(arguments, 0, sizeof *arguments);
  arguments->run = (rl_run_options){.step = NAN, .duration = NAN, .every = NAN, .limit = NAN};
  arguments->reference_step = NAN;
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strncmp(argv[i], "--", 2) == 0 && !check_option(usage, argv[i] + 2)) {
      *status = RL_EXIT_USAGE;
      return false;
    }
  }
  char name[64];
  snprintf(name, sizeof name, "ropelab %s", usage->name);
  argv[0] = name;
  // argp leaks memory for an empty table.
  const struct argp argp = {.options = count > 0 ? options : NULL,
                            .parser = parse_option,
                            .args_doc = usage->positional[0] ? usage->positional : NULL,
                            .doc = usage->doc};
  parse input = {.usage = usage, .arguments = arguments};
  argp_err_exit_status = RL_EXIT_USAGE;
  // argp_parse ends the program on bad usage and after --help.
  *status = argp_parse(&argp, argc, argv, 0, NULL, &input) == 0 ? RL_EXIT_DONE : RL_EXIT_USAGE;
  return *status == RL_EXIT_DONE;
}

bool rl_solvers_complete(rl_arguments *a, const char *command) {
  char message[512];
  for (size_t i = 0; rl_solvers[i] && a->solver_count == i; i++) {
    rl_solver_spec_parse(rl_solvers[i]->name, &a->solvers[a->solver_count++], message,
                         sizeof message);
  }
  if (!rl_solver_spec_distinguish(a->solvers, a->solver_count, message, sizeof message)) {
    fprintf(stderr, "ropelab %s: %s\n", command, message);
    return false;
  }
  return true;
}

rl_scenario *rl_load_scenario(const char *name, const rl_arguments *a, rl_diagnostic *diagnostic,
                              int *status) {
  return rl_load_changed(name, a->overrides, a->override_count, a->probes, a->probe_count,
                         diagnostic, status);
}
