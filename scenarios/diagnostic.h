// SPDX-License-Identifier: GPL-3.0-or-later
// Fills in and prints diagnostics: positions, the line of the source, printable text.
#ifndef RL_DIAGNOSTIC_H
#define RL_DIAGNOSTIC_H

#include <stdarg.h>

#include "scenario.h"

// The text that positions refer to; its lines are shown in diagnostics.
typedef struct rl_source {
  const char *text;
  size_t length;
} rl_source;

// Copies text into buffer for printing: bytes that are not valid UTF-8 and control characters
// become
// '?' (tabs stay), and text that does not fit is cut between characters. The copy always ends with
// 0. Returns the number of bytes of text that were used.
size_t rl_printable(char *buffer, size_t size, const char *text, size_t length);

// Finds the position (1-based line, and column in characters) of the byte at `offset`.
void rl_position_of(rl_source source, size_t offset, size_t *line, size_t *column);

// Returns the byte offset of a position; the end of the text if there is no such position.
size_t rl_offset_of(rl_source source, size_t line, size_t column);

// Sets message and position of a fault; line 0: no position.
void rl_diagnose(rl_diagnostic *diagnostic, rl_source source, size_t line, size_t column,
                 const char *format, va_list arguments);

// Sets the message of a fault without a position, printf style.
void rl_diagnose_text(rl_diagnostic *diagnostic, const char *format, ...);

#endif
