// SPDX-License-Identifier: GPL-3.0-or-later
#include "shape.h"

// The direction in which a point at the very centre of a shape is pushed out.
static const rl_vec3 up = {0.0, 1.0, 0.0};

static rl_surface sphere_surface(double radius, rl_vec3 p) {
  const double distance = rl_length(p);
  return (rl_surface){distance - radius, distance > 0.0 ? rl_scale(1.0 / distance, p) : up};
}

static rl_surface plane_surface(rl_vec3 normal, rl_vec3 p) {
  return (rl_surface){rl_dot(normal, p), normal};
}

// Outside, the nearest point of the box is p clamped to it; inside, the nearest face decides.
static rl_surface box_surface(rl_vec3 half, rl_vec3 p) {
  const rl_vec3 excess = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
  const rl_vec3 sign = {copysign(1.0, p.x), copysign(1.0, p.y), copysign(1.0, p.z)};
  if (excess.x <= 0.0 && excess.y <= 0.0 && excess.z <= 0.0) {
    if (excess.x > excess.y && excess.x > excess.z) {
      return (rl_surface){excess.x, {sign.x, 0.0, 0.0}};
    }
    if (excess.y >= excess.z) {
      return (rl_surface){excess.y, {0.0, sign.y, 0.0}};
    }
    return (rl_surface){excess.z, {0.0, 0.0, sign.z}};
  }
  const rl_vec3 away = {sign.x * fmax(excess.x, 0.0), sign.y * fmax(excess.y, 0.0),
                        sign.z * fmax(excess.z, 0.0)};
  const double distance = rl_length(away);
  return (rl_surface){distance, rl_scale(1.0 / distance, away)};
}

bool rl_shape_supported(rl_shape shape) {
  return shape == RL_SPHERE || shape == RL_BOX || shape == RL_PLANE;
}

rl_surface rl_shape_surface(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p) {
  const rl_vec3 in_body = rl_rotate_inverse(rotation, rl_sub(p, position));
  const rl_vec3 local = rl_rotate_inverse(part->rotation, rl_sub(in_body, part->at));
  rl_surface surface = {INFINITY, up};
  switch (part->shape) {
  case RL_SPHERE:
    surface = sphere_surface(part->radius, local);
    break;
  case RL_PLANE:
    surface = plane_surface(part->normal, local);
    break;
  case RL_BOX:
    surface = box_surface(part->half, local);
    break;
  case RL_CAPSULE:
  case RL_CYLINDER:
  case RL_HULL:
    break;
  }
  surface.normal = rl_rotate(rotation, rl_rotate(part->rotation, surface.normal));
  return surface;
}
