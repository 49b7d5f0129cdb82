// SPDX-License-Identifier: GPL-3.0-or-later
// The values of probes in a state.
#include "probe.h"

#include "world/bodies/shape.h"
#include "world/paths/bend.h"
#include "world/ropes/elements.h"
#include "world/ropes/eyes.h"
#include "world/rotation.h"
#include "world/rows.h"
#include "world/trigonometry.h"

static const double two_pi = 2.0 * RL_PI;

static rl_vec3 slot_position(const rl_state *state, uint32_t slot) {
  return rl_position(&state->points[slot]);
}

// Returns a coordinate of the position (`which` is 0 to 2) or of the velocity (3 to 5) of the point
// at a slot, or 6: its speed.
static double component(const rl_state *state, uint32_t slot, unsigned which) {
  const rl_vec3 p = slot_position(state, slot);
  const rl_vec3 v = state->velocities[slot];
  const double values[7] = {p.x, p.y, p.z, v.x, v.y, v.z, rl_length(v)};
  return values[which];
}

// Return the length of the path of a rope, and its rest length, summed over its elements; nan for a
// massless rope that came off.
static double path_length(const rl_model *model, const rl_state *state, uint32_t rope) {
  const uint32_t count = rl_rope_elements(model, state, rope);
  double length = count > 0 ? 0.0 : NAN;
  for (uint32_t i = 0; i < count; i++) {
    length += rl_element_length(model, state, model->ropes[rope].first_link + i);
  }
  return length;
}

static double rest_length(const rl_model *model, const rl_state *state, uint32_t rope) {
  const uint32_t count = rl_rope_elements(model, state, rope);
  double length = count > 0 ? 0.0 : NAN;
  for (uint32_t i = 0; i < count; i++) {
    length += state->links[model->ropes[rope].first_link + i].rest;
  }
  return length;
}

// Returns the largest max(0, length/rest - 1) over the elements, or over the spans between places
// where a massless rope sticks; |length/rest - 1| for ropes with compression.
static double stretch(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  const uint32_t count = rl_rope_elements(model, state, index);
  double largest = count > 0 ? 0.0 : NAN;
  if (rope->wrap_capacity > 0 && count > 0) {
    rl_rope_solve_bends(model, state, index);
    for (uint32_t piece = 0; piece < rl_wraps_piece_count(model, state, index);) {
      const rl_strand s = rl_wrap_strand(model, state, index, piece, state->points);
      largest = rl_larger(largest, s.rest > 0.0 ? s.length / s.rest - 1.0 : 0.0);
      piece += s.piece_count;
    }
    return largest;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t link = rope->first_link + i;
    const double strain = rl_element_length(model, state, link) / state->links[link].rest - 1.0;
    const double counted = rope->compression ? fabs(strain) : strain;
    // rl_larger() keeps a nan.
    largest = rl_larger(largest, counted);
  }
  return largest;
}

// Returns the direction of gravity; -y without gravity.
static rl_vec3 down(const rl_model *model) {
  const rl_vec3 direction = rl_unit(model->gravity);
  return rl_length(direction) > 0.0 ? direction : rl_vec(0.0, -1.0, 0.0);
}

// Returns the horizontal direction of positive angles: the x axis without its vertical component,
// or the y axis if gravity is along x.
static rl_vec3 sideways(rl_vec3 vertical) {
  const rl_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
  const rl_vec3 axis = fabs(vertical.x) < 0.9 ? x : y;
  return rl_unit(rl_add_scaled(axis, -rl_dot(axis, vertical), vertical));
}

static double tension_to(const rl_model *model, const rl_state *state, uint32_t rope) {
  return model->ropes[rope].massless
             ? rl_piece_tension(model, state, rope, rl_bend_count(model, state, rope))
             : rl_rope_tension(model, state, rope, rl_rope_elements(model, state, rope) - 1);
}

static const rl_link *last_element(const rl_model *model, const rl_state *state, uint32_t rope) {
  return &state->links[model->ropes[rope].first_link + rl_rope_elements(model, state, rope) - 1];
}

// Returns the point at which the last piece of a rope begins: the exit of the last bend, or the
// node before the last.
static rl_vec3 last_bend(const rl_model *model, const rl_state *state, uint32_t rope) {
  const uint32_t bends = rl_bend_count(model, state, rope);
  rl_vec3 places[2];
  rl_rope_solve_bends(model, state, rope);
  if (bends > 0) {
    rl_bend_places(model, state, rope, bends - 1, places);
    return places[1];
  }
  return slot_position(state, last_element(model, state, rope)->a);
}

