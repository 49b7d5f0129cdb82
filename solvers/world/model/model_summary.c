// SPDX-License-Identifier: GPL-3.0-or-later
// The capabilities that a model needs, and the quantities that it conserves.
#include "definition.h"
#include "model_builder.h"

const char *rl_capability_name(uint32_t bit) {
  switch (bit) {
  case RL_CAN_CHAINS:
    return "ropes";
  case RL_CAN_SPANS:
    return "ropes over eyes or tied beside the centre of a body";
  case RL_CAN_TOUCH:
    return "contact of ropes with bodies";
  case RL_CAN_ELASTIC:
    return "elastic ropes (stiffness)";
  case RL_CAN_ROTATION:
    return "bodies that turn";
  case RL_CAN_JOINTS:
    return "ropes joined in a node";
  case RL_CAN_FRICTION:
    return "friction of ropes with mass, in eyes or of bodies that touch";
  case RL_CAN_COLLISIONS:
    return "bodies that touch each other";
  case RL_CAN_BOUNCES:
    return "bodies that bounce (restitution)";
  case RL_CAN_PART:
    return "ropes that tear, cuts and releases";
  case RL_CAN_FORCES:
    return "forces from outside and wind";
  case RL_CAN_REEL:
    return "winches";
  case RL_CAN_FEED:
    return "winches on ropes with mass, or with max_tension";
  case RL_CAN_BENDING:
    return "bending stiffness";
  case RL_CAN_TANGLE:
    return "ropes that touch ropes";
  case RL_CAN_BELTS:
    return "massless closed ropes";
  case RL_CAN_RINGS:
    return "ropes with mass through eyes";
  case RL_CAN_LOOPS:
    return "closed ropes";
  case RL_CAN_WRAPS:
    return "massless ropes over bodies";
  case RL_CAN_DRAG:
    return "drag";
  case RL_CAN_COMPRESSION:
    return "ropes that resist compression";
  case RL_CAN_LOADS:
    return "bodies that move freely";
  case RL_CAN_SPACE:
    return "motion out of the x-y plane or gravity not along y";
  case RL_CAN_GROUND:
    return "level ground under ropes";
  default:
    return "an unknown feature";
  }
}

// Returns the capabilities needed to touch a body: a fixed plane with normal +y is RL_CAN_GROUND.
static uint32_t touch_capability(const rl_body *body, double friction) {
  uint32_t needed = 0;
  for (size_t k = 0; k < body->part_count; k++) {
    const rl_part *part = &body->parts[k];
    const rl_vec3 normal = rl_rotate(body->rotation, rl_rotate(part->rotation, part->normal));
    const bool ground =
        part->shape == RL_PLANE && body->motion == RL_FIXED && normal.x == 0.0 && normal.z == 0.0;
    needed |= ground && normal.y > 0.0 ? RL_CAN_GROUND : RL_CAN_TOUCH;
  }
  return needed | (friction > 0.0 ? RL_CAN_FRICTION : 0U);
}

// Whether a slot at the end of an element, or its motion, leaves the plane z = const.
static bool leaves_plane(const rl_model *m, uint32_t slot, double z) {
  if (m->points[slot].z != z || m->velocities[slot].z != 0.0) {
    return true;
  }
  const rl_body *body = slot < m->node_count ? NULL : &m->bodies[slot - m->node_count];
  for (size_t k = 0; body && k < body->drive_count; k++) {
    if (body->drive[k].position.z != z) {
      return true;
    }
  }
  return false;
}

