// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluation: values, gradients and inverse masses of general rows at trial positions. Equation
// numbers are those of papers/world.md unless another note is named.
#include "bodies/body_contact.h"
#include "bodies/manifold.h"
#include "paths/strands.h"
#include "paths/wrap.h"
#include "ropes/eyes.h"

// (6) Returns the response of a row to a unit test impulse: applies the impulse to a separate
// accumulator of momentum, turns that into velocities, and reads the rate of the row. All momentum
// is stored before any velocity is read, so that a body that the rope touches twice gets its cross
// terms. A response that is only round-off of terms that cancel, as of a rope tied to two points of
// one body, counts as 0.
static double test_impulse(rl_rows *rows, const rl_row *row, const rl_point *points) {
  static const double rounding = 1e-13;
  const rl_entry *first = &rows->entries[row->first_entry];
  const rl_entry *end = first + row->entry_count;
  double response = 0.0, terms = 0.0;
  for (const rl_entry *e = first; e < end; e++) {
    rows->momentum[e->slot] = rl_add(rows->momentum[e->slot], e->force);
  }
  for (const rl_entry *e = first; e < end; e++) {
    response += points[e->slot].w * rl_dot(e->gradient, rows->momentum[e->slot]);
    terms += points[e->slot].w * rl_dot(e->gradient, e->force);
  }
  for (const rl_entry *e = first; e < end; e++) {
    rows->momentum[e->slot] = (rl_vec3){0.0, 0.0, 0.0};
  }
  return response > rounding * terms ? response : 0.0;
}

// (4d) of papers/penalty.md
static double crowding(const rl_rows *rows, const rl_row *row, const rl_point *points) {
  double more = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    const double others = e->strands > 4 ? 0.25 * e->strands - 1.0 : 0.0;
    more += others * points[e->slot].w * fmax(rl_dot(e->gradient, e->force), 0.0);
  }
  return more;
}

// Finds the inverse mass in the direction of the slide by a test impulse. An element on the body
// that it is tied to has two entries for one slot: they are summed first.
double rl_contact_inverse_mass(const rl_rows *rows, const rl_row *row, rl_vec3 slide,
                               const rl_point *points) {
  if (!row->has_spins) {
    return row->inverse_mass;
  }
  const rl_vec3 direction = rl_unit(slide);
  const rl_entry *first = &rows->entries[row->first_entry];
  const rl_entry *end = first + row->entry_count;
  double response = 0.0;
  for (const rl_entry *e = first; e < end; e++) {
    rl_vec3 momentum = {0.0, 0.0, 0.0};
    for (const rl_entry *other = first; other < end; other++) {
      if (other->slot == e->slot) {
        momentum = rl_add(momentum, rl_contact_share(row, other, direction));
      }
    }
    response += points[e->slot].w * rl_dot(rl_contact_share(row, e, direction), momentum);
  }
  return response;
}

double rl_row_gradient_inverse_mass(const rl_rows *rows, const rl_row *row,
                                    const rl_point *points) {
  static const double rounding = 1e-13;
  double sum = 0.0, pushed = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    sum += points[e->slot].w * rl_dot(e->gradient, e->gradient);
    pushed += points[e->slot].w * rl_dot(e->force, e->force);
  }
  return sum > rounding * pushed ? sum : 0.0;
}

double rl_row_outward_pull(const rl_model *model, const rl_state *state, const rl_rows *rows,
                           const rl_row *row) {
  double sum = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    const double w = state->points[e->slot].w;
    if (e->slot < model->place_count && w > 0.0) {
      const rl_vec3 g = model->gravity;
      const rl_vec3 a = state->pushes ? rl_add_scaled(g, w, state->pushes[e->slot]) : g;
      sum += rl_dot(e->gradient, a);
    }
  }
  return sum;
}

// A place on a row at trial positions; if it belongs to a body, the rotation of the body and the
// arm from its centre.
typedef struct place {
  const rl_body *body; // NULL: a node, or a point in space
  rl_quat rotation;
  rl_vec3 arm, at;
} place;