// Returns the angle of the last piece of the rope from the vertical in the plane of `down` and
// `sideways`; 0 if the end hangs straight down [rad].
static double angle(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_vec3 end = slot_position(state, last_element(model, state, index)->b);
  const rl_vec3 d = rl_sub(end, last_bend(model, state, index)), vertical = down(model);
  return atan2(rl_dot(d, sideways(vertical)), rl_dot(d, vertical));
}

// Returns the depth of the lowest point of the rope below its lower end, along gravity [m].
static double sag(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_vec3 vertical = down(model);
  const uint32_t count = rl_rope_nodes(model, state, index);
  double end = -INFINITY, lowest = -INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    const double depth = rl_dot(rl_rope_position(model, state, index, i), vertical);
    lowest = depth <= lowest ? lowest : depth;
    if (i == 0 || i == count - 1) {
      end = depth <= end ? end : depth;
    }
  }
  if (model->ropes[index].massless) {
    rl_rope_solve_bends(model, state, index);
    const double reach = rl_rope_reach(model, state, index, vertical);
    lowest = reach <= lowest ? lowest : reach;
  }
  return lowest - end;
}

static bool pushes(const rl_model *model, const rl_state *state, size_t contact, uint32_t rope) {
  const rl_contact *c = &state->contacts[contact];
  const bool is_other = rl_is_of_ropes(c) && model->link_rope[c->other] == rope;
  return (c->rope == rope || is_other) && state->multipliers[model->link_count + contact] > 0.0;
}

// Returns the number of contacts with a positive force, and of bends of a massless rope around
// bodies.
static double contacts(const rl_model *model, const rl_state *state, uint32_t rope) {
  double count = 0.0;
  for (size_t i = 0; i < state->contact_count; i++) {
    count += pushes(model, state, i, rope) ? 1.0 : 0.0;
  }
  if (model->ropes[rope].wrap_capacity > 0) {
    const rl_wrap *wraps = &state->wraps[model->ropes[rope].first_wrap];
    for (uint32_t i = 0; i < state->wrap_counts[rope]; i++) {
      count += wraps[i].body != RL_NONE ? 1.0 : 0.0;
    }
  }
  return count;
}

// The effect of a rope on a body, from all its bends or contacts there.
typedef struct hold {
  double wrap;          // wrap angle [rad]
  rl_vec3 force;        // on the body [N]
  double slip;          // slip velocity of largest magnitude [m/s]
  rl_vec3 entry, exit;  // entry of the first bend, exit of the last [m]
  double before, after; // tensions before the entry and after the exit [N]
  size_t count;
} hold;

static void add_place(hold *h, rl_vec3 entry, rl_vec3 exit, double before, double after) {
  h->entry = h->count == 0 ? entry : h->entry;
  h->exit = exit;
  h->before = h->count == 0 ? before : h->before;
  h->after = after;
  h->count++;
}

static void add_bends(hold *h, const rl_model *model, const rl_state *state, rl_probe probe) {
  rl_rope_solve_bends(model, state, probe.index);
  rl_bends bends = rl_rope_bends(model, state, probe.index);
  for (rl_bend bend; rl_next_bend(&bends, &bend);) {
    if (bend.body == probe.body) {
      h->wrap += bend.turn;
      h->force = rl_add(h->force, rl_bend_force(&bend));
      h->slip = fabs(bend.slip) > fabs(h->slip) ? bend.slip : h->slip;
      add_place(h, bend.entry, bend.exit, bend.before, bend.after);
    }
  }
}

// Returns the point of the rope that is in contact, and the outward normal of the body there.
static rl_vec3 contact_place(const rl_model *model, const rl_state *state, const rl_contact *c,
                             rl_vec3 *normal) {
  const rl_vec3 centre = slot_position(state, rl_body_slot(model, c->body));
  const rl_quat rotation = rl_body_rotation(model, state, state->points, c->body);
  const rl_part *part = &model->bodies[c->body].parts[c->part];
  const rl_vec3 p = slot_position(state, c->slot);
  rl_surface surface = rl_shape_surface(part, centre, rotation, p);
  double share = 0.0;
  rl_vec3 to = p;
  if (c->next != RL_NONE) {
    to = slot_position(state, c->next);
    share = rl_shape_segment(part, centre, rotation, p, to, &surface);
  }
  *normal = surface.normal;
  return rl_add_scaled(p, share, rl_sub(to, p));
}

