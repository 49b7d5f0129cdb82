// SPDX-License-Identifier: GPL-3.0-or-later
// Rows: the constraints that every solver is given. All of them read
//
//     C(x) <= 0,   multiplier lambda >= 0 [N],   force on what moves = -lambda dC/dx
//
//   element  C = length of its path - rest        (lambda is the tension)
//   contact  C = rope radius - distance to body   (lambda is the normal force)
//            C = - gap between two bodies, or two elements of ropes
//
// and with `compression` an element's C = 0, lambda of either sign. There are two kinds because
// the hot loop needs it: a plain link between two slots (rl_link, contiguous, nearly all of
// them), and a general row with any number of entries.
//
// rl_detect() finds the set once a step and freezes it (rl_detect_again moves its contacts); the
// evaluate functions give values and gradients at any trial positions, any number of times, without
// allocating.
#ifndef RL_ROWS_H
#define RL_ROWS_H

#include "state.h"

// What becomes of the excess length of a rope after a change of contacts. Each kind of method would
// make something else of it; (21) of papers/changes.md.
typedef enum rl_excess {
  RL_EXCESS_GAINS, // it would become velocity or strain: all of it is taken back
  RL_EXCESS_WORKS, // it would become work of the tension in the next step: as much stays as pays
                   // for the loss of catching the rope
  RL_EXCESS_STAYS  // all of it stays
} rl_excess;

typedef enum rl_row_kind { RL_ROW_SPAN, RL_ROW_CONTACT } rl_row_kind;

// The gradients of a row with respect to one slot: J of C, G against which the row's force acts (G
// is J except where a rope slips with friction), and those of the slide along the two tangents of a
// contact with friction.
typedef struct rl_entry {
  uint32_t slot;
  rl_vec3 gradient;
  rl_vec3 force;
  rl_vec3 across[2];
  uint32_t strands; // that pull on the slot, of ropes over bodies
} rl_entry;

// (16a) of papers/wraps.md: the pieces of inert strands beside a strand that take rest length from
// it, or give it what they have too much.
typedef struct rl_beside {
  uint32_t first_piece, piece_count; // 0: none
  bool takes, gives;                 // which of both they do with this strand
} rl_beside;

typedef struct rl_row {
  rl_row_kind kind;
  uint32_t source;                   // index of its multiplier in the state
  uint32_t item;                     // span: the link; contact: index in state->contacts
  uint32_t first_piece, piece_count; // span over wraps: its straight pieces
  rl_beside beside[2];               // before them, and behind
  uint32_t first_vertex, vertex_count;
  uint32_t first_entry, entry_count;
  double lower;       // bound of the multiplier: 0 or -INFINITY
  rl_vec3 guides[2];  // span of a rope with mass through eyes: eyes.h; 0: none
  double rest;        // span: rest length that damps, (13) of papers/elastic-wraps.md [m]
  double reel;        // its rate by winches [m/s]
  double reel_power;  // that rate times the tension at the winch over the multiplier [m/s]
  double reel_strain; // strain energy paid out per second, over the spring's pull squared [m/(N s)]
  double compliance;  // [m/N]
  rl_vec3 normal;     // contact: outwards, at the positions last evaluated
  rl_vec3 tangents[2]; // contact with friction: unit vectors across it
  double friction;     // contact: Coulomb coefficient
  uint32_t crowd; // contact of two bodies: number of such contacts of the body with more of them
  uint32_t rubs;  // contact of a rope: number of contacts with friction on its body
  bool has_spins; // some of its entries are spins
  bool is_laid;   // its entries are filled in, and stay: rl_row_evaluate does it
  bool is_with_others; // a strand that is solved together with others
  bool is_skipped;     // rl_direct_evaluate leaves it as it was
  double value;        // C at the positions last evaluated [m]
  double inverse_mass; // J M^-1 G^T there [1/kg]: the response to a unit test impulse
  double crowding; // of a strand: what others on its bodies add, (4d) of papers/penalty.md [1/kg]
} rl_row;

// The rows in the order a forward sweep visits them: in each block the links, then the rows.
typedef struct rl_block {
  uint32_t first_link, link_count;
  uint32_t first_row, row_count;
  double lower;  // bound of the links' multipliers: 0, or -INFINITY with compression
  uint32_t rope; // whose elements these are; RL_NONE: contacts
  bool is_apart; // its links are between nodes of that rope
  // Of the first strand of a rope over bodies that rubs: the block of its others, or 0; those of
  // the first of the ropes that are joined with it, and of the next, or 0; and in `strands` those
  // that are solved together when this block has its turn.
  uint32_t splits, leader, follower, first_strand, strand_count;
} rl_block;

