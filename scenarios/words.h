// SPDX-License-Identifier: GPL-3.0-or-later
// "Did you mean": the valid word nearest to one that was not found.
#ifndef RL_WORDS_H
#define RL_WORDS_H

#include <stddef.h>

// Index of the nearest of `count` words (Damerau-Levenshtein distance ignoring case, at most a
// third of the longer word, rounded up, and never all of it), or -1 if none is near.
int rl_nearest_word(const char *word, const char *const *words, size_t count);

// Writes "did you mean 'X'?", with all words behind it where there are at most 8, or, where none is
// near, "expected one of A, B, C" into buffer: of those in which the word stands, if it has three
// letters or more and there are any, else of all. A list that does not fit ends with "...". Without
// words the buffer is empty.
void rl_suggest(char *buffer, size_t size, const char *word, const char *const *words,
                size_t count);

#endif
