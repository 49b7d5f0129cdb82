// SPDX-License-Identifier: GPL-3.0-or-later
// The list of files that no table of a folder of results names: the page, the pictures of figures/
// and the tables of curves/. A file there that is not in the list is somebody else's.
#ifndef RL_LISTED_FILES_H
#define RL_LISTED_FILES_H

#include <stdbool.h>
#include <stddef.h>

// In the folder: "report.html", "figures/atwood-energy.svg", one a line, after lines with a '#'.
// What is written is entered before it is there.
#define RL_LIST_NAME "ropelab-files.txt"

// Starts a list with `count` names. False with errno set.
bool rl_listed_begin(const char *folder, char *const *names, size_t count);

// Shows the paths of all that are listed and there to `accept`, until it refuses one; false then.
bool rl_listed_visit(const char *folder, bool accept(const char *path));

// Removes them, and the list. False with errno set.
bool rl_listed_remove(const char *folder);

#endif