void rl_build_summary(rl_builder *b) {
  rl_model *m = b->model;
  m->capabilities |= RL_CAN_CHAINS | (rl_definition_parts(b->definition) ? RL_CAN_PART : 0U);
  m->capabilities |= (m->is_pushed ? RL_CAN_FORCES : 0U) | (m->is_reeled ? RL_CAN_REEL : 0U);
  m->capabilities |= m->is_fed || m->is_limited ? RL_CAN_FEED : 0U;
  for (uint32_t i = 0; i < m->rope_count * m->body_count; i++) {
    const bool touches = m->touches[i] && !m->ropes[i / m->body_count].massless;
    m->capabilities |=
        touches ? touch_capability(&m->bodies[i % m->body_count], m->frictions[i]) : 0U;
  }
  for (uint32_t i = 0; i < m->rope_count; i++) {
    for (uint32_t k = 0; k <= i && m->ropes[i].rope_collide; k++) {
      const double mu = rl_pair_friction(m->ropes[i].friction, m->ropes[k].friction);
      m->capabilities |= RL_CAN_TANGLE;
      m->capabilities |= m->ropes[k].rope_collide && mu > 0.0 ? RL_CAN_FRICTION : 0U;
    }
  }
  for (uint32_t i = 0; i < m->body_count; i++) {
    m->capabilities |= m->bodies[i].motion == RL_FREE ? RL_CAN_LOADS : 0U;
    m->capabilities |= m->bodies[i].spin_slot != RL_NONE ? RL_CAN_ROTATION : 0U;
  }
  for (uint32_t i = 0; i < m->pair_count; i++) {
    m->capabilities |= RL_CAN_COLLISIONS;
    m->capabilities |= m->pairs[i].friction > 0.0 ? RL_CAN_FRICTION : 0U;
    m->capabilities |= m->pairs[i].restitution > 0.0 ? RL_CAN_BOUNCES : 0U;
  }
  double lengths = 0.0;
  bool planar = m->gravity.x == 0.0 && m->gravity.z == 0.0;
  for (uint32_t i = 0; i < m->link_count && planar; i++) {
    const rl_link *first = &m->links[m->ropes[m->link_rope[i]].first_link];
    const double z = m->points[first->a].z;
    planar = !leaves_plane(m, m->links[i].a, z) && !leaves_plane(m, m->links[i].b, z);
  }
  m->capabilities |= planar ? 0U : RL_CAN_SPACE;
  for (uint32_t i = 0; i < m->rope_count; i++) {
    const rl_rope *rope = &m->ropes[i];
    lengths += rope->length;
    m->capabilities |= !rope->closed ? 0U : rope->massless ? RL_CAN_BELTS : RL_CAN_LOOPS;
    m->capabilities |= rope->wrap_capacity > 0 ? RL_CAN_WRAPS
                       : rope->eye_count > 0   ? RL_CAN_SPANS
                                               : 0U;
    for (uint32_t k = 0; k < rope->eye_count + rope->ring_count; k++) {
      m->capabilities |= m->eye_frictions[rope->first_eye + k] > 0.0 ? RL_CAN_FRICTION : 0U;
    }
    m->capabilities |= rope->ring_count > 0 ? RL_CAN_SPANS | RL_CAN_RINGS : 0U;
    m->capabilities |= isfinite(rope->stiffness) ? RL_CAN_ELASTIC : 0U;
    m->capabilities |= rope->compression ? RL_CAN_COMPRESSION : 0U;
    m->capabilities |= rope->bending > 0.0 ? RL_CAN_BENDING : 0U;
  }
  for (uint32_t i = 0; i < m->hold_count; i++) {
    m->capabilities |= rl_moving_hold(m, m->holds[i].slot) ? RL_CAN_SPANS : 0U;
  }
  m->reach = fmax(m->reach, lengths);
}

void rl_build_reach(rl_builder *b) {
  rl_model *m = b->model;
  for (uint32_t i = 1; i < m->place_count; i++) {
    m->reach = fmax(m->reach, rl_distance(rl_position(&m->points[0]), rl_position(&m->points[i])));
  }
}

// ---------------------------------------------------------------------------------------------
// How far masses can get: (26) of papers/world.md

static bool shorten(double *way, double found) {
  const bool is_shorter = found < *way;
  *way = is_shorter ? found : *way;
  return is_shorter;
}

// Takes the way of a body to a point of a rope at a distance from its centre, or, if `sets`, gives
// it the way of that point. Returns whether a way got shorter.
static bool pass_point(rl_builder *b, double *way, bool sets, uint32_t body, double distance) {
  double *at_centre = &b->ways[rl_body_slot(b->model, body)];
  return sets ? shorten(at_centre, *way + distance) : shorten(way, *at_centre + distance);
}

// The same for all places of a rope: its nodes, the bodies to which it is tied and over which it
// runs, and its eyes.
static bool pass_rope(rl_builder *b, const rl_rope *rope, double *way, bool sets) {
  const rl_model *m = b->model;
  bool is_shorter = false;
  for (uint32_t i = 0; i < 2 * rope->link_count; i++) {
    const rl_link *link = &m->links[rope->first_link + i / 2];
    const uint32_t slot = i % 2 == 0 ? link->a : link->b;
    const rl_hold *hold = rl_hold_of(m, slot);
    is_shorter |= sets ? shorten(&b->ways[slot], *way) : shorten(way, b->ways[slot]);
    is_shorter |= hold && pass_point(b, way, sets, hold->body, rl_length(hold->offset));
  }
  for (uint32_t i = 0; i < rope->eye_count + rope->ring_count; i++) {
    const rl_vertex *eye = &m->eyes[rope->first_eye + i];
    is_shorter |= eye->slot == RL_NONE
                      ? !sets && shorten(way, 0.0)
                      : pass_point(b, way, sets, eye->slot - m->node_count, rl_length(eye->offset));
  }
  for (uint32_t i = 0; i < rope->wrap_count; i++) {
    const uint32_t body = m->wraps[rope->first_wrap + i].body;
    is_shorter |= body != RL_NONE && pass_point(b, way, sets, body, m->bodies[body].bound);
  }
  return is_shorter;
}

