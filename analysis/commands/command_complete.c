// SPDX-License-Identifier: GPL-3.0-or-later
// Completion of command lines: `ropelab __complete WORD...` prints one candidate for the last word
// a line. ":files" and ":folders" tell the shell to add its own names. A candidate that ends with
// '=' or '.' has to be continued.
#include "commands.h"

#include "probe.h"
#include "reproduce/reproduce.h"
#include "runs/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The word that is being typed. Candidates complete what follows its first `kept` bytes, such as
// "--solver=" or "fine=".
typedef struct query {
  const char *word;
  size_t kept;
} query;

static void offer(const query *q, const char *candidate) {
  const char *typed = q->word + q->kept;
  if (strncmp(candidate, typed, strlen(typed)) == 0) {
    printf("%.*s%s\n", (int)q->kept, q->word, candidate);
  }
}

// Returns the query for what follows `place` in the word.
static query behind(const query *q, const char *place) {
  return (query){q->word, (size_t)(place - q->word)};
}

static void offer_value(const query *q, const rl_parameter *p) {
  char name[64];
  const char *choices = p->kind == RL_BOOLEAN ? "true|false" : p->choices;
  for (size_t i = 0; choices && rl_choice_name(choices, i, name, sizeof name); i++) {
    offer(q, name);
  }
}

// Offers completions of [LABEL=]NAME[,parameter=value...].
static void offer_solver(const query *q) {
  const char *typed = q->word + q->kept;
  const size_t head = strcspn(typed, ",");
  const char *equals = memrchr(typed, '=', head);
  const char *name = equals ? equals + 1 : typed;
  char solver[64];
  snprintf(solver, sizeof solver, "%.*s", (int)(typed + head - name), name);
  if (!typed[head]) {
    const query names = behind(q, name);
    for (size_t i = 0; rl_solvers[i]; i++) {
      offer(&names, rl_solvers[i]->name);
    }
    return;
  }
  const rl_solver_type *type = rl_solver_find(solver);
  const char *last = strrchr(typed, ',') + 1;
  equals = strchr(last, '=');
  for (size_t i = 0; type && i < type->parameter_count; i++) {
    const rl_parameter *p = &type->parameters[i];
    char setting[64];
    snprintf(setting, sizeof setting, "%s=", p->name);
    if (!equals) {
      const query names = behind(q, last);
      offer(&names, setting);
    } else if (strncmp(last, setting, strlen(setting)) == 0) {
      const query values = behind(q, equals + 1);
      offer_value(&values, p);
    }
  }
}

// Offers `name` if it is a probe, and the probes or prefixes that continue it ("line.node.").
static void offer_probe(const query *q, const rl_model *model, const char *name) {
  char message[512];
  char longer[512];
  rl_probe probe;
  if (rl_probe_parse(model, name, &probe, message, sizeof message) == RL_PROBE_OK) {
    offer(q, name);
  }
  static const char *const endings[] = {"x", "y", "z", "vx", "vy", "vz", "speed", "from", "to"};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    snprintf(longer, sizeof longer, "%s.%s", name, endings[i]);
    if (rl_probe_parse(model, longer, &probe, message, sizeof message) == RL_PROBE_OK) {
      offer(q, longer);
    }
  }
  snprintf(longer, sizeof longer, "%s.0.x", name);
  if (rl_probe_parse(model, longer, &probe, message, sizeof message) == RL_PROBE_OK) {
    snprintf(longer, sizeof longer, "%s.", name);
    offer(q, longer);
  }
}

static void offer_probes(const query *q, const char *scenario_name) {
  static const rl_arguments none;
  rl_diagnostic diagnostic;
  int status = 0;
  rl_scenario *scenario = rl_load_scenario(scenario_name, &none, &diagnostic, &status);
  const rl_model *model = scenario ? scenario->model : NULL;
  for (uint32_t i = 0; model && i < model->body_count + model->rope_count; i++) {
    const bool is_body = i < model->body_count;
    const char *item = is_body ? model->bodies[i].name : model->ropes[i - model->body_count].name;
    const char *const *quantities = is_body ? rl_probe_body_quantities : rl_probe_rope_quantities;
    for (; *quantities; quantities++) {
      char name[256];
      snprintf(name, sizeof name, "%s.%s", item, *quantities);
      offer_probe(q, model, name);
      for (uint32_t body = 0; !is_body && body < model->body_count; body++) {
        snprintf(name, sizeof name, "%s.%s.%s", item, *quantities, model->bodies[body].name);
        offer_probe(q, model, name);
      }
    }
  }
  rl_scenario_free(scenario);
}

static void offer_shipped(const query *q, const rl_shipped *kind) {
  size_t count = 0;
  char **names = rl_shipped_names(kind, &count);
  for (size_t i = 0; i < count; i++) {
    offer(q, names[i]);
  }
  rl_names_free(names, count);
  puts(":files");
}

