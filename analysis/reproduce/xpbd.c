// SPDX-License-Identifier: GPL-3.0-or-later
// Macklin, Mueller, Chentanez, "XPBD", 2016: a spring that does not depend on the iterations
// (Fig. 2), forces against Newton's method (Fig. 4), and what the compliance costs (Table 1).
// papers/xpbd.md (8).
#include "reproduce/reproduce.h"

#include <gsl/gsl_linalg.h>
#include <math.h>

enum { FRAMES = 100 };

// The largest distance from implicit Euler's own recurrence in a hundred frames [m].
static double distance_from_recurrence(rl_trial *trial, int iterations) {
  const double compliance = 0.001, mass = 1.0, rest = 1.0, start = 1.5, step = 1.0 / 60.0;
  char solver[64];
  snprintf(solver, sizeof solver, "xpbd,substeps=1,iterations=%d", iterations);
  rl_setup spring = rl_setup_scene(trial, solver, step,
                                   "name: spring\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                                   "bodies: {a: {mass: %g, position: [%g, 0, 0]}}\n"
                                   "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: a},"
                                   " length: %g, stiffness: %.17g, compression: true}}\n",
                                   mass, start, rest, rest / compliance);
  const double w2 = step * step / (compliance * mass);
  double before = start, now = start, largest = 0.0;
  for (int n = 0; n < FRAMES; n++) {
    const double next = (2.0 * now - before + w2 * rest) / (1.0 + w2);
    before = now;
    now = next;
    rl_setup_run(trial, &spring, 1);
    const double x = rl_setup_probe(trial, &spring, "a.x");
    largest = fmax(largest, fabs(x - now));
    if (iterations == 1) {
      const double t = spring.driver->state->time;
      rl_trial_point(trial, "xpbd", t, x);
      rl_trial_point(trial, "theory: without damping", t,
                     rest + (start - rest) * cos(sqrt(1.0 / (compliance * mass)) * t));
    }
  }
  rl_setup_close(&spring);
  return largest;
}

static void spring(rl_trial *trial) {
  trial->ours[0] = distance_from_recurrence(trial, 1);
  trial->ours[1] = distance_from_recurrence(trial, 5);
  trial->ours[2] = distance_from_recurrence(trial, 10);
}

static const char frame[] = "the step is not stated; 1/60 s here, and the same for any";

static const rl_claim spring_claims[] = {
    RL_CLAIM("spring, distance from implicit Euler in 100 frames, 1 iteration", "m", RL_EQUALS, 0,
             1e-12, "Fig. 2", RL_READ, frame),
    RL_CLAIM("... 5 iterations", "m", RL_EQUALS, 0, 1e-12, "Fig. 2", RL_READ, frame),
    RL_CLAIM("... 10 iterations", "m", RL_EQUALS, 0, 1e-12, "Fig. 2", RL_READ, frame),
};

static const rl_plot spring_plot = {
    "a mass on a spring of compliance 0.001 m/N",
    "time, s",
    "position, m",
    false,
    false,
    "Implicit Euler turns the period and takes the swing away; the number of iterations changes "
    "nothing."};

// ---------------------------------------------------------------------------------------------
// Fig. 3a, 4: a chain of twenty particles against Newton's method on the same implicit equations

enum { LINKS = 19, UNKNOWNS = 3 * LINKS, FIRST_FRAME = 75 };

static const double link_length = 0.1, frame_time = 0.008, chain_compliance = 1e-8; // SI units
static const double chain_gravity = 9.81, particle_mass = 1.0;

// Positions and velocities of the particles below the held one, which is at the origin.
typedef struct chain_state {
  double x[2 * LINKS], v[2 * LINKS];
} chain_state;

