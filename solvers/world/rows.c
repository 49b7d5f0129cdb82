// SPDX-License-Identifier: GPL-3.0-or-later
#include "rows.h"

#include "memory.h"
#include "rotation.h"
#include "shape.h"

#include <string.h>

static size_t lay_out(const rl_model *m, rl_rows *rows, char *block) {
  rl_carver c = {.block = block};
  rows->blocks = rl_carve(&c, 3 * (size_t)m->rope_count + 1, sizeof *rows->blocks);
  rows->rows = rl_carve(&c, m->row_capacity, sizeof *rows->rows);
  rows->vertices = rl_carve(&c, m->vertex_capacity, sizeof *rows->vertices);
  rows->entries = rl_carve(&c, m->entry_capacity, sizeof *rows->entries);
  rows->momentum = rl_carve(&c, m->slot_count, sizeof *rows->momentum);
  rows->feet = rl_carve(&c, m->contact_capacity, sizeof *rows->feet);
  rows->contact_before = rl_carve(&c, m->contact_capacity, sizeof *rows->contact_before);
  rows->old_contacts = rl_carve(&c, m->contact_capacity, sizeof *rows->old_contacts);
  rows->old_multipliers = rl_carve(&c, m->contact_capacity, sizeof *rows->old_multipliers);
  return c.used;
}

// A node that is held beside the centre of a body that moves by itself or turns moves with it.
static rl_vertex node_vertex(const rl_model *model, uint32_t slot) {
  const rl_hold *hold = rl_moving_hold(model, slot);
  return hold ? (rl_vertex){rl_body_slot(model, hold->body), hold->offset}
              : (rl_vertex){slot, {0.0, 0.0, 0.0}};
}

// The next vertex of a row, and its entries: what moves there, and the spin of a body that turns.
static void add_vertex(const rl_model *model, rl_rows *rows, rl_row *row, rl_vertex vertex) {
  rows->vertices[row->first_vertex + row->vertex_count++] = vertex;
  if (vertex.slot == RL_NONE) {
    return;
  }
  rl_entry *entries = &rows->entries[row->first_entry];
  const rl_body *body = rl_slot_body(model, vertex.slot);
  entries[row->entry_count++] = (rl_entry){.slot = vertex.slot};
  if (body && body->spin_slot != RL_NONE) {
    entries[row->entry_count++] = (rl_entry){.slot = body->spin_slot};
    row->turns = true;
  }
}

// A row behind the others, without vertices.
static rl_row *add_row(rl_rows *rows, rl_row row) {
  const rl_row *last = rows->row_count > 0 ? &rows->rows[rows->row_count - 1] : NULL;
  row.first_vertex = last ? last->first_vertex + last->vertex_count : 0;
  row.first_entry = last ? last->first_entry + last->entry_count : 0;
  rows->rows[rows->row_count] = row;
  return &rows->rows[rows->row_count++];
}

static void add_span(const rl_model *model, rl_rows *rows, uint32_t link, double lower) {
  const rl_rope *rope = &model->ropes[model->link_rope[link]];
  rl_row *row = add_row(rows, (rl_row){.kind = RL_ROW_SPAN,
                                       .source = link,
                                       .item = link,
                                       .lower = lower,
                                       .upper = INFINITY,
                                       .compliance = model->links[link].compliance});
  add_vertex(model, rows, row, node_vertex(model, model->links[link].a));
  for (uint32_t i = 0; i < rope->eye_count; i++) {
    add_vertex(model, rows, row, model->eyes[rope->first_eye + i]);
  }
  add_vertex(model, rows, row, node_vertex(model, model->links[link].b));
}

