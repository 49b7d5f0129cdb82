// SPDX-License-Identifier: GPL-3.0-or-later
// Detection: the contacts that can act in a step, and their places.
#include "bodies/body_contact.h"
#include "paths/wrap.h"
#include "ropes/elements.h"
#include "ropes/eyes.h"
#include "ropes/rope_contact.h"
#include "rows_coming.h"

#include <string.h>

static uint64_t both(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_contacts(const rl_contact *a, const rl_contact *b) {
  int order = compare(both(a->rope, a->node), both(b->rope, b->node));
  order =
      order ? order : compare(both(a->next != RL_NONE, a->body), both(b->next != RL_NONE, b->body));
  return order ? order : compare(both(a->part, a->second), both(b->part, b->second));
}

// Returns how far a slot can move relative to a body within dt: |v| dt + |g| dt^2, and as much
// again for what the rope does to it [m].
static double travel(const rl_model *model, const rl_state *state, uint32_t slot, uint32_t body,
                     double dt) {
  const uint32_t centre = rl_body_slot(model, body);
  const rl_vec3 arm =
      rl_sub(rl_position(&state->points[slot]), rl_position(&state->points[centre]));
  const rl_vec3 turning = rl_cross(rl_body_spin(model, state, body), arm);
  const double speed =
      rl_distance(state->velocities[slot], rl_add(state->velocities[centre], turning));
  return 2.0 * dt * (speed + dt * rl_length(model->gravity));
}

// Finds the place on a part that is nearest to a node; returns the distance from its centre [m].
static double node_foot(const rl_model *model, const rl_state *state, const rl_contact *contact,
                        rl_foot *foot) {
  const rl_vec3 p = rl_position(&state->points[contact->slot]);
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, contact->body);
  const rl_surface surface = rl_contact_surface(model, contact, at, p);
  *foot = rl_foot_at(surface, p, at, 0.0);
  return surface.distance;
}

// Whether a node can touch a part within dt; one that `pushed` in the step before can.
static bool node_is_near(const rl_model *model, const rl_state *state, const rl_contact *contact,
                         double dt, bool pushed, rl_foot *foot) {
  return node_foot(model, state, contact, foot) - model->ropes[contact->rope].radius <=
             travel(model, state, contact->slot, contact->body, dt) ||
         pushed;
}

// Finds the place of an element that is nearest to a part; returns the distance of its axis [m]. An
// element whose ends are as near has no contact of its own, unless it lies flat on a face and
// `pushed` against the edge over which it leaves the face: it would fall round the edge.
static double element_foot(const rl_model *model, const rl_state *state, const rl_contact *contact,
                           bool pushed, rl_foot *foot) {
  const rl_part *part = &model->bodies[contact->body].parts[contact->part];
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, contact->body);
  const rl_vec3 from = rl_node_position(model, state, contact->slot);
  const rl_vec3 to = rl_node_position(model, state, contact->next);
  const rl_vec3 ends[2] = {from, to};
  rl_surface surface, edge;
  double s, leaves;
  bool is_idle = !rl_element_between(part, at, ends, &s, &surface);
  if (is_idle && pushed && rl_element_leaves(part, at, ends, &leaves, &edge)) {
    s = leaves;
    surface = edge;
    is_idle = false;
  }
  *foot = rl_foot_at(surface, rl_add_scaled(from, s, rl_sub(to, from)), at, s);
  foot->is_idle = is_idle;
  return surface.distance;
}

// Whether an element can touch a part within dt.
static bool element_is_near(const rl_model *model, const rl_state *state, const rl_contact *contact,
                            double dt, bool pushed, bool tells_edges, rl_foot *foot) {
  const rl_vec3 from = rl_node_position(model, state, contact->slot);
  const rl_vec3 to = rl_node_position(model, state, contact->next);
  const double reach = model->ropes[contact->rope].radius +
                       fmax(travel(model, state, contact->slot, contact->body, dt),
                            travel(model, state, contact->next, contact->body, dt));
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, contact->body);
  const rl_vec3 middle = rl_scale(0.5, rl_add(from, to));
  return (pushed || rl_contact_surface(model, contact, at, middle).distance <=
                        reach + 0.5 * rl_distance(from, to)) &&
         (element_foot(model, state, contact, pushed && !tells_edges, foot) <= reach || pushed);
}

