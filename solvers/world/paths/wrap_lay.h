// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by wrap_lay.c and wrap_lay_*.c, private to them. A waypoint that is not an eye is called a
// way here: the body, or its part, round which the rope is to go.
#ifndef RL_WRAP_LAY_H
#define RL_WRAP_LAY_H

#include "../model/definition.h"
#include "../model/model_check.h"
#include "wrap_internal.h"

typedef struct rl_way {
  uint32_t body, part;
  rl_vec3 side, turning; // the side on which the rope lies, the axis about which it turns; unit
} rl_way;

// Returns the part of a waypoint: the first one of its body if none is named.
static inline uint32_t rl_waypoint_part(const rl_waypoint *waypoint) {
  return waypoint->part == RL_NONE ? 0 : waypoint->part;
}

// Whether two waypoints are ways round the same part.
static inline bool rl_waypoints_are_same(const rl_waypoint *a, const rl_waypoint *b) {
  return !a->is_eye && !b->is_eye && a->body == b->body &&
         rl_waypoint_part(a) == rl_waypoint_part(b);
}

// Whether a depth inside a part [m] is more than rounding.
static inline bool rl_depth_is_inside(const rl_model *model, const rl_part *part, double depth) {
  return depth > 1e-9 * fmin(part->bound, model->reach);
}

// ---------------------------------------------------------------------------------------------
// wrap_lay.c: the rope round all ways, one after the other

// Returns the position of a waypoint: the eye, or the centre of the part.
rl_vec3 rl_waypoint_centre(const rl_model *model, const rl_state *state, const rl_rope *rope,
                           const rl_rope_definition *definition, size_t k);

// Sets the fault for waypoint k; returns false.
bool rl_waypoint_refuse(rl_fault *fault, uint32_t rope, size_t k, const char *format,
                        const char *body);

// Reads way k; returns false with `fault` filled in if it has no definite side.
bool rl_way_find(const rl_wrapping *w, const rl_definition *definition, size_t k, rl_way *way,
                 rl_fault *fault);

// Inserts the ball or side of a way before an item of the list.
void rl_way_put(rl_wrapping *w, size_t before, const rl_way *way);

// (4a) of papers/path.md: guesses the wraps of all ways, one item each, none of which is an edge.
void rl_ways_guess_wraps(rl_wrapping *w, const rl_rope_definition *d);

// Whether the rope, behind `eyes` eyes, passes a part on the side that was asked for, turning about
// it or straight.
bool rl_way_is_passed(rl_wrapping *w, size_t eyes, const rl_way *way);

// Whether the part of way k occurs in another way too.
bool rl_way_is_passed_again(const rl_rope_definition *d, size_t k);

// ---------------------------------------------------------------------------------------------
// wrap_lay_loop.c

// Lays a loop and shares its rest length. Returns its length [m]; nan with `fault` filled in if it
// has no way.
double rl_lay_loop(const rl_model *model, const rl_definition *definition, rl_state *state,
                   uint32_t index, rl_fault *fault);

// ---------------------------------------------------------------------------------------------
// wrap_lay_check.c: what is refused. All return false with `fault` filled in where they refuse.

// Refuses full turns round a ball without friction, and two consecutive ways round the same part.
bool rl_lay_check_turns(const rl_model *model, const rl_definition *definition, uint32_t index,
                        rl_fault *fault);

// Checks that on each ball the rope is on the side that was asked for, and on no more than half of
// it unless friction can hold it in its plane; then it is held.
bool rl_lay_check_sides(const rl_wrapping *w, const rl_definition *definition, rl_fault *fault);

// Refuses way k, on which the rope slips off a ball: turning about that axis, or past half of it.
bool rl_lay_refuse_ball(const rl_wrapping *w, uint32_t body, size_t k, const rl_path_item *item,
                        rl_vec3 turning, rl_fault *fault);

// Checks that the rope lies on each way, with its turns, or is clear of it on its side.
bool rl_lay_check_passed(rl_wrapping *w, const rl_definition *definition, rl_fault *fault);

// Checks that no piece starts inside a body.
bool rl_lay_check_clear(const rl_wrapping *w, const rl_definition *definition, rl_fault *fault);

#endif
