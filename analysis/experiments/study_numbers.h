// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of numbers in the definition of a study, where they are words.
#ifndef RL_STUDY_NUMBERS_H
#define RL_STUDY_NUMBERS_H

#include "study.h"

typedef enum rl_number_kind {
  RL_NUMBER_POSITIVE,
  RL_NUMBER_NOT_NEGATIVE,
  RL_NUMBER_WHOLE
} rl_number_kind;

// Whether all words are numbers of a kind (whole ones are above 0), and all different; false with
// the fault.
bool rl_study_check_numbers(const char *key, rl_words words, rl_number_kind kind,
                            rl_study_fault *fault);

// Their values, rising, in the memory of the study; returns how many, 0 with a
// message if there is none for them.
size_t rl_study_numbers(rl_study *study, rl_words words, const double **values);

// For qsort of doubles, rising.
int rl_compare_numbers(const void *a, const void *b);

// The word that is this number.
size_t rl_study_number_item(rl_words words, double value);

// A kind that looks at one scenario at a time; false with the fault.
bool rl_study_check_alone(const rl_study_definition *definition, rl_study_fault *fault);

#endif
