// SPDX-License-Identifier: GPL-3.0-or-later
// Numerical roots of equations.
#ifndef RL_EXACT_ROOTS_H
#define RL_EXACT_ROOTS_H

#include <stdbool.h>

// Finds f(x) = 0 to rounding between two points where f differs in sign (Brent's method); false if
// there is none.
bool rl_exact_root(double (*f)(double x, void *parameters), void *parameters, double low,
                   double high, double *root);

// Finds (x[0], x[1]) with both errors at most `tolerance` (Powell's hybrid method); x holds the
// guess and then the root. False if none is found.
bool rl_exact_roots(void (*errors)(const double *x, void *parameters, double *out),
                    void *parameters, double tolerance, double *x);

#endif
