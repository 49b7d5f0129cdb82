// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the definition of a study, told where it stands: in a file with line and
// column, or as the option of a command.
#ifndef RL_STUDY_FAULT_H
#define RL_STUDY_FAULT_H

#include "study.h"

// Fills in a fault, printf style; returns false.
bool rl_study_blame(rl_study_fault *fault, const char *key, size_t item, const char *format, ...);

// Prints one; returns false.
bool rl_study_say(const rl_study_definition *definition, const rl_study_fault *fault);

// Both at once.
bool rl_study_refuse(const rl_study_definition *definition, const char *key, size_t item,
                     const char *format, ...);

// Of a message that does not name the study's file, which item of it was meant; on the command
// line that is known.
void rl_study_note(const rl_study_definition *definition, const char *key, size_t item,
                   const char *text);

// Prints a fault of a scenario where the study has the change or the probe that it is about; false
// if it has none.
bool rl_study_say_cause(const rl_study_definition *definition, const char *scenario,
                        const rl_diagnostic *fault);

// The item of a list that is this word; the first if there is none.
size_t rl_study_item(rl_words words, const char *word);

// Whether all words differ; false with the fault.
bool rl_study_check_words(const char *key, rl_words words, rl_study_fault *fault);

// Whether a solver does not set this parameter itself, which is varied; false with the fault.
bool rl_study_check_unset(const rl_study_definition *definition, size_t solver,
                          const char *parameter, rl_study_fault *fault);

// Whether numbers of iterations, if there are any, are for some solver that has the parameter and
// leaves it open; false with the fault.
bool rl_study_check_iterated(const rl_study_definition *definition, rl_study_fault *fault);

#endif
