// SPDX-License-Identifier: GPL-3.0-or-later
// The list of generated files whose names are in no table of a results folder: the page, the
// pictures in figures/ and the tables in curves/. Other files in these folders are the user's.
#ifndef RL_LISTED_FILES_H
#define RL_LISTED_FILES_H

#include <stdbool.h>
#include <stddef.h>

// In the results folder: comment lines with '#', then one name a line, "report.html" or
// "figures/atwood-energy.svg". A file is listed before it is written.
#define RL_LIST_NAME "ropelab-files.txt"

// Writes a new list of `count` names. Returns false with errno set.
bool rl_listed_begin(const char *folder, char *const *names, size_t count);

// Calls `accept` with the path of each listed file that exists; stops and returns false when it
// refuses one.
bool rl_listed_visit(const char *folder, bool accept(const char *path));

// Removes the listed files and the list. Returns false with errno set.
bool rl_listed_remove(const char *folder);

#endif
