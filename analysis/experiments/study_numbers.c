// SPDX-License-Identifier: GPL-3.0-or-later
#include "study_numbers.h"

#include "study_fault.h"

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
      return rl_study_set_fault(fault, key, i, "expected %s, found '%.40s'", expected[kind],
                                words.words[i]);
    }
    for (size_t k = 0; k < i; k++) {
      if (strtod(words.words[k], NULL) == strtod(words.words[i], NULL)) {
        return rl_study_set_fault(fault, key, i, "'%.40s' is given twice", words.words[i]);
      }
    }
  }
  return true;
}

int rl_compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

size_t rl_study_numbers(rl_study *study, rl_words words, const double **values) {
  double *list = rl_study_allocate(study, words.count, sizeof *list);
  *values = list;
  if (!list) {
    return 0;
  }
  for (size_t i = 0; i < words.count; i++) {
    list[i] = strtod(words.words[i], NULL);
  }
  qsort(list, words.count, sizeof *list, rl_compare_numbers);
  return words.count;
}

size_t rl_study_number_item(rl_words words, double value) {
  size_t i = 0;
  while (i + 1 < words.count && strtod(words.words[i], NULL) != value) {
    i++;
  }
  return i;
}

bool rl_study_check_alone(const rl_study_definition *definition, rl_study_fault *fault) {
  const size_t count = definition->scenarios.count;
  return count == 1 ||
         rl_study_set_fault(fault, "scenarios", 1, "expected one scenario, found %zu", count);
}
