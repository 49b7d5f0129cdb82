// SPDX-License-Identifier: GPL-3.0-or-later
// The state: all that changes during a run, in one flat block that can be copied, compared and
// hashed. Any solver can be started from any other solver's state. With it goes what follows from
// it, the paths of ropes over bodies, and room to find these in.
#ifndef RL_STATE_H
#define RL_STATE_H

#include "memory.h"
#include "model.h"
#include "paths/path_solid.h"

#include <stdio.h>

// What a contact is between: node `node` of a rope (at `slot`), or where `next` is a slot the
// inside of the element from there to `next`, and a part of a body. Contacts are kept in the order
// of (rope, node, node before element, body, part, first before second), so that multipliers follow
// them from step to step.
//
// An element that lies on a face bears on two edges of it, and one that touches can get into the
// part elsewhere within a step, (5g) of papers/world.md: then it has a second contact with the
// part. With methods that tell edges apart (rl_solver_type.tells_edges) it always has, on a box or
// hull.
//
// Two elements of ropes: body is RL_NONE, and `other` the link that comes first of the two.
//
// Two bodies: rope is RL_NONE, node the index of their rl_pair, slot the centre of the body that
// touches with a point, `next` RL_NONE, body the one that it touches, and `feature` names the
// point.
typedef struct rl_contact {
  uint32_t rope, node, slot, next, body;
  union {
    uint32_t part, feature, other;
  };
  uint32_t second; // 1: it is one
} rl_contact;

// What an item of a path follows from: where its end, eye or body is, with the coordinates of the
// body's turn, what the rope lies on there, and what the search for its place begins with.
typedef struct rl_path_input {
  rl_vec3 at, turn;
  rl_quat rotation;
  uint32_t lies_on[4]; // body, part, feature, and whether it is continued
  double begin[3];     // sense, angle, along
  rl_vec3 hinge;
  rl_vec3 side; // of what is held; else zero
} rl_path_input;

// The time in which a rope touched a body within a step, as shares of the step.
typedef struct rl_passage {
  double from, until;
} rl_passage;

