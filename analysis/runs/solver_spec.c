// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver_spec.h"

#include "words.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 96, WORDS_MAX = 32 };

// Copies a piece of the spec into a string of its own; false if it is too long.
static bool copy_word(char word[WORD_MAX], const char *from, size_t length) {
  if (length >= WORD_MAX) {
    return false;
  }
  memcpy(word, from, length);
  word[length] = '\0';
  return true;
}

static bool is_label(const char *text) {
  if (!*text || *text == '.') {
    return false;
  }
  for (; *text; text++) {
    if (!isalnum((unsigned char)*text) && !strchr("_-.+=", *text)) {
      return false;
    }
  }
  return true;
}

static bool find_type(const char *name, rl_solver_spec *spec, char *message, size_t size) {
  const char *names[WORDS_MAX];
  size_t count = 0;
  for (; rl_solvers[count]; count++) {
    names[count] = rl_solvers[count]->name;
  }
  spec->type = rl_solver_find(name);
  if (!spec->type) {
    char hint[256];
    rl_suggest(hint, sizeof hint, name, names, count);
    snprintf(message, size, "unknown solver '%s'; %s", name, hint);
  }
  return spec->type != NULL;
}

static bool parse_choice(const rl_parameter *parameter, const char *text, double *value,
                         char *message, size_t size) {
  char words[WORDS_MAX][WORD_MAX];
  const char *names[WORDS_MAX];
  size_t count = 0;
  while (count < WORDS_MAX && rl_choice_name(parameter->choices, count, words[count], WORD_MAX)) {
    names[count] = words[count];
    if (strcmp(text, words[count]) == 0) {
      *value = (double)count;
      return true;
    }
    count++;
  }
  char hint[256];
  rl_suggest(hint, sizeof hint, text, names, count);
  snprintf(message, size, "'%s' is not a value of parameter '%s'; %s", text, parameter->name, hint);
  return false;
}

static bool parse_boolean(const char *text, double *value) {
  static const char *const words[] = {"false", "true"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(text, words[i]) == 0) {
      *value = (double)i;
      return true;
    }
  }
  return false;
}

static bool parse_value(const rl_parameter *parameter, const char *text, double *value,
                        char *message, size_t size) {
  if (parameter->kind == RL_CHOICE) {
    return parse_choice(parameter, text, value, message, size);
  }
  if (parameter->kind == RL_BOOLEAN) {
    if (parse_boolean(text, value)) {
      return true;
    }
    snprintf(message, size, "'%s' is not a value of parameter '%s'; expected true or false", text,
             parameter->name);
    return false;
  }
  char *end = NULL;
  const bool plain = *text && strspn(text, "0123456789+-.eE") == strlen(text);
  *value = plain ? strtod(text, &end) : NAN;
  if (!plain || *end || !rl_parameter_takes(parameter, *value)) {
    snprintf(message, size, "'%s' is not a value of parameter '%s'; expected %s from %g to %g%s%s",
             text, parameter->name, parameter->kind == RL_INTEGER ? "a whole number" : "a number",
             parameter->lower, parameter->upper, strcmp(parameter->unit, "1") == 0 ? "" : " ",
             strcmp(parameter->unit, "1") == 0 ? "" : parameter->unit);
    return false;
  }
  return true;
}

static bool parse_parameter(const char *text, rl_solver_spec *spec, uint32_t *given, char *message,
                            size_t size) {
  const rl_solver_type *type = spec->type;
  const char *equals = strchr(text, '=');
  char name[WORD_MAX];
  if (!equals || !copy_word(name, text, (size_t)(equals - text))) {
    snprintf(message, size, "'%s' is not a parameter; expected name=value", text);
    return false;
  }
  const int index = rl_parameter_find(type, name);
  if (index >= 0 && *given & UINT32_C(1) << index) {
    snprintf(message, size, "parameter '%s' is given twice", name);
    return false;
  }
  if (index >= 0) {
    *given |= UINT32_C(1) << index;
    return parse_value(&type->parameters[index], equals + 1, &spec->parameters[index], message,
                       size);
  }
  const char *names[RL_PARAMETERS_MAX];
  for (size_t i = 0; i < type->parameter_count; i++) {
    names[i] = type->parameters[i].name;
  }
  char hint[256];
  rl_suggest(hint, sizeof hint, name, names, type->parameter_count);
  snprintf(message, size, "solver '%s' has no parameter '%s'; %s", type->name, name, hint);
  return false;
}

