// SPDX-License-Identifier: GPL-3.0-or-later
// Sine, cosine, arc tangent and exponential that return the same bits everywhere. libm does not: a
// compiler may fold a call into a constant that differs in the last bit from the library's result.
#ifndef RL_TRIGONOMETRY_H
#define RL_TRIGONOMETRY_H

#include "vector.h"

#define RL_PI 3.14159265358979323846

// The argument reduction of sine and cosine loses digits beyond this [rad].
#define RL_MOST_ANGLE 1e5

// Computes the sine and cosine of x [rad], to 1 ulp for |x| < RL_MOST_ANGLE.
void rl_sincos(double x, double *sine, double *cosine);

// Returns the angle of (x, y) from the x axis, in [-pi, pi], to 2.2 ulp.
double rl_atan2(double y, double x);

// Returns e^x, to 1.2 ulp.
double rl_exp(double x);

// Returns the unit quaternion of a rotation vector [rad].
rl_quat rl_quat_from_vector(rl_vec3 rotation);

#endif
