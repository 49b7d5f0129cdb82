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

// The arc tangent of fdlibm: of the values whose arc tangent is in the table one is taken out, so
// that a polynomial for |x| < 7/16 does the rest.
static double arc_tangent(double x) {
  static const double high[] = {4.63647609000806093515e-01, 7.85398163397448278999e-01,
                                9.82793723247329054082e-01, 1.57079632679489655800e+00};
  static const double low[] = {2.26987774529616870924e-17, 3.06161699786838301793e-17,
                               1.39033110312309984516e-17, 6.12323399573676603587e-17};
  const double a = fabs(x);
  int part = -1;
  double t = a;
  if (a >= 2.4375) {
    part = 3;
    t = -1.0 / a;
  } else if (a >= 1.1875) {
    part = 2;
    t = (a - 1.5) / (1.0 + 1.5 * a);
  } else if (a >= 0.6875) {
    part = 1;
    t = (a - 1.0) / (a + 1.0);
  } else if (a >= 0.4375) {
    part = 0;
    t = (2.0 * a - 1.0) / (2.0 + a);
  }
  const double z = t * t;
  const double w = z * z;
  const double odd =
      z * (3.33333333333329318027e-01 +
           w * (1.42857142725034663711e-01 +
                w * (9.09088713343650656196e-02 +
                     w * (6.66107313738753120669e-02 +
                          w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double even =
      w * (-1.99999999998764832476e-01 +
           w * (-1.11111104054623557880e-01 +
                w * (-7.69187620504482999495e-02 +
                     w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  const double correction = t * (odd + even);
  const double angle = part < 0 ? t - correction : high[part] - ((correction - low[part]) - t);
  return copysign(angle, x);
}

double rl_atan2(double y, double x) {
  const double pi_low = 1.22464679914735317720e-16; // what RL_PI lacks
  if (isnan(x) || isnan(y)) {
    return NAN;
  }
  double angle;
  if (y == 0.0 || x == 0.0 || isinf(x) || isinf(y)) {
    const double opposite = isinf(y) ? (isinf(x) ? 1.0 : INFINITY) : fabs(y);
    const double adjacent = isinf(x) ? (isinf(y) ? 1.0 : INFINITY) : fabs(x);
    angle = opposite == adjacent && opposite > 0.0 ? 0.25 * RL_PI
            : opposite > adjacent                  ? 0.5 * RL_PI
                                                   : 0.0;
  } else {
    angle = arc_tangent(fabs(y / x));
  }
  return copysign(signbit(x) ? RL_PI - (angle - pi_low) : angle, y);
}

double rl_exp(double x) {
  // ln 2 in two parts, so that power * part1 is exact.
  const double part1 = 6.93147180369123816490e-01;
  const double part2 = 1.90821492927058770002e-10;
  if (isnan(x) || x > 709.782712893383973096 || x < -745.2) {
    return isnan(x) ? x : x > 0.0 ? INFINITY : 0.0;
  }
  const double power = floor(x * 1.44269504088896338700 + 0.5);
  const double high = x - power * part1;
  const double low = power * part2;
  const double r = high - low;
  const double z = r * r;
  // Remez' approximation of r - (r coth(r/2) - 2), as in fdlibm.
  const double c =
      r - z * (1.66666666666666019037e-01 +
               z * (-2.77777777770155933842e-03 +
                    z * (6.61375632143793436117e-05 +
                         z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
  return ldexp(1.0 - ((low - r * c / (2.0 - c)) - high), (int)power);
}

rl_quat rl_quat_from_vector(rl_vec3 rotation) {
  const double angle = rl_length(rotation);
  double s = 0.0;
  double c = 1.0;
  rl_sincos(0.5 * angle, &s, &c);
  const rl_vec3 axis = rl_unit(rotation);
  return (rl_quat){s * axis.x, s * axis.y, s * axis.z, c};
}