// Whether a contact was there in the step before; then old->at is its place.
static bool contact_was(rl_old_contacts *old, const rl_contact *contact) {
  int order = 1;
  while (old->at < old->count && (order = compare_contacts(&old->contacts[old->at], contact)) < 0) {
    old->at++;
  }
  return order == 0;
}

rl_foot *rl_contact_add(const rl_model *model, rl_state *state, rl_rows *rows,
                        const rl_contact *contact) {
  rl_old_contacts *old = &rows->old;
  const bool known = contact_was(old, contact);
  const uint64_t i = state->contact_count++;
  state->contacts[i] = *contact;
  rows->contact_before[i] = known ? (uint32_t)old->at : RL_NONE;
  state->multipliers[model->link_count + i] = known ? old->multipliers[old->at] : 0.0;
  state->frictions[i] = known ? old->frictions[old->at] : rl_vec(0.0, 0.0, 0.0);
  if (state->slips) {
    state->slips[i] = known ? old->slips[old->at] : rl_vec(0.0, 0.0, 0.0);
  }
  if (rows->tangle) {
    rows->crossings[i].slots[0] = RL_NONE;
    state->sides[i] = rl_vec(0.0, 0.0, 0.0);
  }
  return &rows->feet[i];
}

// Whether a contact, or the second one beside it, pushed in the step before.
static bool has_pushed(rl_old_contacts *old, const rl_contact *contact) {
  if (!contact_was(old, contact)) {
    return false;
  }
  rl_contact second = *contact;
  second.second = 1;
  const uint64_t next = old->at + 1;
  return old->multipliers[old->at] > 0.0 ||
         (next < old->count && compare_contacts(&old->contacts[next], &second) == 0 &&
          old->multipliers[next] > 0.0);
}

// Adds the contacts of a node or an element with one body to the state's list.
static void detect_pair(const rl_model *model, rl_state *state, rl_rows *rows, rl_contact contact,
                        double dt) {
  const rl_body *body = &model->bodies[contact.body];
  for (contact.part = 0; contact.part < body->part_count; contact.part++) {
    rl_foot foot;
    const bool pushed = has_pushed(&rows->old, &contact);
    const bool near =
        contact.next == RL_NONE
            ? node_is_near(model, state, &contact, dt, pushed, &foot)
            : element_is_near(model, state, &contact, dt, pushed, rows->tells_edges, &foot);
    const bool is_element = contact.next != RL_NONE;
    const bool tells_edges =
        rows->tells_edges && is_element && rl_is_polyhedron(body->parts[contact.part].shape);
    rl_foot second = foot;
    bool has_come = near && is_element && !rows->lists_idle &&
                    rl_element_comes(model, state, &contact, dt, pushed, &foot, &second);
    if (has_come && foot.is_idle) {
      foot = second;
      has_come = false;
    }
    if (!near || (foot.is_idle && !rows->lists_idle)) {
      continue;
    }
    *rl_contact_add(model, state, rows, &contact) = foot;
    if (has_come || tells_edges) {
      second.is_idle = !has_come;
      contact.second = 1;
      *rl_contact_add(model, state, rows, &contact) = second;
      contact.second = 0;
    }
  }
}

// Whether the element of a contact, if it is one, ends at an anchor on the body.
static bool is_tied_to(const rl_model *model, const rl_contact *contact, uint32_t body) {
  return contact->next != RL_NONE &&
         (rl_tied_body(model, contact->slot) == body || rl_tied_body(model, contact->next) == body);
}

// The box of the nodes of a rope, or of their velocities.
typedef struct bounds {
  rl_vec3 low, high;
} bounds;

static void include(bounds *b, rl_vec3 p) { rl_include(&b->low, &b->high, p); }

static rl_vec3 middle_of(const bounds *b) { return rl_scale(0.5, rl_add(b->low, b->high)); }

static double radius_of(const bounds *b) { return 0.5 * rl_distance(b->low, b->high); }

// Returns half the width of a box along a unit vector.
static double half_width(const bounds *b, rl_vec3 along) {
  const rl_vec3 size = rl_sub(b->high, b->low);
  return 0.5 * (size.x * fabs(along.x) + size.y * fabs(along.y) + size.z * fabs(along.z));
}

