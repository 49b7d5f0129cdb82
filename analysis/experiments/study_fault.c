// SPDX-License-Identifier: GPL-3.0-or-later
#include "study_fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rl_study_set_fault(rl_study_fault *fault, const char *key, size_t item, const char *format,
                        ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->message, sizeof fault->message, format, arguments);
  va_end(arguments);
  fault->key = key;
  fault->item = item;
  return false;
}

// Finds an item of a key in the tree; the key's value or the root if there is none.
static const rl_tree *find(const rl_tree *root, const char *key, size_t item) {
  const rl_tree *at = rl_tree_value(root, key);
  const bool in_list = at && at->kind == RL_TREE_LIST && item < at->count;
  return in_list ? at->items[item] : at ? at : root;
}

// Prints a fault of a key or scenario at its place in the file; returns false.
static bool print_at(const rl_study_definition *d, const rl_tree *at, const char *of,
                     const char *message) {
  rl_diagnostic diagnostic = {0};
  rl_reader reader = {.source = d->source.text, .diagnostic = &diagnostic};
  rl_fail(&reader, at, "%s: %s", of, message);
  rl_diagnostic_print(stderr, d->source.path, &diagnostic);
  return false;
}

bool rl_study_print_fault(const rl_study_definition *d, const rl_study_fault *fault) {
  const rl_study_source *source = &d->source;
  if (!source->path) {
    const bool renamed = strcmp(fault->key, "solvers") == 0;
    fprintf(stderr, "ropelab %s: --%s: %s\n", rl_study_kinds[d->kind]->name,
            renamed ? "solver" : fault->key, fault->message);
    return false;
  }
  return print_at(d, find(source->root, fault->key, fault->item), fault->key, fault->message);
}

bool rl_study_refuse(const rl_study_definition *d, const char *key, size_t item, const char *format,
                     ...) {
  rl_study_fault fault = {.key = key, .item = item};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault.message, sizeof fault.message, format, arguments);
  va_end(arguments);
  return rl_study_print_fault(d, &fault);
}

void rl_study_print_note(const rl_study_definition *d, const char *key, size_t item,
                         const char *text) {
  if (d->source.path) {
    const rl_tree *at = find(d->source.root, key, item);
    fprintf(stderr, "%s:%zu:%zu: note: %s\n", d->source.path, at->line, at->column, text);
  }
}

// Finds the override that a message "--set PATH=VALUE: ..." is about; NULL: none.
static const rl_tree *find_change(const rl_tree *set, const char *message) {
  static const char option[] = "--set ";
  if (!set || set->kind != RL_TREE_MAP || strncmp(message, option, strlen(option)) != 0) {
    return NULL;
  }
  for (size_t i = 0; i < set->count; i++) {
    const rl_tree *key = set->keys[i];
    const char *path = message + strlen(option);
    if (strncmp(path, key->text, key->length) == 0 && path[key->length] == '=') {
      return set->items[i];
    }
  }
  return NULL;
}

// Finds the word, alone or in a list, that ends with the probe of a message "probe 'PROBE': ...";
// NULL: none.
static const rl_tree *find_probe(const rl_tree *words, const char *message) {
  static const char start[] = "probe '";
  const char *probe = message + strlen(start);
  const char *end = strncmp(message, start, strlen(start)) == 0 ? strchr(probe, '\'') : NULL;
  for (size_t i = 0; end && words && i < (words->kind == RL_TREE_LIST ? words->count : 1); i++) {
    const rl_tree *word = words->kind == RL_TREE_LIST ? words->items[i] : words;
    const size_t length = (size_t)(end - probe);
    if (word->kind == RL_TREE_SCALAR && word->length >= length &&
        strncmp(word->text + word->length - length, probe, length) == 0) {
      return word;
    }
  }
  return NULL;
}

bool rl_study_print_cause(const rl_study_definition *d, const char *scenario,
                          const rl_diagnostic *fault) {
  const rl_tree *root = d->source.path ? d->source.root : NULL;
  if (!root || fault->line > 0) {
    return false;
  }
  const char *message = fault->message;
  const rl_tree *reference = rl_tree_value(root, "reference");
  const bool has_map = reference && reference->kind == RL_TREE_MAP;
  const rl_tree *const found[] = {
      find_change(has_map ? rl_tree_value(reference, "set") : NULL, message),
      find_change(rl_tree_value(root, "set"), message),
      find_probe(rl_tree_value(root, "probes"), message),
      find_probe(rl_tree_value(root, "quantity"), message)};
  for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
    if (found[i]) {
      return !print_at(d, found[i], scenario, message);
    }
  }
  return false;
}

size_t rl_study_item(rl_words words, const char *word) {
  for (size_t i = 0; i < words.count; i++) {
    if (strcmp(words.words[i], word) == 0) {
      return i;
    }
  }
  return 0;
}

bool rl_study_check_words(const char *key, rl_words words, rl_study_fault *fault) {
  for (size_t i = 0; i < words.count; i++) {
    if (rl_study_item(words, words.words[i]) < i) {
      return rl_study_set_fault(fault, key, i, "'%.100s' is given twice", words.words[i]);
    }
  }
  return true;
}

// Whether a spec "[LABEL=]NAME,parameter=value..." sets the parameter.
static bool sets(const rl_solver_spec *solver, const char *parameter) {
  const size_t length = strlen(parameter);
  const char *at = solver->text ? strchr(solver->text, ',') : NULL;
  for (; at; at = strchr(at + 1, ',')) {
    if (strncmp(at + 1, parameter, length) == 0 && at[1 + length] == '=') {
      return true;
    }
  }
  return false;
}

bool rl_study_check_unset(const rl_study_definition *d, size_t solver, const char *parameter,
                          rl_study_fault *fault) {
  const rl_solver_spec *s = &d->solvers[solver];
  return !sets(s, parameter) ||
         rl_study_set_fault(fault, "solvers", solver,
                            "%.100s: the study varies '%s'; expected a solver that leaves it open",
                            s->text, parameter);
}

// Checks that a solver with the parameter `iterations` accepts all its numbers.
static bool takes_all(const rl_study_definition *d, const rl_solver_type *type, int parameter,
                      rl_study_fault *fault) {
  for (size_t k = 0; parameter >= 0 && k < d->iterations.count; k++) {
    const rl_parameter *p = &type->parameters[parameter];
    if (!rl_parameter_takes(p, strtod(d->iterations.words[k], NULL))) {
      return rl_study_set_fault(fault, "iterations", k, "%.40s: solver '%s' makes %g to %g",
                                d->iterations.words[k], type->name, p->lower, p->upper);
    }
  }
  return true;
}

bool rl_study_check_iterated(const rl_study_definition *d, rl_study_fault *fault) {
  bool iterates = d->iterations.count == 0;
  for (size_t i = 0; i < d->solver_count && d->iterations.count > 0; i++) {
    const rl_solver_type *type = d->solvers[i].type;
    const int parameter = rl_parameter_find(type, "iterations");
    iterates = iterates || parameter >= 0;
    if (!takes_all(d, type, parameter, fault) || !rl_study_check_unset(d, i, "iterations", fault)) {
      return false;
    }
  }
  return iterates || rl_study_set_fault(fault, "iterations", 0,
                                        "has no effect: no solver of the study has this parameter");
}
