// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include <stdbool.h>

#include "diagnostic.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Whether a word is text that can be printed, and not any bytes that a file may be called.
static bool is_text(const char *word) {
  const size_t length = strlen(word);
  char *shown = malloc(length + 1);
  const bool same =
      shown && rl_printable(shown, length + 1, word, length) == length && strcmp(shown, word) == 0;
  free(shown);
  return same;
}

// $'...' names every byte in ASCII, so that the line can stand in a JSON file.
static void write_bytes(FILE *out, const char *word) {
  fputs("$'", out);
  for (; *word; word++) {
    const unsigned char c = (unsigned char)*word;
    fprintf(out, c < 0x20 || c >= 0x7F || c == '\'' || c == '\\' ? "\\%03o" : "%c", c);
  }
  fputc('\'', out);
}

void rl_write_word(FILE *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+./:,=@%";
  fputc(' ', out);
  if (*word && strspn(word, plain) == strlen(word)) {
    fputs(word, out);
    return;
  }
  if (!is_text(word)) {
    write_bytes(out, word);
    return;
  }
  fputc('\'', out);
  for (; *word; word++) {
    fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
  }
  fputc('\'', out);
}

// Whether a word is the option, which may be cut as long as no other begins so.
static bool is_option(const char *word, const char *option) {
  return strlen(word) > strlen("--") && strncmp(word, option, strlen(word)) == 0;
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
    if (i == 0 || !is_option(argv[i], "--resume")) {
      rl_write_word(out, argv[i]);
    }
  }
  return fclose(out) == 0 ? text : NULL;
}

void rl_write_setting(FILE *out, const char *option, const char *format, ...) {
  char *word = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&word, format, arguments) >= 0) {
    rl_write_word(out, option);
    rl_write_word(out, word);
    free(word);
  }
  va_end(arguments);
}

void rl_write_solver(FILE *out, const rl_solver_spec *solver) {
  // A label that a comparison made of the parameters has to be given to a run.
  if (solver->labelled || strcmp(solver->label, solver->type->name) == 0) {
    rl_write_setting(out, "--solver", "%s", solver->text);
  } else {
    rl_write_setting(out, "--solver", "%s=%s", solver->label, solver->text);
  }
}

void rl_write_run_options(FILE *out, const rl_run_options *run) {
  const struct {
    const char *option;
    double value;
  } times[] = {{"--step", run->step},
               {"--duration", run->duration},
               {"--every", run->every},
               {"--frames-every", run->frames_every},
               {"--time-limit", run->limit}};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    if (times[i].value > 0.0) { // given
      rl_write_setting(out, times[i].option, "%.17g", times[i].value);
    }
  }
  if (run->trace > 0) {
    rl_write_setting(out, "--trace", "%llu", (unsigned long long)run->trace);
  }
}

void rl_write_overrides(FILE *out, const rl_override *overrides, size_t count) {
  for (size_t i = 0; i < count; i++) {
    rl_write_setting(out, "--set", "%s=%s", overrides[i].path, overrides[i].value);
  }
}

void rl_write_probes(FILE *out, const char *const *probes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    rl_write_setting(out, "--probe", "%s", probes[i]);
  }
}
