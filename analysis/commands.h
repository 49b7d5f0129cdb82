// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the program: their table, and the two functions that end most of them.
#ifndef RL_COMMANDS_H
#define RL_COMMANDS_H

#include "options.h"

// Each command parses its own arguments (argv[0] is its name) and returns an exit status.
int rl_command_list(int argc, char **argv);
int rl_command_check(int argc, char **argv);
int rl_command_run(int argc, char **argv);
int rl_command_compare(int argc, char **argv);
int rl_command_consistency(int argc, char **argv);
int rl_command_onestep(int argc, char **argv);
int rl_command_converge(int argc, char **argv);
int rl_command_study(int argc, char **argv);
int rl_command_precision(int argc, char **argv);
int rl_command_report(int argc, char **argv);
int rl_command_export(int argc, char **argv);
int rl_command_diff(int argc, char **argv);
int rl_command_bench(int argc, char **argv);
int rl_command_reproduce(int argc, char **argv);

extern const rl_usage rl_list_usage, rl_check_usage, rl_run_usage, rl_compare_usage,
    rl_converge_usage, rl_study_usage, rl_onestep_usage, rl_consistency_usage, rl_precision_usage,
    rl_report_usage, rl_export_usage, rl_diff_usage, rl_bench_usage, rl_reproduce_usage;

// The table of commands; the last entry has a NULL `run`.
typedef struct rl_command {
  const rl_usage *usage;
  int (*run)(int argc, char **argv);
  const char *summary;
} rl_command;

extern const rl_command rl_commands[];
const rl_command *rl_command_find(const char *name); // NULL: no such command

// The description of the program and the meanings of its exit statuses (the last has NULL text).
typedef struct rl_exit_meaning {
  int status;
  const char *text;
} rl_exit_meaning;

extern const char rl_about[];
extern const rl_exit_meaning rl_exit_meanings[];

// Two hidden commands for installation and shells: `__man` prints the manual page, `__complete`
// prints the completions of the last word (command_complete.c has the format).
int rl_command_man(int argc, char **argv);
int rl_command_complete(int argc, char **argv);

// Draws the figures and writes the report of a results folder. `jobs` figures are drawn at a time
// (0: one a processor); `figures` lists the file formats, "svg,png" (NULL: all). Returns an exit
// status.
int rl_report(const char *folder, long jobs, const char *figures);

// Calls rl_report() at the end of a command and prints where the report is.
int rl_report_and_print(const char *folder, long jobs, const char *figures);

// Says on stderr that a signal has ended the command, at simulated time t [s] (NAN: of several
// runs), and how to see what the folder has. Not for signal handlers: they only note the signal.
void rl_print_interrupted(const char *folder, double t);

// Runs the whole program and returns its exit status.
int rl_main(int argc, char **argv);

#endif
