// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of active rows and of contacts that stick, kept from one output step to the next:
// the equations serve two runs in turn, and between steps contacts come and go. "From one step of
// the output to the next" in papers/reference.md.
#ifndef RL_REFERENCE_CHOICE_H
#define RL_REFERENCE_CHOICE_H

#include "equations.h"

typedef struct rl_choice {
  bool is_known;
  double speed, force;    // of rl_equations
  uint32_t row_count;     // of rl_direct
  uint32_t contact_count; // of the state
  rl_contact *contacts;   // [contacts] its list
  uint32_t *now;          // [contacts] their places in the present list; RL_NONE: not in it
  rl_touched *touched;    // [contacts]
  rl_rubbing *rubbing;    // [contacts] of those with friction
  bool *acts;             // [unknowns]
  double *shares;         // [unknowns] [N]
  double *impulses;       // [unknowns] so far [N s]
} rl_choice;

// Carves the arrays for a model (memory.h).
void rl_choice_lay_out(rl_choice *choice, const rl_model *model, rl_carver *carver);

// Keeps the choice at the end of a step.
void rl_choice_keep(rl_choice *choice, const rl_equations *equations);

// Restores the choice for the present rows at the start of a step. Returns false if there is none,
// or if an active contact is no longer in the list.
bool rl_choice_take(rl_choice *choice, rl_equations *equations);

#endif
