// SPDX-License-Identifier: GPL-3.0-or-later
// All closed forms, in the order in which they are listed. A new one is one line here.
#include "exact.h"

#define CLOSED_FORMS(X)                                                                            \
  X(pendulum)                                                                                      \
  X(atwood)                                                                                        \
  X(double_atwood)                                                                                 \
  X(tackle)                                                                                        \
  X(differential_pulley)                                                                           \
  X(winding)                                                                                       \
  X(winding_polygon)                                                                               \
  X(interrupted_pendulum)                                                                          \
  X(swinging_atwood)                                                                               \
  X(catenary)                                                                                      \
  X(elastic_catenary)                                                                              \
  X(discrete_catenary)                                                                             \
  X(hanging_cord)                                                                                  \
  X(hanging_modes)                                                                                 \
  X(hanging_mode)                                                                                  \
  X(string_modes)                                                                                  \
  X(spring_modes)                                                                                  \
  X(wave_front)                                                                                    \
  X(spinning_rope)                                                                                 \
  X(spinning_loop)                                                                                 \
  X(elastica)                                                                                      \
  X(discrete_elastica)                                                                             \
  X(troposkein)                                                                                    \
  X(discrete_troposkein)                                                                           \
  X(folded_chain)                                                                                  \
  X(sliding_chain)                                                                                 \
  X(guided_chain)                                                                                  \
  X(eye_chain)                                                                                     \
  X(falling_rope)                                                                                  \
  X(heap_chain)                                                                                    \
  X(catch)                                                                                         \
  /* the next one goes above this line */

#define DECLARE(name) extern const rl_exact_type rl_exact_##name;
#define ENTER(name) &rl_exact_##name,

CLOSED_FORMS(DECLARE)

const rl_exact_type *const rl_exact_types[] = {CLOSED_FORMS(ENTER) NULL};
