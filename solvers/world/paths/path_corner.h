// SPDX-License-Identifier: GPL-3.0-or-later
// (9a) of papers/path.md: a path that goes through a corner, where lines end, on any number of
// them. Places that run together there stay in the corner as long as they balance.
#ifndef RL_PATH_CORNER_H
#define RL_PATH_CORNER_H

#include "path.h"

// Whether places of neighbouring lines have come so near to their common corner that they are to
// stay there, and do not yet.
bool rl_path_have_any_met(const rl_path_item *items, size_t count);

// Puts those places into their corners, where they stay. Returns whether there are any.
bool rl_path_keep_in_corners(rl_path_item *items, size_t count);

// Sets the directions between the places of each corner that balance them; puts the places of the
// first corner apart that have none. Returns whether there is one.
bool rl_path_leave_corner(rl_path_item *items, size_t count);

#endif
