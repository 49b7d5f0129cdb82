// SPDX-License-Identifier: GPL-3.0-or-later
// Which edges, rims and round pieces of bodies a rope lies on, against polylines pulled tight.
#include "check.h"
#include "polyline.h"

#include "world/path_feature.h"
#include "world/shape_hull.h"
#include "world/trigonometry.h"

#include <string.h>

// A fixed sequence of numbers in [0, 1), so that every run tests the same.
static double next_random(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static double between(uint64_t *seed, double low, double high) {
  return low + (high - low) * next_random(seed);
}

static rl_vec3 random_in_cube(uint64_t *seed, double half) {
  const double x = between(seed, -half, half), y = between(seed, -half, half);
  return rl_vec(x, y, between(seed, -half, half));
}

static rl_vec3 random_direction(uint64_t *seed) {
  for (;;) {
    const rl_vec3 v = random_in_cube(seed, 1.0);
    if (rl_length(v) > 0.1 && rl_length(v) < 1.0) {
      return rl_unit(v);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Bodies

enum { MOST_ITEMS = 64 };

static rl_model *model_with(rl_part_definition part, rl_vec3 position, rl_vec3 rotation) {
  rl_body_definition body = rl_body_defaults();
  body.motion = RL_FIXED;
  body.position = position;
  body.rotation = rotation;
  body.part_count = 1;
  body.parts = &part;
  const rl_definition definition = {.body_count = 1, .bodies = &body};
  rl_fault fault;
  rl_model *model = rl_model_create(&definition, &fault);
  if (!model) {
    print_error("refused: %s\n", fault.message);
    fail();
  }
  return model;
}

static rl_surface surface_of(const void *data, rl_vec3 p) {
  const rl_body *body = data;
  return rl_shape_surface(&body->parts[0], body->position, body->rotation, p);
}

static rl_path_solid solid_of(const rl_model *model) {
  const rl_body *body = &model->bodies[0];
  return rl_path_solid_of(&body->parts[0], body->position, body->rotation);
}

typedef enum sample { BALL, BOX, TETRAHEDRON, HULL, DRUM, DISC, CAPSULE, SAMPLES } sample;
static const char *const sample_names[] = {"ball", "box",  "tetrahedron", "hull",
                                           "drum", "disc", "capsule"};

// One of each, displaced and turned.
static rl_model *random_body(sample which, uint64_t *seed) {
  rl_vec3 points[64];
  rl_part_definition part = {.shape = RL_HULL, .points = points, .point_count = 4};
  for (int i = 0; i < 64; i++) {
    points[i] = random_direction(seed);
  }
  if (which == TETRAHEDRON) {
    const rl_vec3 corners[] = {{1, 0.1, 0}, {-0.5, 0.9, 0.1}, {-0.4, -0.8, -0.1}, {0, 0.2, 1}};
    memcpy(points, corners, sizeof corners);
  }
  part.point_count = which == TETRAHEDRON ? 4 : 24;
  part.shape = which == BALL                    ? RL_SPHERE
               : which == BOX                   ? RL_BOX
               : which == DRUM || which == DISC ? RL_CYLINDER
               : which == CAPSULE               ? RL_CAPSULE
                                                : RL_HULL;
  part.radius = which == DISC ? 0.9 : 0.5;
  part.length = which == DISC ? 0.25 : 1.3;
  part.size = rl_vec(1.3, 0.7, 1.0);
  part.at = rl_vec(0.1, -0.2, 0.3);
  part.rotation = random_in_cube(seed, 1.0);
  return model_with(part, random_in_cube(seed, 0.5), random_in_cube(seed, 2.0));
}

static rl_path_item point(rl_vec3 at) {
  return (rl_path_item){.kind = RL_PATH_POINT, .at = at, .part = RL_NONE};
}

static rl_vec3 beside(const rl_path_solid *solid, uint64_t *seed) {
  const double reach = solid->part->bound * between(seed, 1.05, 3.0);
  return rl_add_scaled(solid->at, reach, random_direction(seed));
}

static void print_path(const rl_path *path) {
  for (size_t i = 0; i < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    print_message("  kind %d part %d feature %x wrap %g along %g of %g piece %g turn %g\n",
                  item->kind, (int)item->part, item->feature, item->wrap, item->along, item->length,
                  item->piece, item->turn);
  }
}

// ---------------------------------------------------------------------------------------------

static void ropes_are_tight_on_every_body(void **unused) {
  (void)unused;
  uint64_t seed = 51;
  for (sample which = 0; which < SAMPLES; which++) {
    int bad = 0, none = 0, loose = 0, inside = 0;
    for (int i = 0; i < 1000; i++) {
      rl_model *model = random_body(which, &seed);
      const rl_path_solid solid = solid_of(model);
      rl_path_item items[MOST_ITEMS] = {0};
      items[0] = point(beside(&solid, &seed));
      items[1] = point(beside(&solid, &seed));
      rl_path path = {items, 2, MOST_ITEMS, 0, 0, 0.0};
      double length = NAN;
      const rl_path_outcome outcome = rl_path_adapt(&path, &solid, 1, &length);
      if (outcome != RL_PATH_FOUND) {
        none++;
        if (none < 3) {
          print_message("%s %d: outcome %d\n", sample_names[which], i, outcome);
          print_path(&path);
        }
      } else if (path.count > 2) {
        const double deep = deepest_place(items, path.count, surface_of, &model->bodies[0]);
        const double tight = tight_length(items, path.count, surface_of, &model->bodies[0]);
        inside += deep > 1e-8;
        loose += fabs(tight - length) > 1e-6 * length;
        if ((deep > 1e-8 || fabs(tight - length) > 1e-6 * length) && bad++ < 3) {
          print_message("%s %d: deep %g, tight %.9g length %.9g\n", sample_names[which], i, deep,
                        tight, length);
          print_path(&path);
        }
      }
      rl_model_free(model);
    }
    print_message("%s: none %d loose %d inside %d\n", sample_names[which], none, loose, inside);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ropes_are_tight_on_every_body),
  };
  return cmocka_run_group_tests_name("path_feature", tests, NULL, NULL);
}
