// SPDX-License-Identifier: GPL-3.0-or-later
// Which edges, rims and round pieces of bodies a rope lies on, against polylines pulled tight.
#include "check.h"
#include "polyline.h"
#include "shortest.h"

#include "world/bodies/shape_hull.h"
#include "world/paths/path_rules.h"
#include "world/paths/wrap.h"
#include "world/trigonometry.h"

#include <stdlib.h>
#include <string.h>

// Added to the seeds of all tests.
static uint64_t first_seed;

// ---------------------------------------------------------------------------------------------
// Bodies

enum { MOST_ITEMS = 64, RANDOM_POINTS = 64 };

static rl_path_item kept[MOST_ITEMS]; // of every rl_path

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

// One of each, displaced and turned. `points`: those of a hull, which takes the first ones.
static rl_part_definition random_part(sample which, rl_vec3 points[RANDOM_POINTS], uint64_t *seed) {
  rl_part_definition part = {.shape = RL_HULL, .points = points, .point_count = 24};
  for (int i = 0; i < RANDOM_POINTS; i++) {
    points[i] = random_direction(seed);
  }
  if (which == TETRAHEDRON) {
    const rl_vec3 corners[] = {{1, 0.1, 0}, {-0.5, 0.9, 0.1}, {-0.4, -0.8, -0.1}, {0, 0.2, 1}};
    memcpy(points, corners, sizeof corners);
    part.point_count = 4;
  }
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
  return part;
}

static rl_model *random_body(sample which, uint64_t *seed) {
  rl_vec3 points[RANDOM_POINTS];
  const rl_part_definition part = random_part(which, points, seed);
  return model_with(part, random_in_cube(seed, 0.5), random_in_cube(seed, 2.0));
}

static rl_path_item point(rl_vec3 at) {
  return (rl_path_item){.kind = RL_PATH_POINT, .at = at, .part = RL_NONE};
}

static rl_vec3 beside(const rl_path_solid *solid, uint64_t *seed) {
  const double reach = solid->part->bound * between(seed, 1.05, 3.0);
  return rl_add_scaled(solid->at, reach, random_direction(seed));
}

// ---------------------------------------------------------------------------------------------

static void print_path(const rl_path *path) {
  for (size_t i = 0; i < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    print_message("  kind %d feature %x wrap %.9g along %.9g of %.9g piece %.9g turn %.9g\n",
                  item->kind, item->feature, item->wrap, item->along, item->length, item->piece,
                  item->turn);
  }
}

// How deep a path is in the body, its straight pieces exactly.
static double depth_of(const rl_path *path, const rl_body *body) {
  double deepest = deepest_place(path->items, path->count, surface_of, body);
  for (size_t i = 0; i + 1 < path->count; i++) {
    rl_surface s;
    rl_shape_segment(&body->parts[0], body->position, body->rotation, path->items[i].exit,
                     path->items[i + 1].entry, &s);
    deepest = fmax(deepest, -s.distance);
  }
  return deepest;
}

// How far a way beside the path may go from it: not to the other side of a corner, or of the rim
// between two places on it, where another way may be the shortest beside itself.
static double reach_beside(const rl_path *path, const rl_part *part) {
  double reach = 0.05 * part->bound;
  for (size_t i = 1; i + 1 < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    if (item->kind == RL_PATH_CIRCLE && item[1].kind == RL_PATH_CIRCLE &&
        item->feature == item[1].feature) {
      reach = fmin(reach, 0.5 * item->radius * (1.0 - cos(0.5 * (item->along - item[1].along))));
    }
    if (item->kind == RL_PATH_LINE) {
      reach = fmin(reach, 0.5 * fmin(fabs(item->along), fabs(item->length - item->along)));
    }
  }
  return reach;
}

// Whether a path is clear of the body and none beside it is shorter: of smooth bodies against
// polylines that are pulled tight, of the others against all places on edges and rims.
static bool is_tight(const rl_path *path, const rl_body *body, sample which, double length) {
  const rl_path_solid solid = rl_path_solid_of(&body->parts[0], body->position, body->rotation);
  const double deep = depth_of(path, body);
  const bool smooth = which == BALL || which == CAPSULE;
  double tight = smooth ? tight_length(path->items, path->count, surface_of, body)
                        : shortest_beside(&solid, path, reach_beside(path, solid.part));
  if (!smooth && tight < length - 1e-6) { // a hollow that is not as wide as that
    tight = shortest_beside(&solid, path, 0.1 * reach_beside(path, solid.part));
  }
  if (deep < 1e-9 && fabs(tight - length) < 1e-6) {
    return true;
  }
  print_message("%s: %g deep, %g shorter\n", sample_names[which], deep, length - tight);
  print_path(path);
  return false;
}

enum { ROPES = 100 }; // over each body, for each seed

