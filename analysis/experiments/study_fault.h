// SPDX-License-Identifier: GPL-3.0-or-later
// Faults in the definition of a study, reported where they are: in a file with line and column, or
// as an option of the command.
#ifndef RL_STUDY_FAULT_H
#define RL_STUDY_FAULT_H

#include "study.h"

// Fills in a fault, printf style; returns false.
bool rl_study_set_fault(rl_study_fault *fault, const char *key, size_t item, const char *format,
                        ...);

// Prints a fault; returns false.
bool rl_study_print_fault(const rl_study_definition *definition, const rl_study_fault *fault);

// Fills in a fault and prints it; returns false.
bool rl_study_refuse(const rl_study_definition *definition, const char *key, size_t item,
                     const char *format, ...);

// Prints a note that points at an item of the study's file, after a message that does not. Prints
// nothing for a study from the command line.
void rl_study_print_note(const rl_study_definition *definition, const char *key, size_t item,
                         const char *text);

// Prints a fault of a scenario at the override or probe of the study that causes it; false if there
// is none.
bool rl_study_print_cause(const rl_study_definition *definition, const char *scenario,
                          const rl_diagnostic *fault);

// Returns the index of a word in a list; 0 if it is not there.
size_t rl_study_item(rl_words words, const char *word);

// Checks that all words differ; false with the fault.
bool rl_study_check_words(const char *key, rl_words words, rl_study_fault *fault);

// Checks that a solver does not set the parameter that is varied; false with the fault.
bool rl_study_check_unset(const rl_study_definition *definition, size_t solver,
                          const char *parameter, rl_study_fault *fault);

// Checks the numbers of iterations, if any: some solver has that parameter, and those that have it
// accept all the numbers and do not set it; false with the fault.
bool rl_study_check_iterated(const rl_study_definition *definition, rl_study_fault *fault);

#endif
