// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include <stdio.h>
#include <string.h>

static void write_word(FILE *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+./:,=@%";
  if (*word && strspn(word, plain) == strlen(word)) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word; word++) {
    fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
  }
  fputc('\'', out);
}

char *rl_command_line(int argc, char *const *argv) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) {
    return NULL;
  }
  fputs("ropelab", out);
  for (int i = 0; i < argc; i++) {
    fputc(' ', out);
    write_word(out, argv[i]);
  }
  return fclose(out) == 0 ? text : NULL;
}