// Ropes that are pulled tight where they are straight through the body.
static void ropes_are_tight_on_every_body(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 51;
  for (sample which = 0; which < SAMPLES; which++) {
    int none = 0, touching = 0, loose = 0, longer = 0, shorter = 0;
    while (touching < ROPES) {
      rl_model *model = random_body(which, &seed);
      const rl_path_solid solid = solid_of(model);
      rl_path_item items[MOST_ITEMS] = {0};
      items[0] = point(beside(&solid, &seed));
      items[1] = point(beside(&solid, &seed));
      rl_path path = {items, 2, MOST_ITEMS, 0, 0, kept};
      double length = NAN;
      none += rl_path_adapt(&path, &solid, 1, &length) != RL_PATH_FOUND;
      if (!isnan(length) && path.count > 2) {
        touching++;
        loose += !is_tight(&path, &model->bodies[0], which, length);
        if (which != BALL && which != CAPSULE) {
          const rl_vec3 from = items[0].at, to = items[path.count - 1].at;
          const double least = shortest_of_all(&solid, from, to, 1.2 * length);
          longer += length > least + 1e-6;
          shorter += length < fmin(least, shortest_beside(&solid, &path, 1e-3)) - 1e-9;
        }
      }
      rl_model_free(model);
    }
    print_message("%s: %d ropes, %d not found, %d loose, %d shorter than possible, %d not the "
                  "shortest of all\n",
                  sample_names[which], touching, none, loose, shorter, longer);
    assert_int_equal(none, 0);
    assert_int_equal(loose, 0);
    assert_int_equal(shorter, 0);
  }
}

// ---------------------------------------------------------------------------------------------
// Winding

typedef struct windings {
  int none, touching, loose;
} windings;

static void wind_round(sample which, uint64_t *seed, windings *seen) {
  rl_model *model = random_body(which, seed);
  const rl_path_solid solid = solid_of(model);
  rl_path_item items[MOST_ITEMS] = {0};
  const rl_vec3 way = rl_scale(1.8 * solid.part->bound, random_direction(seed));
  const rl_vec3 off = random_in_cube(seed, 0.3 * solid.part->bound);
  items[0] = point(rl_add(solid.at, rl_add(off, way)));
  items[1] = point(rl_add(solid.at, rl_sub(off, way)));
  rl_path path = {items, 2, MOST_ITEMS, 0, 0, kept};
  double length = NAN;
  seen->none +=
      rl_path_wind(&path, 0, &solid, 1, 0, random_direction(seed), 0, &length) != RL_PATH_FOUND;
  if (!isnan(length) && path.count > 2) {
    seen->touching++;
    seen->loose += !is_tight(&path, &model->bodies[0], which, length);
  }
  rl_model_free(model);
}

static void ropes_are_wound_round_every_body(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 53;
  for (sample which = 0; which < SAMPLES; which++) {
    windings seen = {0};
    for (int i = 0; i < 3 * ROPES; i++) {
      wind_round(which, &seed, &seen);
    }
    print_message("wound %s: %d touch, %d not found, %d loose\n", sample_names[which],
                  seen.touching, seen.none, seen.loose);
    assert_true(seen.touching > 2.5 * ROPES);
    assert_true(seen.none + seen.loose == 0);
  }
}

// Of a rope that comes from a side over its rim to a point beside the side, where the rim is the
// last item (drums); of one that passes a corner before its other places balance (the others).
static void hard_windings_are_found(void **unused) {
  (void)unused;
  static const struct {
    uint64_t seed;
    sample which;
  } hard[] = {{8224604050082681279U, DRUM}, {11994593230511979015U, DRUM},
              {8940813506739461313U, BOX},  {8500477546402358871U, HULL},
              {7592993359782734354U, HULL}, {11433446809304644244U, HULL}};
  windings seen = {0};
  for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++) {
    uint64_t seed = hard[k].seed;
    wind_round(hard[k].which, &seed, &seen);
  }
  print_message("%d of %zu hard windings not found, %d loose, expected none\n", seen.none,
                sizeof hard / sizeof hard[0], seen.loose);
  assert_int_equal(seen.none + seen.loose, 0);
}

// ---------------------------------------------------------------------------------------------
// On which side

typedef struct route_list {
  rl_vec3 turning;  // asked for
  double least;     // length of all
  double near;      // how far the nearest one's length is from `length`
  double length;    // of the path found
  uint32_t on_side; // how many turn that way
} route_list;

static void note_route(const rl_path_route *route, void *data) {
  route_list *list = data;
  list->least = fmin(list->least, route->length);
  list->near = fmin(list->near, fabs(route->length - list->length));
  list->on_side += rl_dot(route->turning, list->turning) > 0.0 ? 1 : 0;
}

// A rope with a side given, over one body; NULL if it is refused.
static rl_model *laid_over(const rl_part_definition *part, rl_vec3 position, rl_vec3 rotation,
                           const rl_vec3 ends[2], rl_vec3 side) {
  rl_body_definition body = rl_body_defaults();
  body.name = "body";
  body.motion = RL_FIXED;
  body.position = position;
  body.rotation = rotation;
  body.part_count = 1;
  body.parts = part;
  rl_waypoint route = rl_waypoint_defaults();
  route.body = 0;
  route.side = side;
  rl_rope_definition rope = rl_rope_defaults();
  rope.name = "rope";
  rope.from.at = ends[0];
  rope.to.at = ends[1];
  rope.waypoint_count = 1;
  rope.waypoints = &route;
  const rl_definition definition = {
      .body_count = 1, .bodies = &body, .rope_count = 1, .ropes = &rope};
  rl_fault fault;
  return rl_model_create(&definition, &fault);
}

