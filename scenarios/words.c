// SPDX-License-Identifier: GPL-3.0-or-later
#include "words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX ((size_t)48) // longer words are not compared
#define FEW 8                 // up to this number all words are listed

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

// Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn a
// into b (optimal string alignment: Damerau's distance without editing a part twice).
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t rows[3][WORD_MAX + 1]; // the row before the last, the last and the current one
  size_t *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= b_length; j++) {
    last[j] = j;
  }
  for (size_t i = 1; i <= a_length; i++) {
    now[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      const char p = lower(a[i - 1]), q = lower(b[j - 1]);
      now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (p == q ? 0 : 1));
      if (i > 1 && j > 1 && p == lower(b[j - 2]) && q == lower(a[i - 2])) {
        now[j] = least(now[j], before[j - 2] + 1);
      }
    }
    size_t *free_row = before;
    before = last;
    last = now;
    now = free_row;
  }
  return last[b_length];
}

int rl_nearest_word(const char *word, const char *const *words, size_t count) {
  const size_t length = strlen(word);
  int nearest = -1;
  size_t nearest_distance = 0;
  for (size_t i = 0; i < count && length <= WORD_MAX; i++) {
    const size_t other = strlen(words[i]);
    const size_t longer = length > other ? length : other;
    if (other > WORD_MAX || longer - least(length, other) > (longer + 2) / 3) {
      continue;
    }
    const size_t distance = edit_distance(word, length, words[i], other);
    if (distance <= (longer + 2) / 3 && distance < longer &&
        (nearest < 0 || distance < nearest_distance)) {
      nearest = (int)i;
      nearest_distance = distance;
    }
  }
  return nearest;
}

// Whether a word of at least three letters is part of a longer one.
static bool is_part_of(const char *word, const char *longer) {
  const size_t length = strlen(word), other = strlen(longer);
  for (size_t i = 0; length >= 3 && i + length <= other; i++) {
    size_t same = 0;
    while (same < length && lower(word[same]) == lower(longer[i + same])) {
      same++;
    }
    if (same == length) {
      return true;
    }
  }
  return false;
}

// Appends text at `used` and returns its length; returns 0 without a change if it does not fit with
// `reserve` bytes after it.
static size_t append(char *buffer, size_t size, size_t used, size_t reserve, const char *text) {
  const size_t length = strlen(text);
  if (used + length + reserve >= size) {
    return 0;
  }
  memcpy(buffer + used, text, length + 1);
  return length;
}

void rl_suggest(char *buffer, size_t size, const char *word, const char *const *words,
                size_t count) {
  if (size == 0) {
    return;
  }
  buffer[0] = 0;
  if (count == 0) {
    return;
  }
  const int nearest = rl_nearest_word(word, words, count);
  size_t alike = 0, last = 0;
  for (size_t i = 0; i < count; i++) {
    if (is_part_of(word, words[i])) {
      alike++;
      last = i;
    }
  }
  const char *intro = count > 1 ? "expected one of " : "expected ";
  if (nearest >= 0 || alike == 1) {
    snprintf(buffer, size, "did you mean '%s'?", words[nearest >= 0 ? (size_t)nearest : last]);
    if (count == 1 || count > FEW) {
      return;
    }
    alike = 0; // list all words
    intro = " expected one of ";
  }
  static const char comma[] = ", ", rest[] = ", ...";
  const size_t before = strlen(buffer), start = before + append(buffer, size, before, 0, intro);
  if (start == before) {
    return;
  }
  size_t used = start;
  for (size_t i = 0; i < count; i++) {
    if (alike > 0 && !is_part_of(word, words[i])) {
      continue;
    }
    const size_t gap = used > start ? strlen(comma) : 0;
    const size_t added = append(buffer, size, used + gap, strlen(rest), words[i]);
    if (added == 0) {
      append(buffer, size, used, 0, gap > 0 ? rest : "");
      return;
    }
    memcpy(buffer + used, comma, gap);
    used += gap + added;
  }
}
