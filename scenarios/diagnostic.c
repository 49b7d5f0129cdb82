// SPDX-License-Identifier: GPL-3.0-or-later
#include "diagnostic.h"

#include <string.h>

// Number of characters of a long line that are shown before the caret.
#define SHOWN_BEFORE_CARET ((size_t)80)

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0U) == 0x80U; }

// Returns the number of bytes of the valid, printable UTF-8 character at text; 0 if there is none
// (surrogates, overlong forms, noncharacters, controls).
static size_t printable_bytes(const char *text, size_t length) {
  const unsigned char first = (unsigned char)text[0];
  if (first < 0x80U) {
    return (first >= 0x20U && first != 0x7FU) || first == '\t' ? 1 : 0;
  }
  const size_t bytes = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || bytes > length) {
    return 0;
  }
  unsigned long code = first & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; i++) {
    if (!is_continuation(text[i])) {
      return 0;
    }
    code = code << 6 | ((unsigned char)text[i] & 0x3FU);
  }
  static const unsigned long smallest[5] = {0, 0, 0xA0, 0x800, 0x10000};
  const bool valid = code >= smallest[bytes] && code <= 0x10FFFF && (code & 0xFFFE) != 0xFFFE &&
                     (code < 0xD800 || code > 0xDFFF);
  const bool invisible = (code >= 0x200B && code <= 0x200F) || code == 0xFEFF ||
                         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return valid && !invisible ? bytes : 0;
}

size_t rl_printable(char *buffer, size_t size, const char *text, size_t length) {
  size_t used = 0, written = 0;
  while (used < length) {
    const size_t bytes = printable_bytes(text + used, length - used);
    const size_t needed = bytes > 0 ? bytes : 1;
    if (written + needed >= size) {
      break;
    }
    memcpy(buffer + written, bytes > 0 ? text + used : "?", needed);
    written += needed;
    used++;
    // A character is replaced by one '?', however many bytes it has.
    while (used < length && is_continuation(text[used])) {
      used++;
    }
  }
  if (size > 0) {
    buffer[written] = 0;
  }
  return used;
}

// Returns the number of bytes of the line break at text, as YAML defines them; 0: none.
static size_t break_bytes(const char *text, size_t length) {
  if (text[0] == '\n') {
    return 1;
  }
  if (text[0] == '\r') {
    return length > 1 && text[1] == '\n' ? 2 : 1;
  }
  if (length > 1 && memcmp(text, "\xC2\x85", 2) == 0) {
    return 2;
  }
  const bool separator =
      length > 2 && (memcmp(text, "\xE2\x80\xA8", 3) == 0 || memcmp(text, "\xE2\x80\xA9", 3) == 0);
  return separator ? 3 : 0;
}

static size_t line_end(rl_source source, size_t offset) {
  while (offset < source.length && break_bytes(source.text + offset, source.length - offset) == 0) {
    offset++;
  }
  return offset;
}

static size_t next_line(rl_source source, size_t offset) {
  const size_t end = line_end(source, offset);
  return end < source.length ? end + break_bytes(source.text + end, source.length - end) : end;
}

static size_t line_start(rl_source source, size_t line) {
  size_t offset = 0;
  for (size_t i = 1; i < line && offset < source.length; i++) {
    offset = next_line(source, offset);
  }
  return offset;
}

static size_t next_character(rl_source source, size_t offset) {
  offset++;
  while (offset < source.length && is_continuation(source.text[offset])) {
    offset++;
  }
  return offset;
}

void rl_position_of(rl_source source, size_t offset, size_t *line, size_t *column) {
  size_t start = 0;
  *line = 1;
  for (size_t next = next_line(source, 0); next <= offset && next > start && next < source.length;
       next = next_line(source, next)) {
    start = next;
    ++*line;
  }
  *column = 1;
  for (size_t i = start; i < offset && i < source.length; i = next_character(source, i)) {
    ++*column;
  }
}

size_t rl_offset_of(rl_source source, size_t line, size_t column) {
  size_t offset = line_start(source, line);
  for (size_t i = 1; i < column && offset < source.length; i++) {
    offset = next_character(source, offset);
  }
  return offset;
}

// Copies the part of the line around the caret.
static void show_line(rl_diagnostic *diagnostic, rl_source source, size_t line, size_t column) {
  size_t start = line_start(source, line);
  const size_t end = line_end(source, start);
  size_t before = column > 0 ? column - 1 : 0;
  for (; before > SHOWN_BEFORE_CARET && start < end; before--) {
    start = next_character(source, start);
  }
  diagnostic->caret = before;
  rl_printable(diagnostic->source_line, sizeof diagnostic->source_line, source.text + start,
               end - start);
}

// Moves a position beyond the text to its end: libyaml adds an end to a last line without one and
// reports faults on the line after it.
static void move_into_text(rl_source source, size_t *line, size_t *column) {
  size_t last, end;
  rl_position_of(source, source.length, &last, &end);
  const bool ended = line_end(source, line_start(source, last)) < source.length;
  if (*line > last + (ended ? 1 : 0)) {
    *line = last;
    *column = end;
  }
}

void rl_diagnose(rl_diagnostic *diagnostic, rl_source source, size_t line, size_t column,
                 const char *format, va_list arguments) {
  if (line > 0 && source.text) {
    move_into_text(source, &line, &column);
  }
  *diagnostic = (rl_diagnostic){.line = line, .column = column};
  vsnprintf(diagnostic->message, sizeof diagnostic->message, format, arguments);
  if (line > 0 && source.text) {
    show_line(diagnostic, source, line, column);
  }
}

void rl_diagnose_text(rl_diagnostic *diagnostic, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rl_diagnose(diagnostic, (rl_source){0}, 0, 0, format, arguments);
  va_end(arguments);
}

// Prints the line with the caret; it keeps tabs, so that the caret is under its character.
static void print_caret(FILE *out, const rl_diagnostic *diagnostic) {
  const char *c = diagnostic->source_line;
  for (size_t i = 0; i < diagnostic->caret && i <= SHOWN_BEFORE_CARET; i++) {
    fputc(*c == '\t' ? '\t' : ' ', out);
    if (*c) {
      c++;
    }
    while (*c && is_continuation(*c)) {
      c++;
    }
  }
  fputs("^\n", out);
}

void rl_diagnostic_print(FILE *out, const char *file, const rl_diagnostic *diagnostic) {
  char name[4096];
  rl_printable(name, sizeof name, file, strlen(file));
  fputs(name, out);
  if (diagnostic->line > 0) {
    fprintf(out, ":%zu:%zu", diagnostic->line, diagnostic->column);
  }
  fprintf(out, ": error: %s%s\n", diagnostic->unsupported ? "unsupported: " : "",
          diagnostic->message);
  if (diagnostic->source_line[0]) {
    fprintf(out, "%s\n", diagnostic->source_line);
    print_caret(out, diagnostic);
  }
}