// Random ends and sides. What is laid is one of the ways of unfolding; what is refused has none
// that turns as asked; and the shortest of all ways that unfolding knows is that of brute force.
static void sides_are_found_where_there_is_a_way(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 59;
  for (sample which = BOX; which <= HULL; which++) {
    int laid = 0, over = 0, refused = 0, wrong = 0, other = 0, unlike = 0;
    for (int i = 0; i < ROPES; i++) {
      rl_vec3 points[RANDOM_POINTS];
      const rl_part_definition part = random_part(which, points, &seed);
      const rl_vec3 position = random_in_cube(&seed, 0.5), rotation = random_in_cube(&seed, 2.0);
      rl_model *model = model_with(part, position, rotation);
      const rl_path_solid solid = solid_of(model);
      const rl_vec3 ends[2] = {beside(&solid, &seed), beside(&solid, &seed)};
      const rl_vec3 side = random_direction(&seed);
      rl_model *with_rope = laid_over(&part, position, rotation, ends, side);
      rl_state *state = with_rope ? rl_state_create(with_rope) : NULL;
      route_list list = {.turning = rl_cross(side, rl_sub(ends[1], ends[0])),
                         .least = INFINITY,
                         .near = INFINITY,
                         .length =
                             state ? rl_wrap_solve_path(with_rope, state, 0, state->points) : 0.0};
      rl_path_find_routes(&solid, ends[0], ends[1], note_route, &list);
      const bool touches = state && state->wrap_counts[0] > 0;
      laid += state ? 1 : 0;
      over += touches ? 1 : 0;
      refused += state ? 0 : 1;
      wrong += !state && list.on_side > 0 ? 1 : 0;
      other += touches && list.near > 1e-9 ? 1 : 0;
      const double straight = rl_distance(ends[0], ends[1]);
      const double least = shortest_of_all(&solid, ends[0], ends[1], 1.2 * fmin(list.least, 1e3));
      unlike += least > straight + 1e-9 && !(fabs(least - list.least) < 1e-6) ? 1 : 0;
      if (state) {
        rl_state_free(state);
        rl_model_free(with_rope);
      }
      rl_model_free(model);
    }
    print_message("%s: %d laid, %d touch it, %d of them no way of unfolding; %d refused, %d of "
                  "them have a way; shortest of all unlike brute force %d times, expected 0\n",
                  sample_names[which], laid, over, other, refused, wrong, unlike);
    assert_true(over > ROPES / 4);
    assert_int_equal(wrong + other + unlike, 0);
  }
}

// Over one edge of a box, the rule for the first and the last edge alone: from a point that is a
// over the first face and b over the second the edge is left where b > 0, but for (9c); edges are
// put before it where both are hidden.
static void edges_are_met_as_their_faces_are_seen(void **unused) {
  (void)unused;
  static const struct {
    double a, b;
    size_t count; // of the list then
  } cases[] = {{0.5, -0.2, 3}, {0.5, 0.2, 2},  {-0.2, 0.5, 2},
               {-1.5, 0.3, 4}, {0.0, -1.5, 3}, {-1.5, -0.2, 5}};
  const rl_part_definition box = {.shape = RL_BOX, .size = {1.0, 1.0, 1.0}};
  rl_model *model = model_with(box, rl_vec(0.1, 0.2, 0.3), rl_vec(0.4, 0.5, 0.6));
  const rl_path_solid solid = solid_of(model);
  const rl_path_scene scene = {&solid, 1};
  const uint32_t edge = RL_FEATURE_EDGE(0, 1), twin = rl_path_edge_twin(solid.part, edge);
  const rl_vec3 n1 = rl_path_face_normal(solid.part, 0);
  const rl_vec3 n2 = rl_path_face_normal(solid.part, RL_FEATURE_FACE(twin));
  const rl_vec3 middle = rl_scale(0.5, rl_add(n1, n2));
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    for (int last = 0; last < 2; last++) {
      const double a = cases[k].a, b = cases[k].b;
      const rl_vec3 p = rl_add_scaled(rl_add_scaled(middle, a, last ? n2 : n1), b, last ? n1 : n2);
      const rl_vec3 q =
          rl_add_scaled(rl_add_scaled(middle, 0.5, last ? n1 : n2), -0.5, last ? n2 : n1);
      rl_path_item items[MOST_ITEMS] = {0};
      items[0] = point(rl_path_to_world(&solid, last ? q : p));
      items[2] = point(rl_path_to_world(&solid, last ? p : q));
      items[0].entry = items[0].exit = items[0].at;
      items[2].entry = items[2].exit = items[2].at;
      rl_path_set_item(&items[1], &scene, 0, edge);
      items[1].along = 0.5;
      items[1].entry = items[1].exit = rl_path_to_world(&solid, middle);
      rl_path path = {items, 3, MOST_ITEMS, 0, 0, kept};
      rl_path_meet_edges(&path, &scene);
      assert_int_equal(path.count, cases[k].count);
    }
  }
  rl_model_free(model);
}

