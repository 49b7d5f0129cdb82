// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts by planes and swipes: through elements, arcs on bodies, and what moves meanwhile.
#include "check.h"

#include "world/paths/bend.h"
#include "world/ropes/cut.h"
#include "world/ropes/elements.h"

#include <stdio.h>
#include <string.h>

static const char *const general[] = {"penalty",      "pbd",     "xpbd",
                                      "pbd-direct",   "impulse", "impulse-direct",
                                      "impulse-soft", "rattle",  "penalty-implicit"};
enum { GENERAL = sizeof general / sizeof general[0] };

// ---------------------------------------------------------------------------------------------
// Cuts across

static void check_swipe(const char *swipe, uint64_t parted) {
  rl_scenario *s = scenario_from(
      "name: swipe\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
      "ropes:\n"
      "  one: {from: {point: [0, 0, 0]}, to: {free: [1, 0, 0]}, mass: 1, segments: 4}\n"
      "  two: {from: {point: [0, 0.5, 3]}, to: {point: [1, 0.5, 3]}}\n"
      "events: [{at: 0.02, cut: %s}]\n",
      swipe);
  rl_driver *d = driver_for(s, "impulse", 0.01);
  for (int n = 0; n < 4; n++) {
    step_checked(d);
  }
  if (d->state->parted != parted) {
    print_error("%s: observed %llu cuts, expected %llu\n", swipe,
                (unsigned long long)d->state->parted, (unsigned long long)parted);
    fail();
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void swipes_and_planes(void **unused) {
  (void)unused;
  check_swipe("{swipe: {from: [0.6, -1, 0], to: [0.6, 1, 0], view: [0, 0, 1]}}", 2);
  check_swipe("{swipe: {from: [0.6, -1, 9], to: [0.6, 0.2, 9], view: [0, 0, -2]}}", 1);
  check_swipe("{swipe: {from: [0.6, 0.1, 0], to: [0.6, 0.2, 0], view: [0, 0, 1]}}", 0);
  check_swipe("{swipe: {from: [0.6, -1, 0], to: [0.6, -0.1, 0], view: [0, 0, 1]}}", 0);
  check_swipe("{swipe: {from: [1.2, -1, 0], to: [1.2, 1, 0], view: [0, 0, 1]}}", 0);
  // Parallel: no cut, not even where they lie on each other.
  check_swipe("{swipe: {from: [0, 0, 0], to: [1, 0, 0], view: [0, 0, 1]}}", 0);
  // At a node: once. At the outermost end: what is let go there was held.
  check_swipe("{swipe: {from: [0.5, -1, 0], to: [0.5, 0.1, 0], view: [0, 0, 1]}}", 1);
  check_swipe("{plane: {point: [0.5, 0, 0], normal: [1, 0, 0]}}", 2);
  check_swipe("{plane: {point: [0.5, 0.2, 0], normal: [0, 1, 0]}}", 0);
  check_swipe("{plane: {point: [0.3, 0, 0], normal: [1, 1, 0]}}", 1);
}

// Steps until something parts, at most so many, and none after it.
static void run_to_cut(rl_driver *d, int most) {
  for (int n = 0; n < most && d->state->parted == 0; n++) {
    step_checked(d);
  }
  assert_int_equal(d->state->parted, 1);
}

// ---------------------------------------------------------------------------------------------
// Across what lies on bodies

// A massless rope half round a drum of 1 m, from 2 m below its axis on either side: at the height z
// there or as a helix, which is straight where the drum is unrolled.
static const char *const drum = "cylinder: {radius: 1, length: 9}";

static rl_scenario *over(const char *shape, double z, const char *motion, const char *cut) {
  const double y = strstr(shape, "sphere") ? 0.1 : -2.0; // no rope holds on more than half a ball
  return scenario_from("name: over\ngravity: [0, -9.81, 0]\nduration: 1\nstep: 0.01\n"
                       "bodies:\n"
                       "  drum: {%s, shape: {%s}}\n"
                       "  a: {%s, position: [-1, %g, %.17g]}\n"
                       "  b: {%s, position: [1, %g, %.17g]}\n"
                       "ropes: {line: {from: {body: a}, to: {body: b}, over: [drum]}}\n"
                       "events: [{at: 0, cut: {%s}}]\n",
                       motion, shape, motion, y, -z, motion, y, z, cut);
}

static void check_arc_cut(const char *shape, double z, const char *cut, bool cuts) {
  rl_scenario *s = over(shape, z, "motion: fixed", cut);
  rl_driver *d = driver_for(s, "rattle", 0.01);
  step_checked(d);
  if (d->state->parted != (cuts ? 1 : 0)) {
    print_error("z %g, %s: expected %s\n", z, cut, cuts ? "a cut" : "none");
    fail();
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A swipe that ends 1e-9 m before a point of the rope cuts nothing, one that ends behind it does.
static void check_reach(const char *shape, double z, rl_vec3 from, rl_vec3 point,
                        const char *view) {
  const rl_vec3 way = rl_sub(point, from);
  for (int k = 0; k < 2; k++) {
    const rl_vec3 to = rl_add_scaled(point, (k == 0 ? -1e-9 : 1e-9) / rl_length(way), way);
    char cut[512];
    snprintf(cut, sizeof cut,
             "swipe: {from: [%.17g, %.17g, %.17g], to: [%.17g, %.17g, %.17g], view: %s}", from.x,
             from.y, from.z, to.x, to.y, to.z, view);
    check_arc_cut(shape, z, cut, k == 1);
  }
}

static void a_cut_meets_arcs(void **unused) {
  (void)unused;
  const double pi = acos(-1.0);
  // Where the rope is, and not on the chord of its arc, which runs inside the drum.
  check_arc_cut(drum, 0.0, "swipe: {from: [0, 0.5, 0], to: [0, 1.5, 0], view: [0, 0, 1]}", true);
  check_arc_cut(drum, 0.0, "swipe: {from: [0, -0.5, 0], to: [0, 0.5, 0], view: [0, 0, 1]}", false);
  check_arc_cut(drum, 0.0, "swipe: {from: [-0.9, 0.2, 0], to: [0.9, 0.2, 0], view: [0, 0, 1]}",
                false);
  check_arc_cut(drum, 0.0, "swipe: {from: [-0.5, 1.1, 0], to: [0.5, 1.1, 0], view: [0, 0, 1]}",
                false);
  check_arc_cut(drum, 0.0, "plane: {point: [0, 0.9999, 0], normal: [0, 1, 0]}", true);
  check_arc_cut(drum, 0.0, "plane: {point: [0, 1.0001, 0], normal: [0, 1, 0]}", false);
  check_arc_cut(drum, 0.0, "plane: {point: [0, 0.5, 0], normal: [0, -3, 0]}", true);
  // Where it comes on to the drum, on both sides of that place as on it.
  for (int k = -1; k <= 1; k++) {
    char cut[256];
    snprintf(cut, sizeof cut, "swipe: {from: [-2, %g, 0], to: [-0.5, %g, 0], view: [0, 0, 1]}",
             k * 1e-13, k * 1e-13);
    check_arc_cut(drum, 0.0, cut, true);
  }
  for (int k = 1; k < 20; k++) { // at any angle, from inside and outside, with any view
    const double angle = pi * k / 20.0, r = k % 2 == 0 ? 0.3 : 1.7;
    const rl_vec3 point = {-cos(angle), sin(angle), 0.0},
                  from = {-r * cos(angle), r * sin(angle), 0.0};
    check_reach(drum, 0.0, from, point, "[0, 0, 1]");
    check_reach(drum, 0.0, from, point, "[0, 0, -7]");
    // Askew, from nearer to the eye.
    check_reach(drum, 0.0, rl_add_scaled(from, 0.7, rl_vec(0.3, 0.2, 1.0)), point, "[0.3, 0.2, 1]");
  }
  for (int k = 0; k < 3; k++) { // a ball, a box, and its edge
    const rl_vec3 points[3] = {{-0.54, 0.72, 0.0}, {0.3, 1.0, 0.0}, {1.0, 1.0, 0.0}};
    const rl_vec3 from = k == 2 ? rl_vec(0.8, 0.9, 0.0) : rl_scale(0.2, points[k]);
    check_reach(k == 0 ? "sphere: {radius: 0.9}" : "box: {size: [2, 2, 2]}", 0.0, from, points[k],
                "[0, 0, 1]");
  }
  for (int k = 1; k < 20; k++) { // z = z_0 + (z_1 - z_0) (2 + angle) / (2 + pi + 2) on a helix
    const double angle = pi * k / 20.0, height = 1.5;
    const rl_vec3 point = {-cos(angle), sin(angle),
                           height * (2.0 * (2.0 + angle) / (4.0 + pi) - 1.0)};
    check_reach(drum, height, rl_add(point, rl_vec(0.0, 0.0, k % 2 == 0 ? 0.2 : -0.2)), point,
                "[0, 1, 0]");
    check_reach(drum, height, rl_add(point, rl_vec(-0.03, 0.0, 0.04)), point, "[0, 1, 0]");
    char cut[256];
    snprintf(cut, sizeof cut, "plane: {point: [0, 0, %.17g], normal: [0, 0.001, 1]}", point.z);
    check_arc_cut(drum, height, cut, true);
  }
}

// On a drum that goes up at 0.5 m/s with all of its rope, a point that comes down at 1 m/s from 2 m
// is on it when 2 - t = y + t/2.
static void a_swipe_meets_arcs_that_move(void **unused) {
  (void)unused;
  static const double places[] = {-0.83, -0.4, 0.0, 0.1, 0.77};
  for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
    const double x = places[k], y = sqrt(1.0 - x * x), met = (2.0 - y) / 1.5;
    char cut[256];
    snprintf(cut, sizeof cut,
             "swipe: {from: [%.17g, 2, 0], to: [%.17g, 1, 0], view: [0, 0, 1], duration: 1}", x, x);
    rl_scenario *s = over(drum, 0.0, "motion: driven, velocity: [0, 0.5, 0]", cut);
    rl_driver *d = driver_for(s, "rattle", 0.01);
    run_to_cut(d, 100);
    assert_int_equal(d->state->step, (int)ceil(met / 0.01));
    assert_int_equal(d->changes[0].kind, RL_CHANGE_CUT);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Ends and drum go anywhere within the step. A point whose way comes to a place of the arc shortly
// before the end of the step has met it, one that would come there shortly after has not.
static void arcs_are_met_where_they_are(void **unused) {
  (void)unused;
  rl_scenario *s = over(drum, 1.0, "motion: driven",
                        "swipe: {from: [0, 5, 0], to: [1, 5, 0], view: [0, 0, 1], duration: 1}");
  rl_state *start = rl_state_create(s->model), *end = rl_state_create(s->model);
  uint64_t seed = 2385;
  int met = 0;
  for (int n = 0; n < 1000; n++) {
    rl_event event = s->model->events[0];
    event.normal = random_direction(&seed);
    for (uint32_t i = 0; i < s->model->body_count; i++) {
      const uint32_t slot = rl_body_slot(s->model, i);
      rl_point *moved = &end->points[slot];
      *moved = start->points[slot];
      rl_move(moved, rl_scale(0.05, random_direction(&seed)));
    }
    rl_state_place_holds(s->model, end);
    rl_cut cut = {.event = &event, .start = start, .goes_on = true};
    rl_cut_prepare(s->model, end, &cut, 0);
    const rl_arc arcs[2] = {rl_bend_arc(s->model, start, 0, 0), rl_bend_arc(s->model, end, 0, 0)};
    const double fraction = 0.05 + 0.9 * next_random(&seed);
    const double late = n % 2 == 0 ? -1e-6 : 1e-6; // of the step
    rl_vec3 rate, later;
    const rl_vec3 from = rl_arc_point(&arcs[0], fraction * arcs[0].wrap, NULL);
    const rl_vec3 to = rl_arc_point(&arcs[1], fraction * arcs[1].wrap, &rate);
    const rl_vec3 way = rl_scale(0.02, random_direction(&seed));
    const rl_vec3 through = rl_sub(way, rl_sub(to, from)); // how the rope sees the point go
    const double angle = rl_dot(rl_unit(event.normal), rl_cross(rl_unit(rate), rl_unit(through)));
    if (fabs(angle) < 0.3) {
      continue; // it might meet the rope elsewhere
    }
    later = rl_add_scaled(to, late, rl_sub(to, from));
    cut.from = rl_add_scaled(later, -1.0 - late, way);
    cut.to = rl_add_scaled(later, -late, way);
    assert_int_equal(!isnan(rl_cut_element(s->model, end, &cut, 0, 0)), n % 2 == 0);
    met++;
  }
  assert_true(met > 300);
  rl_state_free(start);
  rl_state_free(end);
  rl_scenario_free(s);
}

// Cut on the drum, a rope is off it and off both its ends at once: what hung on it falls freely.
static void what_hung_over_a_drum_falls(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: fall\nduration: 1\nstep: 0.01\n"
      "bodies:\n"
      "  drum: {motion: fixed, shape: {cylinder: {radius: 1, length: 1}}}\n"
      "  a: {mass: 1, position: [-1, -3, 0]}\n"
      "  b: {mass: 2, position: [1, -3, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [drum]}}\n"
      "events: [{at: 0.1, cut: {swipe: {from: [0, 0.5, 0], to: [0, 1.5, 0], view: [0, 0, 1]}}}]\n");
  for (size_t k = 0; k < GENERAL; k++) {
    rl_driver *d = driver_for(s, general[k], 0.01);
    for (int n = 0; n < 10; n++) {
      step_checked(d);
    }
    const double speeds[2] = {probe(d, "a.vy"), probe(d, "b.vy")};
    assert_true(speeds[0] > 0.3 && speeds[1] < -0.3); // g t / 3
    for (int n = 1; n <= 20; n++) {
      step_checked(d);
      check_near(probe(d, "a.vy"), speeds[0] - 9.81 * 0.01 * n, 1e-12);
      check_near(probe(d, "b.vy"), speeds[1] - 9.81 * 0.01 * n, 1e-12);
    }
    assert_int_equal(d->state->parted, 1);
    assert_int_equal(d->state->wrap_counts[0], 0);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// Swipes that take time

// A point that comes down at 2 m/s and 2 m/s to the right, and a rope that comes up at 2 m/s: they
// meet at 0.25 s at x = 0.4 m, in element 1, in the step that this is in. At one moment, at the
// start, the same swipe would have cut element 3, at x = 0.9 m.
static void a_swipe_meets_what_moves(void **unused) {
  (void)unused;
  static const char *const kinds[] = {", mass: 1, segments: 4", ""};
  for (size_t kind = 0; kind < 2; kind++) {
    rl_scenario *s = scenario_from(
        "name: meet\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
        "bodies:\n"
        "  a: {mass: 1, position: [0, 0, 0], velocity: [0, 2, 0]}\n"
        "  b: {mass: 1, position: [1, 0, 0], velocity: [0, 2, 0]}\n"
        "ropes: {rope: {from: {body: a}, to: {body: b}%s%s}}\n"
        "events: [{at: 0, cut: {swipe: {from: [-0.1, 1, 7], to: [0.9, 0, 7], view: [0, 0, 1],"
        " duration: 0.5}}}]\n",
        kinds[kind], kind == 0 ? ", velocity: [0, 2, 0]" : "");
    static const double steps[] = {0.004, 0.02, 0.1, 0.5};
    for (size_t k = 0; rl_solvers[k]; k++) {
      for (size_t n = 0; n < 4 && rl_driver_missing(s->model, rl_solvers[k]) == 0; n++) {
        rl_driver *d = driver_for(s, rl_solvers[k]->name, steps[n]);
        run_to_cut(d, (int)(1.0 / steps[n]));
        check_near(d->changes[0].time, ceil(0.25 / steps[n] - 1e-9) * steps[n], 1e-12);
        assert_int_equal(d->changes[0].element, kind == 0 ? 1 : 0);
        rl_driver_free(d);
      }
    }
    rl_scenario_free(s);
  }
}

// A straight rope turns at 2 rad/s about its middle, and the point comes towards it: they meet
// at 0.3 s, 0.6 m from the middle, in element 6 of 8, whatever the step.
static void a_swipe_meets_what_turns(void **unused) {
  (void)unused;
  const double angle = 0.6, reach = 0.6, speed = 2.0;
  const double x = reach * cos(angle), y = reach * sin(angle);
  const double along[2] = {speed * sin(angle), -speed * cos(angle)};
  rl_scenario *s = scenario_from(
      "name: turn\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
      "ropes: {rope: {from: {free: [-1, 0, 0]}, to: {free: [1, 0, 0]}, mass: 1, segments: 8,"
      " spin: [0, 0, 2]}}\n"
      "events: [{at: 0, cut: {swipe: {from: [%.17g, %.17g, 1], to: [%.17g, %.17g, 1],"
      " view: [0, 0, -3], duration: 0.5}}}]\n",
      x - 0.3 * along[0], y - 0.3 * along[1], x + 0.2 * along[0], y + 0.2 * along[1]);
  static const char *const solvers[] = {"rattle", "convex", "impulse-direct"};
  static const double steps[] = {0.0004, 0.0035714285714285713};
  for (size_t k = 0; k < 6; k++) {
    rl_driver *d = driver_for(s, solvers[k / 2], steps[k % 2]);
    run_to_cut(d, (int)(0.5 / d->dt));
    check_near(d->changes[0].time - 0.5 * d->dt, 0.3,
               0.55 * d->dt + 2e-3); // and that of the method
    assert_int_equal(d->changes[0].element, 6);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// Where the point is on a rope just when a step ends, rounded to one side or the other, it cuts
// once: not in both steps, and not in none.
static void a_swipe_cuts_once_between_steps(void **unused) {
  (void)unused;
  for (int n = 1; n < 20; n++) {
    rl_scenario *s = scenario_from(
        "name: once\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
        "ropes: {rope: {from: {free: [%.17g, 0, 0]}, to: {free: [%.17g, 1, 0]}, mass: 1,"
        " segments: 4}}\n"
        "events: [{at: 0.03, cut: {swipe: {from: [-1, 0.6, 0], to: [1, 0.6, 0], view: [0, 0, 1],"
        " duration: 0.2}}}]\n",
        -1.0 + 0.1 * n, -1.0 + 0.1 * n);
    rl_driver *d = driver_for(s, "impulse", 0.01);
    for (int k = 0; k < 30; k++) {
      step_checked(d);
    }
    assert_int_equal(d->state->parted, 1);
    assert_int_equal(rl_piece_first(s->model, d->state, 0, 3), 2);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Whether, looked at 4000 times, a point crosses the piece between two others; all of them move.
static bool seen_to_cross(const rl_cut *cut, const rl_state *start, const rl_state *end) {
  const rl_vec3 view = cut->event->normal;
  double before = NAN;
  for (int k = 0; k <= 4000; k++) {
    const double s = k / 4000.0;
    rl_vec3 at[2];
    for (size_t i = 0; i < 2; i++) {
      const rl_vec3 from = rl_position(&start->points[i]), to = rl_position(&end->points[i]);
      at[i] = rl_add_scaled(from, s, rl_sub(to, from));
    }
    const rl_vec3 d = rl_sub(at[1], at[0]);
    const rl_vec3 gap = rl_sub(rl_add_scaled(cut->from, s, rl_sub(cut->to, cut->from)), at[0]);
    const rl_vec3 across = rl_cross(view, d);
    const double side = rl_dot(view, rl_cross(d, gap));
    const double r = rl_dot(across, rl_cross(view, gap)) / rl_dot(across, across);
    if (side * before < 0.0 && r >= 0.0 && r <= 1.0) {
      return true;
    }
    before = side;
  }
  return false;
}

// Points and elements that fly anyhow, some across each other and back within the step.
static void crossings_are_those_that_are_seen(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: any\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
      "ropes: {rope: {from: {free: [0, 0, 0]}, to: {free: [1, 0, 0]}, mass: 1, segments: 2}}\n"
      "events: [{at: 0, cut: {swipe: {from: [0, 1, 0], to: [1, 0, 0], view: [0, 0, 1],"
      " duration: 1}}}]\n");
  rl_state *start = rl_state_create(s->model), *end = rl_state_create(s->model);
  const uint32_t nodes[2] = {end->links[0].a, end->links[0].b};
  uint64_t seed = 2385;
  int found = 0;
  assert_true(nodes[0] == 0 && nodes[1] == 1);
  for (int n = 0; n < 2000; n++) {
    rl_event event = s->model->events[0];
    event.normal = random_direction(&seed);
    rl_vec3 at[6];
    for (size_t i = 0; i < 6; i++) {
      at[i] = random_in_cube(&seed, 1.0);
    }
    for (size_t i = 0; i < 2; i++) {
      start->points[i] = (rl_point){at[i].x, at[i].y, at[i].z, start->points[i].w};
      end->points[i] = (rl_point){at[2 + i].x, at[2 + i].y, at[2 + i].z, end->points[i].w};
    }
    const rl_cut cut = {&event, at[4], at[5], start, n % 2 == 0};
    const bool crosses = !isnan(rl_cut_element(s->model, end, &cut, 0, 0));
    found += crosses;
    assert_int_equal(crosses, seen_to_cross(&cut, start, end));
  }
  print_message("%d of 2000 pieces are cut\n", found);
  assert_true(found > 200);
  rl_state_free(start);
  rl_state_free(end);
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(swipes_and_planes),
      cmocka_unit_test(a_cut_meets_arcs),
      cmocka_unit_test(a_swipe_meets_arcs_that_move),
      cmocka_unit_test(arcs_are_met_where_they_are),
      cmocka_unit_test(what_hung_over_a_drum_falls),
      cmocka_unit_test(a_swipe_meets_what_moves),
      cmocka_unit_test(a_swipe_meets_what_turns),
      cmocka_unit_test(a_swipe_cuts_once_between_steps),
      cmocka_unit_test(crossings_are_those_that_are_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