static place place_of(const rl_model *model, const rl_state *state, rl_vertex vertex,
                      const rl_point *points) {
  if (vertex.slot == RL_NONE) {
    return (place){.at = vertex.offset};
  }
  place p = {.body = rl_slot_body(model, vertex.slot), .at = rl_position(&points[vertex.slot])};
  if (p.body) {
    p.rotation = rl_body_rotation(model, state, points, vertex.slot - model->node_count);
    p.arm = rl_rotate(p.rotation, vertex.offset);
    p.at = rl_add(p.at, p.arm);
  }
  return p;
}

// Returns the place p of what is at a slot, with the rotation of a body only if it turns.
static place place_at(const rl_model *model, const rl_state *state, uint32_t slot,
                      const rl_point *points) {
  place p = {.body = rl_slot_body(model, slot), .at = rl_position(&points[slot])};
  if (p.body && p.body->spin_slot != RL_NONE) {
    p.rotation = rl_body_rotation(model, state, points, slot - model->node_count);
  }
  return p;
}

static bool has_spin(const place *p) { return p->body && p->body->spin_slot != RL_NONE; }

// (16) Returns the generalized force on the spin of the body of a place.
static rl_vec3 lever(const place *p, rl_vec3 force) {
  return rl_spin_lever(p->body, p->rotation, p->arm, force);
}

// Writes an entry and returns the next one.
static rl_entry *set_entry(rl_entry *entry, rl_vec3 gradient, rl_vec3 force) {
  entry->gradient = gradient;
  entry->force = force;
  return entry + 1;
}

// (2), (3) C = sum of the straight pieces - rest; dC/dp_i = d_{i-1} - d_i, with d_i the direction
// of the piece from vertex i to i + 1 (Knyazyev 8.3: the summed velocity). In an eye with friction
// the forces are those of the tensions on its two sides, (8) of papers/eyes.md.
static void evaluate_span(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row,
                          const rl_point *points) {
  const rl_vertex *vertices = &rows->vertices[row->first_vertex];
  rl_entry *entry = &rows->entries[row->first_entry];
  const uint32_t first_eye = rl_row_first_eye(model, state, row);
  double length = 0.0, pull_in = 1.0, pull_out = 1.0; // over that of the first piece
  place here = place_of(model, state, vertices[0], points);
  rl_vec3 incoming = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < row->vertex_count; i++) {
    rl_vec3 outgoing = {0.0, 0.0, 0.0};
    place next = here;
    if (i + 1 < row->vertex_count) {
      next = place_of(model, state, vertices[i + 1], points);
      const rl_vec3 piece = rl_sub(next.at, here.at);
      const rl_vec3 guide = rl_row_guide(row, i);
      const bool is_guided = !rl_is_zero(guide);
      length += is_guided ? rl_dot(guide, piece) : rl_length(piece);
      outgoing = is_guided ? guide : rl_unit(piece);
    }
    if (first_eye != RL_NONE && i > 0 && i + 1 < row->vertex_count) {
      pull_out *= rl_eye_tension_ratio(model, state, first_eye + i - 1, incoming, outgoing);
    }
    if (vertices[i].slot != RL_NONE) {
      const rl_vec3 gradient = rl_sub(incoming, outgoing);
      const rl_vec3 force = rl_sub(rl_scale(pull_in, incoming), rl_scale(pull_out, outgoing));
      entry = set_entry(entry, gradient, force);
      if (has_spin(&here)) {
        entry = set_entry(entry, lever(&here, gradient), lever(&here, force));
      }
    }
    here = next;
    pull_in = pull_out;
    incoming = outgoing;
  }
  row->rest = state->links[row->item].rest;
  row->value = length - row->rest;
  if (state->reels) {
    const double *reels = state->reels[model->link_rope[row->item]];
    row->reel = reels[0] + reels[1] + (state->feeds ? state->feeds[row->item] : 0.0);
    row->reel_power = row->reel;
    row->reel_strain = 0.5 * row->reel / model->ropes[model->link_rope[row->item]].stiffness;
    row->compliance = state->links[row->item].compliance;
  }
}