// Offers completions of a positional argument by its name in the usage.
static void offer_positional(const query *q, const char *positional) {
  char word[64];
  if (strncmp(positional, "SCENARIO", 8) == 0) {
    offer_shipped(q, &rl_shipped_scenarios);
  } else if (strcmp(positional, "STUDY") == 0) {
    offer_shipped(q, &rl_shipped_studies);
  } else if (strncmp(positional, "DIR", 3) == 0) {
    puts(":folders");
  } else if (strcmp(positional, "[PAPER]") == 0) {
    for (size_t i = 0; rl_papers[i]; i++) {
      offer(q, rl_papers[i]->name);
    }
  } else if (*positional == '[') {
    char list[256];
    snprintf(list, sizeof list, "%.*s", (int)strcspn(positional + 1, "]"), positional + 1);
    for (size_t i = 0; rl_choice_name(list, i, word, sizeof word); i++) {
      offer(q, word);
    }
  }
}

// Offers what a study can vary, except paths into the scenario.
static void offer_over(const query *q) {
  offer(q, "step");
  offer(q, "segments");
  for (size_t i = 0; rl_solvers[i]; i++) {
    for (size_t k = 0; k < rl_solvers[i]->parameter_count; k++) {
      const char *name = rl_solvers[i]->parameters[k].name;
      bool offered = false;
      for (size_t j = 0; j < i; j++) {
        offered = offered || rl_parameter_find(rl_solvers[j], name) >= 0;
      }
      if (!offered && rl_solvers[i]->parameters[k].kind <= RL_INTEGER) {
        offer(q, name);
      }
    }
  }
}

static void offer_quantity(const query *q, const char *scenario) {
  static const char *const words[] = {"exact", "self", "reference"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    offer(q, words[i]);
  }
  for (size_t i = 1; rl_columns[i].name; i++) {
    offer(q, rl_columns[i].name);
  }
  if (scenario) {
    offer_probes(q, scenario);
  }
}

static void offer_option_value(const query *q, const rl_option *option, const char *scenario) {
  char word[64];
  for (size_t i = 0;
       strchr(option->value, '|') && rl_choice_name(option->value, i, word, sizeof word); i++) {
    offer(q, word);
  }
  if (strcmp(option->name, "solver") == 0 || strcmp(option->name, "reference") == 0) {
    offer_solver(q);
  } else if (strcmp(option->name, "probe") == 0 && scenario) {
    offer_probes(q, scenario);
  } else if (strcmp(option->name, "over") == 0) {
    offer_over(q);
  } else if (strcmp(option->name, "quantity") == 0) {
    offer_quantity(q, scenario);
  } else if (strcmp(option->name, "out") == 0) {
    puts(":folders");
  }
}

// Returns the option that a word names ("--solver", "--solver=pbd", "-s"); NULL: none.
static const rl_option *find_option(const rl_option *options, size_t count, const char *word) {
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(options[i].name);
    const bool is_short =
        word[0] == '-' && options[i].letter && word[1] == options[i].letter && !word[2];
    const bool is_long = strncmp(word, "--", 2) == 0 && strlen(word) >= 2 + length &&
                         strncmp(word + 2, options[i].name, length) == 0 &&
                         (word[2 + length] == '\0' || word[2 + length] == '=');
    if (is_short || is_long) {
      return &options[i];
    }
  }
  return NULL;
}

static void offer_options(const query *q, const rl_option *options, size_t count) {
  char word[64];
  for (size_t i = 0; i < count; i++) {
    snprintf(word, sizeof word, "--%s", options[i].name);
    offer(q, word);
  }
  offer(q, "--help");
}

// Completes words[count - 1]; words[0] is the command.
static void complete(const rl_command *command, size_t count, char **words) {
  rl_option options[RL_OPTIONS_MAX];
  const size_t option_count = rl_usage_options(command->usage, options);
  const rl_option *waiting = NULL; // option whose value comes next
  const char *first = NULL;        // first positional argument
  for (size_t i = 1; i + 1 < count; i++) {
    const rl_option *option =
        waiting || words[i][0] != '-' ? NULL : find_option(options, option_count, words[i]);
    if (!waiting && !first && words[i][0] != '-') {
      first = words[i];
    }
    waiting = option && option->value && !strchr(words[i], '=') ? option : NULL;
  }
  const query q = {.word = words[count - 1]};
  const char *equals = strchr(q.word, '=');
  const rl_option *given = find_option(options, option_count, q.word);
  if (waiting) {
    offer_option_value(&q, waiting, first);
  } else if (given && given->value && equals) {
    const query value = behind(&q, equals + 1);
    offer_option_value(&value, given, first);
  } else if (q.word[0] == '-') {
    offer_options(&q, options, option_count);
  } else {
    offer_positional(&q, command->usage->positional);
  }
}

int rl_command_complete(int argc, char **argv) {
  // Messages of a faulty scenario would disturb the shell: it just has no probes to offer.
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0 || argc < 2) {
    return RL_EXIT_USAGE;
  }
  if (argc == 2) {
    const query q = {.word = argv[1]};
    for (const rl_command *c = rl_commands; c->run; c++) {
      offer(&q, c->usage->name);
    }
    offer(&q, "--help");
    offer(&q, "--version");
    return RL_EXIT_DONE;
  }
  const rl_command *command = rl_command_find(argv[1]);
  if (command) {
    complete(command, (size_t)argc - 1, argv + 1);
  }
  return RL_EXIT_DONE;
}