// The rules for a drum that only join items: a rim between the side and a place beside it is flat
// when unrolled, and a side over which the rope goes back to its rim is left; a rim over which it
// comes from over the end stays.
static void what_is_flat_on_a_drum_is_joined(void **unused) {
  (void)unused;
  enum { RIM = RL_FEATURE_RIM + 1, SIDE = RL_FEATURE_SIDE };
  static const struct {
    uint32_t features[3];
    size_t features_count, count; // of the list then
    double from[2], to[2];        // ends: across the axis and along it
  } cases[] = {{{RIM, SIDE}, 2, 3, {1.0, 0.1}, {2.0, -0.2}},
               {{SIDE, RIM}, 2, 3, {2.0, -0.2}, {1.0, 0.1}},
               {{RIM, SIDE}, 2, 4, {0.1, 1.5}, {2.0, -0.2}},
               {{SIDE, RIM, SIDE}, 3, 3, {1.0, 0.1}, {2.0, -0.2}},
               {{RIM, SIDE, RIM}, 3, 3, {0.1, 1.5}, {0.2, 1.2}}};
  uint64_t seed = first_seed + 67;
  rl_model *model = random_body(DRUM, &seed);
  const rl_path_solid solid = solid_of(model);
  const rl_path_scene scene = {&solid, 1};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    rl_path_item items[MOST_ITEMS] = {0};
    const size_t n = cases[k].features_count;
    items[0] = point(rl_path_to_world(&solid, rl_vec(cases[k].from[0], 0.0, cases[k].from[1])));
    items[n + 1] = point(rl_path_to_world(&solid, rl_vec(0.0, cases[k].to[0], cases[k].to[1])));
    items[0].exit = items[0].at;
    items[n + 1].entry = items[n + 1].at;
    for (size_t i = 0; i < n; i++) {
      rl_path_set_item(&items[i + 1], &scene, 0, cases[k].features[i]);
      items[i + 1].sense = 1.0;
    }
    rl_path path = {items, n + 2, MOST_ITEMS, 0, 0, kept};
    rl_path_merge(&path, &scene);
    assert_int_equal(path.count, cases[k].count);
  }
  rl_model_free(model);
}