// Notes the bodies on which a place of a rope, or one behind it up to `last`, pushed in the step
// before. Returns whether there are any.
static bool find_pushed_bodies(rl_rows *rows, uint32_t rope, uint32_t last) {
  const rl_old_contacts *old = &rows->old;
  bool any = false;
  for (uint64_t k = old->at;
       k < old->count && old->contacts[k].rope == rope && old->contacts[k].node <= last; k++) {
    const uint32_t body = old->contacts[k].body;
    if (body != RL_NONE && old->multipliers[k] > 0.0) {
      rows->near_bodies[body] = any = true;
    }
  }
  return any;
}

// Number of elements of a rope that are skipped at once where no body is near.
enum { STRETCH = 32 };

// Notes to which bodies a stretch of a rope's elements, first to last, can be near within dt. The
// distance from a part is convex: nowhere less than its tangent at the middle says. No travel is
// more than the sum of the largest of its terms. Returns whether there are any.
static bool find_near_bodies(const rl_model *model, const rl_state *state, rl_rows *rows,
                             uint32_t rope, uint32_t first, uint32_t last, double dt) {
  static const double rounding = 1e-6;
  const rl_link *links = &state->links[model->ropes[rope].first_link];
  const rl_vec3 most = {INFINITY, INFINITY, INFINITY};
  bounds places = {most, rl_scale(-1.0, most)}, motions = places;
  for (uint32_t i = first; i <= last; i++) {
    include(&places, rl_position(&state->points[links[i].a]));
    include(&motions, state->velocities[links[i].a]);
    if (i == last || links[i + 1].a != links[i].b) {
      include(&places, rl_position(&state->points[links[i].b]));
      include(&motions, state->velocities[links[i].b]);
    }
  }
  bool any = false;
  const rl_vec3 middle = middle_of(&places), velocity = middle_of(&motions);
  for (uint32_t b = 0; b < model->body_count; b++) {
    const rl_body_pose at = rl_body_pose_at(model, state, state->points, b);
    const double arm = rl_distance(middle, at.centre) + radius_of(&places);
    const double speed = rl_distance(velocity, state->velocities[rl_body_slot(model, b)]) +
                         radius_of(&motions) + arm * rl_length(rl_body_spin(model, state, b));
    const double travel = 2.0 * dt * (speed + dt * rl_length(model->gravity));
    rows->near_bodies[b] = false;
    for (uint32_t k = 0; k < model->bodies[b].part_count && !rows->near_bodies[b]; k++) {
      const rl_surface surface =
          rl_shape_surface(&model->bodies[b].parts[k], at.centre, at.rotation, middle);
      const double reach = half_width(&places, surface.normal) + model->ropes[rope].radius + travel;
      rows->near_bodies[b] = !(surface.distance > (1.0 + rounding) * reach);
    }
    any = any || rows->near_bodies[b];
  }
  return any;
}

// Lists the contacts of a node or an element with all bodies; one of both must be able to move. A
// node that is held touches nothing, and an element not the body to which it is tied.
static void detect_feature(const rl_model *model, rl_state *state, rl_rows *rows,
                           rl_contact contact, double dt) {
  const bool moves =
      rl_slot_moves(model, state->points, rl_node_vertex(model, contact.slot).slot) ||
      (contact.next != RL_NONE &&
       rl_slot_moves(model, state->points, rl_node_vertex(model, contact.next).slot));
  if (contact.next == RL_NONE && rl_moving_hold(model, contact.slot)) {
    return;
  }
  for (uint32_t b = 0; b < model->body_count; b++) {
    const bool can_move = moves || rl_slot_moves(model, state->points, rl_body_slot(model, b));
    if (rows->near_bodies[b] && can_move && !is_tied_to(model, &contact, b) &&
        rl_rope_touches(model, contact.rope, b)) {
      contact.body = b;
      detect_pair(model, state, rows, contact, dt);
    }
  }
}

