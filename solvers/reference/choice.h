// SPDX-License-Identifier: GPL-3.0-or-later
// Who acts, sticks and slips, kept from one step of the output to the next: the same equations are
// for two states in turn, and between steps contacts come and go. papers/reference.md.
#ifndef RL_REFERENCE_CHOICE_H
#define RL_REFERENCE_CHOICE_H

#include "equations.h"

typedef struct rl_choice {
  bool is_known;
  double speed, force;    // of rl_equations
  uint32_t row_count;     // of rl_direct
  uint32_t contact_count; // of the state
  rl_contact *contacts;   // [contacts] its list
  uint32_t *now;          // [contacts] where they are in the list of now; RL_NONE: they are gone
  rl_touched *touched;    // [contacts]
  rl_rubbing *rubbing;    // [contacts] of those with friction
  bool *acts;             // [unknowns]
  double *shares;         // [unknowns] [N]
  double *impulses;       // [unknowns] so far [N s]
} rl_choice;

void rl_choice_lay_out(rl_choice *choice, const rl_model *model, rl_carver *carver);

// At the end of a step: what has been chosen for the state of the equations.
void rl_choice_keep(rl_choice *choice, const rl_equations *equations);

// At the start of one: the same for the rows that there are now. False where there is none, or a
// contact that acts is gone.
bool rl_choice_take(rl_choice *choice, rl_equations *equations);

#endif