// Whether two blocks have no slot in common.
static inline bool rl_blocks_are_apart(const rl_block *a, const rl_block *b) {
  return a->is_apart && b->is_apart && a->rope != b->rope;
}

// The place of a contact as it was found: on the surface, with its outward normal, in the body's
// frame, and on the element as a fraction from `slot` to `next`. An element is idle, and does not
// push, while one of its ends is as near: then the contact of that node acts.
typedef struct rl_foot {
  rl_vec3 point, normal;
  double fraction;
  bool is_idle;
  // Two bodies: the point of the other one, in its frame, which may be the middle of a rounding,
  // round a line if there is an axis (rl_touch).
  rl_vec3 core, axis;
  double radius;
  // Two elements of ropes: the normal in space, from the other to the first; where on the other,
  // and as `radius` the sum of the two.
  double other_fraction;
  double kept_depth; // of two elements or bodies, that the step leaves as it is [m]
  rl_quat rotation;  // of the body, where two bodies touch
} rl_foot;

// A contact of two elements whose four ends are nodes, for the hot loops. As it was found, its
// value is distance - normal.way, with the vector `way` from the second element to the first, the
// sum of the shares times x. An idle one has the normal 0; the first slot of any other contact is
// RL_NONE.
typedef struct rl_crossing {
  uint32_t slots[4];
  double shares[4];
  rl_vec3 normal;
  double distance;     // [m]
  double inverse_mass; // [1/kg]
  double friction;
} rl_crossing;

// The contacts of the step before, with what the state says of each, while rl_detect lists those of
// the present one; then it is scratch. Both are in the same order: `at` walks along.
typedef struct rl_old_contacts {
  uint64_t count, at;
  rl_contact *contacts; // [contact_capacity], as all others
  double *multipliers;
  rl_vec3 *frictions, *slips, *sides;
} rl_old_contacts;

// Scratch of rl_warm_contacts for an island of bodies that contacts connect: A, left and B of (12)
// and (13) of papers/bodies.md [J], and s.
typedef struct rl_warmth {
  double asked, left, answer;
  double share;
} rl_warmth;

// A vertex of a strand as last evaluated: the gradients of the length of the piece before it with
// respect to what is there and to the spin of that, and those of the piece behind it; the tension
// of the latter over that of the first piece, and what a winch pays out into it [m/s].
typedef struct rl_joint {
  rl_vec3 before[2], behind[2];
  double pull, reel;
} rl_joint;

// The rate at which a piece gets longer than what is paid out into it, and the part of that which
// driven bodies and winches have [m/s].
typedef struct rl_flow {
  double all, driven;
} rl_flow;

typedef struct rl_rows {
  uint64_t structure;   // changes whenever the set of rows does; never 0
  const rl_state *laid; // the state for which contacts were last found
  uint32_t block_count, span_count, row_count;
  uint32_t contact_block; // its rows are the contacts; behind it come the splits of the ropes
  uint64_t wraps;         // rl_wraps_hash
  uint64_t topology;      // of the state for which the rows of the ropes were made
  uint64_t rings;         // hash of the elements in eyes, for the same state
  rl_block *blocks;
  rl_row *rows;
  rl_vertex *vertices;
  rl_joint *joints; // [vertices] of strands, if it keeps_joints
  rl_entry *entries;
  rl_vec3 *momentum;        // [slot_count] accumulator of test impulses, zero between uses
  rl_foot *feet;            // [contacts] as last found
  uint32_t *contact_before; // [contacts] index of each in the step before, or RL_NONE
  double *approaches;       // [contacts] e u' of (4) of papers/bodies.md [m/s]; -1: no hit
  uint32_t *crowds;         // [bodies] contacts with others of bodies that can move; else 0
  bool *near_bodies;        // [bodies] scratch of rl_detect
  rl_old_contacts old;
  double *bounces;          // [unknowns] scratch of rl_bounce_end: impulses [N s], and aims [m]
  uint32_t *islands;        // [slots + 1] islands.h
  rl_warmth *warmths;       // [slots + 1] by island
  rl_vec3 *starts;          // [slots] D of (12) there [m/s]
  rl_crossing *crossings;   // [contacts] NULL: no rope touches ropes
  struct rl_tangle *tangle; // NULL: no rope touches ropes
  bool *propped;            // [unknowns] strands that jam alone, and not beside others, (7p)
  bool *unsolved;           // [unknowns] strands for which (3a) had no solution when last solved
  uint32_t *strands;        // [ropes + splits] rows of strands, rope by rope as they are joined
  uint32_t *carried;        // [bodies] scratch: block of the first rope over each, or RL_NONE
  double *catches;     // [ropes over bodies] share of the step until which a rope hangs slack, (7e)
                       // of papers/grips.md; 0: it does not, or not only until then
  double substep_end;  // share of the step at the end of the present substep
  bool gives_way;      // springs give way over wraps in each substep, (22) of papers/penalty.md
  bool points_stand;   // rl_rows_stand
  bool is_evaluated;   // all but crossings were evaluated by rl_ledger_begin at these positions
  uint32_t known_path; // rope whose path was looked up last
  double lead_in;      // nodes nearer to their eye are guided [m]; 0: what reaches it in a step
  bool overflows;      // more contacts of ropes with ropes than there is room for
  bool lists_idle;     // for methods that call rl_detect_again
  bool tells_edges;    // for methods that do (rl_solver_type)
  bool keeps_depth;    // for methods whose contacts are hard
  bool keeps_joints;   // for methods that tell the ledger of strands (rl_solver_type.tells_strands)
  void *allocation;
} rl_rows;