bool rl_solver_spec_parse(const char *text, rl_solver_spec *spec, char *message, size_t size) {
  *spec = (rl_solver_spec){.text = text};
  const size_t head = strcspn(text, ",");
  const char *equals = memrchr(text, '=', head); // a label may hold one: "pbd-iterations=5=pbd"
  const char *name_at = equals ? equals + 1 : text;
  char name[WORD_MAX];
  if (!copy_word(name, name_at, head - (size_t)(name_at - text))) {
    snprintf(message, size, "the solver's name is too long");
    return false;
  }
  spec->labelled = equals != NULL;
  snprintf(spec->label, sizeof spec->label, "%.*s",
           spec->labelled ? (int)(equals - text) : (int)strlen(name), spec->labelled ? text : name);
  if (spec->labelled && (!is_label(spec->label) || equals - text >= RL_LABEL_MAX)) {
    snprintf(message, size,
             "'%s' is not a label; expected letters, digits and _ - . + =, as in "
             "LABEL=NAME,param=value",
             spec->label);
    return false;
  }
  if (!find_type(name, spec, message, size)) {
    return false;
  }
  rl_parameters_initial(spec->type, spec->parameters);
  uint32_t given = 0; // one bit per parameter
  const char *at = text + head;
  while (*at == ',') {
    at++;
    const size_t length = strcspn(at, ",");
    char word[WORD_MAX];
    if (!copy_word(word, at, length)) {
      snprintf(message, size, "a parameter is too long");
      return false;
    }
    if (!parse_parameter(word, spec, &given, message, size)) {
      return false;
    }
    at += length;
  }
  return true;
}

static void join_parameters(rl_solver_spec *spec) {
  const char *comma = strchr(spec->text, ',');
  if (spec->labelled || !comma) {
    return;
  }
  const size_t length = strlen(spec->label);
  snprintf(spec->label + length, sizeof spec->label - length, "%s", comma);
  for (char *c = spec->label; *c; c++) {
    *c = *c == ',' ? '-' : *c;
  }
}

bool rl_solver_spec_distinguish(rl_solver_spec *specs, size_t count, char *message, size_t size) {
  for (size_t i = 0; i < count; i++) {
    bool twice = false;
    for (size_t k = 0; k < count; k++) {
      twice = twice || (k != i && specs[i].type == specs[k].type && !specs[i].labelled);
    }
    if (twice) {
      join_parameters(&specs[i]);
    }
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t k = i + 1; k < count; k++) {
      if (strcmp(specs[i].label, specs[k].label) == 0) {
        snprintf(message, size,
                 "two solvers are called '%s'; expected different labels "
                 "(LABEL=NAME,param=value)",
                 specs[i].label);
        return false;
      }
    }
  }
  return true;
}

void rl_parameter_format(const rl_parameter *parameter, double value, char *buffer, size_t size) {
  if (parameter->kind == RL_CHOICE) {
    rl_choice_name(parameter->choices, (size_t)value, buffer, size);
  } else if (parameter->kind == RL_BOOLEAN) {
    snprintf(buffer, size, "%s", value != 0.0 ? "true" : "false");
  } else if (value == floor(value) && fabs(value) < 1e6) {
    snprintf(buffer, size, "%.0f", value);
  } else { // the shortest form that reads back the same
    for (int digits = 1; digits <= 17; digits++) {
      snprintf(buffer, size, "%.*g", digits, value);
      if (strtod(buffer, NULL) == value) {
        break;
      }
    }
  }
}

void rl_parameter_range(const rl_parameter *parameter, char *buffer, size_t size) {
  const bool has_unit = strcmp(parameter->unit, "1") != 0;
  if (parameter->kind == RL_BOOLEAN || parameter->kind == RL_CHOICE) {
    snprintf(buffer, size, "%s", parameter->choices ? parameter->choices : "true|false");
  } else {
    snprintf(buffer, size, "%g..%g%s%s", parameter->lower, parameter->upper, has_unit ? " " : "",
             has_unit ? parameter->unit : "");
  }
}

// Returns the value of a parameter; `otherwise` if the solver has none of that name.
static double value_of(const rl_solver_spec *spec, const char *name, double otherwise) {
  const int index = rl_parameter_find(spec->type, name);
  return index >= 0 ? spec->parameters[index] : otherwise;
}

// The factors were measured on five rods in steps of 1/64 ms to 32 ms; the estimate is within a
// factor of three there.
double rl_solver_spec_effort(const rl_solver_spec *spec) {
  const double adaptive = 150.0; // cost of an adaptive step in sweeps
  const double until_done = 5.0; // typical iterations until the tolerance is reached
  const bool ends = value_of(spec, "tolerance", 0.0) > 0.0;
  const double iterations = fmax(1.0, value_of(spec, "iterations", 1.0));
  const double substeps = fmax(1.0, value_of(spec, "substeps", 1.0));
  return (ends ? fmin(iterations, until_done) : iterations) * substeps *
         (spec->type->is_adaptive ? adaptive : 1.0);
}
