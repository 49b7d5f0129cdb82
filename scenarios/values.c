// SPDX-License-Identifier: GPL-3.0-or-later
// Reads single values and lists of values: numbers, vectors, booleans.
#include "fields.h"

#include <stdlib.h>
#include <string.h>

// Whether a text is a decimal number as in YAML: no hexadecimal, nan or infinity, and nothing after
// it. strtod alone would accept all of these.
static bool is_number(const char *s) {
  s += *s == '+' || *s == '-';
  const size_t whole = strspn(s, "0123456789");
  s += whole;
  size_t fraction = 0;
  if (*s == '.') {
    fraction = strspn(s + 1, "0123456789");
    s += 1 + fraction;
  }
  if (whole + fraction == 0) {
    return false;
  }
  if (*s == 'e' || *s == 'E') {
    s++;
    s += *s == '+' || *s == '-';
    const size_t exponent = strspn(s, "0123456789");
    s += exponent;
    return exponent > 0 && *s == 0;
  }
  return *s == 0;
}

static bool in_range(double value, rl_range range) {
  switch (range) {
  case RL_ANY:
    return true;
  case RL_NOT_NEGATIVE:
    return value >= 0.0;
  case RL_POSITIVE:
    return value > 0.0;
  case RL_AT_MOST_ONE:
    return value >= 0.0 && value <= 1.0;
  }
  return false;
}

static const char *range_text(rl_range range) {
  static const char *const texts[] = {
      [RL_ANY] = "a number",
      [RL_NOT_NEGATIVE] = "a number that is not negative",
      [RL_POSITIVE] = "a number greater than 0",
      [RL_AT_MOST_ONE] = "a number from 0 to 1",
  };
  return texts[range];
}

// Returns " [m]", or nothing for numbers without a unit.
static const char *unit_text(const char *unit, char *buffer, size_t size) {
  if (!unit || strcmp(unit, "1") == 0) {
    return "";
  }
  snprintf(buffer, size, " [%s]", unit);
  return buffer;
}

// Returns a hint why something like a number is none.
static const char *number_hint(const rl_tree *node) {
  if (node->kind != RL_TREE_SCALAR) {
    return "";
  }
  if (node->quoted) {
    return " (a number has no quotes)";
  }
  const size_t digits = strspn(node->text, "+-0123456789");
  if (digits > 0 && node->text[digits] == ',') {
    return " (the decimal sign is a point)";
  }
  if (!is_number(node->text)) {
    return "";
  }
  const double number = strtod(node->text, NULL);
  const size_t zeros = strspn(node->text, "+-0.");
  const bool is_zero = !node->text[zeros] || strchr("eE", node->text[zeros]);
  return isinf(number) ? " (too large)" : number == 0.0 && !is_zero ? " (too small)" : "";
}

bool rl_read_number(rl_reader *reader, const rl_tree *node, const char *name, rl_range range,
                    const char *unit, double *value) {
  double number = NAN;
  if (node->kind == RL_TREE_SCALAR && !node->quoted && strlen(node->text) == node->length &&
      is_number(node->text)) {
    number = strtod(node->text, NULL);
  }
  if (!isfinite(number) || !in_range(number, range)) {
    char found[RL_FOUND_BYTES], unit_buffer[32];
    return rl_fail(reader, node, "%s: expected %s%s, found %s%s", name, range_text(range),
                   unit_text(unit, unit_buffer, sizeof unit_buffer),
                   rl_found(node, found, sizeof found), number_hint(node));
  }
  *value = number;
  return true;
}

bool rl_read_integer(rl_reader *reader, const rl_tree *node, const char *name, double lower,
                     double upper, double *value) {
  if (!rl_read_number(reader, node, name, RL_ANY, "1", value)) {
    return false;
  }
  if (*value != floor(*value) || *value < lower || *value > upper) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, node, "%s: expected a whole number from %.0f to %.0f, found %s", name,
                   lower, upper, rl_found(node, found, sizeof found));
  }
  return true;
}

bool rl_read_boolean(rl_reader *reader, const rl_tree *node, const char *name, bool *value) {
  const bool plain = node->kind == RL_TREE_SCALAR && !node->quoted;
  *value = plain && rl_tree_is(node, "true");
  if (!*value && !(plain && rl_tree_is(node, "false"))) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, node, "%s: expected true or false, found %s", name,
                   rl_found(node, found, sizeof found));
  }
  return true;
}

bool rl_expect_list(rl_reader *reader, const rl_tree *node, const char *name, const char *of) {
  if (node->kind != RL_TREE_LIST) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, node, "%s: expected a list of %s, found %s", name, of,
                   rl_found(node, found, sizeof found));
  }
  return true;
}

bool rl_read_vector(rl_reader *reader, const rl_tree *node, const char *name, rl_range range,
                    const char *unit, rl_vec3 *value) {
  static const char axes[3] = {'x', 'y', 'z'};
  if (node->kind != RL_TREE_LIST || node->count != 3) {
    char found[RL_FOUND_BYTES], unit_buffer[32];
    return rl_fail(reader, node, "%s: expected three numbers [x, y, z]%s, found %s", name,
                   unit_text(unit, unit_buffer, sizeof unit_buffer),
                   rl_found(node, found, sizeof found));
  }
  double *components[3] = {&value->x, &value->y, &value->z};
  for (size_t i = 0; i < 3; i++) {
    char component[64];
    snprintf(component, sizeof component, "%s, %c", name, axes[i]);
    if (!rl_read_number(reader, node->items[i], component, range, unit, components[i])) {
      return false;
    }
  }
  return true;
}

bool rl_check_direction(rl_reader *reader, const rl_tree *node, const char *name, rl_vec3 value) {
  const double length = rl_length(value);
  if (!(length > 0.0) || !isfinite(length)) {
    return rl_fail(reader, node, "%s: expected a direction, found a vector of length %g", name,
                   length);
  }
  return true;
}

bool rl_read_numbers(rl_reader *reader, const rl_tree *node, const char *name, const char *unit,
                     const double **values, size_t *count) {
  if (!rl_expect_list(reader, node, name, "numbers")) {
    return false;
  }
  double *numbers = rl_allocate(reader, node->count, sizeof *numbers);
  if (!numbers) {
    return false;
  }
  for (size_t i = 0; i < node->count; i++) {
    if (!rl_read_number(reader, node->items[i], name, RL_POSITIVE, unit, &numbers[i])) {
      return false;
    }
  }
  *values = numbers;
  *count = node->count;
  return true;
}

bool rl_read_vectors(rl_reader *reader, const rl_tree *node, const char *name, const char *unit,
                     const rl_vec3 **values, size_t *count) {
  if (!rl_expect_list(reader, node, name, "vectors [x, y, z]")) {
    return false;
  }
  rl_vec3 *vectors = rl_allocate(reader, node->count, sizeof *vectors);
  if (!vectors) {
    return false;
  }
  for (size_t i = 0; i < node->count; i++) {
    if (!rl_read_vector(reader, node->items[i], name, RL_ANY, unit, &vectors[i])) {
      return false;
    }
  }
  *values = vectors;
  *count = node->count;
  return true;
}
