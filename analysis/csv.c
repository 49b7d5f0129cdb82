// SPDX-License-Identifier: GPL-3.0-or-later
#include "csv.h"

#include <math.h>
#include <string.h>

void rl_csv_text(FILE *out, const char *text) {
  if (*text && !strpbrk(text, " ,\"\r\n#")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, out);
  }
  fputc('"', out);
}

void rl_csv_number(FILE *out, double value) { fprintf(out, ",%.17g", isnan(value) ? NAN : value); }

void rl_csv_parameters(FILE *out, const rl_solver_spec *spec) {
  for (size_t i = 0; i < spec->type->parameter_count; i++) {
    char value[64];
    rl_parameter_format(&spec->type->parameters[i], spec->parameters[i], value, sizeof value);
    fprintf(out, "%s%s=%s", i > 0 ? ";" : "", spec->type->parameters[i].name, value);
  }
}
