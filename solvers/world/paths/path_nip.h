// SPDX-License-Identifier: GPL-3.0-or-later
// The nip of two round items: where they touch, and where a rope that passes between them crosses
// from one to the other. papers/path.md, "In a nip".
#ifndef RL_PATH_NIP_H
#define RL_PATH_NIP_H

#include "path.h"

typedef struct rl_path_nip {
  rl_vec3 place;  // between the surfaces, on the common tangent of circles [m]
  rl_vec3 along;  // unit: the direction in which the place can move along the nip of two drums
  size_t freedom; // 1 between two drums, else 0
  bool is_narrow; // the gap is, so that tangents to both turn fast there
  bool overlaps;  // the items touch or overlap there
  bool passes;    // the rope passes from the one side to the other, as far as is known
} rl_path_nip;

// (15) Returns the nip of a round item and the next, which is round too, at the place nearest to a
// point.
rl_path_nip rl_path_find_nip(const rl_path_item *item, rl_vec3 near);

// (15) Puts hinges between bodies that overlap where the rope passes between them into the nip:
// between drums; with `all` between any. Puts those in narrow gaps on to the common tangent.
// Returns whether there are any.
bool rl_path_nip_hinges(rl_path_item *items, size_t count, bool all);

// Lets hinges out of nips that are open where they have come to. Returns whether there were any.
bool rl_path_open_nips(rl_path_item *items, size_t count);

#endif
