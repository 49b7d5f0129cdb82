// SPDX-License-Identifier: GPL-3.0-or-later
// Our own sine, cosine, arc tangent and exponential: a compiler may fold a libm call into a
// constant that differs in the last bit from what the library returns, and results here have to be
// the same bits everywhere.
#ifndef RL_TRIGONOMETRY_H
#define RL_TRIGONOMETRY_H

#include "vector.h"

#define RL_PI 3.14159265358979323846

// Sine and cosine of x [rad], to 1 ulp for |x| < 1e5; beyond, the argument loses digits.
void rl_sincos(double x, double *sine, double *cosine);

// The angle of (x, y) from the x axis, in [-pi, pi], to 2.2 ulp.
double rl_atan2(double y, double x);

// e^x, to 1.2 ulp.
double rl_exp(double x);

// The unit quaternion of a rotation vector [rad].
rl_quat rl_quat_from_vector(rl_vec3 rotation);

#endif