// What is left of the equations at positions x and multipliers mu = h^2 (pull):
//   m (x_i - y_i) + mu_i d_i - mu_{i+1} d_{i+1} = 0,    |x_i - x_{i-1}| - l - compliance mu_i / h^2
//   = 0
// and their derivatives.
static void equations(const double *x, const double *mu, const double *y, gsl_vector *left,
                      gsl_matrix *slope) {
  gsl_matrix_set_zero(slope);
  for (size_t i = 0; i < 2 * LINKS; i++) {
    gsl_vector_set(left, i, particle_mass * (x[i] - y[i]));
    gsl_matrix_set(slope, i, i, particle_mass);
  }
  for (size_t k = 0; k < LINKS; k++) {
    const double ends[2][2] = {{k > 0 ? x[2 * k - 2] : 0.0, k > 0 ? x[2 * k - 1] : 0.0},
                               {x[2 * k], x[2 * k + 1]}};
    const double apart[2] = {ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]};
    const double length = hypot(apart[0], apart[1]);
    const double d[2] = {apart[0] / length, apart[1] / length};
    const size_t row = 2 * LINKS + k;
    const double softness = chain_compliance / (frame_time * frame_time);
    gsl_vector_set(left, row, length - link_length - softness * mu[k]);
    gsl_matrix_set(slope, row, row, -softness);
    for (size_t a = 0; a < 2; a++) { // 0: the end above, held for the first link; 1: that below
      const double sign = a == 0 ? -1.0 : 1.0;
      for (size_t i = 0; i < 2 && k + a > 0; i++) {
        const size_t at = 2 * (k + a - 1) + i;
        *gsl_vector_ptr(left, at) += sign * mu[k] * d[i];
        gsl_matrix_set(slope, at, row, sign * d[i]);
        gsl_matrix_set(slope, row, at, sign * d[i]);
        for (size_t b = 0; b < 2; b++) {
          for (size_t j = 0; j < 2 && k + b > 0; j++) {
            const double bend = mu[k] / length * ((i == j ? 1.0 : 0.0) - d[i] * d[j]);
            *gsl_matrix_ptr(slope, at, 2 * (k + b - 1) + j) += a == b ? bend : -bend;
          }
        }
      }
    }
  }
}

// A step of implicit Euler by Newton's method; returns the pull at the held particle [N].
static double newton_step(rl_trial *trial, chain_state *state) {
  const double close = 1e-12, h = frame_time;
  const int most = 200;
  double y[2 * LINKS], x[2 * LINKS], mu[LINKS] = {0.0}, largest = INFINITY;
  for (size_t i = 0; i < 2 * LINKS; i++) {
    x[i] = state->x[i];
    y[i] = x[i] + h * state->v[i] - (i % 2 == 1 ? h * h * chain_gravity : 0.0);
  }
  gsl_matrix *slope = gsl_matrix_alloc(UNKNOWNS, UNKNOWNS);
  gsl_vector *left = gsl_vector_alloc(UNKNOWNS), *move = gsl_vector_alloc(UNKNOWNS);
  gsl_permutation *order = gsl_permutation_alloc(UNKNOWNS);
  for (int n = 0; n < most && largest > close; n++) {
    int sign = 0;
    equations(x, mu, y, left, slope);
    gsl_linalg_LU_decomp(slope, order, &sign);
    gsl_linalg_LU_solve(slope, order, left, move);
    largest = 0.0;
    for (size_t i = 0; i < UNKNOWNS; i++) {
      *(i < 2 * LINKS ? &x[i] : &mu[i - 2 * LINKS]) -= gsl_vector_get(move, i);
      largest = i < 2 * LINKS ? fmax(largest, fabs(gsl_vector_get(move, i))) : largest;
    }
  }
  gsl_matrix_free(slope);
  gsl_vector_free(left);
  gsl_vector_free(move);
  gsl_permutation_free(order);
  if (!(largest <= close)) {
    rl_trial_fail(trial, "Newton's method found no end of a step");
  }
  for (size_t i = 0; i < 2 * LINKS; i++) {
    state->v[i] = (x[i] - state->x[i]) / h;
    state->x[i] = x[i];
  }
  return mu[0] / (h * h);
}

// The largest relative difference of the pull from Newton's in frames 75 to 99.
static double force_error(rl_trial *trial, int iterations, const double *exact) {
  char solver[64], curve[32];
  snprintf(solver, sizeof solver, "xpbd,substeps=1,iterations=%d", iterations);
  snprintf(curve, sizeof curve, "%d iterations", iterations);
  rl_setup chain = rl_setup_scene(trial, solver, frame_time,
                                  "name: chain\nduration: 1\nstep: 0.01\nropes:\n"
                                  "  chain: {from: {point: [0, 0, 0]}, to: {free: [%.17g, 0, 0]},"
                                  " mass: %.17g, segments: %d, lumping: equal, stiffness: %.17g,"
                                  " compression: true}\n",
                                  LINKS * link_length, LINKS * particle_mass, LINKS,
                                  link_length / chain_compliance);
  double largest = 0.0;
  for (int n = 0; n < FRAMES; n++) {
    rl_setup_run(trial, &chain, 1);
    const double force = rl_setup_probe(trial, &chain, "chain.tension.from");
    if (n >= FIRST_FRAME) {
      largest = fmax(largest, fabs(force / exact[n] - 1.0));
      rl_trial_point(trial, curve, n, force);
    }
  }
  rl_setup_close(&chain);
  return largest;
}

