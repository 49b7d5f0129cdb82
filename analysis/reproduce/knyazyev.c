// SPDX-License-Identifier: GPL-3.0-or-later
// Knyazyev, "Ropes as Constraints", Game Physics Pearls ch. 8, 2010. The chapter has formulas and
// no experiments: its rope is exact for velocities, and its friction at vertices multiplies to the
// capstan law. papers/impulse.md, papers/wraps.md.
#include "reproduce.h"

#include <gsl/gsl_math.h>

static void atwood(rl_trial *trial) {
  for (int i = 0; i < 2; i++) {
    static const char *const machines[] = {"atwood", "atwood-drum"};
    rl_setup machine = rl_setup_shipped(trial, "impulse,iterations=1", 0.01, machines[i], NULL, 0);
    rl_setup_run(trial, &machine, 50);
    const double t = machine.driver->state->time;
    trial->ours[2 * i] = -rl_setup_probe(trial, &machine, "heavy.vy") / t;
    trial->ours[2 * i + 1] = rl_setup_probe(trial, &machine, "line.tension");
    rl_setup_close(&machine);
  }
}

static const rl_claim atwood_claims[] = {
    RL_CLAIM("2 kg : 1 kg over an eye, one solve a step: acceleration", "m/s^2", RL_EQUALS, 3.27,
             1e-9, "(8.3)", RL_DERIVED, NULL),
    RL_CLAIM("... tension", "N", RL_EQUALS, 13.08, 1e-9, "(8.3)", RL_DERIVED, NULL),
    RL_CLAIM("... over a round drum: acceleration", "m/s^2", RL_EQUALS, 3.27, 1e-9, "(8.3)",
             RL_DERIVED, NULL),
    RL_CLAIM("... tension", "N", RL_EQUALS, 13.08, 1e-9, "(8.3)", RL_DERIVED, NULL),
};

// Returns the tension ratio at a post with n edges, over each of which a slipping rope turns by
// pi / n.
static double ratio_of_tensions(rl_trial *trial, int n) {
  const double radius = 0.1;
  const double side = radius * cos(0.5 * M_PI / n);
  char points[1 << 14];
  int used = snprintf(points, sizeof points, "[0, %g, -0.2], [0, %g, 0.2]", -radius, -radius);
  for (int k = 0; k < n; k++) {
    const double angle = (k + 0.5) * M_PI / n;
    const double x = radius * cos(angle), y = radius * sin(angle);
    used += snprintf(points + used, sizeof points - (size_t)used,
                     ", [%.17g, %.17g, -0.2], [%.17g, %.17g, 0.2]", x, y, x, y);
  }
  rl_setup post = rl_setup_scene(trial, "impulse", 1.0 / 240.0,
                                 "name: post\nduration: 1\nstep: 0.01\nbodies:\n"
                                 "  post: {motion: fixed, friction: 0.3, shape: {hull: {points:"
                                 " [%s]}}}\n"
                                 "  heavy: {mass: 8, position: [%.17g, -4, 0]}\n"
                                 "  light: {mass: 1, position: [%.17g, -10, 0]}\n"
                                 "ropes: {line: {from: {body: heavy}, to: {body: light},"
                                 " over: [post]}}\n",
                                 points, -side, side);
  rl_setup_run(trial, &post, 60);
  const double ratio = rl_setup_probe(trial, &post, "line.tension.from") /
                       rl_setup_probe(trial, &post, "line.tension.to");
  rl_setup_close(&post);
  return ratio;
}

static void polygons(rl_trial *trial) {
  enum { POSTS = 6 };
  double size[POSTS], error[POSTS];
  for (int i = 0; i < POSTS; i++) {
    const int n = 2 << i;
    trial->ours[i] = ratio_of_tensions(trial, n);
    size[i] = log(n);
    error[i] = log(trial->ours[i] / exp(0.3 * M_PI) - 1.0);
    rl_trial_point(trial, "impulse", n, exp(error[i]));
    rl_trial_point(trial, "theory: μφ³(1 + μ²)/(12n²)", n,
                   0.3 * M_PI * M_PI * M_PI * 1.09 / (12.0 * n * n));
  }
  trial->ours[POSTS] = -rl_slope(size + 2, error + 2, POSTS - 2);
}

static const rl_claim polygon_claims[] = {
    RL_CLAIM("tensions round a post of 2 edges, mu = 0.3, half a turn", "1", RL_EQUALS,
             3.4489795918367347, 1e-8, "(8.4)", RL_DERIVED, NULL),
    RL_CLAIM("... 4 edges", "1", RL_EQUALS, 2.71631822, 1e-8, "(8.4)", RL_DERIVED, NULL),
    RL_CLAIM("... 8 edges", "1", RL_EQUALS, 2.60104971, 1e-8, "(8.4)", RL_DERIVED, NULL),
    RL_CLAIM("... 16 edges", "1", RL_EQUALS, 2.57485386, 1e-8, "(8.4)", RL_DERIVED, NULL),
    RL_CLAIM("... 32 edges", "1", RL_EQUALS, 2.56845312, 1e-8, "(8.4)", RL_DERIVED, NULL),
    RL_CLAIM("... 64 edges", "1", RL_EQUALS, 2.56686198, 1e-8, "(8.4)", RL_DERIVED, NULL),
    RL_CLAIM("order of convergence to exp(mu phi) with the edges", "1", RL_EQUALS, 2, 0.02, "(8.4)",
             RL_DERIVED, NULL),
};

static const rl_plot polygon_plot = {
    "friction round a polygon",
    "edges",
    "relative distance from exp(μφ)",
    true,
    true,
    "A rope slips over a post with n edges: the ratio of its tensions comes to the capstan's with "
    "the square of n. The line is the first term of the difference."};

static const rl_experiment experiments[] = {
    {"atwood", atwood, sizeof atwood_claims / sizeof atwood_claims[0], atwood_claims, NULL, 0.01},
    {"polygons", polygons, sizeof polygon_claims / sizeof polygon_claims[0], polygon_claims,
     &polygon_plot, 0.2},
};

const rl_paper rl_paper_knyazyev = {"knyazyev", "knyazyev2010", "impulse.md", 2, experiments};