// Spans and blocks of one rope: only its first and last element can be more than a plain link.
static void add_rope(const rl_model *model, rl_rows *rows, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  const double lower = rope->compression ? -INFINITY : 0.0;
  uint32_t first = rope->first_link;
  uint32_t count = rope->link_count;
  const bool special_first = rope->eye_count > 0 || rl_moving_hold(model, model->links[first].a) ||
                             (count == 1 && rl_moving_hold(model, model->links[first].b));
  const uint32_t last = first + count - 1;
  if (special_first) {
    rows->blocks[rows->block_count++] =
        (rl_block){.first_row = rows->row_count, .row_count = 1, .lower = lower, .rope = index};
    add_span(model, rows, first, lower);
    first++;
    count--;
  }
  if (count == 0) {
    return;
  }
  const bool special_last = rl_moving_hold(model, model->links[last].b) != NULL;
  rl_block *block = &rows->blocks[rows->block_count++];
  *block = (rl_block){.first_link = first,
                      .link_count = special_last ? count - 1 : count,
                      .first_row = rows->row_count,
                      .row_count = special_last ? 1 : 0,
                      .lower = lower,
                      .rope = index};
  if (special_last) {
    add_span(model, rows, last, lower);
  }
}

size_t rl_rows_bytes(const rl_model *model) {
  rl_rows counted;
  return lay_out(model, &counted, NULL);
}

rl_rows *rl_rows_create(const rl_model *model) {
  rl_rows *rows = calloc(1, sizeof *rows);
  if (!rows) {
    return NULL;
  }
  char *block = rl_block_create(lay_out(model, rows, NULL), &rows->allocation);
  if (!block) {
    free(rows);
    return NULL;
  }
  lay_out(model, rows, block);
  for (uint32_t i = 0; i < model->rope_count; i++) {
    add_rope(model, rows, i);
  }
  rows->span_count = rows->row_count;
  rows->structure = 1;
  // Contacts come after all ropes.
  rows->blocks[rows->block_count++] = (rl_block){.first_row = rows->row_count, .rope = RL_NONE};
  return rows;
}

void rl_rows_free(rl_rows *rows) {
  if (rows) {
    free(rows->allocation);
    free(rows);
  }
}

// ---------------------------------------------------------------------------------------------
// Detection

static int compare_contacts(const rl_contact *a, const rl_contact *b) {
  const uint32_t x[5] = {a->rope, a->node, a->next != RL_NONE, a->body, a->part};
  const uint32_t y[5] = {b->rope, b->node, b->next != RL_NONE, b->body, b->part};
  for (size_t i = 0; i < 5; i++) {
    if (x[i] != y[i]) {
      return x[i] < y[i] ? -1 : 1;
    }
  }
  return 0;
}

// How far what is at a slot can come to or go from the body within dt: it travels about
// |v| dt + |g| dt^2; twice that leaves room for what the rope does to it.
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

// Where a body is at trial positions.
typedef struct pose {
  rl_vec3 centre;
  rl_quat rotation;
} pose;

static pose pose_of(const rl_model *model, const rl_state *state, const rl_point *points,
                    uint32_t body) {
  return (pose){rl_position(&points[rl_body_slot(model, body)]),
                rl_body_rotation(model, state, points, body)};
}

static rl_surface part_surface(const rl_model *model, const rl_contact *contact, pose at,
                               rl_vec3 p) {
  return rl_shape_surface(&model->bodies[contact->body].parts[contact->part], at.centre,
                          at.rotation, p);
}

static rl_foot make_foot(rl_surface surface, rl_vec3 p, pose at, double fraction) {
  const rl_vec3 arm = rl_sub(rl_add_scaled(p, -surface.distance, surface.normal), at.centre);
  return (rl_foot){rl_rotate_inverse(at.rotation, arm),
                   rl_rotate_inverse(at.rotation, surface.normal), fraction, false};
}

// Where the node is nearest to the part; returns the distance from its centre.
static double node_foot(const rl_model *model, const rl_state *state, const rl_contact *contact,
                        rl_foot *foot) {
  const rl_vec3 p = rl_position(&state->points[contact->slot]);
  const pose at = pose_of(model, state, state->points, contact->body);
  const rl_surface surface = part_surface(model, contact, at, p);
  *foot = make_foot(surface, p, at, 0.0);
  return surface.distance;
}

// Could the node touch the part within dt?
static bool node_is_near(const rl_model *model, const rl_state *state, const rl_contact *contact,
                         double dt, rl_foot *foot) {
  return node_foot(model, state, contact, foot) - model->ropes[contact->rope].radius <=
         travel(model, state, contact->slot, contact->body, dt);
}