// In a plane across the axis, turns stay: on a drum as an angle, on a prism as edges.
static void turns_stay(void **unused) {
  (void)unused;
  enum { SIDES = 8 };
  rl_vec3 corners[2 * SIDES];
  for (int k = 0; k < SIDES; k++) {
    const double angle = 2.0 * RL_PI * k / SIDES;
    corners[2 * k] = rl_vec(0.5 * cos(angle), 0.5 * sin(angle), -0.6);
    corners[2 * k + 1] = rl_vec(0.5 * cos(angle), 0.5 * sin(angle), 0.6);
  }
  const rl_part_definition parts[] = {
      {.shape = RL_CYLINDER, .radius = 0.5, .length = 1.2},
      {.shape = RL_CAPSULE, .radius = 0.5, .length = 1.2},
      {.shape = RL_BOX, .size = {0.8, 0.8, 1.2}},
      {.shape = RL_HULL, .point_count = 2 * SIDES, .points = corners}};
  for (int which = 0; which < 4; which++) {
    for (uint32_t turns = 0; turns < 4; turns++) {
      rl_model *model = model_with(parts[which], rl_vec(0, 0, 0), rl_vec(0, 0, 0));
      const rl_path_solid solid = solid_of(model);
      rl_path_item items[MOST_ITEMS] = {0};
      items[0] = point(rl_vec(-1.2, -1.5, 0.0));
      items[1] = point(rl_vec(1.1, -1.4, 0.0));
      rl_path path = {items, 2, MOST_ITEMS, 0, 0, kept};
      double length = NAN, sum = 0.0;
      assert_int_equal(rl_path_wind(&path, 0, &solid, 1, 0, rl_vec(0, 1, 0), turns, &length),
                       RL_PATH_FOUND);
      for (size_t i = 1; i + 1 < path.count; i++) {
        sum += path.items[i].turn;
      }
      const rl_vec3 in = items[path.count - 1].in, out = items[0].out;
      const double whole = atan2(rl_cross(in, out).z, rl_dot(in, out));
      check_near(sum, whole + 2.0 * RL_PI * turns, 1e-13);
      rl_model_free(model);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Several bodies in a row, over which the rope is wound one after the other, and a body that gets
// in its way by itself.

enum { BODIES = 4, ROW_MOVES = 1000 };

static void random_row(rl_model *models[BODIES], rl_path_solid solids[BODIES], uint64_t *seed) {
  for (int k = 0; k < BODIES; k++) {
    const sample which = (sample)(next_random(seed) * SAMPLES);
    models[k] = random_body(which, seed);
    solids[k] = solid_of(models[k]);
    solids[k].at = rl_add(solids[k].at, rl_vec(3.5 * k, 0.0, 0.0));
  }
}

static void free_row(rl_model *models[BODIES]) {
  for (int k = 0; k < BODIES; k++) {
    rl_model_free(models[k]);
  }
}

static void go_over_several_bodies(uint64_t seed) {
  int none = 0, inside = 0, touching = 0, rough = 0;
  for (int i = 0; i < 200; i++) {
    rl_model *models[BODIES];
    rl_path_solid solids[BODIES];
    random_row(models, solids, &seed);
    rl_path_item items[MOST_ITEMS] = {0};
    items[0] = point(rl_vec(-3.0, 0.0, 0.0));
    items[1] = point(rl_vec(3.5 * BODIES - 0.5, 0.0, 0.0));
    rl_path path = {items, 2, MOST_ITEMS, 0, 0, kept};
    double length = NAN;
    bool found = rl_path_adapt(&path, solids, BODIES, &length) <= RL_PATH_ROUGH;
    touching += path.count > 2;
    // Every body moves across the rope, a little at a time, and back.
    for (int m = 0; found && m < 60; m++) {
      for (int k = 0; k < BODIES; k++) {
        const double step = (m < 30 ? 0.03 : -0.03) * (k % 2 == 0 ? 1.0 : -1.0);
        solids[k].at.y += step;
      }
      const rl_path_outcome outcome = rl_path_adapt(&path, solids, BODIES, &length);
      found = outcome <= RL_PATH_ROUGH;
      rough += outcome == RL_PATH_ROUGH;
    }
    none += !found;
    for (size_t j = 0; found && j + 1 < path.count; j++) {
      for (int k = 0; k < BODIES; k++) {
        rl_path_cut cut;
        inside += rl_path_cuts(solids[k].part, rl_path_to_part(&solids[k], items[j].exit),
                               rl_path_to_part(&solids[k], items[j + 1].entry), 1e-8, &cut);
      }
    }
    free_row(models);
  }
  assert_true(touching > 150);
  print_message("several: %d of 12000 not found, %d rough, %d inside\n", none, rough, inside);
  assert_int_equal(inside, 0);
  assert_true(none <= 4 && rough <= 30); // see "Limits" in papers/path.md
}

static void ropes_go_over_several_bodies(void **unused) {
  (void)unused;
  go_over_several_bodies(first_seed + 61);
}

// Rows in which a rope comes from a side to a cap that is new in the list, and has no place yet
// (127), and rows in which a place is in a corner before the others balance (73, 83).
static void hard_rows_are_found(void **unused) {
  (void)unused;
  static const uint64_t hard[] = {127, 73, 83};
  for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++) {
    go_over_several_bodies(hard[k]);
  }
}

// ---------------------------------------------------------------------------------------------
// Small moves

static rl_path_outcome move_ends(rl_path *path, const rl_path_solid *solid, const rl_vec3 ends[2],
                                 double *length) {
  path->items[0].at = ends[0];
  path->items[path->count - 1].at = ends[1];
  return rl_path_adapt(path, solid, 1, length);
}

// Whether a rope that gets shorter by more than its ends move slips off, however far that leads. A
// path is left only where no way beside it holds any more: so also if the ends go the same way in a
// hundred moves, the rope slips in one of them; and on edges and rims, of the ways beside the last
// one, its ends moved, those that may go farther from it are shorter, or there is none.
static bool slips_off(sample which, const rl_path_solid *solid, const rl_path *last,
                      const rl_vec3 from[2], const rl_vec3 to[2], double length) {
  enum { SMALLER = 100 };
  const double moved = rl_distance(from[0], to[0]) + rl_distance(from[1], to[1]);
  rl_path_item items[MOST_ITEMS];
  rl_path path = {items, last->count, MOST_ITEMS, 0, 0, kept};
  double near = INFINITY, far = INFINITY;
  bool holds = false;
  if (which != BALL && which != CAPSULE) {
    memcpy(items, last->items, sizeof items);
    items[0].at = items[0].exit = to[0];
    items[path.count - 1].at = items[path.count - 1].entry = to[1];
    holds = holds_beside(solid, &path, 0.05 * solid->part->bound, &near, &far);
  }
  memcpy(items, last->items, sizeof items);
  bool slips = false;
  for (int k = 1; k <= SMALLER; k++) {
    const double share = (double)k / SMALLER, before = length;
    const rl_vec3 ends[2] = {rl_add_scaled(from[0], share, rl_sub(to[0], from[0])),
                             rl_add_scaled(from[1], share, rl_sub(to[1], from[1]))};
    move_ends(&path, solid, ends, &length);
    slips = slips || before - length > moved / SMALLER + 1e-9;
  }
  if (!slips || holds) {
    print_message(
        "%s: a way beside the last one %s (%.9g m, farther away %.9g m), in smaller moves "
        "the rope %s\n",
        sample_names[which], holds ? "holds" : "does not hold", near, far,
        slips ? "slips off" : "stays");
  }
  return slips && !holds;
}

// Both ends go about the body. The length never grows by more than they move, and shrinks by more
// only where the rope slips off.
static void move_about(sample which, const rl_model *model) {
  const rl_path_solid solid = solid_of(model);
  const double bound = solid.part->bound;
  rl_path_item items[MOST_ITEMS] = {0}, last_items[MOST_ITEMS];
  rl_path path = {items, 2, MOST_ITEMS, 0, 0, kept};
  items[0] = items[1] = point(rl_vec(0.0, 0.0, 0.0));
  double last_length = NAN, grown = 0.0, shrunk = 0.0;
  size_t changes = 0;
  int slips = 0, jumps = 0, none = 0;
  rl_vec3 last_ends[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int i = 0; i < 10000; i++) {
    const double t = 1e-3 * i;
    const rl_vec3 ends[2] = {
        rl_add(solid.at, rl_scale(1.3 * bound,
                                  rl_vec(cos(t), sin(t) * cos(0.37 * t), sin(t) * sin(0.37 * t)))),
        rl_add(solid.at, rl_scale(-1.5 * bound, rl_vec(cos(0.7 * t), sin(0.7 * t) * cos(0.2 * t),
                                                       sin(0.7 * t) * sin(0.2 * t))))};
    memcpy(last_items, items, sizeof items);
    const rl_path last = {last_items, path.count, MOST_ITEMS, 0, 0, kept};
    double length = NAN;
    none += move_ends(&path, &solid, ends, &length) != RL_PATH_FOUND;
    changes += path.changes;
    if (i > 0) {
      const double moved = rl_distance(ends[0], last_ends[0]) + rl_distance(ends[1], last_ends[1]);
      grown = fmax(grown, length - last_length - moved);
      if (last_length - length > moved + 1e-9) {
        shrunk = fmax(shrunk, last_length - length - moved);
        slips++;
        jumps += !slips_off(which, &solid, &last, last_ends, ends, last_length);
      }
    }
    last_length = length;
    memcpy(last_ends, ends, sizeof ends);
  }
  print_message("%s: %zu changes, %d not found, %d slips of up to %g m, %d of them where a way "
                "holds, expected none\n",
                sample_names[which], changes, none, slips, shrunk, jumps);
  assert_int_equal(none, 0);
  check_below(grown, 1e-12);
  assert_int_equal(jumps, 0);
}

static void small_moves_are_small(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 57;
  for (sample which = 0; which < SAMPLES; which++) {
    rl_model *model = random_body(which, &seed);
    move_about(which, model);
    rl_model_free(model);
  }
}

// The same about a drum under whose end an end of the rope comes (a), about a disc, of a rope that
// comes to lie on its side just before it would slip off its rim (b), and about boxes, of a rope
// that comes within 5 um of a corner in a step (c), and of one that is in a corner before its other
// places balance (d).
static void hard_moves_are_small(void **unused) {
  (void)unused;
  static const struct {
    uint64_t seed;
    sample which;
  } hard[] = {{61, DRUM}, {93, DISC}, {145057, BOX}, {943, BOX}};
  for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++) {
    uint64_t seed = hard[k].seed;
    for (sample which = 0; which <= hard[k].which; which++) {
      rl_model *model = random_body(which, &seed);
      if (which == hard[k].which) {
        move_about(which, model);
      }
      rl_model_free(model);
    }
  }
}

// The shortest way in a plane from p to q over the corners -r and r of a line at height 0: x and y.
static double over_corners(const double p[2], const double q[2], double r) {
  const double slope = (q[1] - p[1]) / (q[0] - p[0]);
  const bool clear[2] = {p[1] + slope * (-r - p[0]) >= 0.0, p[1] + slope * (r - p[0]) >= 0.0};
  const double to[2] = {hypot(-r - p[0], p[1]), hypot(r - p[0], p[1])};
  const double from[2] = {hypot(q[0] + r, q[1]), hypot(q[0] - r, q[1])};
  return clear[0] && clear[1] ? hypot(q[0] - p[0], q[1] - p[1])
         : p[1] >= 0.0        ? to[1] + from[1]
         : q[1] >= 0.0        ? to[0] + from[0]
                              : to[0] + 2.0 * r + from[1];
}

// Both ends sink below the end of a drum or a disc, across which the rope is then bent at two
// places of the rim: of a plane with the axis, exactly; beside that no way near is shorter.
static void ropes_go_across_ends(void **unused) {
  (void)unused;
  enum { MOVES = 400 };
  static const double offs[] = {0.0, 0.13};
  uint64_t seed = first_seed + 163;
  for (int n = 0; n < 4; n++) {
    rl_model *model = random_body(n < 2 ? DRUM : DISC, &seed);
    const rl_path_solid solid = solid_of(model);
    const double r = solid.part->radius, half = 0.5 * solid.part->length, off = offs[n % 2];
    rl_path_item items[MOST_ITEMS] = {0};
    items[0] = items[1] = point(rl_vec(0.0, 0.0, 0.0));
    rl_path path = {items, 2, MOST_ITEMS, 0, 0, kept};
    double last = INFINITY;
    for (int i = 0; i < MOVES; i++) {
      const double p[2] = {-1.7 * r, 0.07 * r - 0.0005 * r * i};
      const double q[2] = {2.3 * r, 0.05 * r - 0.0009 * r * i};
      const rl_path_item ends[2] = {
          point(rl_path_to_world(&solid, rl_vec(p[0], 0.0, half + p[1]))),
          point(rl_path_to_world(&solid, rl_vec(q[0], off * r, half + q[1])))};
      items[0] = ends[0];
      items[path.count - 1] = ends[1];
      double length = NAN;
      assert_int_equal(rl_path_adapt(&path, &solid, 1, &length), RL_PATH_FOUND);
      if (off == 0.0) {
        check_near(length, over_corners(p, q, r), 1e-12);
      } else if (i % 100 == 99) {
        assert_true(is_tight(&path, &model->bodies[0], n < 2 ? DRUM : DISC, length));
      }
      check_below(length - last, 0.0014 * r);
      last = length;
    }
    assert_int_equal(path.count, 4);
    assert_int_equal(items[1].feature, RL_FEATURE_RIM + 1);
    assert_int_equal(items[2].feature, RL_FEATURE_RIM + 1);
    rl_model_free(model);
  }
}

// What was seen when the bodies of a row moved.
typedef struct row_moves {
  size_t changes;
  int none;      // how often no path was found
  int slips;     // how often the rope got shorter by more than bodies moved
  double shrunk; // by how much more at most [m]
  double grown;  // by how much more it got longer [m]
} row_moves;

// (2): how far a path can change its length where every body that it is on moves by `step` [m].
static double most_change(const rl_path *path, double step) {
  double most = 0.0; // of a body by in - out
  for (size_t j = 1; j + 1 < path->count; j++) {
    const rl_path_item *item = &path->items[j];
    const bool leaves = j + 2 == path->count || item[1].part != item->part;
    const bool comes = item[-1].part != item->part;
    most += (leaves + comes) * fabs(step);
  }
  return most;
}

// The bodies of a row go across the rope, every other one the other way. Returns the length.
static double move_row(rl_path *path, rl_path_solid solids[BODIES], double step, double last,
                       row_moves *seen) {
  for (int k = 0; k < BODIES; k++) {
    solids[k].at.y += k % 2 == 0 ? step : -step;
  }
  double length = NAN;
  const double before = most_change(path, step);
  const bool found = rl_path_adapt(path, solids, BODIES, &length) <= RL_PATH_ROUGH;
  const double moved = fmax(before, most_change(path, step));
  seen->none += !found;
  seen->changes += path->changes;
  if (found && last - length > moved + 1e-9) {
    seen->slips++;
    seen->shrunk = fmax(seen->shrunk, last - length - moved);
  }
  seen->grown = found && length - last > seen->grown + moved ? length - last - moved : seen->grown;
  return found ? length : NAN;
}

// A row across which every body goes and comes back. Returns whether there is a path at the start,
// but one in a hundred, from the straight line; `jumps`: slips that smaller moves do not make, as
// in slips_off().
static bool move_about_row(uint64_t *seed, row_moves *all, int *jumps) {
  enum { SMALLER = 100 };
  rl_model *models[BODIES];
  rl_path_solid solids[BODIES], last_solids[BODIES];
  random_row(models, solids, seed);
  rl_path_item items[MOST_ITEMS] = {0}, last_items[MOST_ITEMS];
  items[0] = point(rl_vec(-3.0, 0.0, 0.0));
  items[1] = point(rl_vec(3.5 * BODIES - 0.5, 0.0, 0.0));
  rl_path path = {items, 2, MOST_ITEMS, 0, 0, kept};
  double length = NAN;
  const bool is_found = rl_path_adapt(&path, solids, BODIES, &length) <= RL_PATH_ROUGH;
  all->changes += path.changes;
  for (int m = 1; m < ROW_MOVES && is_found; m++) {
    const double step = 1e-3 * cos(4.0 * RL_PI * m / ROW_MOVES), last = length;
    const int slips = all->slips;
    memcpy(last_items, items, sizeof items);
    memcpy(last_solids, solids, sizeof solids);
    rl_path smaller = {last_items, path.count, MOST_ITEMS, 0, 0, kept};
    length = move_row(&path, solids, step, last, all);
    if (all->slips > slips) {
      row_moves seen = {0};
      double now = last;
      for (int k = 0; k < SMALLER; k++) {
        now = move_row(&smaller, last_solids, step / SMALLER, now, &seen);
      }
      *jumps += seen.slips == 0;
    }
  }
  free_row(models);
  return is_found;
}

static void check_row_moves(int starts, const row_moves *all, int jumps) {
  print_message(
      "%d rows: %zu changes in %d moves, %d not found, %d slips of up to %g m, %d of them "
      "not in smaller moves; grown by %.3g m more than they moved, expected none\n",
      starts, all->changes, starts * (ROW_MOVES - 1), all->none, all->slips, all->shrunk, jumps,
      all->grown);
  assert_int_equal(all->none, 0);
  check_below(all->grown, 1e-9);
  assert_int_equal(jumps, 0);
}

// The same in rows.
static void small_moves_of_rows_are_small(void **unused) {
  (void)unused;
  enum { ROWS = 11 };
  uint64_t seed = first_seed + 83;
  int starts = 0, jumps = 0;
  row_moves all = {.grown = -INFINITY};
  for (int i = 0; i < ROWS; i++) {
    starts += move_about_row(&seed, &all, &jumps);
  }
  check_row_moves(starts, &all, jumps);
  assert_true(starts >= ROWS - 1 && all.changes > 50);
}

// Rows in which a rope that slips off one body comes upon another on its way; in the last six it
// does so where the search went past that in one step (9e).
static void hard_moves_of_rows_are_small(void **unused) {
  (void)unused;
  static const uint64_t hard[] = {
      1420227163967863307U,  17637903422328936379U, 1626593884445453109U, 4138381809559377304U,
      3958807307408030615U,  4600630800903876347U,  8757855014063219554U, 18266877073590660861U,
      10696950998017195955U, 4135072977008521572U};
  int starts = 0, jumps = 0;
  row_moves all = {.grown = -INFINITY};
  for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++) {
    uint64_t seed = hard[k];
    starts += move_about_row(&seed, &all, &jumps);
  }
  check_row_moves(starts, &all, jumps);
}

