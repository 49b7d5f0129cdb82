// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "runs/run.h"
#include "version.h"
#include "words.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char rl_about[] = "a research testbed for rope contact solvers";

const rl_command rl_commands[] = {
    {&rl_list_usage, rl_command_list, "solvers, scenarios, studies, metrics, closed forms, papers"},
    {&rl_check_usage, rl_command_check,
     "read a scenario and say what is wrong with it, or print it"},
    {&rl_run_usage, rl_command_run, "run one solver on one scenario"},
    {&rl_compare_usage, rl_command_compare, "run several solvers on several scenarios and report"},
    {&rl_converge_usage, rl_command_converge,
     "errors over step, iterations, segments ..., and the orders fitted to them"},
    {&rl_study_usage, rl_command_study, "carry out a study that is declared in a file"},
    {&rl_onestep_usage, rl_command_onestep,
     "one step of each solver from equal states, against a reference"},
    {&rl_precision_usage, rl_command_precision,
     "error of each solver against its work, counted and on the clock"},
    {&rl_consistency_usage, rl_command_consistency,
     "how long a step each solver can take before it disagrees with itself"},
    {&rl_report_usage, rl_command_report, "figures and a web page of the results in a folder"},
    {&rl_export_usage, rl_command_export, "the motion of a run as a table or for ParaView"},
    {&rl_diff_usage, rl_command_diff, "compare two results number by number"},
    {&rl_bench_usage, rl_command_bench, "cost per row and iteration, beside the bare loop"},
    {&rl_reproduce_usage, rl_command_reproduce, "the published numbers of papers beside ours"},
    {0},
};

enum { COMMANDS = sizeof rl_commands / sizeof rl_commands[0] - 1 };

const rl_exit_meaning rl_exit_meanings[] = {
    {RL_EXIT_DONE, "done"},
    {RL_EXIT_USAGE, "bad usage, scenario or option"},
    {RL_EXIT_DIVERGED, "the run diverged"},
    {RL_EXIT_UNSUPPORTED, "the solver does not support the scenario"},
    {RL_EXIT_DIFFERENT, "two results differ"},
    {RL_EXIT_INTERRUPTED, "interrupted"},
    {RL_EXIT_FAILED, "anything else"},
    {0, NULL},
};

const rl_command *rl_command_find(const char *name) {
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(name, rl_commands[i].usage->name) == 0) {
      return &rl_commands[i];
    }
  }
  return NULL;
}

// Prints "Exit status: 0 done; ..." in lines of at most 80 columns.
static void print_exit_meanings(FILE *out) {
  enum { WIDTH = 80 };
  int column = fprintf(out, "Exit status:");
  for (const rl_exit_meaning *m = rl_exit_meanings; m->text; m++) {
    char meaning[128];
    const int length =
        snprintf(meaning, sizeof meaning, "%d %s%s", m->status, m->text, m[1].text ? ";" : ".");
    const bool fits = column + 1 + length <= WIDTH;
    fprintf(out, "%c%s", fits ? ' ' : '\n', meaning);
    column = fits ? column + 1 + length : length;
  }
  fputc('\n', out);
}

static void print_help(FILE *out) {
  fprintf(out, "Usage: ropelab COMMAND [OPTION...]\n%c%s.\n\n", toupper(rl_about[0]), rl_about + 1);
  for (size_t i = 0; i < COMMANDS; i++) {
    fprintf(out, "  %-11s %s\n", rl_commands[i].usage->name, rl_commands[i].summary);
  }
  fputs("\n  ropelab COMMAND --help   options and examples of a command\n"
        "  ropelab --version\n\n"
        "Example: ropelab compare atwood --solver pbd --solver impulse\n\n",
        out);
  print_exit_meanings(out);
}

static int unknown_command(const char *name) {
  const char *names[COMMANDS + 2];
  for (size_t i = 0; i < COMMANDS; i++) {
    names[i] = rl_commands[i].usage->name;
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
  if (strcmp(argv[1], "__man") == 0) {
    return rl_command_man(argc - 1, argv + 1);
  }
  if (strcmp(argv[1], "__complete") == 0) {
    return rl_command_complete(argc - 1, argv + 1);
  }
  const rl_command *command = rl_command_find(argv[1]);
  if (command) {
    return command->run(argc - 1, argv + 1);
  }
  return unknown_command(argv[1]);
}

// Opens /dev/null for closed standard streams, so that no result file gets their numbers and
// receives messages. The direction is the wrong one, so that using the stream is still an error.
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
  int status = run_command(argc, argv);
  status = status == RL_EXIT_DISK_FULL ? RL_EXIT_FAILED : status;
  if (fflush(stdout) != 0 || ferror(stdout)) {
    if (errno != EPIPE) { // the reader may close the pipe early
      fprintf(stderr, "ropelab: cannot write the output: %s\n", strerror(errno));
    }
    return status == RL_EXIT_DONE ? RL_EXIT_FAILED : status;
  }
  return status;
}
