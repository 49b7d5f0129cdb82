// SPDX-License-Identifier: GPL-3.0-or-later
// The path of a rope over round things and edges: closed forms, derivatives by differences, and
// polylines that are pulled tight on the bodies and share no code with it. Equation numbers are
// those of papers/path.md.
#include "check.h"
#include "polyline.h"

#include "world/paths/path.h"
#include "world/trigonometry.h"

#include <stdlib.h>
#include <string.h>

// Added to the seeds of all tests.
static uint64_t first_seed;

static rl_vec3 turned_about(rl_vec3 axis, double angle, rl_vec3 v) {
  return rl_rotate(rl_quat_from_vector(rl_scale(angle, axis)), v);
}

static rl_path_item point(rl_vec3 at) { return (rl_path_item){.kind = RL_PATH_POINT, .at = at}; }

static rl_path_item ball(rl_vec3 at, double radius) {
  return (rl_path_item){.kind = RL_PATH_SPHERE, .at = at, .radius = radius};
}

static rl_path_item drum(rl_vec3 at, rl_vec3 axis, double radius, double sense, double wrap) {
  return (rl_path_item){.kind = RL_PATH_CYLINDER,
                        .at = at,
                        .axis = axis,
                        .radius = radius,
                        .sense = sense,
                        .wrap = wrap};
}

// ---------------------------------------------------------------------------------------------
// Closed forms

static void a_point_between_is_passed_straight(void **unused) {
  (void)unused;
  rl_path_item items[] = {point(rl_vec(1, 2, 3)), point(rl_vec(4, 6, 3)), point(rl_vec(4, 6, 15))};
  check_near(rl_path_solve(items, 3, NULL), 17.0, 1e-15);
  check_near(items[1].turn, 0.5 * RL_PI, 1e-15);
  check_near(items[1].in.x, 0.6, 1e-15);
  check_near(items[1].out.z, 1.0, 0.0);
  check_near(items[0].piece, 5.0, 0.0);
}

// Over a ball the rope is a great circle: its angle is that of the points less those of the
// tangents.
static void over_a_ball_it_is_a_great_circle(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 11;
  for (int i = 0; i < 1000; i++) {
    const rl_vec3 centre = random_in_cube(&seed, 2.0);
    const double r = between(&seed, 0.3, 1.7);
    const rl_vec3 p = rl_scale(r * between(&seed, 1.0, 3.0), random_direction(&seed));
    const rl_vec3 q = rl_scale(r * between(&seed, 1.0, 3.0), random_direction(&seed));
    rl_path_item items[] = {point(rl_add(centre, p)), ball(centre, r), point(rl_add(centre, q))};
    const rl_vec3 a = rl_sub(items[0].at, centre), b = rl_sub(items[2].at, centre);
    const double to_a = sqrt((rl_length(a) - r) * (rl_length(a) + r));
    const double to_b = sqrt((rl_length(b) - r) * (rl_length(b) + r));
    const double angle = atan2(rl_length(rl_cross(a, b)), rl_dot(a, b));
    const double wrap = angle - atan2(to_a, r) - atan2(to_b, r);
    const double beside = to_a + to_b;
    const double over = wrap > 0.0 ? beside + r * wrap : rl_distance(a, b);
    check_near(rl_path_solve(items, 3, NULL), over, 1e-12);
    check_near(items[1].wrap, wrap, 1e-12);
    if (wrap <= 0.0) {
      check_near(rl_distance(items[0].at, items[1].entry) + items[1].piece, over, 1e-13);
      continue;
    }
    check_near(rl_distance(items[1].entry, centre), r, 1e-14);
    check_near(rl_dot(items[1].in, rl_sub(items[1].entry, centre)), 0.0, 1e-14);
    check_near(rl_dot(items[1].out, rl_sub(items[1].exit, centre)), 0.0, 1e-14);
    const rl_vec3 side = rl_unit(rl_cross(a, b)), along = rl_unit(a);
    const rl_vec3 entry = rl_scale(r, turned_about(side, atan2(to_a, r), along));
    check_near(rl_distance(items[1].entry, rl_add(centre, entry)), 0.0, 1e-12);
    check_near(rl_distance(items[1].in, rl_unit(rl_sub(entry, a))), 0.0, 1e-12);
  }
}

// Round a drum along z any number of times: a helix between two tangents.
static void round_a_drum_it_is_a_helix(void **unused) {
  (void)unused;
  const double r = 0.37, from = 1.13, to = 0.83, rise = 0.71;
  for (int turns = 0; turns < 5; turns++) {
    for (double sense = -1.0; sense <= 1.0; sense += 2.0) {
      const double wrap = 2.0 * RL_PI * turns + 0.9;
      const double angle = wrap + acos(r / from) + acos(r / to);
      const rl_vec3 p = rl_vec(from, 0.0, -0.2);
      const rl_vec3 q = rl_vec(to * cos(angle), sense * to * sin(angle), -0.2 + rise);
      rl_path_item items[] = {
          point(p), drum(rl_vec(0, 0, 5), rl_vec(0, 0, 1), r, sense, wrap + 3.0), point(q)};
      const double flat = sqrt(from * from - r * r) + r * wrap + sqrt(to * to - r * r);
      const double length = sqrt(flat * flat + rise * rise);
      check_near(rl_path_solve(items, 3, NULL), length, 1e-13 * length);
      check_near(items[1].wrap, wrap, 1e-13);
      check_near(items[1].turn, wrap * flat / length, 1e-13);
      check_near(items[1].arc, r * wrap * length / flat, 1e-13);
      check_near(items[0].piece + items[1].arc + items[1].piece, length, 1e-13);
      check_near(items[1].in.z, rise / length, 1e-14);
      check_near(items[1].out.z, rise / length, 1e-14);
    }
  }
}

