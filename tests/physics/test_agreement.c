// SPDX-License-Identifier: GPL-3.0-or-later
// Random scenes of bodies on ropes, which every general solver runs at several steps: they come to
// the state of `reference`, and what is left over in their ledgers goes away.
#include "check.h"

#include <string.h>

// Sweeps enough to solve a step, and springs for hard rows that get stiffer with the step.
static const char *const solvers[] = {"penalty",
                                      "penalty-implicit",
                                      "penalty-implicit,integrator=midpoint",
                                      "pbd,iterations=2000,tolerance=1e-12",
                                      "xpbd,iterations=40",
                                      "pbd-direct",
                                      "impulse,iterations=2000,tolerance=1e-12",
                                      "impulse-direct",
                                      "impulse-soft,iterations=40,hertz=1e9",
                                      "convex",
                                      "convex,integrator=midpoint",
                                      "convex,integrator=bdf2",
                                      "rattle"};

// Where in a step a rope is caught, or something comes to rest, is chance, and so is the sign of
// what is lost in it: a coarse error is the largest of several numbers of steps. A method of order
// 1 has an eighth of it left, or, where a rope is caught, little more: it may be half.
static const int coarse_steps[] = {80, 90, 100, 110, 125}, fine_steps[] = {800};
static const double duration = 0.25, most_left = 0.5;

// So small an error is none [m], [J]: there are some 10 J.
static const double small_way = 1e-5, small_energy = 1e-4;

// Scenes of whose places `reference` says less than this are left out [m]. It says nothing behind
// the catch of a damped rope over a rough drum whose dampers ask for a slip that its springs undo.
static const double largest_estimate = 1e-4;

enum { ROPE_TEXT = 160, SCENE_TEXT = 2048 };

typedef struct scene {
  uint64_t seed;
  bool is_hard;   // ropes do not stretch
  bool is_caught; // they may be slack
  bool has_mass;  // a rope has: no jerks run to and fro in it
  char text[SCENE_TEXT];
} scene;

static bool chance(scene *s, double probability) { return next_random(&s->seed) < probability; }

static double number(scene *s, double low, double high) { return between(&s->seed, low, high); }

__attribute__((format(printf, 2, 3))) static void add(scene *s, const char *format, ...) {
  const size_t used = strlen(s->text);
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(s->text + used, sizeof s->text - used, format, arguments);
  va_end(arguments);
  assert_true(length >= 0 && (size_t)length < sizeof s->text - used);
}

// What all bodies have.
static void add_body(scene *s, const char *name, double x, double y, double z) {
  const double speed = (s->has_mass && s->is_hard) ? 0.0 : 1.0;
  add(s, "  %s: {mass: %.17g, position: [%.17g, %.17g, %.17g],", name, number(s, 0.3, 2.0), x, y,
      z);
  add(s, " velocity: [%.17g, %.17g, %.17g]", number(s, -speed, speed), number(s, -speed, speed),
      number(s, -0.3 * speed, 0.3 * speed));
}

// How ropes give. Of what is not slack the spring has frequencies of some 100 rad/s at most.
static void add_stretch(scene *s, double stiffness) {
  const double slack = s->is_caught ? number(s, 0.0, 0.03) : s->is_hard ? 0.0 : number(s, -0.05, 0);
  add(s, " slack: %.17g", slack);
  if (!s->is_hard) {
    add(s, ", stiffness: %.17g, damping_ratio: %.17g", stiffness * number(s, 0.3, 3.0),
        chance(s, 0.3) ? 0.0 : number(s, 0.0, 0.8));
  }
}

static void hang_on(scene *s, bool has_mass) {
  add_body(s, "a", number(s, 0.2, 0.5), number(s, -0.6, -0.2), number(s, -0.1, 0.1));
  add(s, "}\nropes:\n  r: {from: {point: [0, 0, 0]}, to: {body: a},");
  if (has_mass) {
    add(s, " mass: %.17g, segments: %d,", number(s, 0.1, 0.5), 2 + (int)number(s, 0.0, 4.0));
  }
  add_stretch(s, 300.0);
  add(s, "}\n");
}

static void hang(scene *s) { hang_on(s, false); }

static void hang_with_mass(scene *s) { hang_on(s, true); }

static void hang_turning(scene *s) {
  add_body(s, "a", number(s, 0.2, 0.5), number(s, -0.6, -0.3), 0.0);
  add(s, ", inertia: [0.02, 0.03, 0.04], spin: [%.17g, 1, %.17g]}\n", number(s, -3.0, 3.0),
      number(s, -3.0, 3.0));
  add(s, "ropes:\n  r: {from: {point: [0, 0, 0]}, to: {body: a, at: [%.17g, 0.1, 0.05]},",
      number(s, -0.1, 0.1));
  add_stretch(s, 300.0);
  add(s, "}\n");
}

