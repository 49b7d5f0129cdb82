// SPDX-License-Identifier: GPL-3.0-or-later
#include "random_scenes.h"

#include "check.h"

typedef struct text {
  char at[4096];
  size_t length;
} text;

static void add(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(t->at + t->length, sizeof t->at - t->length, format, arguments);
  va_end(arguments);
  assert_true(length > 0 && (size_t)length < sizeof t->at - t->length);
  t->length += (size_t)length;
}

static int one_of(uint64_t *seed, int count) {
  const int n = (int)(next_random(seed) * count);
  return n < count ? n : count - 1;
}

// Returns how far it reaches from its centre [m]. Over a ball no rope lies from below to below.
static double add_shape(text *t, uint64_t *seed, double size, bool balls) {
  const double radius = size * between(seed, 0.5, 1.0), length = size * between(seed, 0.7, 4.0);
  switch (balls ? one_of(seed, 5) : 1 + one_of(seed, 4)) {
  case 0:
    add(t, "shape: {sphere: {radius: %.4g}}", radius);
    return radius;
  case 1:
    add(t, "shape: {cylinder: {radius: %.4g, length: %.4g}}", radius, length);
    break;
  case 2:
    add(t, "shape: {capsule: {radius: %.4g, length: %.4g}}", radius, length);
    return radius + 0.5 * length;
  case 3:
    add(t, "shape: {box: {size: [%.4g, %.4g, %.4g]}}", 1.4 * radius, 1.2 * radius, length);
    break;
  default:
    add(t, "shape: {prism: {radius: %.4g, length: %.4g, sides: %d}}", radius, length,
        3 + one_of(seed, 6));
    break;
  }
  return sqrt(radius * radius + 0.25 * length * length);
}

rl_scenario *random_weights(uint64_t *seed, double friction) {
  static const char *const motions[] = {"motion: fixed", "motion: axle, mass: 1.3", "mass: 0.7"};
  text t = {.length = 0};
  add(&t,
      "name: weights\nduration: 1\nstep: 0.001\nbodies:\n  body: {%s, rotation: [%.3g, %.3g, "
      "%.3g], ",
      motions[one_of(seed, 3)], between(seed, -1, 1), between(seed, -1, 1), between(seed, -2, 2));
  const double reach = add_shape(&t, seed, 0.35, false);
  add(&t, "}\n");
  for (int i = 0; i < 2; i++) {
    add(&t, "  w%d: {mass: %.4g, position: [%.4g, %.4g, %.4g], velocity: [%.3g, %.3g, %.3g]}\n", i,
        between(seed, 0.3, 4.0), (i == 0 ? -1.0 : 1.0) * (reach + between(seed, 0.05, 0.5)),
        between(seed, -1.5, -0.1), between(seed, -0.15, 0.15), between(seed, -1, 1),
        between(seed, -2, 2), between(seed, -1, 1));
  }
  add(&t,
      "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: body, side: [0, 1, 0]}],"
      " friction: %.3g}}\n",
      friction);
  rl_diagnostic refused;
  return rl_scenario_from_text(t.at, t.length, "weights", NULL, 0, &refused);
}

rl_scenario *random_maze(uint64_t *seed) {
  text t = {.length = 0};
  add(&t,
      "name: maze\nduration: 2\nstep: 0.001\nbodies:\n"
      "  bob: {mass: 1.3, position: [%.3g, -0.1, 0.02], velocity: [%.3g, %.3g, 0.1]}\n",
      between(seed, 1.0, 1.3), between(seed, -2.0, 2.0), between(seed, -4.0, -1.0));
  for (int i = 0; i < 8; i++) {
    const double x = -0.6 + 0.4 * (i % 4), y = -0.25 - 0.35 * (i / 4);
    add(&t, "  b%d: {motion: fixed, position: [%.4g, %.4g, %.4g], rotation: [%.3g, %.3g, 0], ", i,
        x + between(seed, -0.05, 0.05), y + between(seed, -0.05, 0.05), between(seed, -0.02, 0.02),
        between(seed, -0.3, 0.3), between(seed, -0.3, 0.3));
    add_shape(&t, seed, 0.1, true);
    add(&t, "}\n");
  }
  add(&t, "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}}}\n");
  return scenario_from("%s", t.at);
}
