// SPDX-License-Identifier: GPL-3.0-or-later
// The manual page ropelab(1), from the tables that --help and `ropelab list solvers` print.
#include "commands.h"

#include "version.h"

#include <stdio.h>
#include <string.h>

// Prints `length` bytes of text for troff; text between backticks is bold.
static void put_bytes(const char *text, size_t length) {
  bool bold = false;
  for (size_t i = 0; i < length; i++) {
    const char c = text[i];
    if (c == '`') {
      bold = !bold;
      fputs(bold ? "\\fB" : "\\fR", stdout);
    } else if ((c == '.' || c == '\'') && (i == 0 || text[i - 1] == '\n')) {
      printf("\\&%c", c);
    } else if (c == '-' || c == '\\') {
      fputs(c == '-' ? "\\-" : "\\e", stdout);
    } else {
      putchar(c);
    }
  }
}

static void put(const char *text) { put_bytes(text, strlen(text)); }

static void put_line(const char *text) {
  put(text);
  putchar('\n');
}

static void put_option(const rl_option *option) {
  fputs(".TP\n\\fB\\-\\-", stdout);
  put(option->name);
  fputs("\\fR", stdout);
  if (option->value) {
    putchar(' ');
    put(option->value);
  }
  if (option->letter) {
    printf(", \\fB\\-%c\\fR", option->letter);
  }
  putchar('\n');
  put_line(option->help);
}

// Prints the text of a command and, from after its '\v', the heading and the examples as they are.
static void put_command(const rl_usage *usage) {
  const size_t length = strcspn(usage->doc, "\v");
  printf(".SS %s%s", usage->name, *usage->positional ? " " : "");
  put_line(usage->positional);
  put_bytes(usage->doc, length);
  putchar('\n');
  rl_option options[RL_OPTIONS_MAX];
  const size_t count = rl_usage_options(usage, options);
  for (size_t i = 0; i < count; i++) {
    put_option(&options[i]);
  }
  const char *examples = usage->doc[length] ? usage->doc + length + 1 : "";
  const size_t heading = strcspn(examples, "\n");
  if (examples[heading]) {
    fputs(".PP\n", stdout);
    put_bytes(examples, heading);
    fputs("\n.PP\n.nf\n", stdout);
    put_line(examples + heading + 1);
    fputs(".fi\n", stdout);
  }
}

static void put_solver(const rl_solver_type *type) {
  printf(".TP\n\\fB");
  put(type->name);
  printf("\\fR (%s)\n", type->family);
  put(type->summary);
  for (size_t i = 0; i < type->departure_count; i++) {
    fputs(i == 0 ? ".\nDeparts: " : "; ", stdout);
    put(type->departures[i].text);
  }
  fputs("\n.RS\n", stdout);
  for (size_t i = 0; i < type->parameter_count; i++) {
    const rl_parameter *p = &type->parameters[i];
    char initial[64];
    char range[128];
    rl_parameter_format(p, p->initial, initial, sizeof initial);
    rl_parameter_range(p, range, sizeof range);
    printf(".TP\n\\fB%s\\fR = %s (", p->name, initial);
    put(range);
    fputs(")\n", stdout);
    put_line(p->help);
  }
  fputs(".RE\n", stdout);
}

int rl_command_man(int argc, char **argv) {
  (void)argc;
  (void)argv;
  printf(".TH ROPELAB 1 \"\" \"ropelab %s\" \"User Commands\"\n"
         ".SH NAME\nropelab \\- %s\n"
         ".SH SYNOPSIS\n",
         ROPELAB_VERSION, rl_about);
  for (const rl_command *c = rl_commands; c->run; c++) {
    printf("%s\\fBropelab %s\\fR%s", c == rl_commands ? "" : ".br\n", c->usage->name,
           *c->usage->positional ? " " : "");
    put(c->usage->positional);
    fputs(*c->usage->options ? " [option ...]\n" : "\n", stdout);
  }
  fputs(".br\n.B ropelab \\-\\-help\n.br\n.B ropelab \\-\\-version\n"
        ".SH DESCRIPTION\n",
        stdout);
  put_line("Interchangeable solvers run the same scenarios and emit the same numbers: energy, "
           "stretch, tension, residual per iteration, distance from the exact solution. SCENARIO "
           "is a YAML file, or the name of a shipped scenario (`ropelab list scenarios`).");
  fputs(".SH COMMANDS\n", stdout);
  for (const rl_command *c = rl_commands; c->run; c++) {
    put_command(c->usage);
  }
  fputs(".SH SOLVERS\n", stdout);
  put_line("A solver is given as [LABEL=]NAME[,parameter=value...]. Names, and for each parameter "
           "its default and range:");
  for (size_t i = 0; rl_solvers[i]; i++) {
    put_solver(rl_solvers[i]);
  }
  fputs(".SH EXIT STATUS\n", stdout);
  for (const rl_exit_meaning *m = rl_exit_meanings; m->text; m++) {
    printf(".TP\n.B %d\n", m->status);
    put_line(m->text);
  }
  fputs(".SH ENVIRONMENT\n.TP\n.B ROPELAB_DATA\n", stdout);
  put_line("Folder of scenarios, papers, plots and report scripts, instead of those that were "
           "installed with the program.");
  return RL_EXIT_DONE;
}
