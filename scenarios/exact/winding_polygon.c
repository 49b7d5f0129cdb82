// SPDX-License-Identifier: GPL-3.0-or-later
// A bob on a rope that winds on a prism, without gravity or friction: it moves about one edge after
// the other on circles with the free length l as radius, at constant speed v. From one edge to the
// next the rope turns by the angle phi between the faces and comes to lie on the face of width a
// between them:
//   t_{k+1} - t_k = phi_k l_k/v,   l_{k+1} = l_k - a_k,   T = m v^2/l_k.
// With many edges these sums become l^2 = l0^2 - 2 R v t of the round post, with a = R phi.
#include "common.h"

#include "world/paths/path_solid.h"

#include <string.h>

typedef struct winding_polygon {
  uint32_t rope, body, bob;
  uint32_t edge;   // edge at the start, named from the face that the rope comes from (path_solid.h)
  uint32_t before; // number of edges that the rope lies on before it
  rl_vec3 axis;    // unit: axis of the bob's rotation
  rl_vec3 bob_at;
  double speed, mass;
} winding_polygon;

static rl_path_solid solid_of(const rl_model *model, uint32_t body) {
  const rl_body *b = &model->bodies[body];
  return rl_path_solid_of(&b->parts[0], b->position, b->rotation);
}

// Returns the point of an edge in the plane of the motion through `p`, and its position along the
// edge.
static rl_vec3 edge_at(const rl_path_solid *solid, uint32_t edge, rl_vec3 p, double *along) {
  rl_vec3 a, b;
  rl_path_edge_ends(solid->part, edge, &a, &b);
  const rl_vec3 from = rl_path_to_world(solid, a);
  const rl_vec3 way = rl_unit(rl_sub(rl_path_to_world(solid, b), from));
  *along = rl_dot(rl_sub(p, from), way);
  return rl_add_scaled(from, *along, way);
}

static bool is_along(const winding_polygon *self, const rl_path_solid *solid, uint32_t edge) {
  rl_vec3 a, b;
  rl_path_edge_ends(solid->part, edge, &a, &b);
  const rl_vec3 way = rl_rotate(solid->rotation, rl_unit(rl_sub(b, a)));
  return fabs(fabs(rl_dot(way, self->axis)) - 1.0) < 1e-9;
}

// Returns the next edge that the rope reaches: the other edge along the axis of the face behind
// this one.
static uint32_t next_edge(const winding_polygon *self, const rl_path_solid *solid, uint32_t edge) {
  const uint32_t twin = rl_path_edge_twin(solid->part, edge);
  for (uint32_t next = twin != RL_NONE ? rl_path_edge_after(solid->part, twin) : twin; next != twin;
       next = rl_path_edge_after(solid->part, next)) {
    if (is_along(self, solid, next)) {
      return next;
    }
  }
  return RL_NONE;
}

// Finds the edge that touches a straight rope nearest to the bob. Of its two names it returns that
// from the face which the rope turns away from.
static uint32_t touched_edge(const winding_polygon *self, const rl_path_solid *solid, rl_vec3 from,
                             rl_vec3 way) {
  const double length = rl_distance(self->bob_at, from);
  double nearest = 0.0;
  uint32_t found = RL_NONE;
  for (uint32_t face = 0; face < rl_path_face_count(solid->part); face++) {
    const rl_vec3 normal = rl_rotate(solid->rotation, rl_path_face_normal(solid->part, face));
    for (uint32_t i = 0; i < rl_path_face_corners(solid->part, face); i++) {
      const uint32_t edge = RL_FEATURE_EDGE(face, i);
      const uint32_t twin = rl_path_edge_twin(solid->part, edge);
      if (!is_along(self, solid, edge) || twin == RL_NONE) {
        continue;
      }
      double along;
      const rl_vec3 other =
          rl_rotate(solid->rotation, rl_path_face_normal(solid->part, RL_FEATURE_FACE(twin)));
      const rl_vec3 at = rl_sub(edge_at(solid, edge, self->bob_at, &along), from);
      const double s = rl_dot(at, way);
      if (rl_length(rl_add_scaled(at, -s, way)) < 1e-9 * length && s > nearest && s < length &&
          rl_dot(normal, way) < rl_dot(other, way)) {
        nearest = s;
        found = edge;
      }
    }
  }
  return found;
}

// Returns the angle by which the rope has to turn at an edge to lie on the face behind it [rad].
static double angle_to(const winding_polygon *self, rl_vec3 way, rl_vec3 face) {
  return atan2(rl_dot(rl_cross(way, face), self->axis), rl_dot(way, face));
}