typedef struct rl_state {
  double time;       // [s]
  double work;       // done on the system from outside since the start [J]
  double dissipated; // by what physics dissipates, since the start [J]
  uint64_t step;     // steps done
  uint64_t contact_count;
  uint64_t split_count; // rows of ropes beyond one each: wraps that stick
  uint64_t slipped_off; // number of times that a rope has slipped off a body; last rope and body:
  uint32_t slipped_rope, slipped_body;
  rl_passage passage;        // the first touch for which the last step was too long; until 0: none
  uint64_t topology;         // hash of what was parted so far, in order; 0: nothing
  uint64_t parted, unparted; // elements parted and ends let go; those without a spare node
  rl_vec3 wind;              // [m/s]
  const rl_model *model;     // whose state it is
  size_t block_size;         // bytes of the arrays below, which lie in one block, wraps last
  void *block;
  void *allocation;      // what to free
  rl_point *points;      // [slot_count] positions and inverse masses
  rl_vec3 *velocities;   // [slot_count]
  double *masses;        // [slot_count] [kg]; 0 where nothing moves, 1 of a spin
  rl_quat *rotations;    // [body_count]
  rl_link *links;        // [link_count] elements in order along each rope: what is tied to what
  double *multipliers;   // [links + contacts + splits] forces [N]: tension of each link, then the
                         // normal force of each contact, then the tension behind each wrap that
                         // sticks. Warm start and output.
  rl_contact *contacts;  // [contact_capacity]
  rl_vec3 *frictions;    // [contact_capacity] force across the normal of each [N], of methods that
                         // start from it or have springs there; with the others it stays 0
  rl_vec3 *slips;        // [contact_capacity] of ropes with bodies: what is to be taken back, in
                         // the body's frame (slips.h) [m]; NULL: no rope with mass rubs on bodies
  rl_vec3 *sides;        // [contact_capacity] of two elements: the normal at the start of the last
                         // step, which says on which side of the other each is; NULL: no rope
                         // touches ropes
  rl_wrap *wraps;        // [wrap_capacity] those of rope r from ropes[r].first_wrap on
  uint32_t *wrap_counts; // [rope_count]
  double *stand_ins;     // [rope_count] what springs in the place of ropes over bodies store at the
                         // end of the step [J]; 0 with methods that have none
  rl_vec3 *seams; // [rope_count] where the list of wraps of a massless loop begins and ends: a
                  // point of the straight piece from its last wrap to its first [m]; NULL:
                  // there is none in this scene
  // Of a rope with mass: which of its elements runs through each eye [eye_count]; RL_NONE: it has
  // left it. NULL where no rope with mass has eyes.
  uint32_t *eye_elements;
  // Where they rub: how much of the friction of each eye acts [eye_count], from -1, all of it as
  // the rope slips back towards `from`, to 1, as it slips on. NULL where none does.
  double *grips;
  // Where something can come apart or grow, else NULL: the elements that each rope has
  // [rope_count], its spare nodes [pool_capacity], of which the first spare_counts[rope] are left,
  // and the drag of nodes [slot_count].
  uint32_t *element_counts, *spare_counts, *spares;
  double *drags;
  double (*reels)[2]; // [rope_count] how fast each end of a rope is paid out by a winch [m/s];
                      // NULL: there are none in this scene
  // Where winches feed ropes with mass, else NULL: how fast the rest length of each element grows
  // [link_count] [m/s], and on which element each event works now [event_count], RL_NONE: none.
  double *feeds;
  uint32_t *fed_links;
  rl_vec3 *pushes; // [place_count] forces from outside [N]; NULL: there are none in this scene

  // CACHE AND SCRATCH, from here on. It follows from the state and is no part of it: neither hashed
  // nor restored, and filled where it is needed, in a const state too. So a state, const or not, is
  // for one thread at a time.
  //
  // Paths are continued smoothly past the place where a rope leaves a body, for a solver that
  // locates it.
  bool continues_paths;
  // The path of each rope over bodies as last solved (wrap.h): of those of rope r from
  // rl_path_items on, items and what they were solved for, and by rope how many items there are (0:
  // it is not solved) and the length.
  rl_path_item *items;   // [wrap_capacity + 2 rope_count]
  rl_path_input *inputs; // [wrap_capacity + 2 rope_count]
  uint32_t *solved;      // [rope_count]
  double *path_lengths;  // [rope_count] [m]
  // For the path of one rope: other items, the parts it lies on, and where and what these are.
  rl_path_item *old_items;    // [path_capacity + 2]
  rl_path_item *kept_items;   // [path_capacity + 2] with which a search began, or that it found
  rl_path_item *left_items;   // [path_capacity + 2] those from which the rope has slipped off
  rl_path_solid *solids;      // [part_count]
  rl_part *grown;             // [part_count]
  uint32_t (*solid_parts)[2]; // [part_count] body and part
  uint32_t *part_solids;      // [part_count] which of these a part is, if it is one of them
  rl_wrap *old_wraps;         // [path_capacity]
  double *old_lengths;        // [path_capacity] its pieces before their contacts change [m]
  double *of_pieces; // [path_capacity] a number for each of its pieces, in passes over them
  // Growths (wrap.h) of the pieces of ropes over bodies in the last step: those of rope r from
  // rl_wrap_growths on [wrap_capacity + rope_count] [m].
  double *growths;
  double *aims; // [links + contact capacity] what C of rows shall be as that is taken back [m]
  // And bodies in the order of where they are, with that (wrap_sweep.c).
  uint32_t *body_order, ordered_count; // [body_count], and how many are in order: all or none yet
  double *body_places;                 // [body_count] [m]
  double widest_body; // the largest finite bound of a body and its way in the step [m]
  rl_vec3 *kicked; // [place_count] velocities of what drag acts on, before the last rl_state_kick
} rl_state;

// Returns the path of a rope over bodies as last solved: its two ends and its wraps.
static inline rl_path_item *rl_path_items(const rl_state *state, uint32_t rope) {
  return &state->items[state->model->ropes[rope].first_wrap + 2 * rope];
}

// Returns the growths of a rope over bodies, of each of its pieces [m].
static inline double *rl_wrap_growths(const rl_state *state, uint32_t rope) {
  return &state->growths[state->model->ropes[rope].first_wrap + rope];
}

// Whether a contact is between two bodies, between two elements of ropes, or of a rope on a body.
static inline bool rl_is_of_bodies(const rl_contact *contact) { return contact->rope == RL_NONE; }

static inline bool rl_is_of_ropes(const rl_contact *contact) { return contact->body == RL_NONE; }

static inline bool rl_is_on_body(const rl_contact *contact) {
  return !rl_is_of_bodies(contact) && !rl_is_of_ropes(contact);
}

// Returns the index of the first multiplier of a split, behind those of elements and contacts.
static inline size_t rl_first_split(const rl_model *model, const rl_state *state) {
  return (size_t)model->link_count + (size_t)state->contact_count;
}

// Return the number of multipliers in use, and the most there can be.
static inline size_t rl_unknown_count(const rl_model *model, const rl_state *state) {
  return rl_first_split(model, state) + (size_t)state->split_count;
}

