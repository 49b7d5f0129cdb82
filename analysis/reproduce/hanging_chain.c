// SPDX-License-Identifier: GPL-3.0-or-later
// Small oscillations of a hanging chain: zeros of J0 (Bernoulli, Bessel) and, for equal beads,
// zeros of the Laguerre polynomials. papers/hanging-chain.md.
#include "reproduce.h"

#include <gsl/gsl_sf_bessel.h>
#include <math.h>

static const double gravity = 9.81;    // [m/s^2]; the chain has 1 m and 1 kg
static const double amplitude = 1e-5;  // of the free end [m]
static const double step = 1.0 / 4000; // [s]

enum { BEADS_MAX = 128 };

// Computes the shape u of a mode of n beads below a support, from the free end up: the transverse
// force of each link is omega^2 times the moment sum m u below it. Returns u at the support, which
// is 0 for a mode.
static double mode_shape(int n, const double *mass, double omega, double *u) {
  double weight = 0.0, pull = 0.0;
  u[n] = 1.0;
  for (int i = n; i >= 1; i--) {
    weight += mass[i] * gravity;
    pull += mass[i] * omega * omega * u[i];
    u[i - 1] = u[i] - pull / weight / n;
  }
  return u[0];
}

// Finds the frequency of the mode nearest to a guess by the secant method.
static double mode_near(int n, const double *mass, double guess, double *u) {
  double w0 = guess, w1 = guess * 0.999;
  double f0 = mode_shape(n, mass, w0, u), f1 = mode_shape(n, mass, w1, u);
  for (int k = 0; k < 50 && f1 != f0 && fabs(w1 - w0) > 1e-14 * w1; k++) {
    const double next = w1 - f1 * (w1 - w0) / (f1 - f0);
    w0 = w1, f0 = f1;
    w1 = next, f1 = mode_shape(n, mass, w1, u);
  }
  return w1;
}

// Puts the chain into that shape, at rest.
static void lay(const rl_setup *chain, int n, const double *u) {
  const rl_model *model = chain->scenario->model;
  rl_state *state = chain->driver->state;
  double y = 0.0;
  for (int i = 1; i <= n; i++) {
    const double dx = amplitude * (u[i] - u[i - 1]);
    y -= sqrt((1.0 / n - dx) * (1.0 / n + dx));
    rl_point *p = &state->points[rl_rope_node(model, state, 0, (uint32_t)i)];
    p->x = amplitude * u[i];
    p->y = y;
  }
}

// Measures the angular frequency of mode k of n beads from the times at which the free end passes
// the middle [rad/s].
static double measured(rl_trial *trial, int n, const char *lumping, int k) {
  enum { PASSES = 12 };
  rl_setup chain = rl_setup_scene(trial, "rattle", step,
                                  "name: chain\nduration: 1\nstep: 0.001\nropes:\n"
                                  "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, -1, 0]},"
                                  " mass: 1, segments: %d, lumping: %s}\n",
                                  n, lumping);
  double mass[BEADS_MAX + 1], u[BEADS_MAX + 1];
  for (int i = 1; i <= n; i++) {
    mass[i] = (*lumping == 'h' && i == n ? 0.5 : 1.0) / n;
  }
  const double guess = 0.5 * gsl_sf_bessel_zero_J0((unsigned)k) * sqrt(gravity);
  mode_near(n, mass, guess, u);
  lay(&chain, n, u);
  rl_driver_set_state(chain.driver, chain.driver->state);
  double first = NAN, last = NAN, before = amplitude;
  for (int passes = 0; passes < PASSES;) {
    rl_setup_run(trial, &chain, 1);
    const double now = rl_setup_probe(trial, &chain, "chain.tip.x");
    if ((now > 0.0) != (before > 0.0)) {
      last = chain.driver->state->time - step * now / (now - before);
      first = passes == 0 ? last : first;
      passes++;
    }
    before = now;
  }
  rl_setup_close(&chain);
  return M_PI * (PASSES - 1) / (last - first);
}

static void laguerre(rl_trial *trial) {
  for (int i = 0; i < 5; i++) {
    const int n = 4 << i;
    trial->ours[i] = measured(trial, n, "equal", 1);
    const double limit = 0.5 * gsl_sf_bessel_zero_J0(1) * sqrt(gravity);
    rl_trial_point(trial, "rattle, equal beads", n, fabs(trial->ours[i] / limit - 1.0));
    rl_trial_point(trial, "rattle, half a bead at the end", n,
                   fabs(measured(trial, n, "half", 1) / limit - 1.0));
  }
}

static const rl_claim laguerre_claims[] = {
    RL_CLAIM("lowest frequency of 4 equal beads", "rad/s", RL_EQUALS, 3.55763563910991, 1e-6,
             "zeros of L_N", RL_DERIVED, NULL),
    RL_CLAIM("... 8", "rad/s", RL_EQUALS, 3.65561835307029, 1e-6, "zeros of L_N", RL_DERIVED, NULL),
    RL_CLAIM("... 16", "rad/s", RL_EQUALS, 3.70910386330348, 1e-6, "zeros of L_N", RL_DERIVED,
             NULL),
    RL_CLAIM("... 32", "rad/s", RL_EQUALS, 3.73712479352497, 1e-6, "zeros of L_N", RL_DERIVED,
             NULL),
    RL_CLAIM("... 64", "rad/s", RL_EQUALS, 3.75147736555493, 1e-6, "zeros of L_N", RL_DERIVED,
             NULL),
};

// Extrapolates twice, since the error falls with the square of the element length.
static void bessel(rl_trial *trial) {
  for (int k = 1; k <= 3; k++) {
    const double coarse = measured(trial, 32, "half", k);
    const double fine = measured(trial, 64, "half", k);
    const double finer = measured(trial, 128, "half", k);
    const double one = (4.0 * fine - coarse) / 3.0, other = (4.0 * finer - fine) / 3.0;
    trial->ours[k - 1] = (16.0 * other - one) / 15.0;
  }
}

static const rl_claim bessel_claims[] = {
    RL_CLAIM("first frequency of a chain, from 32, 64, 128 elements", "rad/s", RL_EQUALS,
             3.76606738842084, 1e-4, "zeros of J0", RL_DERIVED, NULL),
    RL_CLAIM("... second", "rad/s", RL_EQUALS, 8.64469611367751, 1e-4, "zeros of J0", RL_DERIVED,
             NULL),
    RL_CLAIM("... third", "rad/s", RL_EQUALS, 13.5521357783259, 1e-4, "zeros of J0", RL_DERIVED,
             NULL),
};

static const rl_plot plot = {
    "lowest frequency of a hanging chain",
    "elements",
    "relative distance from the chain's",
    true,
    true,
    "How far the lowest frequency of a row of beads is from that of a chain. With half a bead at "
    "the free end the order is two, with equal beads one."};

static const rl_experiment experiments[] = {
    {"laguerre", laguerre, sizeof laguerre_claims / sizeof laguerre_claims[0], laguerre_claims,
     &plot, 20.0},
    {"bessel", bessel, sizeof bessel_claims / sizeof bessel_claims[0], bessel_claims, NULL, 10.0},
};

const rl_paper rl_paper_hanging_chain = {"hanging-chain", "bessel1824", "hanging-chain.md", 2,
                                         experiments};