// Returns the unit direction from one slot to another.
static rl_vec3 chord(const rl_state *state, uint32_t from, uint32_t to) {
  return rl_unit(rl_sub(slot_position(state, to), slot_position(state, from)));
}

// Returns the sum of the angles between the elements of a rope with mass at the nodes from `first`
// to `last` [rad].
static double turn_between(const rl_model *model, const rl_state *state, uint32_t rope,
                           uint32_t first, uint32_t last) {
  double sum = 0.0;
  for (uint32_t i = first; i <= last; i++) {
    const uint32_t here = rl_rope_node(model, state, rope, i);
    uint32_t beside[2];
    rl_node_beside(model, state, rope, i, beside);
    if (beside[0] == RL_NONE || beside[1] == RL_NONE) {
      continue;
    }
    const rl_vec3 in = chord(state, beside[0], here), out = chord(state, here, beside[1]);
    sum += atan2(rl_length(rl_cross(in, out)), rl_dot(in, out));
  }
  return sum;
}

// Returns the velocity of the rope relative to the body in a contact, along the rope [m/s].
static double contact_slip(const rl_model *model, const rl_state *state, const rl_contact *c,
                           rl_vec3 place) {
  const bool is_node = c->next == RL_NONE;
  uint32_t beside[2] = {c->slot, c->next};
  if (is_node) {
    rl_node_beside(model, state, c->rope, c->node, beside);
  }
  const rl_vec3 along = chord(state, beside[0] == RL_NONE ? c->slot : beside[0],
                              beside[1] == RL_NONE ? c->slot : beside[1]);
  const uint32_t body = rl_body_slot(model, c->body);
  const rl_vec3 arm = rl_sub(place, slot_position(state, body));
  const rl_vec3 surface =
      rl_add(state->velocities[body], rl_cross(rl_body_spin(model, state, c->body), arm));
  rl_vec3 v = state->velocities[c->slot];
  if (!is_node) {
    const rl_vec3 from = slot_position(state, c->slot), to = slot_position(state, c->next);
    const double length = rl_distance(from, to);
    const double share = length > 0.0 ? rl_distance(from, place) / length : 0.0;
    v = rl_add_scaled(v, share, rl_sub(state->velocities[c->next], v));
  }
  return rl_dot(rl_sub(v, surface), along);
}

// Returns the tension of the element in a contact, or of the element before or after the node in
// contact; nan if the rope ends there.
static double tension_beside(const rl_model *model, const rl_state *state, const rl_contact *c,
                             bool before) {
  const rl_link *links = &state->links[model->ropes[c->rope].first_link];
  const uint32_t count = rl_rope_elements(model, state, c->rope);
  for (uint32_t i = 0; i < count; i++) {
    if ((before && c->next == RL_NONE ? links[i].b : links[i].a) == c->slot) {
      return rl_rope_tension(model, state, c->rope, i);
    }
  }
  return NAN;
}

static void add_contacts(hold *h, const rl_model *model, const rl_state *state, rl_probe probe) {
  uint32_t first = UINT32_MAX, last = 0;
  const rl_contact *ends[2] = {NULL, NULL};
  for (size_t i = 0; i < state->contact_count; i++) {
    const rl_contact *c = &state->contacts[i];
    if (!pushes(model, state, i, probe.index) || c->body != probe.body) {
      continue;
    }
    rl_vec3 normal;
    const rl_vec3 p = contact_place(model, state, c, &normal);
    const double slip = contact_slip(model, state, c, p);
    const uint32_t end = c->node + (c->next != RL_NONE ? 1 : 0);
    first = c->node < first ? c->node : first;
    last = end > last ? end : last;
    h->force = rl_add_scaled(h->force, -state->multipliers[model->link_count + i], normal);
    h->slip = fabs(slip) > fabs(h->slip) ? slip : h->slip;
    ends[0] = h->count == 0 ? c : ends[0];
    ends[1] = c;
    add_place(h, p, p, NAN, NAN);
  }
  if (h->count > 0) {
    h->wrap = turn_between(model, state, probe.index, first, last);
    h->before = tension_beside(model, state, ends[0], true);
    h->after = tension_beside(model, state, ends[1], false);
  }
}