// Returns the memory of the rows of a model [bytes].
size_t rl_rows_bytes(const rl_model *model);

// Creates the rows of a model, which rl_detect fills; NULL when out of memory. Free them with
// rl_rows_free.
rl_rows *rl_rows_create(const rl_model *model);
void rl_rows_free(rl_rows *rows);

// Returns the vertex of a node: a point of the body if the node is held beside the centre of one
// that moves freely or turns.
static inline rl_vertex rl_node_vertex(const rl_model *model, uint32_t slot) {
  const rl_hold *hold = rl_moving_hold(model, slot);
  rl_vertex vertex = {slot, {0.0, 0.0, 0.0}};
  if (hold) {
    vertex.slot = rl_body_slot(model, hold->body);
    vertex.offset = hold->offset;
  }
  return vertex;
}

// The order in which a sweep visits the rows: symmetric alternates between the two.
typedef enum rl_order { RL_FORWARD, RL_BACKWARD, RL_SYMMETRIC } rl_order;
#define RL_ORDER_CHOICES "forward|backward|symmetric"

// Whether iteration `iteration`, counted from 0, goes backward.
static inline bool rl_order_is_backward(rl_order order, int iteration) {
  return order == RL_BACKWARD || (order == RL_SYMMETRIC && iteration % 2 == 1);
}

// Builds the set for a step of dt [s] from the state: spans, and every contact that can become
// active within the step. Multipliers of contacts that stay follow them; new ones start at 0.
void rl_detect(const rl_model *model, rl_state *state, double dt, rl_rows *rows);

// Returns the largest distance moved relative to a body since the list of contacts was made, for
// `then` and dt, over how far the list reaches there: above 1 something may touch that is not in
// the list.
double rl_travelled(const rl_model *model, const rl_state *then, const rl_state *now, double dt);

// Finds the places of the listed contacts of ropes again, idle ones included, at the state's
// positions; contacts of bodies keep their places. For methods of many substeps in a step
// (rl_solver_type.detects_again): depth that only the next step found would be pushed out within
// one substep, at depth / substep, which brings in energy.
void rl_detect_again(const rl_model *model, const rl_state *state, rl_rows *rows);

// Does the same for contacts of bodies, by their names; one that is not found keeps its place.
void rl_detect_bodies_again(const rl_model *model, const rl_state *state, rl_rows *rows);

// Returns how deep the parts of a pair of bodies are in each other in a state [m]; 0: they are
// apart.
double rl_pair_depth(const rl_model *model, const rl_state *state, const rl_pair *pair);

// Between _stand and _move no position and no rope changes: the path of a rope is then looked up
// once for rows of it that are evaluated one after the other.
static inline void rl_rows_stand(rl_rows *rows) {
  rows->points_stand = true;
  rows->known_path = RL_NONE;
}

static inline void rl_rows_move(rl_rows *rows) { rows->points_stand = false; }

// Evaluates value, gradients and inverse mass of a general row at trial positions [slot_count].
void rl_row_evaluate(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row,
                     const rl_point *points);