// Adds the part of one item to the entries of a strand, with the tensions p before and q behind it
// over that of the first piece: the force is p in - q out, and `in` and `out` act at the places
// where the rope comes on to the body and leaves it. `joint` notes both directions; it may be NULL.
static void add_item(const place *p, const rl_path_item *item, rl_vec3 in, rl_vec3 out,
                     double pull_in, double pull_out, rl_entry *entry, rl_joint *joint) {
  const rl_vec3 pulled_in = rl_scale(pull_in, in), pulled_out = rl_scale(pull_out, out);
  entry->gradient = rl_add(entry->gradient, rl_sub(in, out));
  entry->force = rl_add(entry->force, rl_sub(pulled_in, pulled_out));
  if (joint) {
    joint->before[0] = in;
    joint->behind[0] = rl_scale(-1.0, out);
  }
  if (has_spin(p)) {
    entry++;
    place on = *p, off = *p;
    on.arm = rl_sub(item->entry, p->at);
    off.arm = rl_sub(item->exit, p->at);
    const rl_vec3 lever_on = lever(&on, in), lever_off = lever(&off, out);
    entry->gradient = rl_add(entry->gradient, rl_spin_turn(lever_on, lever_off));
    entry->force =
        rl_add(entry->force, rl_spin_turn(lever(&on, pulled_in), lever(&off, pulled_out)));
    if (joint) {
      joint->before[1] = lever_on;
      joint->behind[1] = rl_scale(-1.0, lever_off);
    }
  }
}

// Returns the entry of a strand at a slot, which it has.
static rl_entry *entry_at(rl_entry *entries, uint32_t slot) {
  while (entries->slot != slot) {
    entries++;
  }
  return entries;
}

// Adds a gradient at a place of what is at a slot.
static void add_gradient(const rl_model *model, const rl_state *state, const rl_point *points,
                         uint32_t slot, rl_vec3 at, rl_vec3 gradient, rl_entry *entries) {
  if (slot == RL_NONE) {
    return;
  }
  place p = place_at(model, state, slot, points);
  rl_entry *entry = entry_at(entries, slot);
  entry->gradient = rl_add(entry->gradient, gradient);
  if (has_spin(&p)) {
    p.arm = rl_sub(at, p.at);
    entry[1].gradient = rl_add(entry[1].gradient, lever(&p, gradient));
  }
}

// (19c) of papers/balls.md: adds the share of a strand in the change of length by a plane that
// yields.
static void add_yield(const rl_model *model, const rl_state *state, const rl_point *points,
                      uint32_t rope, uint32_t wrap, double share, rl_entry *entries) {
  const rl_yield yield = rl_wrap_yield(model, state, rope, wrap);
  const uint32_t ball = rl_wrap_slot(model, state, rope, wrap + 1);
  for (uint32_t k = 0; k < 2; k++) {
    const rl_vec3 more = rl_scale(share, yield.more[k]);
    const uint32_t slot = rl_wrap_slot(model, state, rope, wrap + 2 * k);
    add_gradient(model, state, points, slot, yield.ends[k], more, entries);
    add_gradient(model, state, points, ball, yield.ends[k], rl_scale(-1.0, more), entries);
  }
}

