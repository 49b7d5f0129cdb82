// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of numbers in a definition, which keeps them as words.
#ifndef RL_STUDY_NUMBERS_H
#define RL_STUDY_NUMBERS_H

#include "study.h"

typedef enum rl_number_kind {
  RL_NUMBER_POSITIVE,
  RL_NUMBER_NOT_NEGATIVE,
  RL_NUMBER_WHOLE
} rl_number_kind;

// Checks that all words are numbers of a kind (whole numbers are above 0) and different; false with
// the fault.
bool rl_study_check_numbers(const char *key, rl_words words, rl_number_kind kind,
                            rl_study_fault *fault);

// Stores their values, ascending, in the memory of the study. Returns their number; 0 with a
// message when out of memory.
size_t rl_study_numbers(rl_study *study, rl_words words, const double **values);

// For qsort: ascending doubles.
int rl_compare_numbers(const void *a, const void *b);

// Returns the index of the word that is this number; the last index if there is none.
size_t rl_study_number_item(rl_words words, double value);

// Checks that a study of a kind that takes one scenario has just one; false with the fault.
bool rl_study_check_alone(const rl_study_definition *definition, rl_study_fault *fault);

#endif
