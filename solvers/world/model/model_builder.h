// SPDX-License-Identifier: GPL-3.0-or-later
// How a model is made: private to model.c and model_*.c.
#ifndef RL_MODEL_BUILDER_H
#define RL_MODEL_BUILDER_H

#include "../model.h"

// A model under construction, with writable arrays.
typedef struct rl_builder {
  const rl_definition *definition;
  rl_model *model;
  rl_body *bodies;
  rl_part *parts;
  rl_face *faces;
  uint16_t *corners;
  uint32_t *twins;
  uint32_t spin_count; // number of bodies that turn, so far
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
  // Scratch for one rope, sized for the longest: rest lengths, positions and masses of its nodes.
  double *rest;
  rl_vec3 *pose;
  double *node_masses;
  size_t longest;             // number of elements of the longest rope
  uint32_t longest_rope;      // its index
  rl_rope_definition *copies; // [ropes] with the positions of joined ends, as these become known
  uint32_t *first_node;       // [ropes] first own node of each
  bool *built;                // [ropes] whether it is built
  double *ways;               // [places] how far each can get [m]
  rl_vec3 **polylines;        // [ropes] of ropes with mass that start over bodies, else NULL
} rl_builder;

// Returns the number of nodes that only this rope has: not the centres of bodies, not the nodes of
// other ropes.
size_t rl_builder_own_nodes(const rl_rope_definition *rope);

// Returns the size of the copy of a name [bytes]; 0 for NULL.
size_t rl_builder_name_size(const char *name);

// Copies a name into the memory of the model.
const char *rl_builder_copy_name(rl_builder *b, const char *name);

// Sets position, mass and velocity of a slot; mass 0: immovable.
void rl_builder_set_point(rl_builder *b, uint32_t slot, rl_vec3 position, double mass,
                          rl_vec3 velocity);

// Builds a body, with its parts.
void rl_build_body(rl_builder *b, uint32_t index);

// Count the pairs of parts that can touch, and the most contacts of these; build the pairs.
void rl_builder_count_pairs(const rl_definition *definition, uint64_t *pairs, uint64_t *contacts);
void rl_build_pairs(rl_builder *b);

// Builds all ropes, each after those to which it is joined. Returns false with `fault` filled in.
bool rl_build_ropes(rl_builder *b, rl_fault *fault);

// Finds the points along which a rope with mass that has waypoints starts. Returns false with
// `fault` filled in.
bool rl_build_path(rl_builder *b, uint32_t index, rl_fault *fault);

// Lays all ropes that can lie on bodies, after bodies and ropes have their positions: lengths and
// wraps. Returns false with `fault` filled in.
bool rl_build_wraps(rl_builder *b, rl_fault *fault);

// Sets the tensions at which elements tear.
void rl_build_strengths(rl_builder *b);

// Finds the distances of the scene, which are its size as long as ropes over bodies have no length.
void rl_build_reach(rl_builder *b);

// Finds the capabilities that a solver needs, and the size of the scene.
void rl_build_summary(rl_builder *b);

// Finds how far masses can get.
void rl_build_fall(rl_builder *b);

// Whether a model that is built can start: nothing is inside something else by more than
// RL_START_TOLERANCE, and no rope with bending stiffness is folded back on itself. Returns false
// with `fault` filled in.
bool rl_model_check_start(const rl_model *model, const rl_definition *definition, rl_fault *fault);

#endif