static inline size_t rl_unknown_capacity(const rl_model *model) {
  return (size_t)model->link_count + model->contact_capacity + model->split_capacity;
}

// Returns the memory of a state [bytes].
size_t rl_state_bytes(const rl_model *model);

// Creates the initial state of a model; NULL when out of memory. Free it with rl_state_free.
rl_state *rl_state_create(const rl_model *model);
void rl_state_free(rl_state *state);

// Carves a state for rl_state_copy to write to; free it with what it was carved from.
rl_state *rl_state_carve(const rl_model *model, rl_carver *carver);

// Copies a state to another one of the same model, solved paths included.
void rl_state_copy(rl_state *to, const rl_state *from);

// Write a state to a file and read it back, bit for bit, for the same model and program. Return
// false on failure; a state that was read is then undefined.
bool rl_state_write(const rl_state *state, FILE *file);
bool rl_state_read(rl_state *state, FILE *file);

// FNV-1a, by words: where a hash starts, and how a word continues it.
#define RL_HASH_START UINT64_C(14695981039346656037)

static inline uint64_t rl_hash_word(uint64_t hash, uint64_t word) {
  return (hash ^ word) * UINT64_C(1099511628211);
}

// Returns the 64-bit FNV-1a hash (by words) of all that a step reads and writes; without work and
// dissipation, which the ledger only watches, and the wind, which the events give at any time.
uint64_t rl_state_hash(const rl_state *state);

// Returns false if a position, rotation or velocity is nan or infinite.
bool rl_state_finite(const rl_model *model, const rl_state *state);

// Returns the number of elements of a rope; a massless rope that was cut has none.
static inline uint32_t rl_rope_elements(const rl_model *model, const rl_state *state,
                                        uint32_t rope) {
  return state && state->element_counts ? state->element_counts[rope]
                                        : model->ropes[rope].link_count;
}

// Returns the element that a winch feeds now; RL_NONE: it does not run, or an earlier event works
// on the same element.
static inline uint32_t rl_fed_link(const rl_state *state, uint32_t event) {
  uint32_t link = state->fed_links[event];
  for (uint32_t k = 0; k < event; k++) {
    link = state->fed_links[k] == link ? RL_NONE : link;
  }
  return link;
}

// Returns the drag coefficients of all slots [N s/m].
static inline const double *rl_drags(const rl_model *model, const rl_state *state) {
  return state->drags ? state->drags : model->drags;
}

// Return the number of nodes of a rope (in one piece one more than elements, of a loop as many),
// and the slot of the i-th along it, 0 at `from`. In one piece, element i leads from node i to the
// next, the last of a loop back to node 0; elements.h has how to walk along a rope that was parted.
uint32_t rl_rope_nodes(const rl_model *model, const rl_state *state, uint32_t rope);
uint32_t rl_rope_node(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);

// Return the position of the i-th node of a rope [m], and the tension of its i-th element in the
// last step [N]; 0 before the first.
static inline rl_vec3 rl_rope_position(const rl_model *model, const rl_state *state, uint32_t rope,
                                       uint32_t i) {
  return rl_position(&state->points[rl_rope_node(model, state, rope, i)]);
}

static inline double rl_rope_tension(const rl_model *model, const rl_state *state, uint32_t rope,
                                     uint32_t i) {
  return state->multipliers[model->ropes[rope].first_link + i];
}

// Moves the nodes that are held beside a body's centre to the body's present place.
void rl_state_place_holds(const rl_model *model, rl_state *state);

// v += h (g + w F - w c (v - u)) for all that moves freely, with the forces F from outside and the
// wind u, implicit in the drag c: stable at any h [s]. Drag acts on the velocity at the end: until
// rl_state_settle a node with drag responds to all else as if its mass were m + h c, so that a rope
// at rest is in balance whatever the step.
void rl_state_kick(const rl_model *model, rl_state *state, double h);

// Ends rl_state_kick, with the same h: restores the masses. Returns the loss by drag, at the
// present velocities [J]; what the wind did is added to the state's work.
double rl_state_settle(const rl_model *model, rl_state *state, double h);

// x += h v for everything: fixed slots have the velocity 0, driven slots their mean velocity.
// Bodies turn freely, and winches pay out and take in.
void rl_state_drift(const rl_model *model, rl_state *state, double h);

// L0 += h dL0/dt for the ropes on winches. Part of rl_state_drift; for methods that move otherwise.
void rl_state_reel(const rl_model *model, rl_state *state, double h);

// Returns the position of a vertex at trial positions [slot_count].
rl_vec3 rl_vertex_position(const rl_model *model, const rl_state *state, rl_vertex vertex,
                           const rl_point *points);

#endif