static void hang_on_two(scene *s) {
  add_body(s, "a", number(s, -0.2, 0.2), number(s, -0.6, -0.3), number(s, -0.1, 0.1));
  add(s, "}\nropes:\n  r: {from: {point: [-0.4, 0, 0]}, to: {body: a},");
  add_stretch(s, 300.0);
  add(s, "}\n  q: {from: {point: [0.4, 0, 0.1]}, to: {body: a},");
  add_stretch(s, 300.0);
  add(s, "}\n");
}

// A body at each end of a rope, and what it goes over.
static void add_pair(scene *s, const char *over) {
  add(s, "ropes:\n  r: {from: {body: a}, to: {body: b}, over: [%s],", over);
  add_stretch(s, 500.0);
}

static void over_eyes(scene *s) {
  char over[2 * ROPE_TEXT];
  const double friction = chance(s, 0.5) ? 0.0 : number(s, 0.05, 0.4);
  add_body(s, "a", number(s, -0.4, -0.1), number(s, -0.6, -0.3), number(s, -0.1, 0.1));
  add(s, "}\n");
  add_body(s, "b", number(s, 0.3, 0.6), number(s, -0.6, -0.3), number(s, -0.1, 0.1));
  add(s, "}\n");
  snprintf(over, sizeof over, "{eye: [0, 0, 0], friction: %.17g}%s", friction,
           chance(s, 0.5) ? ", {eye: [0.2, 0.05, 0]}" : "");
  add_pair(s, over);
  add(s, "}\n");
}

static void over_drum(scene *s, bool is_wheel) {
  const double radius = number(s, 0.05, 0.2);
  add_body(s, "a", -radius - number(s, -0.02, 0.2), number(s, -0.6, -0.3), number(s, -0.03, 0.03));
  add(s, "}\n");
  add_body(s, "b", radius + number(s, -0.02, 0.2), number(s, -0.6, -0.3), number(s, -0.03, 0.03));
  add(s, "}\n  drum: {motion: %s, shape: {cylinder: {radius: %.17g, length: 1}}",
      is_wheel ? "axle, mass: 1.5" : "fixed", radius);
  if (chance(s, 0.6)) {
    add(s, ", friction: %.17g", number(s, 0.05, 0.8));
  }
  add(s, "}\n");
  add_pair(s, "drum");
  add(s, "}\n");
}

static void over_fixed_drum(scene *s) { over_drum(s, false); }

static void over_wheel(scene *s) { over_drum(s, true); }

static void add_mass(scene *s, int least, int most) {
  add(s, " mass: %.17g, segments: %d,", number(s, 0.1, 0.5), (int)number(s, least, most + 1));
}

static void hang_in_air(scene *s) {
  add_body(s, "a", number(s, 0.2, 0.5), number(s, -0.6, -0.2), number(s, -0.1, 0.1));
  add(s, "}\nropes:\n  r: {from: {point: [0, 0, 0]}, to: {body: a}, bending: %.17g, drag: %.17g,",
      chance(s, 0.3) ? 0.0 : number(s, 0.001, 0.02), number(s, 0.0, 0.2));
  add_mass(s, 3, 6);
  add_stretch(s, 300.0);
  add(s, "}\nevents:\n  - {from: 0.05, until: 0.15, wind: [%.17g, 0, %.17g]}\n",
      number(s, -8.0, 8.0), number(s, -8.0, 8.0));
  add(s, "  - {from: 0.1, until: 0.2, force: {body: a, value: [%.17g, 0, %.17g]}}\n",
      number(s, -5.0, 5.0), number(s, -5.0, 5.0));
}

static void tie_twice(scene *s) {
  for (int i = 0; i < 2; i++) {
    add_body(s, i == 0 ? "a" : "b", (i - 0.5) * number(s, 0.8, 1.2), number(s, -0.1, 0.1),
             number(s, -0.1, 0.1));
    add(s, ", inertia: [0.02, 0.03, 0.04], spin: [%.17g, 1, %.17g]}\n", number(s, -3.0, 3.0),
        number(s, -3.0, 3.0));
  }
  add(s, "ropes:\n");
  for (int i = 0; i < 2; i++) {
    const double high = i == 0 ? 0.1 : -0.1;
    add(s, "  r%d: {from: {body: a, at: [0.1, %g, 0.02]}, to: {body: b, at: [-0.1, %g, 0.05]},", i,
        high, high);
    add_stretch(s, 300.0);
    add(s, "}\n");
  }
}

// What a family of scenes may have: ropes that do not stretch, ropes that are slack, ropes with
// mass.
enum { HARD = 1, SLACK = 2, MASS = 4 };

// Over eyes and drums ropes are elastic: whether a hard one slips there as it is caught is with
// some methods up to where in the step that is, which moves places by millimetres.
typedef struct family {
  const char *name;
  void (*add)(scene *s);
  unsigned may;
} family;