// Follows the ropes: no two places of a rope are farther apart than it is long.
static void follow_ropes(rl_builder *b) {
  for (bool is_shorter = true; is_shorter;) {
    is_shorter = false;
    for (uint32_t i = 0; i < b->model->rope_count; i++) {
      double way = INFINITY;
      pass_rope(b, &b->ropes[i], &way, false);
      way += b->ropes[i].length;
      is_shorter |= pass_rope(b, &b->ropes[i], &way, true);
    }
  }
}

// Adds the places with known ways, and marks them as done.
static double add_known(rl_builder *b, double least) {
  double sum = 0.0;
  for (uint32_t i = 0; i < b->model->place_count; i++) {
    const bool is_known = b->ways[i] >= 0.0 && b->ways[i] < INFINITY;
    sum += is_known && b->points[i].w > 0.0 ? b->masses[i] * fmax(b->ways[i], least) : 0.0;
    b->ways[i] = is_known ? -1.0 : b->ways[i];
  }
  return sum;
}

static double largest_distance(const rl_model *m) {
  double largest = 0.0;
  for (uint32_t i = 1; i < m->place_count; i++) {
    largest = fmax(largest, rl_distance(rl_position(&m->points[0]), rl_position(&m->points[i])));
  }
  return largest;
}

void rl_build_fall(rl_builder *b) {
  rl_model *m = b->model;
  const double size = largest_distance(m);
  for (uint32_t i = 0; i < m->place_count; i++) {
    b->ways[i] = m->points[i].w > 0.0 || rl_moving_hold(m, i) ? INFINITY : 0.0;
  }
  follow_ropes(b);
  m->fall = add_known(b, 0.0);
  for (uint32_t i = 0; i < m->place_count; i++) {
    if (b->ways[i] == INFINITY && m->points[i].w > 0.0) {
      b->ways[i] = 0.0;
      follow_ropes(b);
      m->fall += add_known(b, size);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Conserved quantities

static bool moves_freely(const rl_model *model, uint32_t slot) {
  const rl_hold *hold = rl_moving_hold(model, slot);
  return model->points[hold ? rl_body_slot(model, hold->body) : slot].w > 0.0;
}

// Whether the force of a rope at a slot is internal; or, with `pinned`, on something fixed at the
// origin, where it has no moment.
static bool is_inside(const rl_model *model, uint32_t slot, bool pinned) {
  const rl_body *body = rl_slot_body(model, slot);
  const bool is_pin = rl_length(rl_position(&model->points[slot])) == 0.0 &&
                      model->points[slot].w == 0.0 && !(body && body->motion == RL_DRIVEN);
  return moves_freely(model, slot) || (pinned && is_pin);
}

static bool is_isolated(const rl_model *model, bool pinned) {
  bool isolated = rl_length(model->gravity) == 0.0 && !model->is_pushed;
  for (size_t i = 0; i < (size_t)model->rope_count * model->body_count; i++) {
    isolated =
        isolated && (!model->touches[i] || model->bodies[i % model->body_count].motion == RL_FREE);
  }
  for (uint32_t i = 0; i < model->pair_count; i++) {
    isolated = isolated && model->bodies[model->pairs[i].bodies[0]].motion == RL_FREE &&
               model->bodies[model->pairs[i].bodies[1]].motion == RL_FREE;
  }
  for (uint32_t i = 0; i < model->link_count; i++) {
    isolated = isolated && is_inside(model, model->links[i].a, pinned) &&
               is_inside(model, model->links[i].b, pinned);
  }
  for (uint32_t i = 0; i < model->eye_count; i++) {
    isolated =
        isolated && model->eyes[i].slot != RL_NONE && model->points[model->eyes[i].slot].w > 0.0;
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    isolated = isolated && model->drags[i] == 0.0;
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    isolated = isolated && !model->bodies[i].is_released;
  }
  return isolated;
}

bool rl_model_keeps_momentum(const rl_model *model) { return is_isolated(model, false); }

bool rl_model_keeps_angular_momentum(const rl_model *model) { return is_isolated(model, true); }
