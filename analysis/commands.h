// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the program.
#ifndef RL_COMMANDS_H
#define RL_COMMANDS_H

// Each takes its own words (argv[0] is the command's name) and returns an exit status.
int rl_command_list(int argc, char **argv);
int rl_command_check(int argc, char **argv);
int rl_command_run(int argc, char **argv);
int rl_command_compare(int argc, char **argv);
int rl_command_report(int argc, char **argv);
int rl_command_export(int argc, char **argv);
int rl_command_bench(int argc, char **argv);

// Draws the figures and writes the report for a folder of results.
int rl_report(const char *folder);

// The whole program.
int rl_main(int argc, char **argv);

#endif