// Sets up a contact of two elements again after its place was found again.
void rl_row_freeze(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row);

// Whether a contact, or a row, has an rl_crossing: of such a row only the value depends on the
// positions.
static inline bool rl_is_crossing(const rl_rows *rows, uint32_t contact) {
  return rows->crossings && rows->crossings[contact].slots[0] != RL_NONE;
}

static inline bool rl_row_is_crossing(const rl_rows *rows, const rl_row *row) {
  return row->kind == RL_ROW_CONTACT && rl_is_crossing(rows, row->item);
}

// Returns the slot of an entry of a row, also before rl_row_evaluate has filled it in.
static inline uint32_t rl_row_slot(const rl_rows *rows, const rl_row *row, uint32_t entry) {
  return rl_row_is_crossing(rows, row) ? rows->crossings[row->item].slots[entry]
                                       : rows->entries[row->first_entry + entry].slot;
}

// Return the way of a crossing at trial positions [m], and its value C from that [m].
static inline rl_vec3 rl_crossing_way(const rl_crossing *c, const rl_point *points) {
  const rl_vec3 first = rl_scale(c->shares[0], rl_position(&points[c->slots[0]]));
  const rl_vec3 second = rl_scale(c->shares[2], rl_position(&points[c->slots[2]]));
  return rl_add(rl_add_scaled(first, c->shares[1], rl_position(&points[c->slots[1]])),
                rl_add_scaled(second, c->shares[3], rl_position(&points[c->slots[3]])));
}

static inline double rl_crossing_value(const rl_crossing *c, rl_vec3 way) {
  return c->distance - rl_dot(c->normal, way);
}

// Return the rate of the way for velocities of all slots, and the part of such a change across the
// normal: the slide.
static inline rl_vec3 rl_crossing_velocity(const rl_crossing *c, const rl_vec3 *v) {
  const rl_vec3 first = rl_scale(c->shares[0], v[c->slots[0]]);
  const rl_vec3 second = rl_scale(c->shares[2], v[c->slots[2]]);
  return rl_add(rl_add_scaled(first, c->shares[1], v[c->slots[1]]),
                rl_add_scaled(second, c->shares[3], v[c->slots[3]]));
}

static inline rl_vec3 rl_crossing_slide(const rl_crossing *c, rl_vec3 change) {
  return rl_add_scaled(change, -rl_dot(change, c->normal), c->normal);
}

// v += M^-1 share T for the impulse T on the first element and -T on the second.
static inline void rl_crossing_push(const rl_crossing *c, rl_vec3 impulse, const rl_point *points,
                                    rl_vec3 *v) {
  for (size_t i = 0; i < 4; i++) {
    const uint32_t slot = c->slots[i];
    v[slot] = rl_add_scaled(v[slot], c->shares[i] * points[slot].w, impulse);
  }
}

// Returns the work of driven nodes through such an impulse [J].
static inline double rl_crossing_work(const rl_crossing *c, rl_vec3 impulse, const rl_point *points,
                                      const rl_vec3 *v) {
  double work = 0.0;
  for (size_t i = 0; i < 4; i++) {
    if (points[c->slots[i]].w == 0.0) {
      work -= c->shares[i] * rl_dot(impulse, v[c->slots[i]]);
    }
  }
  return work;
}

// Returns the place of a contact on the surface of its body [m], at the state's positions, and sets
// the normal of the row.
rl_vec3 rl_contact_place(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row);

// Returns the direction on which the piece of a span from vertex i to i + 1 is projected if it is
// guided (eyes.h); 0 if it is not.
static inline rl_vec3 rl_row_guide(const rl_row *row, uint32_t i) {
  return i == 0                       ? row->guides[0]
         : i + 2 == row->vertex_count ? row->guides[1]
                                      : RL_LITERAL(rl_vec3){0.0, 0.0, 0.0};
}

// (4) of papers/world.md: returns dC/dt of a general row for these velocities, dL/dt - dL0/dt, with
// the gradients last evaluated [m/s].
static inline double rl_row_rate(const rl_rows *rows, const rl_row *row, const rl_vec3 *v) {
  double rate = 0.0 - row->reel;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    rate += rl_dot(rows->entries[i].gradient, v[rows->entries[i].slot]);
  }
  return rate;
}

