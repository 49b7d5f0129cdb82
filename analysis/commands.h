// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the program.
#ifndef RL_COMMANDS_H
#define RL_COMMANDS_H

#include "options.h"

// Each takes its own words (argv[0] is the command's name) and returns an exit status.
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

// The table of commands, ended by one without `run`.
typedef struct rl_command {
  const rl_usage *usage;
  int (*run)(int argc, char **argv);
  const char *summary;
} rl_command;

extern const rl_command rl_commands[];
const rl_command *rl_command_find(const char *name);

// What the program says of itself, and what its exit statuses mean (ended by one without text).
typedef struct rl_exit_meaning {
  int status;
  const char *text;
} rl_exit_meaning;

extern const char rl_about[];
extern const rl_exit_meaning rl_exit_meanings[];

// Not in the list, for installations and shells: `__man` prints the manual page, `__complete` what
// can stand for the last of the words (command_complete.c says how).
int rl_command_man(int argc, char **argv);
int rl_command_complete(int argc, char **argv);

// Draws the figures and writes the report for a folder of results, `jobs` at a time (0: as many as
// there are processors), as the kinds of files in `figures`, "svg,png" (NULL: all).
int rl_report(const char *folder, long jobs, const char *figures);

// The same at the end of a command, which then says where the report is.
int rl_report_and_say(const char *folder, long jobs, const char *figures);

// The whole program.
int rl_main(int argc, char **argv);

#endif