// A row in which features alternate: the search ends, says so, and has left the list as it was.
static void a_search_that_gives_up_changes_nothing(void **unused) {
  (void)unused;
  enum { ITERATIONS = 4000, SHORT = 400, OF_A_SOLVE = 600 };
  uint64_t seed = 4450823461548628480U;
  rl_model *models[BODIES];
  rl_path_solid solids[BODIES];
  random_row(models, solids, &seed);
  rl_path_item items[MOST_ITEMS] = {0}, last[MOST_ITEMS];
  items[0] = point(rl_vec(-3.0, 0.0, 0.0));
  items[1] = point(rl_vec(3.5 * BODIES - 0.5, 0.0, 0.0));
  rl_path path = {items, 2, MOST_ITEMS, 0, 0, kept};
  size_t most = 0;
  int none = 0;
  for (int m = 0; m < ROW_MOVES; m++) {
    for (int k = 0; k < BODIES && m > 0; k++) {
      solids[k].at.y += (k % 2 == 0 ? 1e-3 : -1e-3) * cos(4.0 * RL_PI * m / ROW_MOVES);
    }
    memcpy(last, items, sizeof last);
    const size_t count = path.count;
    double length = 0.0;
    if (rl_path_is_found(rl_path_adapt(&path, solids, BODIES, &length))) {
      continue;
    }
    none++;
    most = path.iterations > most ? path.iterations : most;
    assert_true(isnan(length));
    assert_int_equal(path.count, count);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(items[i].part, last[i].part);
      assert_int_equal(items[i].feature, last[i].feature);
      check_near(items[i].along, last[i].along, 0.0);
    }
  }
  print_message("%d of %d not found, after %zu iterations at most\n", none, ROW_MOVES, most);
  assert_true(most > ITERATIONS && most < ITERATIONS + SHORT + OF_A_SOLVE);
  free_row(models);
}