// Where the element is nearest to the part; returns the distance from its axis.
static double element_foot(const rl_model *model, const rl_state *state, const rl_contact *contact,
                           rl_foot *foot) {
  const rl_part *part = &model->bodies[contact->body].parts[contact->part];
  const pose at = pose_of(model, state, state->points, contact->body);
  const rl_vec3 from = rl_position(&state->points[contact->slot]);
  const rl_vec3 to = rl_position(&state->points[contact->next]);
  rl_surface surface;
  const double s = rl_shape_segment(part, at.centre, at.rotation, from, to, &surface);
  const double ends = fmin(part_surface(model, contact, at, from).distance,
                           part_surface(model, contact, at, to).distance);
  *foot = make_foot(surface, rl_add_scaled(from, s, rl_sub(to, from)), at, s);
  foot->is_idle = s <= 0.0 || s >= 1.0 || surface.distance > ends - 1e-9 * rl_distance(from, to);
  return surface.distance;
}

// Could the element touch the part within dt?
static bool element_is_near(const rl_model *model, const rl_state *state, const rl_contact *contact,
                            double dt, rl_foot *foot) {
  const rl_vec3 from = rl_position(&state->points[contact->slot]);
  const rl_vec3 to = rl_position(&state->points[contact->next]);
  const double reach = model->ropes[contact->rope].radius +
                       fmax(travel(model, state, contact->slot, contact->body, dt),
                            travel(model, state, contact->next, contact->body, dt));
  const pose at = pose_of(model, state, state->points, contact->body);
  const rl_vec3 middle = rl_scale(0.5, rl_add(from, to));
  return part_surface(model, contact, at, middle).distance <= reach + 0.5 * rl_distance(from, to) &&
         element_foot(model, state, contact, foot) <= reach;
}

// Adds the contacts of one rope with one body to the state's list; `old` walks along the contacts
// of the step before, which stand in the same order.
static void detect_pair(const rl_model *model, rl_state *state, const rl_rows *rows,
                        uint64_t old_count, uint64_t *old, rl_contact contact, double dt) {
  const rl_body *body = &model->bodies[contact.body];
  for (contact.part = 0; contact.part < body->part_count; contact.part++) {
    rl_foot foot;
    if (!(contact.next == RL_NONE ? node_is_near : element_is_near)(model, state, &contact, dt,
                                                                    &foot) ||
        (foot.is_idle && !rows->lists_idle)) {
      continue;
    }
    while (*old < old_count && compare_contacts(&rows->old_contacts[*old], &contact) < 0) {
      (*old)++;
    }
    const bool known =
        *old < old_count && compare_contacts(&rows->old_contacts[*old], &contact) == 0;
    const uint64_t i = state->contact_count++;
    state->contacts[i] = contact;
    rows->feet[i] = foot;
    rows->contact_before[i] = known ? (uint32_t)*old : RL_NONE;
    state->multipliers[model->link_count + i] = known ? rows->old_multipliers[*old] : 0.0;
  }
}

// Whether a slot can be moved by what acts on it, or a body by what acts at its surface.
static bool slot_moves(const rl_model *model, const rl_point *points, uint32_t slot) {
  const rl_body *body = rl_slot_body(model, slot);
  return points[slot].w > 0.0 ||
         (body && body->spin_slot != RL_NONE && points[body->spin_slot].w > 0.0);
}

// Whether the element of a contact, if it is one, ends at an anchor on the body.
static bool is_tied_to(const rl_model *model, const rl_contact *contact, uint32_t body) {
  return contact->next != RL_NONE &&
         (rl_tied_body(model, contact->slot) == body || rl_tied_body(model, contact->next) == body);
}

// The contacts of a node, or of an element, with all bodies; something of the two must be able to
// move. A node that is held does not touch anything, nor an element the body that it is tied to.
static void detect_feature(const rl_model *model, rl_state *state, const rl_rows *rows,
                           uint64_t old_count, uint64_t *old, rl_contact contact, double dt) {
  const bool moves = slot_moves(model, state->points, node_vertex(model, contact.slot).slot) ||
                     (contact.next != RL_NONE &&
                      slot_moves(model, state->points, node_vertex(model, contact.next).slot));
  if (contact.next == RL_NONE && rl_moving_hold(model, contact.slot)) {
    return;
  }
  for (uint32_t b = 0; b < model->body_count; b++) {
    const bool can_move = moves || slot_moves(model, state->points, rl_body_slot(model, b));
    if (can_move && !is_tied_to(model, &contact, b) &&
        model->touches[(size_t)contact.rope * model->body_count + b]) {
      contact.body = b;
      detect_pair(model, state, rows, old_count, old, contact, dt);
    }
  }
}

