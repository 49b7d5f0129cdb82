// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "run.h"
#include "version.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
} commands[] = {
    {"list", rl_command_list, "solvers, scenarios, metrics, closed forms, papers"},
    {"check", rl_command_check, "read a scenario and say what is wrong with it, or print it"},
    {"run", rl_command_run, "run one solver on one scenario"},
    {"compare", rl_command_compare, "run several solvers on several scenarios and report"},
    {"report", rl_command_report, "figures and a web page of the results in a folder"},
    {"bench", rl_command_bench, "cost per row and iteration, beside the bare loop"},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

// Commands of the design that are still to come: valid, but refused.
static const char *const planned[] = {"converge", "onestep", "precision",
                                      "study",    "diff",    "reproduce"};

static void print_help(FILE *out) {
  fputs("Usage: ropelab COMMAND [OPTION...]\n"
        "A research testbed for rope contact solvers.\n\n",
        out);
  for (size_t i = 0; i < COMMANDS; i++) {
    fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
  }
  fputs("\n  ropelab COMMAND --help   options and examples of a command\n"
        "  ropelab --version\n\n"
        "Example: ropelab compare atwood --solver pbd --solver impulse\n\n"
        "Exit status: 0 done; 2 bad usage, scenario or option; 3 the run diverged; 4 the solver\n"
        "does not support the scenario; 130 interrupted; 1 anything else.\n",
        out);
}

static int unknown_command(const char *name) {
  for (size_t i = 0; i < sizeof planned / sizeof planned[0]; i++) {
    if (strcmp(name, planned[i]) == 0) {
      fprintf(stderr, "ropelab: unsupported: this version has no command '%s' yet\n", name);
      return RL_EXIT_UNSUPPORTED;
    }
  }
  const char *names[COMMANDS + 2];
  for (size_t i = 0; i < COMMANDS; i++) {
    names[i] = commands[i].name;
  }
  names[COMMANDS] = "--help";
  names[COMMANDS + 1] = "--version";
  char hint[256];
  rl_suggest(hint, sizeof hint, name, names, COMMANDS + 2);
  fprintf(stderr, "ropelab: unknown command '%s'; %s\n", name, hint);
  return RL_EXIT_USAGE;
}

static int run_command(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return RL_EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return RL_EXIT_DONE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("ropelab %s (%s)\n", ROPELAB_VERSION, ROPELAB_COMMIT);
    return RL_EXIT_DONE;
  }
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  return unknown_command(argv[1]);
}

// Files must not get the numbers of streams that are closed: a message would end up in a result.
// These cannot be used in the direction that they are for, so that it is still an error to try.
static void occupy_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) < 0) {
      (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

int rl_main(int argc, char **argv) {
  occupy_streams();
  rl_run_catch_signals();
  const int status = run_command(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    if (errno != EPIPE) { // whoever reads has seen enough
      fprintf(stderr, "ropelab: cannot write the output: %s\n", strerror(errno));
    }
    return status == RL_EXIT_DONE ? RL_EXIT_FAILED : status;
  }
  return status;
}