// Evaluates a strand of a rope over wraps: C = length of its path - rest. Arcs move with their
// bodies, so that only the straight pieces count in dC/dt, (1) of papers/wraps.md.
static void evaluate_strand(const rl_model *model, const rl_state *state, rl_rows *rows,
                            rl_row *row, const rl_point *points) {
  const uint32_t rope = model->link_rope[row->item];
  const rl_vec3 none = {0.0, 0.0, 0.0};
  if (!rows->points_stand || rows->known_path != rope) {
    rl_wrap_solve_path(model, state, rope, points);
    rows->known_path = rope;
  }
  const rl_strand strand = rl_wrap_strand(model, state, rope, row->first_piece, points);
  row->rest = strand.stretch;
  row->value = rows->catches[rope] >= rows->substep_end
                   ? -strand.rest // slack, whatever its pieces say
                   : strand.length - strand.rest + rl_strand_taken(model, state, row, points);
  row->compliance = strand.stretch / model->ropes[rope].stiffness;
  rl_entry *entries = &rows->entries[row->first_entry];
  for (uint32_t i = 0; i < row->entry_count; i++) {
    entries[i].gradient = entries[i].force = none;
  }
  const rl_path_item *items = rl_path_items(state, rope);
  double pull_in = 1.0, pull_out = 1.0;
  for (uint32_t k = 0; k <= row->piece_count; k++) {
    const uint32_t slot = rows->vertices[row->first_vertex + k].slot;
    const uint32_t at = row->first_piece + k; // a loop begins at its last wrap
    const rl_path_item *item =
        &items[at == 0 && model->ropes[rope].closed ? state->wrap_counts[rope] : at];
    const bool inside = k > 0 && k < row->piece_count;
    pull_in = pull_out;
    pull_out *= inside ? rl_wrap_tension_ratio(model, state, rope, row->first_piece + k - 1) : 1.0;
    rl_joint *joint = rows->keeps_joints ? &rows->joints[row->first_vertex + k] : NULL;
    if (joint) {
      *joint = (rl_joint){.pull = pull_out};
    }
    if (slot != RL_NONE) {
      const place p = place_at(model, state, slot, points);
      add_item(&p, item, k > 0 ? item->in : none, k < row->piece_count ? item->out : none, pull_in,
               pull_out, entry_at(entries, slot), joint);
    }
  }
  for (uint32_t k = 0; k <= row->piece_count && row->entry_count > 0; k++) {
    const uint32_t wrap = row->first_piece + k - 1;
    if (wrap < state->wrap_counts[rope] &&
        state->wraps[model->ropes[rope].first_wrap + wrap].yields) {
      add_yield(model, state, points, rope, wrap,
                rl_wrap_yield_share(model, state, rope, wrap, k == 0 ? 1 : 0), entries);
    }
  }
  if (state->reels) { // the winches are at the first piece and the last
    const bool is_last = row->first_piece + row->piece_count == state->wrap_counts[rope] + 1;
    const double at_from = row->first_piece == 0 ? state->reels[rope][0] : 0.0;
    const double at_to = is_last ? state->reels[rope][1] : 0.0;
    if (rows->keeps_joints) {
      rows->joints[row->first_vertex].reel = at_from;
      rows->joints[row->first_vertex + row->piece_count - 1].reel += at_to;
    }
    row->reel = at_from + at_to;
    row->reel_power = at_from + pull_out * at_to;
    row->reel_strain = 0.5 * (at_from + pull_out * pull_out * at_to) / model->ropes[rope].stiffness;
  }
}

// Adds the part in the flow of a piece that the velocity of a slot has.
static void add_rate(const rl_point *points, const rl_vec3 *v, uint32_t slot, rl_vec3 gradient,
                     rl_flow *flow) {
  const double rate = rl_dot(gradient, v[slot]);
  flow->all += rate;
  flow->driven += points[slot].w == 0.0 ? rate : 0.0;
}

// Adds that of what is at one of its ends.
static void add_end(const rl_model *model, const rl_point *points, const rl_vec3 *v, uint32_t slot,
                    const rl_vec3 gradients[2], rl_flow *flow) {
  if (slot == RL_NONE) {
    return;
  }
  add_rate(points, v, slot, gradients[0], flow);
  const rl_body *body = rl_slot_body(model, slot);
  if (body && body->spin_slot != RL_NONE) {
    add_rate(points, v, body->spin_slot, gradients[1], flow);
  }
}

void rl_strand_add_flows(const rl_model *model, const rl_rows *rows, const rl_row *row,
                         const rl_point *points, const rl_vec3 *v, rl_flow *flows) {
  const rl_vertex *vertices = &rows->vertices[row->first_vertex];
  const rl_joint *joints = &rows->joints[row->first_vertex];
  for (uint32_t k = 0; k < row->piece_count; k++) {
    flows[k].all -= joints[k].reel;
    flows[k].driven -= joints[k].reel;
    add_end(model, points, v, vertices[k].slot, joints[k].behind, &flows[k]);
    add_end(model, points, v, vertices[k + 1].slot, joints[k + 1].before, &flows[k]);
  }
}

// Whether the normal turns smoothly with the place. Between the faces of the others it jumps, which
// no iteration likes.
static bool is_round(const rl_model *model, const rl_contact *contact) {
  const rl_shape shape = model->bodies[contact->body].parts[contact->part].shape;
  return shape == RL_SPHERE || shape == RL_CAPSULE;
}

