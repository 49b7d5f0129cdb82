// SPDX-License-Identifier: GPL-3.0-or-later
// "Did you mean": the valid word nearest to one that was not found.
#ifndef RL_WORDS_H
#define RL_WORDS_H

#include <stddef.h>

// Returns the index of the nearest of `count` words, or -1 if none is near. Near: a
// Damerau-Levenshtein distance, ignoring case, of at most a third of the longer word, rounded up,
// and less than all of it.
int rl_nearest_word(const char *word, const char *const *words, size_t count);

// Writes "did you mean 'X'?" into buffer, followed by all words if there are at most 8; or, if none
// is near, "expected one of A, B, C" with the words that contain `word`, if it has at least three
// letters and there are any, else with all words. A list that does not fit ends with "...". Without
// words the buffer is empty.
void rl_suggest(char *buffer, size_t size, const char *word, const char *const *words,
                size_t count);

#endif