static const family families[] = {
    {"hang", hang, HARD | SLACK},
    {"hang-with-mass", hang_with_mass, HARD | MASS},
    {"hang-turning", hang_turning, HARD | SLACK},
    {"hang-on-two", hang_on_two, HARD | SLACK},
    {"eyes", over_eyes, SLACK},
    {"drum", over_fixed_drum, SLACK},
    {"wheel", over_wheel, SLACK},
    {"air", hang_in_air, HARD | MASS},
    {"tied-twice", tie_twice, HARD | SLACK},
};

static void make_scene(scene *s, const family *of) {
  s->has_mass = (of->may & MASS) != 0;
  s->is_hard = (of->may & HARD) != 0 && chance(s, 0.4);
  s->is_caught = (of->may & SLACK) != 0 && chance(s, 0.5);
  add(s, "name: x\nduration: 1\nstep: 0.01\nbodies:\n");
  of->add(s);
}

// Springs in the place of hard rows and contacts throw back what is caught: they come to another
// motion. Backward Euler damps waves of elastic ropes with mass that these steps do not resolve.
static bool agrees(const scene *s, const char *solver) {
  const bool is_penalty = strcmp(solver, "penalty") == 0;
  const bool is_euler = strcmp(solver, "penalty-implicit") == 0 || strcmp(solver, "convex") == 0;
  return !(is_penalty && s->is_hard) && (s->is_hard || !(is_euler && s->has_mass));
}

typedef struct error {
  double way, energy; // distance from `reference` [m], left in the ledger [J]
} error;

static bool takes_steps(rl_driver *driver, int count) {
  bool goes_on = true;
  for (int i = 0; i < count && goes_on; i++) {
    goes_on = rl_driver_step(driver) > 0;
  }
  return goes_on;
}

static error error_of(const rl_scenario *scenario, const char *solver, const int *counts,
                      size_t count, const rl_driver *truth) {
  error e = {0.0, 0.0};
  for (size_t i = 0; i < count; i++) {
    rl_driver *d = driver_for(scenario, solver, duration / counts[i]);
    const bool goes_on = takes_steps(d, counts[i]);
    e.way = rl_larger(e.way, goes_on ? places_apart(d, truth) : INFINITY);
    e.energy = rl_larger(e.energy, fabs(rl_driver_energy_error(d)));
    rl_driver_free(d);
  }
  return e;
}

static bool check_solver(const rl_scenario *scenario, const char *solver, const rl_driver *truth,
                         const char *what) {
  const error coarse =
      error_of(scenario, solver, coarse_steps, sizeof coarse_steps / sizeof *coarse_steps, truth);
  const error fine =
      error_of(scenario, solver, fine_steps, sizeof fine_steps / sizeof *fine_steps, truth);
  const double known = rl_larger(small_way, 2.0 * truth->info.error_estimate);
  const bool is_good = fine.way <= rl_larger(most_left * coarse.way, known) &&
                       fine.energy <= rl_larger(most_left * coarse.energy, small_energy);
  if (!is_good) {
    print_error("%s, %s: observed %.3g to %.3g m, %.3g to %.3g J, expected %g of it at most\n",
                what, solver, coarse.way, fine.way, coarse.energy, fine.energy, most_left);
  }
  return is_good;
}

// Counts the scenes of which the reference knows enough.
static bool check_scene(const scene *s, const char *what, uint32_t *known) {
  rl_scenario *scenario = scenario_from("%s", s->text);
  rl_driver *truth = driver_for(scenario, "reference", duration / 50.0);
  const bool is_known = takes_steps(truth, 50) && truth->info.error_estimate < largest_estimate;
  bool agree = true;
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0] && is_known; k++) {
    if (agrees(s, solvers[k]) &&
        rl_driver_missing(scenario->model, spec_of(solvers[k]).type) == 0) {
      agree = check_solver(scenario, solvers[k], truth, what) && agree;
    }
  }
  if (!agree) {
    print_error("%s", s->text);
  }
  *known += is_known ? 1 : 0;
  rl_driver_free(truth);
  rl_scenario_free(scenario);
  return agree;
}

static uint32_t scenes = 2; // of each family

static void solvers_come_to_reference(void **unused) {
  (void)unused;
  const uint32_t count = sizeof families / sizeof *families;
  uint32_t known = 0;
  bool agree = true;
  for (uint32_t f = 0; f < count; f++) {
    for (uint32_t i = 0; i < scenes; i++) {
      scene s = {.seed = 1 + 1000 * (uint64_t)f + i};
      char what[64];
      make_scene(&s, &families[f]);
      snprintf(what, sizeof what, "%s, scene %u", families[f].name, i);
      agree = check_scene(&s, what, &known) && agree;
    }
  }
  print_message("%u of %u scenes are known\n", known, count * scenes);
  assert_true(agree);
  assert_true(10 * known >= 9 * count * scenes);
}

int main(int argc, char **argv) {
  scenes = argc > 1 && strcmp(argv[1], "long") == 0 ? 12 : scenes;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solvers_come_to_reference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