// (5b) Returns the tangent plane of a contact as last found, which moves with the body, and the
// distance of p from it.
static rl_surface plane_across(const rl_foot *found, rl_body_pose at, rl_vec3 normal, rl_vec3 p) {
  const rl_vec3 surface = rl_add(at.centre, rl_rotate(at.rotation, found->point));
  return (rl_surface){rl_dot(normal, rl_sub(p, surface)), normal};
}

static rl_surface touching_plane(const rl_foot *found, rl_body_pose at, rl_vec3 p) {
  return plane_across(found, at, rl_rotate(at.rotation, found->normal), p);
}

// Finds two unit vectors across a unit normal.
static void find_tangents(rl_vec3 normal, rl_vec3 tangents[2]) {
  tangents[0] = rl_across(normal);
  tangents[1] = rl_cross(normal, tangents[0]);
}

// Sets the entries of a place that has the share `share` in the touching point of the rope (a body:
// -1). Returns the entry behind them.
static rl_entry *set_contact_entries(const rl_row *row, const place *p, double share,
                                     rl_entry *entry) {
  const rl_vec3 gradient = rl_scale(-share, row->normal);
  const rl_vec3 across[2] = {rl_scale(share, row->tangents[0]), rl_scale(share, row->tangents[1])};
  *entry = (rl_entry){entry->slot, gradient, gradient, {across[0], across[1]}, 0};
  if (has_spin(p)) {
    entry++;
    const rl_vec3 torque = lever(p, gradient);
    *entry = (rl_entry){entry->slot, torque, torque, {lever(p, across[0]), lever(p, across[1])}, 0};
  }
  return entry + 1;
}

// Returns the surface that a rope touches at p. A node that has come nearer to the far side keeps
// the plane on which it was found.
static rl_surface touched_surface(const rl_model *model, const rl_contact *contact,
                                  const rl_foot *found, rl_body_pose at, rl_vec3 p) {
  const rl_surface plane = touching_plane(found, at, p);
  if (contact->next != RL_NONE || !is_round(model, contact)) {
    return plane;
  }
  const rl_surface now = rl_contact_surface(model, contact, at, p);
  return rl_dot(now.normal, plane.normal) > 0.0 ? now : plane;
}

// Whether only the value depends on the positions: nodes, and a plane that stands still.
static bool stays_laid(const rl_model *model, const rl_contact *contact, const place *from,
                       const place *to) {
  return model->bodies[contact->body].motion == RL_FIXED && !from->body && !to->body &&
         (contact->next != RL_NONE || !is_round(model, contact));
}

// (5), (5b) Evaluates a contact of a rope with a body.
static void evaluate_contact(const rl_model *model, const rl_state *state, rl_rows *rows,
                             rl_row *row, const rl_point *points) {
  const rl_contact *contact = &state->contacts[row->item];
  const rl_foot *found = &rows->feet[row->item];
  const rl_vertex *vertices = &rows->vertices[row->first_vertex];
  const uint32_t ends = contact->next == RL_NONE ? 1 : 2;
  const place from = place_of(model, state, vertices[0], points);
  const place to = place_of(model, state, vertices[ends - 1], points);
  const rl_vec3 p = rl_add_scaled(from.at, found->fraction, rl_sub(to.at, from.at));
  const rl_body_pose at = rl_body_pose_at(model, state, points, contact->body);
  const rl_surface surface = row->is_laid ? plane_across(found, at, row->normal, p)
                                          : touched_surface(model, contact, found, at, p);
  // An idle one does not touch, wherever the iteration takes it.
  row->value = found->is_idle ? -1.0 : model->ropes[contact->rope].radius - surface.distance;
  if (row->is_laid) {
    return;
  }
  row->is_laid = stays_laid(model, contact, &from, &to);
  row->normal = surface.normal;
  if (row->friction > 0.0) {
    find_tangents(row->normal, row->tangents);
  }
  rl_entry *entry = &rows->entries[row->first_entry];
  entry = set_contact_entries(row, &from, 1.0 - found->fraction, entry);
  if (ends == 2) {
    entry = set_contact_entries(row, &to, found->fraction, entry);
  }
  if (ends < row->vertex_count) {
    const place body = {&model->bodies[contact->body], at.rotation, rl_sub(p, at.centre), p};
    set_contact_entries(row, &body, -1.0, entry);
  }
}

