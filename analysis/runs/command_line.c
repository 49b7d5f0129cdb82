// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include <stdbool.h>

#include "diagnostic.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Whether a word is printable text; a file name can be any bytes.
static bool is_text(const char *word) {
  const size_t length = strlen(word);
  char *shown = malloc(length + 1);
  const bool same =
      shown && rl_printable(shown, length + 1, word, length) == length && strcmp(shown, word) == 0;
  free(shown);
  return same;
}

// Writes a word as $'...' with octal escapes, so that the line is ASCII and can stand in JSON.
static void write_bytes(FILE *out, const char *word) {
  fputs("$'", out);
  for (; *word; word++) {
    const unsigned char c = (unsigned char)*word;
    fprintf(out, c < 0x20 || c >= 0x7F || c == '\'' || c == '\\' ? "\\%03o" : "%c", c);
  }
  fputc('\'', out);
}

// Writes a blank and the word, quoted where necessary.
static void write_word(FILE *out, const char *word) {
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

// Writes an option and its value, printf style.
static void write_setting(FILE *out, const char *option, const char *format, ...) {
  char *word = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&word, format, arguments) >= 0) {
    write_word(out, option);
    write_word(out, word);
    free(word);
  }
  va_end(arguments);
}

static void write_solver(FILE *out, const rl_solver_spec *solver) {
  // A label that was made unique by a comparison has to be passed on explicitly.
  if (solver->labelled || strcmp(solver->label, solver->type->name) == 0) {
    write_setting(out, "--solver", "%s", solver->text);
  } else {
    write_setting(out, "--solver", "%s=%s", solver->label, solver->text);
  }
}

static void write_run_options(FILE *out, const rl_run_options *run) {
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
      write_setting(out, times[i].option, "%.17g", times[i].value);
    }
  }
  if (run->trace > 0) {
    write_setting(out, "--trace", "%llu", (unsigned long long)run->trace);
  }
}

static void write_overrides(FILE *out, const rl_override *overrides, size_t count) {
  for (size_t i = 0; i < count; i++) {
    write_setting(out, "--set", "%s=%s", overrides[i].path, overrides[i].value);
  }
}

static void write_probes(FILE *out, const char *const *probes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    write_setting(out, "--probe", "%s", probes[i]);
  }
}

char *rl_run_command(const char *scenario, const rl_solver_spec *solver, const rl_run_options *run,
                     const rl_override *overrides, size_t override_count, const char *const *probes,
                     size_t probe_count, const char *folder) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) {
    return NULL;
  }
  fputs("ropelab run", out);
  write_word(out, scenario);
  write_solver(out, solver);
  write_run_options(out, run);
  write_overrides(out, overrides, override_count);
  write_probes(out, probes, probe_count);
  write_word(out, "--force");
  write_setting(out, "--out", "%s", folder);
  return fclose(out) == 0 ? text : NULL;
}

// Whether a word is the option or an abbreviation of it.
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
      write_word(out, argv[i]);
    }
  }
  return fclose(out) == 0 ? text : NULL;
}