// Lists the contacts of a node; a joint belongs to one of its ropes.
static void detect_node(const rl_model *model, rl_state *state, rl_rows *rows, rl_contact contact,
                        double dt) {
  if (contact.slot >= model->node_count || model->node_rope[contact.slot] == contact.rope) {
    detect_feature(model, state, rows, contact, dt);
  }
}

// Moves the contacts of the state to those of the step before.
static void set_aside(const rl_model *model, rl_state *state, rl_old_contacts *old) {
  old->count = state->contact_count;
  old->at = 0;
  memcpy(old->contacts, state->contacts, old->count * sizeof *old->contacts);
  memcpy(old->multipliers, &state->multipliers[model->link_count],
         old->count * sizeof *old->multipliers);
  memcpy(old->frictions, state->frictions, old->count * sizeof *old->frictions);
  if (state->slips) {
    memcpy(old->slips, state->slips, old->count * sizeof *old->slips);
  }
  if (state->sides) {
    memcpy(old->sides, state->sides, old->count * sizeof *old->sides);
  }
  state->contact_count = 0;
}

static void detect_contacts(const rl_model *model, rl_state *state, rl_rows *rows, double dt) {
  set_aside(model, state, &rows->old);
  if (rows->tangle) {
    rows->overflows = !rl_tangle_find(model, state, rows->tangle, dt);
  }
  uint32_t entangled = 0; // elements of ropes that touch ropes so far
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].massless) {
      continue;
    }
    const rl_link *links = &state->links[model->ropes[r].first_link];
    const uint32_t elements = rl_rope_elements(model, state, r);
    uint32_t node = 0; // places along the rope
    bool near = false;
    for (uint32_t i = 0; i < elements; i++) {
      if (i % STRETCH == 0) {
        const uint32_t last = i + STRETCH < elements ? i + STRETCH - 1 : elements - 1;
        near = find_near_bodies(model, state, rows, r, i, last, dt);
        near = find_pushed_bodies(rows, r, node + last - i + 1) || near;
      }
      rl_contact contact = {.rope = r, .node = node++, .slot = links[i].a, .next = RL_NONE};
      if (near) {
        detect_node(model, state, rows, contact, dt);
        contact.next = links[i].b; // the element that begins there
        if (!rl_element_is_in_eye(model, state, r, i)) {
          detect_feature(model, state, rows, contact, dt);
        }
      }
      if (rows->tangle && model->ropes[r].rope_collide) {
        const bool complete = rl_detect_ropes(model, state, rows, entangled++);
        rows->overflows = rows->overflows || !complete;
      }
      if (rl_element_next(model, state, r, i) == RL_NONE) {
        contact = (rl_contact){.rope = r, .node = node++, .slot = links[i].b, .next = RL_NONE};
        if (near) {
          detect_node(model, state, rows, contact, dt);
        }
      }
    }
  }
  rl_detect_bodies(model, state, rows, dt);
}

// Builds the rows of the ropes again if wraps or elements have changed, and then returns true.
static bool find_ropes(const rl_model *model, const rl_state *state, rl_rows *rows) {
  const uint64_t now = model->wrap_capacity > 0 ? rl_wraps_hash(model, state) : rows->wraps;
  const bool changed = now != rows->wraps || state->topology != rows->topology ||
                       (model->has_rings && rl_eyes_hash(model, state) != rows->rings);
  if (changed) {
    rl_rows_add_ropes(model, state, rows);
  }
  rows->wraps = now;
  return changed;
}

// Adds the row of a contact of a rope with a body.
static void add_contact_row(const rl_model *model, rl_rows *rows, const rl_contact *contact,
                            uint32_t i) {
  rl_row *row = rl_rows_add(rows, RL_ROW_CONTACT, model->link_count + i, i);
  row->friction = rl_rope_friction(model, contact->rope, contact->body);
  rl_row_add_vertex(model, rows, row, rl_node_vertex(model, contact->slot));
  if (contact->next != RL_NONE) {
    rl_row_add_vertex(model, rows, row, rl_node_vertex(model, contact->next));
  }
  if (model->bodies[contact->body].motion != RL_FIXED) { // the body feels the rope, or drives it
    rl_row_add_vertex(model, rows, row,
                      (rl_vertex){rl_body_slot(model, contact->body), {0.0, 0.0, 0.0}});
  }
}