// Finds the shares that the four ends of two elements have in the way between the places that are
// nearest.
static void find_shares(const rl_foot *found, double shares[4]) {
  shares[0] = 1.0 - found->fraction;
  shares[1] = found->fraction;
  shares[2] = found->other_fraction - 1.0;
  shares[3] = -found->other_fraction;
}

// Evaluates a contact of two elements, (2), (3) of papers/tangle.md, with p and q the nearest
// places as found: either can slide along itself without a change of C.
static void evaluate_ropes(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row,
                           const rl_point *points) {
  const rl_foot *found = &rows->feet[row->item];
  const rl_vertex *vertices = &rows->vertices[row->first_vertex];
  place places[4];
  for (size_t i = 0; i < 4; i++) {
    places[i] = place_of(model, state, vertices[i], points);
  }
  double shares[4];
  find_shares(found, shares);
  rl_vec3 way = {0.0, 0.0, 0.0};
  for (size_t i = 0; i < 4; i++) {
    way = rl_add_scaled(way, shares[i], places[i].at);
  }
  row->normal = found->normal;
  row->value = found->is_idle ? -1.0 : found->radius - found->kept_depth - rl_dot(row->normal, way);
  if (row->friction > 0.0) {
    find_tangents(row->normal, row->tangents);
  }
  rl_entry *entry = &rows->entries[row->first_entry];
  for (size_t i = 0; i < 4; i++) {
    entry = set_contact_entries(row, &places[i], shares[i], entry);
  }
}

// Returns the normal with which a round part was touched, turned with its axis; a ball has none.
// That it spins leaves the side where it is.
static rl_vec3 touched_side(const rl_part *part, const rl_foot *found, rl_vec3 axis) {
  const rl_vec3 side = rl_rotate(found->rotation, found->normal);
  const rl_vec3 was = rl_rotate(found->rotation, rl_rotate(part->rotation, rl_vec(0.0, 0.0, 1.0)));
  const double turn = 1.0 + rl_dot(was, axis);
  if (part->shape == RL_SPHERE || !(turn > 0.0)) {
    return side;
  }
  const rl_vec3 c = rl_cross(was, axis), across = rl_cross(c, side);
  return rl_add_scaled(rl_add(side, across), 1.0 / turn, rl_cross(c, across));
}

// (1), (16) of papers/bodies.md: returns the surface at a place beside a part that was touched with
// a normal, if that turns smoothly with the place: of a ball, a capsule, or the side of a cylinder.
// What has passed their middle is on the side from which it came. Any other surface is as found.
static rl_surface surface_now(const rl_part *part, rl_body_pose at, const rl_foot *foot,
                              rl_surface found, rl_vec3 p) {
  static const double across = 1e-9; // cosine of the angle between a side's normal and the axis
  const rl_vec3 axis = rl_rotate(at.rotation, rl_rotate(part->rotation, rl_vec(0.0, 0.0, 1.0)));
  rl_surface now;
  if (part->shape == RL_SPHERE || part->shape == RL_CAPSULE) {
    now = rl_shape_surface(part, at.centre, at.rotation, p);
  } else if (part->shape == RL_CYLINDER && fabs(rl_dot(found.normal, axis)) < across) {
    const rl_vec3 arm = rl_sub(p, rl_add(at.centre, rl_rotate(at.rotation, part->at)));
    const rl_vec3 out = rl_add_scaled(arm, -rl_dot(arm, axis), axis);
    now = (rl_surface){rl_length(out) - part->radius, rl_unit(out)};
  } else {
    return found;
  }
  const rl_surface behind = {-2.0 * part->radius - now.distance, rl_scale(-1.0, now.normal)};
  const double facing = rl_dot(now.normal, touched_side(part, foot, axis));
  return facing > 0.0 ? now : facing < 0.0 ? behind : found;
}

