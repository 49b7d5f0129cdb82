// SPDX-License-Identifier: GPL-3.0-or-later
// The making of a model: private to model.c and model_*.c.
#ifndef RL_MODEL_BUILDER_H
#define RL_MODEL_BUILDER_H

#include "../model.h"

// The model with writable arrays, while it is being made.
typedef struct rl_builder {
  const rl_definition *definition;
  rl_model *model;
  rl_body *bodies;
  rl_part *parts;
  rl_face *faces;
  uint16_t *corners;
  uint32_t spin_count; // bodies that turn, so far
  rl_vec3 *hull_points;
  rl_drive_key *keys;
  rl_rope *ropes;
  rl_vertex *eyes;
  double *eye_frictions;
  uint32_t *eye_elements;
  rl_hold *holds;
  rl_pair *pairs;
  rl_wrap *wraps;
  rl_vec3 *seams;
  rl_point *points;
  double *masses;
  rl_vec3 *velocities;
  double *drags;
  rl_link *links;
  uint32_t *link_rope;
  uint32_t *node_rope;
  uint32_t *node_hold;
  uint8_t *touches;
  double *frictions;
  rl_event *events;
  double *strengths;
  char *names;
  size_t name_bytes, part_count, hull_point_count, key_count;
  // Scratch of the longest rope: rest lengths, positions, masses of its nodes.
  double *rest;
  rl_vec3 *pose;
  double *node_masses;
  size_t longest;        // its elements
  uint32_t longest_rope; // and which it is
  // Scratch of the ropes: copies whose joined ends get their places as these become known, the
  // first own node of each, and which are built.
  rl_rope_definition *copies;
  uint32_t *first_node;
  bool *built;
  rl_vec3 **polylines; // of ropes with mass that start over bodies, else NULL
} rl_builder;

// Nodes that only this rope has: not the centres of bodies, not those of other ropes.
size_t rl_builder_own_nodes(const rl_rope_definition *rope);

// Bytes of a name's copy; NULL: 0.
size_t rl_builder_name_size(const char *name);
const char *rl_builder_copy_name(rl_builder *b, const char *name);

// A slot with what stands there; mass 0: it cannot be moved.
void rl_builder_set_point(rl_builder *b, uint32_t slot, rl_vec3 position, double mass,
                          rl_vec3 velocity);

void rl_build_body(rl_builder *b, uint32_t index);

// The pairs of parts that can touch: how many, with how many contacts at most; and then the pairs.
void rl_builder_count_pairs(const rl_definition *definition, uint64_t *pairs, uint64_t *contacts);
void rl_build_pairs(rl_builder *b);

// All ropes, each after those that it is joined to. False with `fault` filled in.
bool rl_build_ropes(rl_builder *b, rl_fault *fault);

// The way of a rope with mass that passes something: its points. False with `fault` filled in.
bool rl_build_path(rl_builder *b, uint32_t index, rl_fault *fault);

// Lays the ropes that can lie on bodies over these, once all of them have their places: lengths and
// wraps. False with `fault` filled in.
bool rl_build_wraps(rl_builder *b, rl_fault *fault);

// The tensions at which elements tear.
void rl_build_strengths(rl_builder *b);

// What a solver must be able to do, and how large the scene is.
void rl_build_summary(rl_builder *b);

#endif
