// SPDX-License-Identifier: GPL-3.0-or-later
// The spring and damper of a row, for the methods that have one for each: penalty and
// penalty-implicit. papers/penalty.md numbers the equations.
#ifndef RL_SPRINGS_H
#define RL_SPRINGS_H

#include "world/rows.h"

typedef struct rl_spring {
  double stiffness; // k [N/m]
  double damping;   // c [N s/m]
  bool physical;    // the scenario's own, not a stand-in
} rl_spring;

// What stands in for stiff rows.
typedef struct rl_stand_in {
  double stiffness;                         // [N/m]; 0: automatic, `hardness` / (W h^2)
  double damping;                           // [N s/m]
  double hardness;                          // [1]
  double damping_ratio;                     // of automatic ones, of the critical damping
  double contact_hardness, contact_damping; // [1] automatic ones of two bodies, (17)
  double h;                                 // substep [s]
} rl_stand_in;

// That of an element with its rest length [m], compliance [m/N] and inverse mass W [1/kg]; `rope`
// NULL: of a contact.
rl_spring rl_spring_of(const rl_stand_in *law, const rl_rope *rope, double rest, double compliance,
                       double inverse_mass);

// That of a general row as it was last evaluated.
rl_spring rl_row_spring(const rl_stand_in *law, const rl_model *model, const rl_row *row);

// (19) That across the normal of a contact, for the direction in which it gives way most.
rl_spring rl_friction_spring(const rl_stand_in *law, const rl_model *model, const rl_rows *rows,
                             const rl_row *row, const rl_point *points);

// Energy in the stand-in of a row as it was last evaluated [J].
double rl_row_spring_energy(const rl_stand_in *law, const rl_model *model, const rl_row *row);

// What it stores as it pulls with a force [J].
double rl_friction_energy(rl_spring spring, rl_vec3 pull);

// Energy in all stand-ins at the state's positions [J], but not along the normals of contacts of
// bodies: what those take is lost, and what they give back is booked as it comes.
double rl_springs_energy(const rl_stand_in *law, const rl_model *model, const rl_state *state,
                         rl_rows *rows);

#endif
