// SPDX-License-Identifier: GPL-3.0-or-later
// Equations without a formula for their root.
#ifndef RL_EXACT_ROOTS_H
#define RL_EXACT_ROOTS_H

#include <stdbool.h>

// f(x) = 0 between two points where f differs in sign, to rounding (Brent's method); false where
// there is none.
bool rl_exact_root(double (*f)(double x, void *parameters), void *parameters, double low,
                   double high, double *root);

// Both errors of (x[0], x[1]) are 0 within `tolerance` (Powell's hybrid method); x holds the guess,
// and then the root.
bool rl_exact_roots(void (*errors)(const double *x, void *parameters, double *out),
                    void *parameters, double tolerance, double *x);

#endif
