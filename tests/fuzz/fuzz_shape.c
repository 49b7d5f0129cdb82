// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes -> a body with one part, and segments beside it. Distances are finite, normals unit, the
// foot of a point lies on the surface, and the least along a segment is not above any of its
// points. Numbers come from 16 bits over a power of two, so that things often coincide.
#include "fuzz.h"

#include "world/bodies/shape.h"
#include "world/bodies/shape_hull.h"

#include <math.h>
#include <string.h>

enum { HULL_POINTS = 24, SAMPLES = 16 };

typedef struct source {
  const uint8_t *data;
  size_t size;
} source;

static unsigned next_byte(source *s) {
  if (s->size == 0) {
    return 0;
  }
  s->size--;
  return *s->data++;
}

static double next_number(source *s, double scale) {
  const unsigned high = next_byte(s), low = next_byte(s);
  return scale * (double)(int16_t)(uint16_t)(high << 8 | low);
}

static rl_vec3 next_vector(source *s, double scale) {
  const double x = next_number(s, scale), y = next_number(s, scale), z = next_number(s, scale);
  return rl_vec(x, y, z);
}

static double next_scale(source *s) { return ldexp(1.0, -(int)(next_byte(s) % 24)); }

static rl_part_definition next_part(source *s, rl_vec3 points[HULL_POINTS]) {
  rl_part_definition part = {.shape = (rl_shape)(next_byte(s) % 6)};
  const double scale = next_scale(s), turn = next_scale(s);
  part.at = next_vector(s, scale);
  part.rotation = next_vector(s, turn);
  part.radius = scale + fabs(next_number(s, scale));
  part.length = scale + fabs(next_number(s, scale));
  part.size = next_vector(s, scale);
  part.size =
      rl_vec(scale + fabs(part.size.x), scale + fabs(part.size.y), scale + fabs(part.size.z));
  part.normal = next_vector(s, scale);
  if (!(rl_length(part.normal) > 0.0)) {
    part.normal = rl_vec(0.0, 1.0, 0.0);
  }
  if (part.shape == RL_HULL) {
    part.point_count = 4 + next_byte(s) % (HULL_POINTS - 3);
    part.points = points;
    for (size_t i = 0; i < part.point_count; i++) {
      points[i] = next_vector(s, scale);
    }
  }
  return part;
}

static double largest(rl_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

// A part in place, and how much of a distance is rounding.
typedef struct place {
  const rl_part *part;
  rl_vec3 at;
  rl_quat rotation;
  double reach; // how far it is from the origin to the far side of all of it
} place;

static const double rounding = 1e-11;

// Segments that are tilted by less than this [rad] count as parallel to the surface (shape.c).
static const double parallel = 1e-9;

static rl_surface surface_at(const place *w, rl_vec3 p) {
  return rl_shape_surface(w->part, w->at, w->rotation, p);
}

static void check_surface(const rl_surface *s, rl_vec3 p) {
  FUZZ_REQUIRE(isfinite(s->distance), "%g at %.17g %.17g %.17g", s->distance, p.x, p.y, p.z);
  FUZZ_REQUIRE(fabs(rl_length(s->normal) - 1.0) < 1e-9, "normal %.17g %.17g %.17g", s->normal.x,
               s->normal.y, s->normal.z);
}

static void check_point(const place *w, rl_vec3 p) {
  const rl_surface s = surface_at(w, p);
  check_surface(&s, p);
  const rl_vec3 foot = rl_add_scaled(p, -s.distance, s.normal);
  const double tolerance = rounding * (w->reach + largest(p));
  const rl_surface at_foot = surface_at(w, foot);
  FUZZ_REQUIRE(fabs(at_foot.distance) <= tolerance,
               "shape %d, p %.17g %.17g %.17g, distance %.17g, at its foot %.17g", w->part->shape,
               p.x, p.y, p.z, s.distance, at_foot.distance);
}

static void check_segment(const place *w, rl_vec3 p0, rl_vec3 p1) {
  rl_surface least;
  const double s = rl_shape_segment(w->part, w->at, w->rotation, p0, p1, &least);
  FUZZ_REQUIRE(s >= 0.0 && s <= 1.0, "s = %.17g", s);
  check_surface(&least, p0);
  const double tolerance =
      rounding * (w->reach + largest(p0) + largest(p1)) + parallel * rl_distance(p0, p1);
  for (int i = 0; i <= SAMPLES; i++) {
    const double t = (double)i / SAMPLES;
    const rl_vec3 p = rl_add_scaled(p0, t, rl_sub(p1, p0));
    const rl_surface there = surface_at(w, p);
    FUZZ_REQUIRE(least.distance <= there.distance + tolerance,
                 "shape %d, s %.17g: %.17g, at %.17g: %.17g", w->part->shape, s, least.distance, t,
                 there.distance);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  source s = {data, size};
  rl_vec3 points[HULL_POINTS];
  const rl_part_definition part = next_part(&s, points);
  const double body_scale = next_scale(&s), turn = next_scale(&s);
  rl_body_definition body = rl_body_defaults();
  body.name = "body";
  body.motion = RL_FIXED;
  body.position = next_vector(&s, body_scale);
  body.rotation = next_vector(&s, turn);
  body.part_count = 1;
  body.parts = &part;
  const rl_definition definition = {.body_count = 1, .bodies = &body};
  rl_fault fault;
  rl_model *model = rl_model_create(&definition, &fault);
  if (!model) {
    FUZZ_REQUIRE(part.shape == RL_HULL && *fault.message, "%s", fault.message);
    return 0;
  }
  const rl_body *made = &model->bodies[0];
  place w = {made->parts, made->position, made->rotation, 0.0};
  const double bound = part.shape == RL_PLANE ? 0.0 : rl_shape_bound(w.part);
  w.reach = largest(made->position) + largest(part.at) + bound;
  const double scale = next_scale(&s);
  do {
    const rl_vec3 p0 = next_vector(&s, scale), p1 = next_vector(&s, scale);
    check_point(&w, p0);
    check_segment(&w, p0, p1);
  } while (s.size > 0);
  rl_model_free(model);
  return 0;
}
