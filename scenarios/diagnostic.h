// SPDX-License-Identifier: GPL-3.0-or-later
// Filling in and printing rl_diagnostic: positions, the source line, words safe to print.
#ifndef RL_DIAGNOSTIC_H
#define RL_DIAGNOSTIC_H

#include <stdarg.h>

#include "scenario.h"

// The text that positions refer to, for showing the faulty line.
typedef struct rl_source {
  const char *text;
  size_t length;
} rl_source;

// Copies text into buffer for showing it: bytes that are not valid UTF-8 and control characters
// become '?' (tabs stay), and what does not fit is cut between characters. Always ends with 0.
// Returns the number of bytes of text that were used.
size_t rl_printable(char *buffer, size_t size, const char *text, size_t length);

// Position (1-based line, and column in characters) of the byte at `offset`.
void rl_position_of(rl_source source, size_t offset, size_t *line, size_t *column);

// The other way round; the end of the text where there is no such position.
size_t rl_offset_of(rl_source source, size_t line, size_t column);

// Sets message and position of a fault; line 0 means that it has no position.
void rl_diagnose(rl_diagnostic *diagnostic, rl_source source, size_t line, size_t column,
                 const char *format, va_list arguments);

// The same with the arguments in the call, for a fault without a position.
void rl_diagnose_text(rl_diagnostic *diagnostic, const char *format, ...);

#endif