void rl_detect(const rl_model *model, rl_state *state, double dt, rl_rows *rows) {
  rows->is_evaluated = false;
  const bool relaid = find_ropes(model, state, rows);
  rl_eyes_guide(model, state, rows, dt);
  if (model->contact_capacity == 0) {
    if (model->wrap_capacity > 0 || relaid) {
      rows->row_count = rows->span_count;
      rl_rows_add_splits(model, state, rows);
      rows->structure += relaid ? 1 : 0;
    }
    return;
  }
  const uint64_t count_before = state->contact_count;
  detect_contacts(model, state, rows, dt);
  bool same = state->contact_count == count_before && rows->laid == state;
  for (uint32_t i = 0; i < state->contact_count && same; i++) {
    same = rows->contact_before[i] == i;
  }
  rows->structure += same && !relaid ? 0 : 1;
  rows->laid = state;
  rows->row_count = rows->span_count;
  for (uint32_t i = 0; i < state->contact_count; i++) {
    const rl_contact *contact = &state->contacts[i];
    if (rl_is_of_bodies(contact)) {
      rl_add_body_row(model, rows, contact, i);
    } else if (rl_is_of_ropes(contact)) {
      rl_add_rope_row(model, state, rows, contact, i);
    } else {
      add_contact_row(model, rows, contact, i);
    }
  }
  rl_count_crowds(model, state, rows);
  rows->blocks[rows->contact_block].row_count = (uint32_t)state->contact_count;
  rl_rows_add_splits(model, state, rows);
}

// Returns the position of a node in the frame of a body.
static rl_vec3 place_beside(const rl_model *model, const rl_state *state, uint32_t slot,
                            uint32_t body) {
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, body);
  return rl_rotate_inverse(at.rotation, rl_sub(rl_node_position(model, state, slot), at.centre));
}

// Returns rl_travelled of a node, over the bodies that its rope can touch.
static double node_travelled(const rl_model *model, const rl_state *then, const rl_state *now,
                             uint32_t rope, uint32_t slot, double dt) {
  double share = 0.0;
  for (uint32_t b = 0; b < model->body_count; b++) {
    if (rl_rope_touches(model, rope, b) && rl_tied_body(model, slot) != b) {
      const double moved =
          rl_distance(place_beside(model, then, slot, b), place_beside(model, now, slot, b));
      share = rl_larger(share, rl_travelled_share(model, moved, travel(model, then, slot, b, dt)));
    }
  }
  return share;
}

double rl_travelled(const rl_model *model, const rl_state *then, const rl_state *now, double dt) {
  double share = model->contact_capacity > 0 ? rl_bodies_travelled(model, then, now, dt) : 0.0;
  for (uint32_t r = 0; r < model->rope_count && model->contact_capacity > 0; r++) {
    const rl_link *links = &now->links[model->ropes[r].first_link];
    const uint32_t elements = model->ropes[r].massless ? 0 : rl_rope_elements(model, now, r);
    for (uint32_t i = 0; i < elements; i++) {
      share = rl_larger(share, node_travelled(model, then, now, r, links[i].a, dt));
      share = rl_larger(share, node_travelled(model, then, now, r, links[i].b, dt));
    }
  }
  return share;
}

void rl_detect_again(const rl_model *model, const rl_state *state, rl_rows *rows) {
  if (rows->tangle) {
    rl_tangle_move(model, state, rows->tangle);
  }
  for (uint64_t i = 0; i < state->contact_count && !rl_is_of_bodies(&state->contacts[i]); i++) {
    const rl_contact *contact = &state->contacts[i];
    rl_foot foot;
    if (rl_is_of_ropes(contact)) {
      rl_detect_ropes_again(model, state, rows, i);
      continue;
    }
    if (contact->next == RL_NONE) {
      node_foot(model, state, contact, &foot);
    } else {
      const bool pushed = state->multipliers[model->link_count + i] > 0.0 && !rows->tells_edges;
      element_foot(model, state, contact, pushed, &foot);
    }
    // What came out on the far side is still on the side it was found on.
    if (rl_dot(foot.normal, rows->feet[i].normal) > 0.0) {
      rows->feet[i] = foot;
      rows->rows[rows->span_count + i].is_laid = false;
    }
  }
}