// (8a) of papers/wraps.md: adds the flows of the pieces of a strand as last evaluated. Their sum is
// the rate of the row, but for planes that yield, and that with their pulls is its power.
void rl_strand_add_flows(const rl_model *model, const rl_rows *rows, const rl_row *row,
                         const rl_point *points, const rl_vec3 *v, rl_flow *flows);

// Returns the power of a unit of force along a row, G v, which is its rate where nothing rubs
// [m/s].
static inline double rl_row_power(const rl_rows *rows, const rl_row *row, const rl_vec3 *v) {
  double power = 0.0 - row->reel_power;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    power += rl_dot(rows->entries[i].force, v[rows->entries[i].slot]);
  }
  return power;
}

// v -= s M^-1 G^T for the velocities, G the directions of force (an impulse s along the row).
static inline void rl_row_push(const rl_rows *rows, const rl_row *row, double s,
                               const rl_point *points, rl_vec3 *v) {
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    v[e->slot] = rl_add_scaled(v[e->slot], -s * points[e->slot].w, e->force);
  }
}

// x -= s M^-1 J^T for the positions: C falls by s J M^-1 J^T to the first order.
static inline void rl_row_move(const rl_rows *rows, const rl_row *row, double s, rl_point *points) {
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    rl_move(&points[e->slot], rl_scale(-s * points[e->slot].w, e->gradient));
  }
}

// Returns J M^-1 J^T of a row, without the friction in G; exactly 0 if its terms cancel up to
// rounding, as those of a wheel over which a strand slips [1/kg].
double rl_row_gradient_inverse_mass(const rl_rows *rows, const rl_row *row, const rl_point *points);

// Returns J M^-1 F: the acceleration at which weight and external forces lengthen a row [m/s^2].
double rl_row_outward_pull(const rl_model *model, const rl_state *state, const rl_rows *rows,
                           const rl_row *row);

// Whether C says that a rope is taut: slack below 1e-10 of the size of the scene is within the
// tolerance of a method.
static inline bool rl_is_taut(const rl_model *model, double value) {
  static const double slack = 1e-10;
  return value >= -slack * model->reach;
}

// Returns the share of an entry in a tangential impulse T on the rope: the gradient of (slide . T)
// with respect to the velocity of its slot, linear in T.
static inline rl_vec3 rl_contact_share(const rl_row *row, const rl_entry *e, rl_vec3 along) {
  return rl_add(rl_scale(rl_dot(along, row->tangents[0]), e->across[0]),
                rl_scale(rl_dot(along, row->tangents[1]), e->across[1]));
}

// Returns the part of the slide that is due to the velocity (or move) of one entry's slot.
static inline rl_vec3 rl_contact_slip(const rl_row *row, const rl_entry *e, rl_vec3 v) {
  return rl_add(rl_scale(rl_dot(e->across[0], v), row->tangents[0]),
                rl_scale(rl_dot(e->across[1], v), row->tangents[1]));
}

// Returns the slide of the rope on the body at a contact: the part across the normal of its
// velocity relative to the body, for velocities (or moves) of all slots.
static inline rl_vec3 rl_contact_slide(const rl_rows *rows, const rl_row *row, const rl_vec3 *v) {
  rl_vec3 sum = {0.0, 0.0, 0.0};
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    sum = rl_add(sum, rl_contact_slip(row, e, v[e->slot]));
  }
  return sum;
}

// Returns the inverse mass of a contact for an impulse against its slide [1/kg]. That of points is
// the same across the normal as along it; that of a body that turns depends on the direction.
double rl_contact_inverse_mass(const rl_rows *rows, const rl_row *row, rl_vec3 slide,
                               const rl_point *points);

// Replaces the tangential impulse T by `now`, cut to the Coulomb cone |T| <= limit; returns the
// change.
static inline rl_vec3 rl_friction_bound(rl_vec3 *total, rl_vec3 now, double limit) {
  const rl_vec3 old = *total;
  const double square = rl_dot(now, now);
  now = square > limit * limit ? rl_scale(limit / sqrt(square), now) : now;
  *total = now;
  return rl_sub(now, old);
}

// Does so with the impulse that would stop a slide, T - slide / W; W is rl_contact_inverse_mass.
static inline rl_vec3 rl_friction_change(rl_vec3 *total, rl_vec3 slide, double inverse_mass,
                                         double limit) {
  const double mass = inverse_mass > 0.0 ? 1.0 / inverse_mass : 0.0;
  return rl_friction_bound(total, rl_add_scaled(*total, -mass, slide), limit);
}

