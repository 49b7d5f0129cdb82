// SPDX-License-Identifier: GPL-3.0-or-later
// Studies as files: YAML, with the same reader and error messages as scenarios.
#ifndef RL_STUDY_FILE_H
#define RL_STUDY_FILE_H

#include "reader.h"
#include "study.h"

// Reads a study. Returns the arena with the memory of the definition, which the caller frees with
// rl_arena_free; NULL with a diagnostic.
rl_arena *rl_study_read(const char *path, rl_study_definition *definition,
                        rl_diagnostic *diagnostic);

// Readers for fields of the kind RL_FIELD_OTHER; after each the type of its target.
bool rl_read_words(rl_reader *reader, const rl_tree *node, void *target); // rl_words: one or a list
bool rl_read_positives(rl_reader *reader, const rl_tree *node,
                       void *target); // rl_words: numbers > 0
bool rl_read_reference(rl_reader *reader, const rl_tree *node, void *target); // rl_study_reference

#endif