static void detect_contacts(const rl_model *model, rl_state *state, rl_rows *rows, double dt) {
  const uint64_t old_count = state->contact_count;
  uint64_t old = 0;
  memcpy(rows->old_contacts, state->contacts, old_count * sizeof *rows->old_contacts);
  memcpy(rows->old_multipliers, &state->multipliers[model->link_count],
         old_count * sizeof *rows->old_multipliers);
  state->contact_count = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].massless) {
      continue;
    }
    const uint32_t nodes = rl_rope_nodes(model, state, r);
    for (uint32_t i = 0; i < nodes; i++) {
      const uint32_t slot = rl_rope_node(model, state, r, i);
      rl_contact contact = {.rope = r, .node = i, .slot = slot, .next = RL_NONE};
      if (slot >= model->node_count || model->node_rope[slot] == r) { // a joint belongs to one rope
        detect_feature(model, state, rows, old_count, &old, contact, dt);
      }
      if (i < model->ropes[r].link_count) { // the element that begins there
        contact.next = state->links[model->ropes[r].first_link + i].b;
        detect_feature(model, state, rows, old_count, &old, contact, dt);
      }
    }
  }
}

void rl_detect(const rl_model *model, rl_state *state, double dt, rl_rows *rows) {
  if (model->contact_capacity == 0) {
    return;
  }
  const uint64_t count_before = state->contact_count;
  detect_contacts(model, state, rows, dt);
  bool same = state->contact_count == count_before;
  for (uint32_t i = 0; i < state->contact_count && same; i++) {
    same = rows->contact_before[i] == i;
  }
  rows->structure += same ? 0 : 1;
  rows->row_count = rows->span_count;
  for (uint32_t i = 0; i < state->contact_count; i++) {
    const rl_contact *contact = &state->contacts[i];
    const size_t pair = (size_t)contact->rope * model->body_count + contact->body;
    rl_row *row = add_row(rows, (rl_row){.kind = RL_ROW_CONTACT,
                                         .source = model->link_count + i,
                                         .item = i,
                                         .friction = model->frictions[pair],
                                         .upper = INFINITY});
    add_vertex(model, rows, row, node_vertex(model, contact->slot));
    if (contact->next != RL_NONE) {
      add_vertex(model, rows, row, node_vertex(model, contact->next));
    }
    if (model->bodies[contact->body].motion != RL_FIXED) { // the body feels the rope, or drives it
      add_vertex(model, rows, row,
                 (rl_vertex){rl_body_slot(model, contact->body), {0.0, 0.0, 0.0}});
    }
  }
  rows->blocks[rows->block_count - 1].row_count = (uint32_t)state->contact_count;
}