// Where the rope only grazes, with the wrap passing through zero, nothing jumps.
static void grazing_is_smooth(void **unused) {
  (void)unused;
  const double r = 0.5;
  for (int kind = 0; kind < 2; kind++) {
    for (int i = -100; i <= 100; i++) {
      const double height = r - 1e-7 * i; // of the end points, at x = -+2
      rl_path_item items[] = {point(rl_vec(-2.0, height, 0.0)),
                              kind == 0 ? ball(rl_vec(0, 0, 0), r)
                                        : drum(rl_vec(0, 0, 0), rl_vec(0, 0, 1), r, -1.0, 0.0),
                              point(rl_vec(2.0, height, 0.0))};
      const double distance = sqrt(4.0 + height * height);
      const double wrap = 2.0 * (atan(2.0 / height) - acos(r / distance));
      const double length = i < 0 ? 4.0 : 2.0 * sqrt(distance * distance - r * r) + r * wrap;
      check_near(rl_path_solve(items, 3, NULL), length, 2e-15);
      check_near(items[1].wrap, wrap, 1e-15);
      check_below(fabs(length - 4.0), 1e-10);
    }
  }
}

static void points_inside_have_no_path(void **unused) {
  (void)unused;
  rl_path_item items[] = {point(rl_vec(0.1, 0.2, 0.0)), ball(rl_vec(0, 0, 0), 0.5),
                          point(rl_vec(2, 0, 0))};
  assert_true(isnan(rl_path_solve(items, 3, NULL)));
  items[0].at = rl_vec(NAN, 0.0, 0.0);
  assert_true(isnan(rl_path_solve(items, 3, NULL)));
}

// Common tangents of two circles: outer if both are turned about alike, inner if not.
static void belts_over_two_drums(void **unused) {
  (void)unused;
  const double r1 = 0.41, r2 = 0.23, d = 1.37;
  for (int kind = 0; kind < 4; kind++) { // drums or balls, open or crossed
    const double sign = kind % 2 == 0 ? -1.0 : 1.0;
    const bool drums = kind < 2;
    const double y2 = sign < 0.0 ? -3.0 : 3.0; // clockwise about 1 at the top, on to 2
    rl_path_item items[] = {
        point(rl_vec(-0.9, -2.0, 0.0)),
        drums ? drum(rl_vec(0, 0, 0), rl_vec(0, 0, 1), r1, -1.0, 1.5) : ball(rl_vec(0, 0, 0), r1),
        drums ? drum(rl_vec(d, 0, 0), rl_vec(0, 0, 1), r2, sign, 1.5) : ball(rl_vec(d, 0, 0), r2),
        point(rl_vec(d + 0.7, y2, 0.0))};
    const double step = sign < 0.0 ? r1 - r2 : r1 + r2;
    size_t iterations = 0;
    assert_true(!isnan(rl_path_solve(items, 4, &iterations)));

    check_near(items[1].piece, sqrt(d * d - step * step), 1e-13);
    check_near(asin(-items[1].out.y), asin(step / d), 1e-14);
    check_near(rl_dot(items[1].out, items[2].in), 1.0, 1e-15);
    check_near(rl_length(rl_cross(items[1].out, items[2].in)), 0.0, 2e-14);
    assert_true(iterations < 12);
  }
}

// (15) Two items at the distance of touching plus `gap`: a drum or a ball about which the rope
// turns clockwise, and another or an edge along z, about which it turns back. Of drums the rope
// goes along the axis too.
enum nip_kind { TWO_DRUMS, TWO_BALLS, DRUM_AND_EDGE };
static const double nip_r1 = 0.41, nip_rise = 0.6;

static double nip_r2(int kind) { return kind == DRUM_AND_EDGE ? 0.0 : 0.23; }

static size_t lay_nip(rl_path_item items[4], int kind, rl_vec3 at) {
  const rl_vec3 z = {0.0, 0.0, 1.0};
  const bool drums = kind == TWO_DRUMS;
  items[0] = point(rl_vec(-0.9, -2.0, 0.0));
  items[1] = kind == TWO_BALLS ? ball(rl_vec(0, 0, 0), nip_r1)
                               : drum(rl_vec(0, 0, 0), z, nip_r1, -1.0, 1.5);
  items[2] =
      kind == TWO_DRUMS ? drum(at, z, nip_r2(kind), 1.0, 1.5)
      : kind == TWO_BALLS
          ? ball(at, nip_r2(kind))
          : (rl_path_item){
                .kind = RL_PATH_LINE, .at = rl_sub(at, z), .axis = z, .length = 2.0, .along = 1.0};
  items[3] = point(rl_vec(1.4, 3.0, drums ? nip_rise : 0.0));
  items[1].holder = 1;
  items[2].holder = 2;
  items[1].moves = true;
  return 4;
}

// Returns the length of the rope across z, with nothing between the items where they overlap.
static double nip_length(int kind, rl_vec3 at) {
  const rl_vec3 p = {-0.9, -2.0, 0.0}, q = rl_sub(rl_vec(1.4, 3.0, 0.0), at);
  const double r2 = nip_r2(kind), both = nip_r1 + r2, d = rl_length(at);
  const double piece = sqrt(fmax((d - both) * (d + both), 0.0)), off = atan2(piece, both);
  const double line = atan2(at.y, at.x);
  const double comes = atan2(p.y, p.x) - acos(nip_r1 / rl_length(p));
  const double goes = atan2(q.y, q.x) - acos(r2 / rl_length(q));
  const double wrap1 = remainder(comes - line - off - RL_PI, 2.0 * RL_PI) + RL_PI;
  const double wrap2 = remainder(goes - line - off, 2.0 * RL_PI) + RL_PI;
  return sqrt(rl_dot(p, p) - nip_r1 * nip_r1) + nip_r1 * wrap1 + piece + r2 * wrap2 +
         sqrt(rl_dot(q, q) - r2 * r2);
}