// Evaluates a contact of two bodies, (1) to (3) of papers/bodies.md, with p the point of the first
// that is nearest to the plane of the second, or to its surface if that is round. All arms end at
// p, which includes the turn of the normal with the second.
static void evaluate_bodies(const rl_model *model, const rl_state *state, rl_rows *rows,
                            rl_row *row, const rl_point *points) {
  const rl_contact *contact = &state->contacts[row->item];
  const rl_foot *found = &rows->feet[row->item];
  const uint32_t other = contact->slot - model->node_count;
  const rl_body_pose first = rl_body_pose_at(model, state, points, other);
  const rl_body_pose second = rl_body_pose_at(model, state, points, contact->body);
  const rl_vec3 core = rl_add(first.centre, rl_rotate(first.rotation, found->core));
  rl_surface surface = touching_plane(found, second, core);
  const rl_part *part = rl_touched_part(model, contact);
  if (rl_is_zero(found->axis)) {
    surface = surface_now(part, second, found, surface, core);
  }
  double below;
  const rl_vec3 p = rl_rounding_point(core, found->radius, rl_rotate(first.rotation, found->axis),
                                      surface.normal, &below);
  row->value = below - surface.distance - found->kept_depth;
  row->normal = surface.normal;
  if (row->friction > 0.0) {
    find_tangents(row->normal, row->tangents);
  }
  rl_entry *entry = &rows->entries[row->first_entry];
  const place places[2] = {
      {&model->bodies[other], first.rotation, rl_sub(p, first.centre), p},
      {&model->bodies[contact->body], second.rotation, rl_sub(p, second.centre), p}};
  for (uint32_t i = 0; i < 2; i++) {
    if (places[i].body->motion != RL_FIXED) {
      entry = set_contact_entries(row, &places[i], i == 0 ? 1.0 : -1.0, entry);
    }
  }
}

// Return the place of a contact on the surface of its body (rl_contact_place); a row as last
// evaluated at the state's positions.
static rl_vec3 place_of_bodies(const rl_model *model, const rl_state *state, const rl_foot *found,
                               const rl_contact *contact, const rl_row *row) {
  const uint32_t other = contact->slot - model->node_count;
  const rl_body_pose first = rl_body_pose_at(model, state, state->points, other);
  const rl_vec3 core = rl_add(first.centre, rl_rotate(first.rotation, found->core));
  double below;
  const rl_vec3 p = rl_rounding_point(core, found->radius, rl_rotate(first.rotation, found->axis),
                                      row->normal, &below);
  return rl_add_scaled(p, row->value, row->normal);
}

static rl_vec3 place_of_ropes(const rl_model *model, const rl_state *state, const rl_foot *found,
                              const rl_contact *contact, const rl_row *row) {
  const rl_link *other = &state->links[contact->other];
  const rl_vec3 from = rl_position(&state->points[other->a]);
  const rl_vec3 way = rl_sub(rl_position(&state->points[other->b]), from);
  return rl_add_scaled(rl_add_scaled(from, found->other_fraction, way),
                       model->ropes[model->link_rope[contact->other]].radius, row->normal);
}

static rl_vec3 place_on_body(const rl_model *model, const rl_state *state, const rl_foot *found,
                             const rl_contact *contact, const rl_row *row) {
  rl_vec3 p = rl_position(&state->points[contact->slot]);
  if (contact->next != RL_NONE) {
    const rl_vec3 to = rl_position(&state->points[contact->next]);
    p = rl_add_scaled(p, found->fraction, rl_sub(to, p));
  }
  // Not from the row's value: what is idle at the end of a step may have pushed within it.
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, contact->body);
  const double distance = touched_surface(model, contact, found, at, p).distance;
  return rl_add_scaled(p, -distance, row->normal);
}

rl_vec3 rl_contact_place(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row) {
  const rl_contact *contact = &state->contacts[row->item];
  rl_row_evaluate(model, state, rows, row, state->points);
  return (rl_is_of_bodies(contact) ? place_of_bodies
          : rl_is_of_ropes(contact)
              ? place_of_ropes
              : place_on_body)(model, state, &rows->feet[row->item], contact, row);
}

