// SPDX-License-Identifier: GPL-3.0-or-later
// Impacts of bodies: restitution together with what hangs on the bodies, for all methods.
// papers/bodies.md, (4) to (4d), has the derivation.
#ifndef RL_BOUNCE_H
#define RL_BOUNCE_H

#include "../rows.h"

// After which steps or substeps the contacts of bodies get a velocity of parting.
typedef enum rl_rebound {
  RL_REBOUND_BOUNCING, // after a hit with restitution
  RL_REBOUND_HIT,      // after any hit: the rows of the method would spread it, or throw it back
  RL_REBOUND_PUSHED    // wherever contacts pushed: a velocity that is read off the moves holds the
                       // depth that was taken back, which is no motion
} rl_rebound;

// What the impulses of a bounce have done [J].
typedef struct rl_bounce {
  bool is_hit;        // bodies have hit each other
  double lost;        // energy dissipated along the rows
  double rubbed;      // energy dissipated by friction
  double work;        // of what is driven, along the rows
  double rubbed_work; // of what is driven, through friction
} rl_bounce;

// Before a step or substep of h [s]: stores in rows->approaches the rates at which bodies that hit
// each other will part.
void rl_bounce_begin(const rl_model *model, const rl_state *state, rl_rows *rows, double h);

// How a method bounces.
typedef struct rl_bounce_law {
  rl_rebound which;
  double h;              // the step or substep [s]
  double unit;           // multipliers times this are impulses [N s]
  const rl_vec3 *rubbed; // [contacts] likewise the friction of the step, to which that in the hit
                         // adds; NULL: the cone is that of the new impulses alone
  bool draws_in; // what taut ropes have grown by in h is drawn in again, without velocity: by
                 // methods that would throw it back
} rl_bounce_law;

// (4b) After it: changes the velocities by simultaneous impulses at the contacts of bodies that
// pushed, and if one of them is a hit, by friction there and by the pull of taut ropes and contacts
// of ropes that hang together with it. The multipliers take the impulses in.
rl_bounce rl_bounce_end(const rl_bounce_law *law, const rl_model *model, rl_state *state,
                        rl_rows *rows);

#endif