void rl_detect_again(const rl_model *model, const rl_state *state, rl_rows *rows) {
  for (uint64_t i = 0; i < state->contact_count; i++) {
    const rl_contact *contact = &state->contacts[i];
    rl_foot foot;
    if (contact->next == RL_NONE) {
      node_foot(model, state, contact, &foot);
    } else {
      element_foot(model, state, contact, &foot);
    }
    // What came out on the far side is still on the side it was found on.
    if (rl_dot(foot.normal, rows->feet[i].normal) > 0.0) {
      rows->feet[i] = foot;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Evaluation

// The test impulse: apply one along the row to a separate accumulator of momentum, turn that into
// velocities, and read the row's rate. Cross terms of something the rope touches more than once
// come out right, because it has taken all its impulses before any velocity is read.
static double test_impulse(rl_rows *rows, const rl_row *row, const rl_point *points) {
  const rl_entry *first = &rows->entries[row->first_entry];
  const rl_entry *end = first + row->entry_count;
  double response = 0.0;
  for (const rl_entry *e = first; e < end; e++) {
    rows->momentum[e->slot] = rl_add(rows->momentum[e->slot], e->gradient);
  }
  for (const rl_entry *e = first; e < end; e++) {
    response += points[e->slot].w * rl_dot(e->gradient, rows->momentum[e->slot]);
  }
  for (const rl_entry *e = first; e < end; e++) {
    rows->momentum[e->slot] = (rl_vec3){0.0, 0.0, 0.0};
  }
  return response;
}

// Inverse mass across the normal in the direction of the slide, by a test impulse there. An element
// on the body that it is tied to has entries for one slot twice: they are summed first.
double rl_contact_inverse_mass(const rl_rows *rows, const rl_row *row, rl_vec3 slide,
                               const rl_point *points) {
  if (!row->turns) {
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

// A place on a row at trial positions: where it is, and if it goes with a body, how that stands and
// the arm from its centre.
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

static bool has_spin(const place *p) { return p->body && p->body->spin_slot != RL_NONE; }

// What a force at a place is for the spin slot of its body: the torque in the body's frame, over
// the roots of its moments of inertia.
static rl_vec3 lever(const place *p, rl_vec3 force) {
  return rl_times(p->body->inverse_root_inertia,
                  rl_rotate_inverse(p->rotation, rl_cross(p->arm, force)));
}

// C = sum of the straight pieces - rest; dC/dp_i = d_{i-1} - d_i, with d_i the direction of the
// piece from vertex i to i + 1 (Knyazyev 8.3: the summed velocity).
static void evaluate_span(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row,
                          const rl_point *points) {
  const rl_vertex *vertices = &rows->vertices[row->first_vertex];
  rl_entry *entry = &rows->entries[row->first_entry];
  double length = 0.0;
  place here = place_of(model, state, vertices[0], points);
  rl_vec3 incoming = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < row->vertex_count; i++) {
    rl_vec3 outgoing = {0.0, 0.0, 0.0};
    place next = here;
    if (i + 1 < row->vertex_count) {
      next = place_of(model, state, vertices[i + 1], points);
      const rl_vec3 piece = rl_sub(next.at, here.at);
      length += rl_length(piece);
      outgoing = rl_unit(piece);
    }
    if (vertices[i].slot != RL_NONE) {
      const rl_vec3 gradient = rl_sub(incoming, outgoing);
      entry++->gradient = gradient;
      if (has_spin(&here)) {
        entry++->gradient = lever(&here, gradient);
      }
    }
    here = next;
    incoming = outgoing;
  }
  row->value = length - state->links[row->item].rest;
}

// Whether the normal turns smoothly with the place. Between the faces of the others it jumps, which
// no iteration likes.
static bool is_round(const rl_model *model, const rl_contact *contact) {
  const rl_shape shape = model->bodies[contact->body].parts[contact->part].shape;
  return shape == RL_SPHERE || shape == RL_CAPSULE;
}

// Along the normal n, outwards: C = radius - n.(p - surface); place and plane are those last
// found, and go with the body.
static rl_surface touching_plane(const rl_foot *found, pose at, rl_vec3 p) {
  const rl_vec3 normal = rl_rotate(at.rotation, found->normal);
  const rl_vec3 surface = rl_add(at.centre, rl_rotate(at.rotation, found->point));
  return (rl_surface){rl_dot(normal, rl_sub(p, surface)), normal};
}

// Two unit vectors across a unit normal.
static void find_tangents(rl_vec3 normal, rl_vec3 tangents[2]) {
  const rl_vec3 x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
  tangents[0] = rl_unit(rl_cross(normal, fabs(normal.z) < 0.7 ? z : x));
  tangents[1] = rl_cross(normal, tangents[0]);
}

// The entries of a place on a contact that has `share` in where the rope touches (the body: -1).
// Returns the entry behind them.
static rl_entry *set_contact_entries(const rl_row *row, const place *p, double share,
                                     rl_entry *entry) {
  const rl_vec3 gradient = rl_scale(-share, row->normal);
  const rl_vec3 across[2] = {rl_scale(share, row->tangents[0]), rl_scale(share, row->tangents[1])};
  *entry = (rl_entry){entry->slot, gradient, {across[0], across[1]}};
  if (has_spin(p)) {
    entry++;
    *entry =
        (rl_entry){entry->slot, lever(p, gradient), {lever(p, across[0]), lever(p, across[1])}};
  }
  return entry + 1;
}

// Where the rope touches, and what it touches there.
static void evaluate_contact(const rl_model *model, const rl_state *state, rl_rows *rows,
                             rl_row *row, const rl_point *points) {
  const rl_contact *contact = &state->contacts[row->item];
  const rl_foot *found = &rows->feet[row->item];
  const rl_vertex *vertices = &rows->vertices[row->first_vertex];
  const uint32_t ends = contact->next == RL_NONE ? 1 : 2;
  const place from = place_of(model, state, vertices[0], points);
  const place to = place_of(model, state, vertices[ends - 1], points);
  const rl_vec3 p = rl_add_scaled(from.at, found->fraction, rl_sub(to.at, from.at));
  const pose at = pose_of(model, state, points, contact->body);
  rl_surface surface = touching_plane(found, at, p);
  if (ends == 1 && is_round(model, contact)) {
    const rl_surface now = part_surface(model, contact, at, p);
    // A node that comes out on the far side is still on the side it was found on.
    surface = rl_dot(now.normal, surface.normal) > 0.0 ? now : surface;
  }
  // An idle one does not touch, wherever the iteration takes it.
  row->value = found->is_idle ? -1.0 : model->ropes[contact->rope].radius - surface.distance;
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

void rl_row_evaluate(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row,
                     const rl_point *points) {
  if (row->kind == RL_ROW_SPAN) {
    evaluate_span(model, state, rows, row, points);
  } else {
    evaluate_contact(model, state, rows, row, points);
  }
  row->inverse_mass = test_impulse(rows, row, points);
}

double rl_element_length(const rl_model *model, const rl_state *state, uint32_t link) {
  const rl_rope *rope = &model->ropes[model->link_rope[link]];
  rl_vec3 at = rl_position(&state->points[state->links[link].a]);
  double length = 0.0;
  for (uint32_t i = 0; i < rope->eye_count; i++) {
    const rl_vec3 eye =
        rl_vertex_position(model, state, model->eyes[rope->first_eye + i], state->points);
    length += rl_distance(at, eye);
    at = eye;
  }
  return length + rl_distance(at, rl_position(&state->points[state->links[link].b]));
}

// ---------------------------------------------------------------------------------------------
// Residual

// Both levels: C + dt dC/dt, where `velocities` is NULL for the position level.
static double residual(const rl_model *model, const rl_state *state, rl_rows *rows,
                       const rl_point *points, const rl_vec3 *velocities, const double *multipliers,
                       double scale, double dt) {
  double largest = 0.0;
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_link_value v = rl_link_evaluate(link, points);
      const double lambda = scale * multipliers[k];
      double value = v.value - link->compliance * lambda;
      if (velocities) {
        value += dt * rl_dot(v.d, rl_sub(velocities[link->b], velocities[link->a]));
      }
      largest = rl_larger(largest,
                          rl_row_residual(value, dt * dt * v.inverse_mass * lambda, block->lower));
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      rl_row_evaluate(model, state, rows, row, points);
      const double lambda = scale * multipliers[row->source];
      double value = row->value - row->compliance * lambda;
      if (velocities) {
        value += dt * rl_row_rate(rows, row, velocities);
      }
      largest = rl_larger(largest,
                          rl_row_residual(value, dt * dt * row->inverse_mass * lambda, row->lower));
    }
  }
  return largest;
}

double rl_residual(const rl_model *model, const rl_state *state, rl_rows *rows,
                   const rl_point *points, const double *multipliers, double scale, double dt) {
  return residual(model, state, rows, points, NULL, multipliers, scale, dt);
}

double rl_residual_velocity(const rl_model *model, const rl_state *state, rl_rows *rows,
                            const rl_vec3 *velocities, const double *multipliers, double scale,
                            double dt) {
  return residual(model, state, rows, state->points, velocities, multipliers, scale, dt);
}