static bool find_edge(winding_polygon *self, const rl_model *model, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[self->rope];
  const rl_path_solid solid = solid_of(model, self->body);
  rl_vec3 from = rl_position(&model->points[rope->ends[0]]);
  bool is_known = true;
  for (uint32_t i = 0; i < rope->wrap_count; i++) {
    const rl_wrap *wrap = &model->wraps[rope->first_wrap + i];
    double along;
    is_known = is_known && wrap->body == self->body && is_along(self, &solid, wrap->feature);
    self->edge = wrap->feature;
    self->before = i;
    if (is_known) {
      from = edge_at(&solid, wrap->feature, self->bob_at, &along);
    }
  }
  const rl_vec3 way = rl_unit(rl_sub(self->bob_at, from));
  if (rope->wrap_count == 0) {
    self->edge = touched_edge(self, &solid, from, way);
    is_known = self->edge != RL_NONE;
  }
  const rl_vec3 velocity = model->velocities[self->bob];
  self->axis = rl_unit(rl_cross(way, velocity));
  if (is_known) {
    double along;
    const rl_vec3 pivot = edge_at(&solid, self->edge, self->bob_at, &along);
    const uint32_t next = next_edge(self, &solid, self->edge);
    is_known =
        next != RL_NONE &&
        angle_to(self, way, rl_sub(edge_at(&solid, next, self->bob_at, &along), pivot)) >= 0.0;
  }
  if (!is_known || rl_distance(rl_unit(velocity), rl_cross(self->axis, way)) > 1e-9) {
    return rl_exact_refuse(
        message, size,
        "rope '%s' must lie on parallel edges of '%s', or touch one, and its bob start across it "
        "and them, to where it winds up; found %s",
        rope->name, model->bodies[self->body].name,
        is_known ? "a bob that starts otherwise" : "no such edge, or a bob that unwinds it");
  }
  return true;
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  winding_polygon *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  if (!rl_exact_is_winding(model, arguments[0], arguments[1], false, message, size)) {
    return false;
  }
  self->rope = arguments[0];
  self->body = arguments[1];
  self->bob = rope->ends[1];
  self->mass = model->masses[self->bob];
  self->speed = rl_length(model->velocities[self->bob]);
  self->bob_at = rl_position(&model->points[self->bob]);
  const rl_vec3 end = rl_position(&model->points[rope->ends[0]]);
  self->axis = rl_unit(rl_cross(rl_sub(self->bob_at, end), model->velocities[self->bob]));
  return find_edge(self, model, message, size);
}

// Adds a wrap on an edge behind those of the state.
static void add_wrap(const winding_polygon *self, const rl_model *model, rl_state *state,
                     uint32_t edge, double along) {
  const rl_rope *rope = &model->ropes[self->rope];
  uint32_t *count = &state->wrap_counts[self->rope];
  if (*count < rope->wrap_capacity) {
    state->wraps[rope->first_wrap + (*count)++] =
        (rl_wrap){.body = self->body, .feature = edge, .along = along};
  }
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const winding_polygon *self = memory;
  const rl_rope *rope = &model->ropes[self->rope];
  const rl_path_solid solid = solid_of(model, self->body);
  double along, left = t;
  uint32_t edge = self->edge;
  rl_vec3 pivot = edge_at(&solid, edge, self->bob_at, &along);
  rl_vec3 way = rl_unit(rl_sub(self->bob_at, pivot));
  double length = rl_distance(self->bob_at, pivot);
  state->wrap_counts[self->rope] = self->before;
  memcpy(&state->wraps[rope->first_wrap], &model->wraps[rope->first_wrap],
         self->before * sizeof *state->wraps);
  for (;;) {
    add_wrap(self, model, state, edge, along);
    edge = next_edge(self, &solid, edge);
    const rl_vec3 next = edge_at(&solid, edge, self->bob_at, &along);
    const rl_vec3 face = rl_unit(rl_sub(next, pivot));
    const double angle = angle_to(self, way, face);
    if (self->speed * left <= angle * length) {
      break;
    }
    left -= angle * length / self->speed;
    length -= rl_distance(next, pivot);
    way = face;
    pivot = next;
    if (!(length > 0.0)) {
      return false;
    }
  }
  double s, c;
  rl_sincos(self->speed * left / length, &s, &c);
  const rl_vec3 across = rl_cross(self->axis, way);
  const rl_vec3 out = rl_add(rl_scale(c, way), rl_scale(s, across));
  rl_exact_set_motion(state, self->bob, rl_add_scaled(pivot, length, out),
                      rl_scale(self->speed, rl_cross(self->axis, out)));
  rl_exact_set_tension(state, model, self->rope, self->mass * self->speed * self->speed / length);
  return true;
}

const rl_exact_type rl_exact_winding_polygon = {
    .name = "winding-polygon",
    .summary = "a bob on a rope that winds on a prism, edge by edge, without gravity",
    .argument_count = 2,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from its fixed end to the bob"},
                  {"post", RL_EXACT_BODY, "the prism: a box or a hull"}},
    .size = sizeof(winding_polygon),
    .init = init,
    .at = at,
};