// Turns in a plane with the axis of a drum go over its ends, where places on a rim run together,
// (9d): they slip off, and that takes so many iterations a turn.
static void turns_over_ends_slip_off_soon(void **unused) {
  (void)unused;
  enum { TURNS = 100, A_TURN = 100, ROOM = 8 * TURNS + 64 };
  const rl_part_definition part = {.shape = RL_CYLINDER, .radius = 0.2, .length = 0.5};
  rl_model *model = model_with(part, rl_vec(0, 0, 0), rl_vec(1.57, 0, 0));
  const rl_path_solid solid = solid_of(model);
  rl_path_item *items = calloc(ROOM, sizeof *items);
  assert_non_null(items);
  items[0] = point(rl_vec(-0.8, -1.0, 0.0));
  items[1] = point(rl_vec(0.8, -1.0, 0.1));
  rl_path path = {items, 2, ROOM, 0, 0, NULL};
  double length = NAN;
  rl_path_wind(&path, 0, &solid, 1, 0, rl_vec(0, 1, 0), TURNS, &length);
  print_message("%d turns slip off in %zu iterations\n", TURNS, path.iterations);
  assert_true(path.iterations < A_TURN * TURNS);
  free(items);
  rl_model_free(model);
}

// With an argument for many seeds, which takes minutes: a thousand ropes over each body.
int main(int count, char **arguments) {
  (void)arguments;
  enum { SEEDS = 10 };
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ropes_are_tight_on_every_body),
      cmocka_unit_test(ropes_are_wound_round_every_body),
      cmocka_unit_test(hard_windings_are_found),
      cmocka_unit_test(sides_are_found_where_there_is_a_way),
      cmocka_unit_test(edges_are_met_as_their_faces_are_seen),
      cmocka_unit_test(what_is_flat_on_a_drum_is_joined),
      cmocka_unit_test(turns_stay),
      cmocka_unit_test(ropes_go_over_several_bodies),
      cmocka_unit_test(hard_rows_are_found),
      cmocka_unit_test(small_moves_are_small),
      cmocka_unit_test(hard_moves_are_small),
      cmocka_unit_test(small_moves_of_rows_are_small),
      cmocka_unit_test(hard_moves_of_rows_are_small),
      cmocka_unit_test(a_search_that_gives_up_changes_nothing),
      cmocka_unit_test(turns_over_ends_slip_off_soon),
      cmocka_unit_test(ropes_go_across_ends),
  };
  int failed = 0;
  for (first_seed = 0; first_seed < (count > 1 ? SEEDS : 1); first_seed++) {
    failed += cmocka_run_group_tests_name("path_feature", tests, NULL, NULL);
  }
  return failed;
}
