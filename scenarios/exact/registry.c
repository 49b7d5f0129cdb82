// SPDX-License-Identifier: GPL-3.0-or-later
// All closed forms. A new one is a line in each of the two lists.
#include "exact.h"

extern const rl_exact_type rl_exact_pendulum;
extern const rl_exact_type rl_exact_atwood;
extern const rl_exact_type rl_exact_double_atwood;
extern const rl_exact_type rl_exact_catenary;
extern const rl_exact_type rl_exact_discrete_catenary;

const rl_exact_type *const rl_exact_types[] = {
    &rl_exact_pendulum, &rl_exact_atwood,   &rl_exact_double_atwood,
    &rl_exact_catenary, &rl_exact_discrete_catenary, NULL,
};