static void a_nip_is_passed_and_left_again(void **unused) {
  (void)unused;
  static const double gaps[] = {0.1,   1e-2,  1e-4,  1e-6,  1e-8,  1e-10, 1e-12, 1e-14,
                                0.0,   -1e-9, -1e-6, -1e-5, -1e-4, 0.0,   1e-14, 1e-12,
                                1e-10, 1e-8,  1e-6,  1e-4,  -1e-4, 1e-2,  -1e-3, 0.1};
  static const double move = 1e-8;
  for (int kind = TWO_DRUMS; kind <= DRUM_AND_EDGE; kind++) {
    rl_path_item items[4];
    const rl_vec3 way = {cos(0.3), sin(0.3), 0.0}, across = {-way.y, way.x, 0.0};
    const double rise = kind == TWO_DRUMS ? nip_rise : 0.0, both = nip_r1 + nip_r2(kind);
    lay_nip(items, kind, rl_scale(both + 0.1, way));
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
      const double d = both + gaps[i];
      rl_vec3 at = rl_scale(d, way);
      items[2].at = kind == DRUM_AND_EDGE ? rl_add(at, rl_vec(0.0, 0.0, -1.0)) : at;
      size_t spent = 0;
      const double length = rl_path_solve(items, 4, &spent), flat = nip_length(kind, at);
      print_message("kind %d, gap %g m: %.15g m, expected %.15g m, %zu iterations\n", kind, gaps[i],
                    length, sqrt(flat * flat + rise * rise), spent);
      check_near(length, sqrt(flat * flat + rise * rise), 2e-13);
      check_below((double)spent, 20.0);
      if (gaps[i] < 0.0) {
        assert_true(items[1].piece == 0.0);
      }
      // (2) along the line of the axes and across it.
      for (int k = 0; k < 2; k++) {
        rl_path_item moved[4];
        memcpy(moved, items, sizeof moved);
        const rl_vec3 u = k == 0 ? way : across;
        moved[2].at = rl_add_scaled(moved[2].at, move, u);
        const double change = rl_path_solve(moved, 4, NULL) - length;
        const double rate = rl_dot(rl_sub(items[2].in, items[2].out), u);
        check_near(change, rate * move,
                   move * (4.0 * sqrt(move) + 1.1 * fmax(-gaps[i], 0.0) / d) + 1e-14);
      }
      if (gaps[i] < -1e-8) { // what cannot be pressed together has no path there
        rl_path_item apart[4];
        memcpy(apart, items, sizeof apart);
        apart[1].holder = 0;
        assert_true(isnan(rl_path_solve(apart, 4, NULL)));
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Bodies for the polylines

typedef struct row {
  const rl_path_item *items;
  size_t count;
} row;

static bool is_body(const rl_path_item *item) {
  return item->kind == RL_PATH_SPHERE || item->kind == RL_PATH_CYLINDER;
}

static double distance_from(const rl_path_item *item, rl_vec3 p, rl_vec3 *normal) {
  rl_vec3 way = rl_sub(p, item->at);
  if (item->kind == RL_PATH_CYLINDER) {
    way = rl_add_scaled(way, -rl_dot(way, item->axis), item->axis);
  }
  *normal = rl_unit(way);
  return rl_length(way) - item->radius;
}

static rl_surface nearest(const void *data, rl_vec3 p) {
  const row *all = data;
  rl_surface least = {INFINITY, {0.0, 0.0, 0.0}};
  for (size_t i = 0; i < all->count; i++) {
    rl_vec3 n = {0.0, 0.0, 0.0};
    const double distance =
        is_body(&all->items[i]) ? distance_from(&all->items[i], p, &n) : INFINITY;
    if (distance < least.distance) {
      least = (rl_surface){distance, n};
    }
  }
  return least;
}

static void check_shortest(const rl_path_item *items, size_t count, double length) {
  const row all = {items, count};
  check_relative(tight_length(items, count, nearest, &all), length, 1e-6);
}

static bool is_clear(const rl_path_item *items, size_t count) {
  const row all = {items, count};
  return deepest_place(items, count, nearest, &all) < 1e-9;
}

// ---------------------------------------------------------------------------------------------
// Random chains

enum { MOST_ITEMS = 8 };

// A row of balls and drums in no particular direction, some way apart.
static size_t random_chain(uint64_t *seed, rl_path_item *items, size_t bodies, int kinds) {
  items[0] = point(random_in_cube(seed, 1.0));
  for (size_t i = 1; i <= bodies; i++) {
    const rl_vec3 at = rl_add(rl_vec(2.2 * (double)i, 0.0, 0.0), random_in_cube(seed, 0.5));
    const double radius = between(seed, 0.2, 0.6);
    const bool is_ball = kinds == 0 || (kinds == 2 && next_random(seed) < 0.5);
    rl_vec3 axis = random_direction(seed);
    axis.x *= 0.4; // or they would often be in each other's way
    items[i] = is_ball ? ball(at, radius)
                       : drum(at, rl_unit(axis), radius, next_random(seed) < 0.5 ? -1.0 : 1.0, 0.7);
  }
  items[bodies + 1] =
      point(rl_add(rl_vec(2.2 * (double)(bodies + 1), 0.0, 0.0), random_in_cube(seed, 1.0)));
  return bodies + 2;
}

// Solves and leaves out what the rope does not lie on.
static double settle(rl_path_item *items, size_t *count) {
  for (;;) {
    const double length = rl_path_solve(items, *count, NULL);
    size_t leaves = 0;
    for (size_t i = 1; i + 1 < *count; i++) {
      leaves = is_body(&items[i]) && items[i].wrap <= 0.0 ? i : leaves;
    }
    if (leaves == 0 || isnan(length)) {
      return length;
    }
    *count -= 1;
    memmove(&items[leaves], &items[leaves + 1], (*count - leaves) * sizeof items[0]);
    for (size_t i = 0; i < *count; i++) {
      items[i].hinge = rl_vec(0.0, 0.0, 0.0);
    }
  }
}

static void random_chains_are_the_shortest(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 21;
  for (int kinds = 0; kinds < 3; kinds++) {
    int checked = 0;
    double worst = 0.0;
    while (checked < 1000) {
      rl_path_item items[MOST_ITEMS];
      const size_t bodies = 1 + (size_t)(6.0 * next_random(&seed));
      size_t count = random_chain(&seed, items, bodies, kinds);
      const double length = settle(items, &count);
      if (isnan(length) || count == 2 || !is_clear(items, count)) {
        continue; // two bodies overlap, or one is in the way of another's rope
      }
      check_shortest(items, count, length);
      for (size_t i = 0; i + 1 < count; i++) {
        const double off = rl_length(rl_cross(items[i].out, items[i + 1].in));
        worst = rl_larger(worst, off);
      }
      checked++;
    }
    check_below(worst, 1e-12);
  }
}

// ---------------------------------------------------------------------------------------------
// Derivatives

// The length after moving everything that holds the items by u(x) = shift + turn x (x - centre).
static double length_moved(const rl_path_item *items, size_t count, size_t which, rl_vec3 shift,
                           rl_vec3 turn) {
  rl_path_item moved[MOST_ITEMS];
  memcpy(moved, items, count * sizeof items[0]);
  rl_path_item *item = &moved[which];
  const rl_vec3 centre = items[which].entry;
  const rl_quat rotation = rl_quat_from_vector(turn);
  item->at = rl_add(rl_add(centre, shift), rl_rotate(rotation, rl_sub(item->at, centre)));
  item->axis = rl_rotate(rotation, item->axis);
  item->reference = rl_rotate(rotation, item->reference);
  return rl_path_solve(moved, count, NULL);
}

// The derivative by differences of the fourth order.
static double rate(const rl_path_item *items, size_t count, size_t which, rl_vec3 shift,
                   rl_vec3 turn) {
  const double h = 1e-5, weights[4] = {1.0, -8.0, 8.0, -1.0}, steps[4] = {-2.0, -1.0, 1.0, 2.0};
  double sum = 0.0;
  for (int k = 0; k < 4; k++) {
    sum += weights[k] * length_moved(items, count, which, rl_scale(h * steps[k], shift),
                                     rl_scale(h * steps[k], turn));
  }
  return sum / (12.0 * h);
}

static void check_gradient(const rl_path_item *items, size_t count, uint64_t *seed) {
  for (size_t i = 0; i < count; i++) {
    const rl_path_item *item = &items[i];
    const rl_vec3 none = {0.0, 0.0, 0.0}, u = random_direction(seed), t = random_direction(seed);
    check_near(rl_dot(rl_sub(item->in, item->out), u), rate(items, count, i, u, none), 1e-6);
    const rl_vec3 way = rl_cross(t, rl_sub(item->exit, item->entry)); // u(entry) is 0
    check_near(-rl_dot(item->out, way), rate(items, count, i, none, t), 1e-6);
  }
}

static void directions_are_the_gradient(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 31;
  for (int checked = 0; checked < 300;) {
    rl_path_item items[MOST_ITEMS];
    size_t count = random_chain(&seed, items, 1 + (size_t)(6.0 * next_random(&seed)), 2);
    const double length = settle(items, &count);
    if (!isnan(length) && count > 2) {
      check_gradient(items, count, &seed);
      checked++;
    }
  }
}

// (12) to (14) of a rope that is held on a ball: the gradient is a unit vector, the tangent touches
// what it says, and second derivatives are those of the gradient. In the plane it is a great
// circle.
static void held_on_a_ball_it_leaves_its_plane(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 77;
  for (int i = 0; i < 300; i++) {
    const rl_path_round ball = {.centre = random_in_cube(&seed, 2.0),
                                .axis = random_direction(&seed),
                                .radius = between(&seed, 0.3, 1.7)};
    rl_vec3 ends[2];
    for (int k = 0; k < 2; k++) {
      const rl_vec3 any = random_direction(&seed);
      const rl_vec3 flat = rl_unit(rl_add_scaled(any, -rl_dot(any, ball.axis), ball.axis));
      const double r = ball.radius * between(&seed, 1.1, 3.0);
      const double most = 0.5 * (r * r - ball.radius * ball.radius) / ball.radius; // (13)
      const double z = i == 0 ? 0.0 : most * between(&seed, -0.9, 0.9);
      ends[k] = rl_add_scaled(rl_add_scaled(ball.centre, r, flat), z, ball.axis);
    }
    rl_path_arc arc = {.wrap = 8.0};
    rl_path_link link;
    assert_true(rl_path_over_held(&ball, ends[0], ends[1], &arc, &link));
    check_near(arc.wrap, 8.0, RL_PI);
    const rl_vec3 places[2] = {arc.entry, arc.exit};
    for (int k = 0; k < 2; k++) {
      const rl_vec3 straight = rl_scale(k == 0 ? 1.0 : -1.0, rl_sub(places[k], ends[k]));
      check_near(rl_length(link.direction[k]), 1.0, 1e-14);
      check_near(rl_distance(rl_unit(straight), link.direction[k]), 0.0, 1e-13);
      const rl_vec3 out = rl_sub(places[k], ball.centre);
      check_near(rl_dot(out, link.direction[k]), 0.0, 1e-13);
      check_near(rl_length(out) * rl_dot(rl_unit(rl_cross(ball.axis, out)), link.direction[k]),
                 ball.radius, 1e-13);
      for (int m = 0; m < 3; m++) { // along, normal, cross
        const rl_vec3 u = m == 0 ? link.direction[k] : m == 1 ? link.normal[k] : link.cross[k];
        const double h = 1e-6 * ball.radius;
        double length[2];
        rl_vec3 direction[2];
        for (int side = 0; side < 2; side++) {
          rl_vec3 moved[2] = {ends[0], ends[1]};
          moved[k] = rl_add_scaled(moved[k], side == 0 ? -h : h, u);
          rl_path_link other;
          assert_true(rl_path_over_held(&ball, moved[0], moved[1], &arc, &other));
          length[side] = other.length;
          direction[side] = other.direction[k];
        }
        const double sign = k == 0 ? -1.0 : 1.0;
        check_near((length[1] - length[0]) / (2.0 * h), m == 0 ? sign : 0.0, 1e-8);
        const double stiffness = m == 0   ? 0.0
                                 : m == 1 ? link.normal_stiffness[k]
                                          : link.cross_stiffness[k];
        const rl_vec3 change = rl_scale(sign / (2.0 * h), rl_sub(direction[1], direction[0]));
        check_near(rl_distance(change, rl_scale(stiffness, u)), 0.0, 1e-5 * (1.0 + stiffness));
      }
    }
    if (i == 0) {
      rl_path_arc circle = {.wrap = 8.0};
      rl_path_link plane;
      assert_true(rl_path_over(&ball, ends[0], ends[1], &circle, &plane));
      check_near(link.length, plane.length, 1e-14);
      check_near(rl_distance(arc.entry, circle.entry), 0.0, 1e-14);
    }
  }
}

// (18) of papers/balls.md against the rope itself: it leaves the plane on a circle of geodesic
// curvature mu/R, and that on a tangent. The arc is that of the formula but for the square of mu.
static void it_leaves_its_plane_as_friction_lets_it(void **unused) {
  (void)unused;
  const rl_vec3 x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0}, centre = {0.0, 0.0, 0.0};
  const double r = 0.7;
  const rl_path_round ball = {.centre = centre, .axis = z, .radius = r};
  static const double bents[] = {0.1, 0.8, 1.5}, lengths[] = {0.2, 1.0, 8.0};
  for (size_t i = 0; i < 9; i++) {
    const double bent = bents[i % 3], length = lengths[i / 3];
    if (bent > RL_PI - rl_atan2(length, r)) {
      continue; // beyond the place opposite to the end
    }
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      // Along a circle about an axis that is tilted by atan(mu) towards where the arc begins.
      const double mu = fine ? 0.01 : 0.02;
      const double tilt = atan(mu), small = cos(tilt); // radius of the circle [radii]
      const rl_vec3 axis = turned_about(rl_vec(0.0, 1.0, 0.0), -tilt, z);
      const rl_vec3 on = turned_about(axis, bent / small, x);
      const rl_vec3 along = rl_unit(rl_cross(axis, on));
      const rl_vec3 end = rl_add_scaled(rl_scale(r, on), length, along);
      error[fine] = fabs(rl_path_depart(&ball, end, mu).bent - bent);
    }
    print_message("%.1f rad, %.1f m: off by %.2g at 0.02, %.2g at 0.01\n", bent, length, error[0],
                  error[1]);
    check_below(error[1], 1e-3);
    check_below(error[1], 0.3 * error[0]);
  }
  // Opposite to the end there is an end to it.
  const double most = r + hypot(r, 1.0), mu = 0.1;
  const rl_vec3 out = {r, 1.0, 0.0};
  check_near(rl_path_depart(&ball, rl_add_scaled(out, mu * most * (1.0 - 1e-9), z), mu).bent,
             RL_PI - atan2(1.0, r), 1e-3);
  assert_true(
      isinf(rl_path_depart(&ball, rl_add_scaled(out, mu * most * (1.0 + 1e-9), z), mu).bent));
}

// While the ends move a little at a time, round three bodies and two turns about one of them, the
// length follows its derivative, and never changes by more than they move.
static void small_moves_change_the_length_little(void **unused) {
  (void)unused;
  rl_path_item items[] = {point(rl_vec(-1.0, 0.3, 0.0)),
                          drum(rl_vec(0, 0, 0), rl_unit(rl_vec(0.1, 0.2, 1)), 0.4, -1.0, 14.0),
                          ball(rl_vec(1.7, 0.3, 0.1), 0.5),
                          drum(rl_vec(3.1, -0.2, 0), rl_unit(rl_vec(0.2, -0.3, 1)), 0.3, 1.0, 1.5),
                          point(rl_vec(4.0, 1.0, 0.1))};
  double length = rl_path_solve(items, 5, NULL);
  size_t iterations = 0;
  for (int i = 0; i < 10000; i++) {
    const double t = 1e-3 * i;
    const rl_vec3 from = rl_vec(-1.0 + 0.2 * sin(2.0 * t), 0.3 * cos(t), 0.4 * sin(1.3 * t));
    const rl_vec3 to = rl_vec(4.0 + 0.3 * sin(0.7 * t), 1.0 + 0.4 * sin(t), 0.1 * cos(3.0 * t));
    const rl_vec3 step1 = rl_sub(from, items[0].at), step2 = rl_sub(to, items[4].at);
    double rate = rl_dot(items[4].in, step2) - rl_dot(items[0].out, step1);
    items[0].at = from;
    items[4].at = to;
    const double next = rl_path_solve(items, 5, &iterations);
    rate += rl_dot(items[4].in, step2) - rl_dot(items[0].out, step1);
    if (i > 0) { // the first move is no small one
      check_below(fabs(next - length), rl_length(step1) + rl_length(step2));
      check_near(next - length, 0.5 * rate, 2e-8);
    }
    length = next;
  }
  assert_true(items[1].wrap > 10.0);
  check_below((double)iterations, 30000.0);
}

// A row of n drums, over and under in turn, whose ends move: Newton's method goes on from where it
// was, so that a solution takes two to four iterations in a row of any length, after thousands as
// in the beginning. An iteration costs what the items of the row do.
static void cost_is_that_of_the_contacts(void **unused) {
  (void)unused;
  enum { MOST = 64, MOVES = 3000 };
  static rl_path_item items[MOST + 2];
  for (size_t n = 4; n <= MOST; n *= 4) {
    items[0] = point(rl_vec(-1.0, -1.0, 0.0));
    for (size_t i = 1; i <= n; i++) {
      const double up = i % 2 == 1 ? 1.0 : -1.0;
      items[i] = drum(rl_vec(0.5 * (double)i, 0.1 * up, 0), rl_unit(rl_vec(0.1, 0.05 * up, 1)), 0.2,
                      -up, 0.7);
    }
    items[n + 1] = point(rl_vec(0.5 * (double)n + 1.5, 1.0, 0.0));
    assert_true(!isnan(rl_path_solve(items, n + 2, NULL)));
    size_t early = 0, late = 0;
    for (int i = 0; i < MOVES; i++) {
      items[0].at.y = -1.0 + 0.2 * sin(0.01 * i);
      items[0].at.z = 0.1 * sin(0.013 * i);
      items[n + 1].at.y = 1.0 - 0.3 * sin(0.007 * i);
      rl_path_solve(items, n + 2, i < MOVES / 2 ? &early : &late);
    }
    print_message("%zu drums: %.3g and %.3g iterations a move\n", n, 2.0 * (double)early / MOVES,
                  2.0 * (double)late / MOVES);
    check_relative((double)late, (double)early, 0.1);
    check_below((double)late, 4.0 * MOVES / 2);
  }
}

// ---------------------------------------------------------------------------------------------
// Lines and circles

static rl_path_item line(rl_vec3 at, rl_vec3 axis) {
  return (rl_path_item){.kind = RL_PATH_LINE, .at = at, .axis = axis, .length = 1.0};
}

static rl_path_item circle(rl_vec3 at, rl_vec3 axis, double radius, double along) {
  return (rl_path_item){.kind = RL_PATH_CIRCLE,
                        .at = at,
                        .axis = axis,
                        .reference = rl_any_across(axis),
                        .radius = radius,
                        .along = along};
}

// Unfolded about the edge, the rope is straight.
static void over_an_edge_it_unfolds(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 41;
  for (int i = 0; i < 1000; i++) {
    const rl_vec3 axis = random_direction(&seed);
    const rl_vec3 at = random_in_cube(&seed, 2.0);
    const rl_vec3 p = random_in_cube(&seed, 2.0), q = random_in_cube(&seed, 2.0);
    const rl_vec3 a = rl_sub(p, at), b = rl_sub(q, at);
    const double off = rl_length(rl_cross(axis, a)) + rl_length(rl_cross(axis, b));
    const double rise = rl_dot(axis, rl_sub(b, a));
    rl_path_item items[] = {point(p), line(at, axis), point(q)};
    check_near(rl_path_solve(items, 3, NULL), sqrt(off * off + rise * rise), 1e-14);
    const double along = rl_dot(axis, a) + rise * rl_length(rl_cross(axis, a)) / off;
    check_near(items[1].along, along, 1e-11);
  }
}

// The rope over two edges that meet at the origin, with its places so far along them.
typedef struct two_edges {
  rl_vec3 from, to, edges[2];
} two_edges;

static double length_over(const two_edges *c, double a, double b) {
  const rl_vec3 x = rl_scale(a, c->edges[0]), y = rl_scale(b, c->edges[1]);
  return rl_distance(c->from, x) + rl_distance(x, y) + rl_distance(y, c->to);
}

// The least of it, by golden sections: of a sum of distances there is only one.
static double least_second(const two_edges *c, double a) {
  const double golden = 0.5 * (sqrt(5.0) - 1.0);
  double low = -8.0, high = 8.0;
  for (int k = 0; k < 70; k++) {
    const double x = high - golden * (high - low), y = low + golden * (high - low);
    const bool left = length_over(c, a, x) < length_over(c, a, y);
    *(left ? &high : &low) = left ? y : x;
  }
  return fmin(length_over(c, a, 0.5 * (low + high)), length_over(c, a, 0.0));
}

static double least_length(const two_edges *c) {
  const double golden = 0.5 * (sqrt(5.0) - 1.0);
  double low = -8.0, high = 8.0;
  for (int k = 0; k < 70; k++) {
    const double x = high - golden * (high - low), y = low + golden * (high - low);
    const bool left = least_second(c, x) < least_second(c, y);
    *(left ? &high : &low) = left ? y : x;
  }
  return fmin(least_second(c, 0.5 * (low + high)), least_second(c, 0.0));
}

// (9a) Whatever the ends are, there is a path, and it is the shortest over the lines of both edges;
// where it goes through the corner both places stay there and balance.
static void in_a_corner_it_stays_while_that_is_shortest(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 93;
  int stayed = 0, others[2] = {0, 0};
  for (int n = 0; n < 1000; n++) {
    two_edges c = {.edges = {random_direction(&seed), random_direction(&seed)}};
    if (rl_length(rl_cross(c.edges[0], c.edges[1])) < 0.3) {
      continue;
    }
    c.from = rl_scale(between(&seed, 0.1, 2.0), random_direction(&seed));
    c.to = rl_scale(between(&seed, 0.1, 2.0), random_direction(&seed));
    rl_path_item items[4] = {
        point(c.from), {.kind = RL_PATH_POINT}, {.kind = RL_PATH_POINT}, point(c.to)};
    for (int k = 0; k < 2; k++) { // with the corner at its beginning, or at its end
      const bool far = next_random(&seed) < 0.5;
      items[k + 1] = line(far ? rl_scale(2.5, c.edges[k]) : rl_vec(0, 0, 0),
                          rl_scale(far ? -1.0 : 1.0, c.edges[k]));
      items[k + 1].length = 2.5;
      items[k + 1].along = between(&seed, 0.1, 2.4);
    }
    const double length = rl_path_solve(items, 4, NULL), least = least_length(&c);
    check_near(length, least, 1e-9);
    if (!(items[1].corner > 0.0)) {
      others[rl_dot(items[1].entry, c.edges[0]) < 0.0]++;
      continue;
    }
    stayed++;
    check_near(rl_length(items[1].entry) + rl_length(items[2].entry), 0.0, 1e-14);
    check_near(rl_length(items[1].out), 1.0, 1e-12);
    check_near(rl_distance(items[1].out, items[2].in), 0.0, 0.0);
    check_near(rl_dot(rl_sub(items[1].in, items[1].out), c.edges[0]), 0.0, 1e-12);
    check_near(rl_dot(rl_sub(items[2].in, items[2].out), c.edges[1]), 0.0, 1e-12);
    check_near(cos(items[1].corner), -rl_dot(rl_unit(c.from), rl_unit(c.to)), 1e-12);
  }
  print_message("%d in the corner, %d before it, %d beyond\n", stayed, others[0], others[1]);
  assert_true(stayed > 100 && others[0] > 100 && others[1] > 10);
}

// (9a) Over edges that all meet at one point, some at their beginning, some at their end, there is
// always a path, and every place balances, in the corner too. As the length is convex in the places
// no other path is shorter. It takes few iterations.
static void edges_that_meet_in_a_corner_balance(void **unused) {
  (void)unused;
  enum { MOST = 5 };
  uint64_t seed = first_seed + 2385;
  size_t cornered[MOST + 1] = {0}, most = 0;
  for (int n = 0; n < 2000; n++) {
    const size_t count = 2 + (size_t)between(&seed, 0.0, MOST - 1.001);
    rl_path_item items[MOST + 2] = {point(random_in_cube(&seed, 1.0))};
    for (size_t k = 1; k <= count; k++) {
      const rl_vec3 axis = random_direction(&seed);
      items[k] = line(rl_scale(next_random(&seed) < 0.5 ? 0.0 : -0.7, axis), axis);
      items[k].length = 0.7;
      items[k].along = between(&seed, 0.0, 0.7);
    }
    items[count + 1] = point(random_in_cube(&seed, 1.0));
    size_t iterations = 0, stay = 0;
    assert_true(rl_path_solve(items, count + 2, &iterations) > 0.0);
    most = iterations > most ? iterations : most;
    for (size_t k = 1; k <= count; k++) {
      check_near(rl_length(items[k].out), 1.0, 1e-9);
      check_near(rl_dot(rl_sub(items[k].in, items[k].out), items[k].axis), 0.0, 1e-9);
      stay += rl_length(items[k].entry) == 0.0;
    }
    cornered[stay]++;
  }
  print_message("in the corner: none %zu, 2 %zu, 3 %zu, 4 %zu, 5 %zu; at most %zu iterations\n",
                cornered[0], cornered[2], cornered[3], cornered[4], cornered[5], most);
  assert_true(cornered[1] == 0 && cornered[3] > 50 && cornered[4] > 50 && cornered[5] > 50);
  assert_true(most <= 100);
}

// Round a prism in a plane: every edge turns the rope by the angle of the polygon.
static void a_prism_turns_the_rope_by_its_angles(void **unused) {
  (void)unused;
  enum { SIDES = 7 };
  const rl_vec3 axis = rl_unit(rl_vec(0.3, -0.4, 1.0));
  const rl_vec3 x = rl_any_across(axis), y = rl_cross(axis, x);
  rl_path_item items[SIDES + 2];
  const double step = 2.0 * RL_PI / SIDES, side = 2.0 * 0.37 * sin(0.5 * step);
  for (int k = 0; k < SIDES; k++) {
    const rl_vec3 corner =
        rl_add(rl_scale(0.37 * cos(step * k), x), rl_scale(0.37 * sin(step * k), y));
    items[k + 1] = line(rl_add_scaled(corner, -0.1 * k, axis), axis);
    items[k + 1].along = 0.3;
  }
  items[0] = point(rl_add_scaled(items[1].at, -1.1, y));
  items[0].at = rl_add_scaled(items[0].at, 0.2, axis);
  items[SIDES + 1] = point(rl_add_scaled(rl_add_scaled(items[SIDES].at, 0.8, x), 0.6, y));
  items[SIDES + 1].at = rl_add_scaled(items[SIDES + 1].at,
                                      rl_dot(rl_sub(items[0].at, items[SIDES + 1].at), axis), axis);
  check_near(rl_path_solve(items, SIDES + 2, NULL), 1.1 + 1.0 + (SIDES - 1) * side, 1e-14);
  double sum = 0.0;
  for (int k = 1; k <= SIDES; k++) {
    sum += items[k].turn;
    if (k > 1 && k < SIDES) {
      check_near(items[k].turn, step, 2e-15);
    }
  }
  const rl_vec3 in = items[1].in, out = items[SIDES].out;
  const double whole = atan2(rl_dot(axis, rl_cross(in, out)), rl_dot(in, out));
  check_near(sum, whole < 0.0 ? whole + 2.0 * RL_PI : whole, 4e-15);
}

// Over the edge of a hole, a place is found by golden sections.
static void over_a_rim_it_is_as_short_as_by_search(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 43;
  for (int i = 0; i < 300; i++) {
    const rl_vec3 axis = random_direction(&seed), at = random_in_cube(&seed, 0.3);
    const double radius = between(&seed, 0.5, 1.5);
    rl_path_item items[] = {point(random_in_cube(&seed, 2.0)), circle(at, axis, radius, 0.0),
                            point(random_in_cube(&seed, 2.0))};
    const rl_vec3 x = items[1].reference, y = rl_cross(axis, x);
    double best = INFINITY;
    for (double width = RL_PI, middle = 0.0; width > 1e-9; width *= 0.1) {
      const double around = middle;
      for (int k = -20; k <= 20; k++) {
        const double angle = around + 0.1 * width * k;
        const rl_vec3 p =
            rl_add(rl_add_scaled(at, radius * cos(angle), x), rl_scale(radius * sin(angle), y));
        const double length = rl_distance(items[0].at, p) + rl_distance(p, items[2].at);
        if (length < best) {
          best = length;
          middle = angle;
        }
      }
      items[1].along = middle + 0.2;
    }
    check_near(rl_path_solve(items, 3, NULL), best, 1e-13);
  }
}

// A chain of every kind.
static size_t mixed_chain(uint64_t *seed, rl_path_item *items) {
  const size_t count = random_chain(seed, items, 6, 2);
  for (size_t i = 1; i + 1 < count; i++) {
    const rl_vec3 at = items[i].at;
    const double which = next_random(seed), along = between(seed, -3.0, 3.0);
    rl_vec3 axis = random_direction(seed);
    axis.x *= 0.3;
    axis = rl_unit(axis);
    items[i] = which < 0.2   ? line(at, axis)
               : which < 0.4 ? circle(at, axis, between(seed, 0.2, 0.5), along)
               : which < 0.5 ? point(at)
                             : items[i];
  }
  return count;
}

// With one of its places a little beside where it was found, the rope is as long: not shorter, but
// round a circle that it presses it may balance without being the shortest.
static void check_balance(const rl_path_item *items, size_t count, double length) {
  const double h = 1e-5;
  for (size_t i = 1; i + 1 < count; i++) {
    if (items[i].kind != RL_PATH_LINE && items[i].kind != RL_PATH_CIRCLE) {
      continue;
    }
    double beside[2];
    for (int k = 0; k < 2; k++) {
      rl_path_item moved[MOST_ITEMS];
      memcpy(moved, items, count * sizeof items[0]);
      const rl_vec3 spoke = rl_sub(items[i].entry, items[i].at);
      const double step = k == 0 ? h : -h;
      moved[i] = point(items[i].kind == RL_PATH_LINE
                           ? rl_add_scaled(items[i].entry, step, items[i].axis)
                           : rl_add(items[i].at, turned_about(items[i].axis, step, spoke)));
      beside[k] = rl_path_solve(moved, count, NULL) - length;
    }
    check_near(beside[0] - beside[1], 0.0, 2e-13);
    check_below(items[i].kind == RL_PATH_LINE ? -beside[0] : 0.0, 1e-13);
  }
}

static void mixed_chains_balance(void **unused) {
  (void)unused;
  uint64_t seed = first_seed + 47;
  int none = 0;
  for (int i = 0; i < 500; i++) {
    rl_path_item items[MOST_ITEMS];
    const size_t count = mixed_chain(&seed, items);
    size_t iterations = 0;
    const double length = rl_path_solve(items, count, &iterations);
    if (isnan(length)) {
      none++;
      continue;
    }
    check_balance(items, count, length);
    check_gradient(items, count, &seed);
  }
  print_message("none %d\n", none);
}

// With an argument what a path is for many seeds. The others compare at round-off, or start from a
// place from which another path may be the nearest.
int main(int count, char **arguments) {
  (void)arguments;
  enum { SEEDS = 50 };
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_between_is_passed_straight),
      cmocka_unit_test(over_a_ball_it_is_a_great_circle),
      cmocka_unit_test(round_a_drum_it_is_a_helix),
      cmocka_unit_test(grazing_is_smooth),
      cmocka_unit_test(points_inside_have_no_path),
      cmocka_unit_test(belts_over_two_drums),
      cmocka_unit_test(a_nip_is_passed_and_left_again),
      cmocka_unit_test(random_chains_are_the_shortest),
      cmocka_unit_test(directions_are_the_gradient),
      cmocka_unit_test(held_on_a_ball_it_leaves_its_plane),
      cmocka_unit_test(it_leaves_its_plane_as_friction_lets_it),
      cmocka_unit_test(small_moves_change_the_length_little),
      cmocka_unit_test(cost_is_that_of_the_contacts),
      cmocka_unit_test(over_an_edge_it_unfolds),
      cmocka_unit_test(in_a_corner_it_stays_while_that_is_shortest),
      cmocka_unit_test(edges_that_meet_in_a_corner_balance),
      cmocka_unit_test(a_prism_turns_the_rope_by_its_angles),
      cmocka_unit_test(over_a_rim_it_is_as_short_as_by_search),
      cmocka_unit_test(mixed_chains_balance),
  };
  const struct CMUnitTest random[] = {
      cmocka_unit_test(over_a_ball_it_is_a_great_circle),
      cmocka_unit_test(random_chains_are_the_shortest),
      cmocka_unit_test(directions_are_the_gradient),
      cmocka_unit_test(over_an_edge_it_unfolds),
      cmocka_unit_test(in_a_corner_it_stays_while_that_is_shortest),
      cmocka_unit_test(edges_that_meet_in_a_corner_balance),
  };
  int failed = cmocka_run_group_tests_name("path", tests, NULL, NULL);
  for (first_seed = 1; count > 1 && first_seed < SEEDS; first_seed++) {
    failed += cmocka_run_group_tests_name("path", random, NULL, NULL);
  }
  return failed;
}
