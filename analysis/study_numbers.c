// SPDX-License-Identifier: GPL-3.0-or-later
#include "study_numbers.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text, rl_number_kind kind) {
  char *end = NULL;
  const bool plain = *text && strspn(text, "0123456789+-.eE") == strlen(text);
  const double value = plain ? strtod(text, &end) : NAN;
  if (!plain || *end || !isfinite(value)) {
    return false;
  }
  return value > 0.0 ? kind != RL_NUMBER_WHOLE || value == floor(value)
                     : value == 0.0 && kind == RL_NUMBER_NOT_NEGATIVE;
}

bool rl_study_check_numbers(const char *key, rl_words words, rl_number_kind kind,
                            rl_study_fault *fault) {
  static const char *const expected[] = {"a number above 0", "a number that is not negative",
                                         "a whole number above 0"};
  for (size_t i = 0; i < words.count; i++) {
    if (!is_number(words.words[i], kind)) {
      fault->key = key;
      fault->item = i;
      snprintf(fault->message, sizeof fault->message, "expected %s, found '%.40s'", expected[kind],
               words.words[i]);
      return false;
    }
  }
  return true;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

size_t rl_study_numbers(rl_study *study, rl_words words, const double **values) {
  double *list = rl_arena_allocate(study->arena, words.count, sizeof *list);
  size_t kept = 0;
  *values = list;
  if (!list) {
    fprintf(stderr, "ropelab: out of memory\n");
    return 0;
  }
  for (size_t i = 0; i < words.count; i++) {
    list[i] = strtod(words.words[i], NULL);
  }
  qsort(list, words.count, sizeof *list, compare);
  for (size_t i = 0; i < words.count; i++) {
    if (kept == 0 || list[i] > list[kept - 1]) {
      list[kept++] = list[i];
    }
  }
  return kept;
}

bool rl_study_check_alone(const rl_study_definition *definition, rl_study_fault *fault) {
  if (definition->scenarios.count == 1) {
    return true;
  }
  fault->key = "scenarios";
  fault->item = 1;
  snprintf(fault->message, sizeof fault->message, "expected one scenario, found %zu",
           definition->scenarios.count);
  return false;
}