// Returns the change of the velocity (or position) of one entry by a tangential impulse T on the
// rope.
static inline rl_vec3 rl_friction_push(const rl_row *row, const rl_entry *e, rl_vec3 impulse,
                                       const rl_point *points) {
  return rl_scale(points[e->slot].w, rl_contact_share(row, e, impulse));
}

// v += M^-1 share T for a tangential impulse T on the rope.
static inline void rl_friction_apply(const rl_rows *rows, const rl_row *row, rl_vec3 impulse,
                                     const rl_point *points, rl_vec3 *v) {
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    v[e->slot] = rl_add(v[e->slot], rl_friction_push(row, e, impulse, points));
  }
}

// Returns the work of driven bodies through a tangential impulse T on the rope [J].
static inline double rl_friction_work(const rl_rows *rows, const rl_row *row, rl_vec3 impulse,
                                      const rl_point *points, const rl_vec3 *v) {
  double work = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    if (points[e->slot].w == 0.0) {
      work -= rl_dot(rl_contact_share(row, e, impulse), v[e->slot]);
    }
  }
  return work;
}

// A link at trial positions.
typedef struct rl_link_value {
  rl_vec3 d;           // unit vector from a to b; 0 where they coincide
  double value;        // C = distance - rest [m]
  double inverse_mass; // J M^-1 J^T = w_a + w_b [1/kg]
} rl_link_value;

static inline rl_link_value rl_link_evaluate(const rl_link *link, const rl_point *points) {
  const rl_point *a = &points[link->a];
  const rl_point *b = &points[link->b];
  const rl_vec3 d = {b->x - a->x, b->y - a->y, b->z - a->z};
  const double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  const double inverse = length > 0.0 ? 1.0 / length : 0.0;
  return RL_LITERAL(rl_link_value){
      {d.x * inverse, d.y * inverse, d.z * inverse}, length - link->rest, a->w + b->w};
}

// rl_row_move of a link that was just evaluated.
static inline void rl_link_move(const rl_link *link, rl_link_value now, double s,
                                rl_point *points) {
  rl_move(&points[link->a], rl_scale(s * points[link->a].w, now.d));
  rl_move(&points[link->b], rl_scale(-s * points[link->b].w, now.d));
}

// Returns the critical damping 2 sqrt(k / W) of a row with a stiffness k [N/m] and an inverse mass
// W [N s/m]; 0 if nothing can move.
static inline double rl_critical_damping(double stiffness, double inverse_mass) {
  return inverse_mass > 0.0 ? 2.0 * sqrt(stiffness / inverse_mass) : 0.0;
}

// Returns the damping c [N s/m] that the scenario gives an element of this stiffness [N/m]: its
// rope's axial damping over its rest length, and its fraction of the critical damping.
static inline double rl_element_damping(const rl_rope *rope, double rest, double stiffness,
                                        double inverse_mass) {
  double damping = rope->damping / rest;
  if (rope->damping_ratio > 0.0) {
    damping += rope->damping_ratio * rl_critical_damping(stiffness, inverse_mass);
  }
  return damping;
}

// Returns the length of an element in a state, the path over its vertices, for any kind of row [m].
double rl_element_length(const rl_model *model, const rl_state *state, uint32_t link);

// Returns the residual of a row from its value C [m], reaction W lambda [m] and lower bound.
static inline double rl_row_residual(double value, double reaction, double lower) {
  // Written out: fmin() is a call, and this stands in inner loops. A nan value stays one.
  return fabs(lower < 0.0 || !(reaction < -value) ? value : reaction);
}

// (7) of papers/world.md: returns the residual of the whole set, one definition for every solver:
//
//     max over rows of | min(-C, W lambda) |,  W = J M^-1 J^T dt^2   [m];  |C| for C = 0 rows
//
// with lambda = scale * multipliers [N], so that a method can pass what it iterates on, and at the
// position level: C at `points`. Elastic rows have C - compliance lambda in place of C (their law
// is C = compliance lambda). Evaluates every row.
double rl_residual(const rl_model *model, const rl_state *state, rl_rows *rows,
                   const rl_point *points, const double *multipliers, double scale, double dt);

// Returns the same with C + dt dC/dt at these velocities, of rows as last evaluated: at the state's
// positions, so that nothing may have moved since.
double rl_residual_velocity(const rl_model *model, const rl_state *state, rl_rows *rows,
                            const rl_vec3 *velocities, const double *multipliers, double scale,
                            double dt);

#endif