static void chain(rl_trial *trial) {
  chain_state state = {{0.0}, {0.0}};
  for (int k = 0; k < LINKS; k++) {
    state.x[2 * k] = (k + 1) * link_length;
  }
  double exact[FRAMES];
  for (int n = 0; n < FRAMES; n++) {
    exact[n] = newton_step(trial, &state);
    if (n >= FIRST_FRAME) {
      rl_trial_point(trial, "theory: Newton", n, exact[n]);
    }
  }
  static const int iterations[] = {50, 100, 1000};
  for (int i = 0; i < 3; i++) {
    trial->ours[i] = 100.0 * force_error(trial, iterations[i], exact);
  }
}

static const char pose[] = "link, step and first pose are not stated; 0.1 m, 8 ms, horizontal here";

static const rl_claim chain_claims[] = {
    RL_CLAIM("chain of 20, largest error of the top force, 50 iterations", "%", RL_EQUALS, 6, 0.1,
             "Fig. 4", RL_READ, pose),
    RL_CLAIM("... 100 iterations", "%", RL_EQUALS, 2, 0.1, "Fig. 4", RL_READ, pose),
    RL_CLAIM("... 1000 iterations", "%", RL_EQUALS, 0.5, 0.1, "Fig. 4", RL_READ, pose),
};

static const rl_plot chain_plot = {"force at the held particle of a chain of twenty",
                                   "frame",
                                   "force, N",
                                   false,
                                   false,
                                   "The chain swings through its lowest point. XPBD comes to "
                                   "Newton's solution of the same implicit "
                                   "equations as its iterations grow."};

// ---------------------------------------------------------------------------------------------
// Table 1

// Time of a step of `xpbd` over that of `pbd`, on a chain of as many elements as the paper's cloth
// has constraints, compliant with `xpbd`: the least of some repeats in turn.
static double overhead(rl_trial *trial, int iterations) {
  enum { ELEMENTS = 24000, REPEATS = 6 };
  rl_setup chain[2];
  double least[2] = {INFINITY, INFINITY};
  for (int i = 0; i < 2; i++) {
    char solver[64];
    snprintf(solver, sizeof solver, i == 0 ? "pbd,iterations=%d" : "xpbd,substeps=1,iterations=%d",
             iterations);
    chain[i] = rl_setup_scene(trial, solver, 1.0 / 60.0,
                              "name: chain\nduration: 1\nstep: 0.01\nropes:\n"
                              "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, -240, 0]},"
                              " mass: 240, segments: %d%s}\n",
                              ELEMENTS, i == 0 ? "" : ", stiffness: 1e8");
  }
  for (int k = 0; k < 2 * REPEATS; k++) {
    const double begun = rl_processor_seconds();
    rl_setup_run(trial, &chain[k % 2], 1);
    least[k % 2] = fmin(least[k % 2], rl_processor_seconds() - begun);
  }
  rl_setup_close(&chain[0]);
  rl_setup_close(&chain[1]);
  return least[1] / least[0];
}

static void cost(rl_trial *trial) {
  static const int iterations[] = {20, 40, 80, 160};
  for (int i = 0; i < 4; i++) {
    trial->ours[i] = overhead(trial, iterations[i]);
  }
}

#define COST(text, ratio)                                                                          \
  RL_MACHINE_CLAIM(                                                                                \
      text, "1", RL_EQUALS, ratio, 0.05, "Table 1", RL_READ,                                       \
      "theirs on a GPU, a cloth of 24k constraints; ours a chain of as many elements")

static const rl_claim cost_claims[] = {
    COST("time of XPBD over PBD, 20 iterations", 0.97 / 0.95),
    COST("... 40 iterations", 1.78 / 1.75),
    COST("... 80 iterations", 3.34 / 3.25),
    COST("... 160 iterations", 5.65 / 5.61),
};

static const rl_experiment experiments[] = {
    {"spring", spring, 3, spring_claims, &spring_plot, 0.01},
    {"chain", chain, 3, chain_claims, &chain_plot, 1.0},
    {"cost", cost, 4, cost_claims, NULL, 2.0},
};

const rl_paper rl_paper_xpbd = {"xpbd", "macklin2016", "xpbd.md", 3, experiments};
