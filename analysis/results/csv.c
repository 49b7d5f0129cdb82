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

char *rl_csv_read_text(char **line) {
  char *from = *line, *to = *line, *const text = *line;
  const bool quoted = *from == '"';
  from += quoted ? 1 : 0;
  for (; *from && *from != '\n' && (quoted || *from != ','); from++) {
    if (quoted && *from == '"' && from[1] != '"') {
      from++;
      break;
    }
    from += quoted && *from == '"' ? 1 : 0; // "" stands for one quote
    *to++ = *from;
  }
  *line = *from ? from + 1 : from;
  *to = '\0';
  return text;
}

void rl_csv_number(FILE *out, double value) {
  if (isnan(value)) { // nan and 0 are frequent, and printing takes longer than a short step
    fputs(",nan", out);
  } else if (value == 0.0 && !signbit(value)) {
    fputs(",0", out);
  } else {
    fprintf(out, ",%.17g", value);
  }
}

void rl_csv_parameters(FILE *out, const rl_solver_spec *spec) {
  for (size_t i = 0; i < spec->type->parameter_count; i++) {
    char value[64];
    rl_parameter_format(&spec->type->parameters[i], spec->parameters[i], value, sizeof value);
    fprintf(out, "%s%s=%s", i > 0 ? ";" : "", spec->type->parameters[i].name, value);
  }
}
