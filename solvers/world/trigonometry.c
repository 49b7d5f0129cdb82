// SPDX-License-Identifier: GPL-3.0-or-later
#include "trigonometry.h"

// Argument reduction in three parts of pi/2 (Cody & Waite 1980), then the minimax polynomials on
// [-pi/4, pi/4] of fdlibm (Sun Microsystems 1993), without its correction term for the tail.

static double sine_kernel(double x, double tail) {
  const double z = x * x;
  const double p = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const double v = z * x;
  return x - ((z * (0.5 * tail - v * p) - tail) - v * -1.66666666666666324348e-01);
}

static double cosine_kernel(double x, double tail) {
  const double z = x * x;
  const double p =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const double half = 0.5 * z;
  const double w = 1.0 - half;
  return w + (((1.0 - w) - half) + (z * p - x * tail));
}

void rl_sincos(double x, double *sine, double *cosine) {
  // pi/2 in parts of 33 bits, so that quarter * part is exact for quarter < 2^20.
  const double part1 = 1.57079632673412561417e+00;
  const double part2 = 6.07710050630396597660e-11;
  const double part3 = 2.02226624871116645580e-21;
  const double part3_tail = 8.47842766036889956997e-32;
  const double quarter = floor(x * 6.36619772367581382433e-01 + 0.5);
  if (!isfinite(quarter)) {
    *sine = *cosine = NAN;
    return;
  }
  const double r1 = x - quarter * part1;
  const double w2 = quarter * part2;
  const double r2 = r1 - w2;
  const double lost = (r1 - r2) - w2;
  const double w3 = quarter * part3 - lost;
  const double r = r2 - w3;
  const double tail = ((r2 - r) - w3) - quarter * part3_tail;
  const double s = sine_kernel(r, tail);
  const double c = cosine_kernel(r, tail);
  switch ((int)(quarter - 4.0 * floor(0.25 * quarter))) {
  case 0:
    *sine = s;
    *cosine = c;
    return;
  case 1:
    *sine = c;
    *cosine = -s;
    return;
  case 2:
    *sine = -s;
    *cosine = -c;
    return;
  default:
    *sine = -c;
    *cosine = s;
    return;
  }
}

rl_quat rl_quat_from_vector(rl_vec3 rotation) {
  const double angle = rl_length(rotation);
  double s = 0.0;
  double c = 1.0;
  rl_sincos(0.5 * angle, &s, &c);
  const rl_vec3 axis = rl_unit(rotation);
  return (rl_quat){s * axis.x, s * axis.y, s * axis.z, c};
}