// Sets the entries of a contact of two elements between nodes.
static void lay_entries(rl_rows *rows, rl_row *row) {
  const rl_crossing *c = &rows->crossings[row->item];
  if (row->friction > 0.0) {
    find_tangents(row->normal, row->tangents);
  }
  rl_entry *entry = &rows->entries[row->first_entry];
  for (size_t i = 0; i < 4; i++, entry++) {
    entry->slot = c->slots[i];
    entry->gradient = entry->force = rl_scale(-c->shares[i], row->normal);
    entry->across[0] = rl_scale(c->shares[i], row->tangents[0]);
    entry->across[1] = rl_scale(c->shares[i], row->tangents[1]);
  }
  row->is_laid = true;
}

// Sets up the rl_crossing of a row whose slots and shares it has.
static void freeze(const rl_state *state, rl_rows *rows, rl_row *row, rl_crossing *c) {
  const rl_foot *found = &rows->feet[row->item];
  row->normal = found->normal;
  row->is_laid = false;
  row->inverse_mass = 0.0;
  for (size_t i = 0; i < 4; i++) {
    row->inverse_mass += c->shares[i] * c->shares[i] * state->points[c->slots[i]].w;
  }
  c->normal = found->is_idle ? rl_vec(0.0, 0.0, 0.0) : found->normal;
  c->distance = found->is_idle ? -1.0 : found->radius - found->kept_depth;
  c->inverse_mass = row->inverse_mass;
  c->friction = row->friction;
}

void rl_row_freeze(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row) {
  const rl_foot *found = &rows->feet[row->item];
  const rl_vertex *vertices = &rows->vertices[row->first_vertex];
  rl_crossing *c = &rows->crossings[row->item];
  bool is_crossing = true;
  find_shares(found, c->shares);
  for (size_t i = 0; i < 4; i++) {
    c->slots[i] = vertices[i].slot;
    is_crossing = is_crossing && vertices[i].slot < model->node_count;
  }
  if (is_crossing) {
    freeze(state, rows, row, c);
  } else {
    c->slots[0] = RL_NONE;
  }
}

void rl_row_evaluate(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row,
                     const rl_point *points) {
  if (rl_row_is_crossing(rows, row)) {
    const rl_crossing *c = &rows->crossings[row->item];
    row->value = rl_crossing_value(c, rl_crossing_way(c, points));
    if (!row->is_laid) {
      lay_entries(rows, row);
    }
    return;
  }
  if (row->piece_count > 0) {
    evaluate_strand(model, state, rows, row, points);
    row->crowding = crowding(rows, row, points);
  } else if (row->kind == RL_ROW_SPAN) {
    evaluate_span(model, state, rows, row, points);
  } else if (rl_is_of_bodies(&state->contacts[row->item])) {
    evaluate_bodies(model, state, rows, row, points);
  } else if (rl_is_of_ropes(&state->contacts[row->item])) {
    evaluate_ropes(model, state, rows, row, points);
  } else {
    evaluate_contact(model, state, rows, row, points);
  }
  row->inverse_mass = test_impulse(rows, row, points);
  if (row->inverse_mass == 0.0 && row->piece_count > 0 && model->split_capacity > 0 &&
      rows->propped[row->source]) { // a measure of it
    row->inverse_mass = rl_row_gradient_inverse_mass(rows, row, points);
  }
}

double rl_element_length(const rl_model *model, const rl_state *state, uint32_t link) {
  const rl_rope *rope = &model->ropes[model->link_rope[link]];
  if (rope->wrap_capacity > 0) {
    return rl_wrap_solve_path(model, state, model->link_rope[link], state->points);
  }
  rl_vec3 at = rl_position(&state->points[state->links[link].a]);
  double length = 0.0;
  uint32_t first = rope->first_eye;
  const uint32_t eyes = rope->massless ? rope->eye_count
                                       : rl_element_eyes(model, state, model->link_rope[link],
                                                         link - rope->first_link, &first);
  for (uint32_t i = first; i < first + eyes; i++) {
    const rl_vec3 eye = rl_vertex_position(model, state, model->eyes[i], state->points);
    length += rl_distance(at, eye);
    at = eye;
  }
  return length + rl_distance(at, rl_position(&state->points[state->links[link].b]));
}
