// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diagnostic.h"

// Reads a stream, which need not be a plain file, to its end or to the limit.
static char *read_stream(FILE *in, size_t *length) {
  size_t capacity = (size_t)64 << 10;
  char *text = malloc(capacity);
  *length = 0;
  while (text) {
    *length += fread(text + *length, 1, capacity - *length, in);
    if (*length < capacity || *length > RL_SCENARIO_BYTES_MAX) {
      return text;
    }
    capacity *= 2;
    char *grown = realloc(text, capacity);
    if (!grown) {
      free(text);
    }
    text = grown;
  }
  return NULL;
}

char *rl_file_text(const char *path, size_t *length, rl_diagnostic *diagnostic) {
  *diagnostic = (rl_diagnostic){0};
  errno = 0;
  FILE *in = fopen(path, "rb");
  if (!in) {
    rl_diagnose_text(diagnostic, "cannot be opened: %s", strerror(errno));
    return NULL;
  }
  char *text = read_stream(in, length);
  const bool failed = ferror(in) != 0;
  const int reason = errno;
  fclose(in);
  if (failed) {
    rl_diagnose_text(diagnostic, "cannot be read: %s", strerror(reason));
    free(text);
    return NULL;
  }
  if (!text) {
    rl_diagnose_text(diagnostic, "out of memory");
    diagnostic->out_of_memory = true;
  }
  return text;
}

bool rl_text_begin(const char **text, size_t *length, rl_diagnostic *diagnostic) {
  if (*length > RL_SCENARIO_BYTES_MAX) {
    rl_diagnose_text(diagnostic, "the file is larger than %zu MiB, the most a scenario may have",
                     RL_SCENARIO_BYTES_MAX >> 20);
    return false;
  }
  const size_t mark = *length >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  *text += mark;
  *length -= mark;
  return true;
}