// Adds the bends of a rope with mass in its eyes on the body.
static void add_eyes(hold *h, const rl_model *model, const rl_state *state, rl_probe probe) {
  const rl_rope *rope = &model->ropes[probe.index];
  const uint32_t slot = rl_body_slot(model, probe.body);
  double before, behind = 0.0;
  for (uint32_t k = rope->first_eye; k < rope->first_eye + rope->ring_count; k++) {
    const uint32_t i = state->eye_elements[k];
    if (i == RL_NONE) {
      continue;
    }
    uint32_t first;
    rl_element_eyes(model, state, probe.index, i, &first);
    const uint32_t corner = 1 + k - first;
    const rl_vec3 eye = rl_element_corner(model, state, probe.index, i, corner);
    const rl_vec3 in =
        rl_unit(rl_sub(eye, rl_element_corner(model, state, probe.index, i, corner - 1)));
    const rl_vec3 out =
        rl_unit(rl_sub(rl_element_corner(model, state, probe.index, i, corner + 1), eye));
    const rl_link *link = &state->links[rope->first_link + i];
    before = k == first ? state->multipliers[rope->first_link + i] : behind;
    behind = before * (state->grips ? rl_eye_tension_ratio(model, state, k, in, out) : 1.0);
    if (model->eyes[k].slot != slot) {
      continue;
    }
    const double slip =
        rl_dot(in, rl_sub(state->velocities[link->a], rl_velocity_at(model, state, slot, eye)));
    h->wrap += atan2(rl_length(rl_cross(in, out)), rl_dot(in, out));
    h->force = rl_add_scaled(rl_add_scaled(h->force, behind, out), -before, in);
    h->slip = fabs(slip) > fabs(h->slip) ? slip : h->slip;
    add_place(h, eye, eye, before, behind);
  }
}

static double hold_value(const rl_model *model, const rl_state *state, rl_probe probe) {
  const rl_vec3 nowhere = {NAN, NAN, NAN};
  hold h = {.entry = nowhere, .exit = nowhere, .before = NAN, .after = NAN};
  if (model->ropes[probe.index].massless) {
    add_bends(&h, model, state, probe);
  } else {
    add_contacts(&h, model, state, probe);
    add_eyes(&h, model, state, probe);
  }
  const double values[] = {h.wrap,    rl_length(h.force), h.before, h.after,  h.slip,  h.entry.x,
                           h.entry.y, h.entry.z,          h.exit.x, h.exit.y, h.exit.z};
  return values[probe.kind - RL_PROBE_ROPE_WRAP];
}

// Returns the rotation of a body about its own z axis since the start, as the nearest rotation
// about z [rad].
static double turn(const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_quat from = model->bodies[body].rotation;
  const rl_quat back = {-from.x, -from.y, -from.z, from.w};
  const rl_quat since = rl_quat_product(back, state->rotations[body]);
  return 2.0 * atan2(since.z, since.w);
}

// Returns the angular velocity of a body about its own z axis [rad/s].
static double spin(const rl_model *model, const rl_state *state, uint32_t body) {
  return rl_rotate_inverse(state->rotations[body], rl_body_spin(model, state, body)).z;
}

// Returns the value of a probe of a massless rope that came off: no force, and nan for positions.
static double came_off(rl_probe probe) {
  const rl_probe_kind pulls[] = {RL_PROBE_ROPE_TENSION,    RL_PROBE_ROPE_TENSION_FROM,
                                 RL_PROBE_ROPE_TENSION_TO, RL_PROBE_ROPE_TENSION_AT,
                                 RL_PROBE_ROPE_CONTACTS,   RL_PROBE_ROPE_WRAP,
                                 RL_PROBE_ROPE_FORCE};
  for (size_t i = 0; i < sizeof pulls / sizeof pulls[0]; i++) {
    if (probe.kind == pulls[i]) {
      return 0.0;
    }
  }
  return NAN;
}

// Returns the index along the rope that a probe names; `count` or more if there is none now.
static uint32_t place_of(rl_probe probe, uint32_t count) {
  return !probe.from_end         ? probe.element
         : probe.element < count ? count - 1 - probe.element
                                 : count;
}

