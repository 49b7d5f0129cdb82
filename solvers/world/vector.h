// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors and quaternions. Everything is three-dimensional, double precision, in SI units.
#ifndef RL_VECTOR_H
#define RL_VECTOR_H

#include <math.h>
#include <stdalign.h>
#include <stdbool.h>

// A compound literal in C; in C++ the type followed by the same braces.
#ifdef __cplusplus
#define RL_LITERAL(type) type
#else
#define RL_LITERAL(type) (type)
#endif

// Returns the larger number, and nan if either is: fmax() would ignore it.
static inline double rl_larger(double largest, double value) {
  return isnan(largest) || value <= largest ? largest : value;
}

typedef struct rl_vec3 {
  double x, y, z;
} rl_vec3;

// A unit quaternion w + xi + yj + zk.
typedef struct rl_quat {
  double x, y, z, w;
} rl_quat;

// A position [m] with the inverse mass w of the slot [1/kg]; w = 0: immovable. 32 bytes, aligned,
// so that a constraint reads half a cache line for each end.
typedef struct rl_point {
  alignas(32) double x;
  double y, z, w;
} rl_point;

static inline rl_vec3 rl_vec(double x, double y, double z) { return RL_LITERAL(rl_vec3){x, y, z}; }

static inline rl_vec3 rl_add(rl_vec3 a, rl_vec3 b) {
  return RL_LITERAL(rl_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline rl_vec3 rl_sub(rl_vec3 a, rl_vec3 b) {
  return RL_LITERAL(rl_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline rl_vec3 rl_scale(double s, rl_vec3 a) {
  return RL_LITERAL(rl_vec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline rl_vec3 rl_add_scaled(rl_vec3 a, double s, rl_vec3 b) {
  return RL_LITERAL(rl_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// Component by component.
static inline rl_vec3 rl_times(rl_vec3 a, rl_vec3 b) {
  return RL_LITERAL(rl_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline bool rl_is_zero(rl_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

static inline double rl_dot(rl_vec3 a, rl_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline rl_vec3 rl_cross(rl_vec3 a, rl_vec3 b) {
  return RL_LITERAL(rl_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double rl_length(rl_vec3 a) { return sqrt(rl_dot(a, a)); }

static inline double rl_distance(rl_vec3 a, rl_vec3 b) { return rl_length(rl_sub(a, b)); }

// Returns the unit vector along a; (0, 0, 0) for a vector without length.
static inline rl_vec3 rl_unit(rl_vec3 a) {
  const double length = rl_length(a);
  return length > 0.0 ? rl_scale(1.0 / length, a) : RL_LITERAL(rl_vec3){0.0, 0.0, 0.0};
}

// Returns a unit vector perpendicular to a.
static inline rl_vec3 rl_across(rl_vec3 a) {
  const rl_vec3 axis = fabs(a.z) < 0.7 ? rl_vec(0.0, 0.0, 1.0) : rl_vec(1.0, 0.0, 0.0);
  return rl_unit(rl_cross(a, axis));
}

// Extends the axis-aligned box between two corners to contain a point; nan persists.
static inline void rl_include(rl_vec3 *low, rl_vec3 *high, rl_vec3 p) {
  *low = rl_vec(-rl_larger(-low->x, -p.x), -rl_larger(-low->y, -p.y), -rl_larger(-low->z, -p.z));
  *high = rl_vec(rl_larger(high->x, p.x), rl_larger(high->y, p.y), rl_larger(high->z, p.z));
}

typedef struct rl_symmetric3 {
  double xx, yy, zz, xy, xz, yz;
} rl_symmetric3;

// Solves A x = b for a symmetric positive definite A by its adjugate.
static inline rl_vec3 rl_solve_symmetric(rl_symmetric3 a, rl_vec3 b) {
  const rl_vec3 row0 = rl_vec(a.xx, a.xy, a.xz);
  const rl_vec3 row1 = rl_vec(a.xy, a.yy, a.yz);
  const rl_vec3 row2 = rl_vec(a.xz, a.yz, a.zz);
  const rl_vec3 c0 = rl_cross(row1, row2);
  const double determinant = rl_dot(row0, c0);
  const rl_vec3 x = rl_add(rl_add(rl_scale(b.x, c0), rl_scale(b.y, rl_cross(row2, row0))),
                           rl_scale(b.z, rl_cross(row0, row1)));
  return rl_scale(1.0 / determinant, x);
}

static inline rl_vec3 rl_position(const rl_point *p) {
  return RL_LITERAL(rl_vec3){p->x, p->y, p->z};
}

// Put a point at a place, and move it by a vector.
static inline void rl_put(rl_point *p, rl_vec3 at) {
  *p = RL_LITERAL(rl_point){at.x, at.y, at.z, p->w};
}

static inline void rl_move(rl_point *p, rl_vec3 by) {
  p->x += by.x;
  p->y += by.y;
  p->z += by.z;
}

// Returns the rotation v -> q (p (v)): q, and then p in the frame turned by q.
static inline rl_quat rl_quat_product(rl_quat q, rl_quat p) {
  return RL_LITERAL(rl_quat){
      q.w * p.x + q.x * p.w + q.y * p.z - q.z * p.y, q.w * p.y - q.x * p.z + q.y * p.w + q.z * p.x,
      q.w * p.z + q.x * p.y - q.y * p.x + q.z * p.w, q.w * p.w - q.x * p.x - q.y * p.y - q.z * p.z};
}

static inline rl_quat rl_quat_unit(rl_quat q) {
  const double inverse = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return RL_LITERAL(rl_quat){inverse * q.x, inverse * q.y, inverse * q.z, inverse * q.w};
}

// Returns v rotated by q: v + 2 w (q x v) + 2 q x (q x v).
static inline rl_vec3 rl_rotate(rl_quat q, rl_vec3 v) {
  const rl_vec3 u = {q.x, q.y, q.z};
  const rl_vec3 t = rl_scale(2.0, rl_cross(u, v));
  return rl_add(rl_add_scaled(v, q.w, t), rl_cross(u, t));
}

static inline rl_vec3 rl_rotate_inverse(rl_quat q, rl_vec3 v) {
  return rl_rotate(RL_LITERAL(rl_quat){-q.x, -q.y, -q.z, q.w}, v);
}

#endif