// Returns a component of node i, which is where element i - 1 ends, or for node 0 where element 0
// begins. The numbers stay when the rope parts.
static double node_component(const rl_model *model, const rl_state *state, rl_probe probe) {
  const uint32_t elements = rl_rope_elements(model, state, probe.index);
  const uint32_t nodes = elements + (model->ropes[probe.index].closed ? 0 : 1);
  const rl_link *links = &state->links[model->ropes[probe.index].first_link];
  const uint32_t i = place_of(probe, nodes);
  return i < nodes ? component(state, i == 0 ? links[0].a : links[i - 1].b,
                               probe.kind - RL_PROBE_ROPE_NODE_X)
                   : NAN;
}

// Returns the tension of element i, or of straight piece i of a massless rope [N].
static double tension_at(const rl_model *model, const rl_state *state, rl_probe probe) {
  const rl_rope *rope = &model->ropes[probe.index];
  const uint32_t count = rope->massless
                             ? rl_bend_count(model, state, probe.index) + (rope->closed ? 0 : 1)
                             : rl_rope_elements(model, state, probe.index);
  const uint32_t i = place_of(probe, count);
  return i >= count       ? NAN
         : rope->massless ? rl_piece_tension(model, state, probe.index, i)
                          : rl_rope_tension(model, state, probe.index, i);
}

double rl_probe_value(const rl_model *model, const rl_state *state, rl_probe probe) {
  if (probe.kind <= RL_PROBE_BODY_SPEED) {
    return component(state, rl_body_slot(model, probe.index), probe.kind - RL_PROBE_BODY_X);
  }
  if (probe.kind == RL_PROBE_BODY_ANGLE) {
    return turn(model, state, probe.index);
  }
  if (probe.kind == RL_PROBE_BODY_SPIN) {
    return spin(model, state, probe.index);
  }
  if (probe.kind >= RL_PROBE_ROPE_WRAP && rl_rope_elements(model, state, probe.index) > 0) {
    return hold_value(model, state, probe);
  }
  if (rl_rope_elements(model, state, probe.index) == 0) {
    return came_off(probe);
  }
  switch (probe.kind) {
  case RL_PROBE_ROPE_LENGTH:
    return path_length(model, state, probe.index);
  case RL_PROBE_ROPE_REST:
    return rest_length(model, state, probe.index);
  case RL_PROBE_ROPE_STRETCH:
    return stretch(model, state, probe.index);
  case RL_PROBE_ROPE_TENSION:
    return rl_largest_tension(model, state, probe.index);
  case RL_PROBE_ROPE_TENSION_FROM:
    return rl_piece_tension(model, state, probe.index, 0);
  case RL_PROBE_ROPE_TENSION_TO:
    return tension_to(model, state, probe.index);
  case RL_PROBE_ROPE_TENSION_AT:
    return tension_at(model, state, probe);
  case RL_PROBE_ROPE_ANGLE:
    return angle(model, state, probe.index);
  case RL_PROBE_ROPE_SAG:
    return sag(model, state, probe.index);
  case RL_PROBE_ROPE_CONTACTS:
    return contacts(model, state, probe.index);
  default:
    return node_component(model, state, probe);
  }
}

bool rl_probe_is_length(rl_probe probe) {
  static const bool lengths[] = {
      [RL_PROBE_BODY_X] = true,       [RL_PROBE_BODY_Y] = true,
      [RL_PROBE_BODY_Z] = true,       [RL_PROBE_ROPE_LENGTH] = true,
      [RL_PROBE_ROPE_REST] = true,    [RL_PROBE_ROPE_NODE_X] = true,
      [RL_PROBE_ROPE_NODE_Y] = true,  [RL_PROBE_ROPE_NODE_Z] = true,
      [RL_PROBE_ROPE_SAG] = true,     [RL_PROBE_ROPE_ENTRY_X] = true,
      [RL_PROBE_ROPE_ENTRY_Y] = true, [RL_PROBE_ROPE_ENTRY_Z] = true,
      [RL_PROBE_ROPE_EXIT_X] = true,  [RL_PROBE_ROPE_EXIT_Y] = true,
      [RL_PROBE_ROPE_EXIT_Z] = true,
  };
  return lengths[probe.kind];
}

double rl_unwrap(double value, double previous) {
  if (isnan(previous)) {
    return value;
  }
  return value + two_pi * floor((previous - value) / two_pi + 0.5);
}
